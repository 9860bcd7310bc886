"""The searches; ``solver`` chooses one for a board, and ``run`` runs it within limits.

``bitboard`` searches boards of at most 8x8 inside, on words. Larger boards are numbered squares
(``ground``): ``astar_search`` (A* over pushes) for the fewest moves or pushes; for any solution
``portfolio``, which gives turns to it, ``bidirectional`` (FESS from both ends), ``fess`` (FESS from
the start) and ``targets`` (both). ``guided`` follows a policy. All are generators, which ``pauses``
describes. They share ``flood``, ``positions``, ``columns`` (the arrays of stores),
``pairing_heap``, ``bounds``, ``pruning`` and ``deadlocks``, where every deadlock rule is listed.
``optimiser`` and ``vicinity`` shorten a given solution.
"""
