"""Conway's Game of Life by one layer of attention, and a proof that it is correct on every grid.

After https://github.com/sradc/life-transformer. Read in this order: ``rules``, ``config``,
``dataset``, ``model``, ``hard_grids`` (adversarial training examples), ``train``, ``simulate``
(rollouts), ``cell_cases``, ``bounds``, ``rounding`` and ``certificate`` (every neighbourhood at
every cell), ``evaluate``, ``attention_plot``, ``attention`` and ``patterns`` (RLE files).
"""
