"""The solvers, compiled; ``tokoban.sokoban.solver`` is the entry for one board.

For boards of one word, arrays in and arrays out: ``batch`` solves many levels and ``sweep`` tells
how far every state of a level is from its end. Read in this order: ``words`` (sets of cells),
``terrain`` (what a level says before any search), ``push_search`` (A* over pushes, with its
``matching``), ``layers`` (move by move from both ends, or back from the end alone), ``plans`` (the
moves of what was found), ``driver`` and ``labels`` (level after level), ``workspace`` (room) and
``slices`` (limits and threads). For other boards: ``by_squares``, compiled in ``astar``. ``single``
finds the answer to one board by any of these searches, and keeps its limits.
"""
