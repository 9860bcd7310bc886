"""Conway's Game of Life by one layer of attention, and a proof that it is right on every grid.

Read in this order: ``rules``, ``config``, ``dataset``, ``model``, ``hard_grids`` (what misleads the
model most), ``train``, ``simulate`` (the model in the place of the rules), ``certificate`` (every
neighbourhood at every cell), ``evaluate``, ``attention_plot`` (where the cells look) and
``patterns`` (files of Life's players).
"""
