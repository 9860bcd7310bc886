"""The searches; ``solver`` chooses one for a board, and ``single`` runs it within limits.

``bitboard`` searches boards of at most 8x8 inside, on words. Larger boards are numbered squares
(``ground``): ``astar_search`` (A* over pushes, the fewest moves or pushes) and ``bidirectional``
(FESS from both ends, any solution), which ``portfolio`` gives turns. They share ``flood``,
``positions``, ``bounds`` and ``deadlocks``, where every deadlock rule is listed. ``optimiser`` and
``vicinity`` shorten a given solution.
"""
