"""The searches; ``solver`` chooses one for a board, and ``single`` runs it within limits.

``bitboard`` searches boards of at most 8x8 inside. Larger ones: ``by_squares`` with ``astar`` (A*
over pushes), ``fess`` (any solution), which ``side_by_side`` alternates. ``optimiser`` and
``vicinity`` shorten a given solution.
"""
