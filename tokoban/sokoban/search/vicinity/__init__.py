"""Shorter plans beside a given one, compiled; ``tokoban.sokoban.search.optimiser`` is the entry.

Read in this order: ``tables`` (a level in numbers), ``plans`` (a plan, push by push), ``positions``
(what was met), ``vicinity`` (the search), ``sweeps`` (all along a plan, within the limits).
"""
