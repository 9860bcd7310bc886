"""Sokoban; knows no network, and imports nothing here.

Read in this order: ``board`` (the frozen value), ``rules`` (the reference rules, in thirty lines),
``formats`` (level files), ``symmetry`` and ``canonical`` (which levels are the same), ``figures``
(of a solution), ``deadlocks`` (the reference rules for deadlocks), ``simulation`` (many boards at
once), ``search`` (the solvers), ``proofs`` (why a board is deadlocked), ``puzzles`` (levels made
and rated), ``labels`` (exact labels by the million, in files), ``render``.
"""
