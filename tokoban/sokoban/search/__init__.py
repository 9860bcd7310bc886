"""The searches; ``combine.solver`` chooses one for a board, and ``run`` runs it within limits.

Each of these folders imports only those before it; all may import the modules of this folder.
``pauses`` says how a search, which is a generator, talks to its caller.

- ``level``: numbered squares (``ground``), ``flood``, ``regions``, ``words``, ``one_box``
- ``state``: ``positions`` in columns, the ``workspace`` in which one is laid out, its
  ``single_pushes``, ``walks`` from one position to the next, and ``pairing_heap``
- ``measures``: ``bounds``, ``packing`` (plans), ``hotspots``
- ``rules``: every deadlock rule (``rules.table``), and how searches apply and share them
  (``pruning``)
- ``bitboard``: boards of at most 8x8 inside, on words
- ``searches``, which do not import ``bitboard``: the ``moves`` of one box; ``astar`` for the fewest
  moves or pushes; for any solution ``fess`` (from the start) and ``beam`` (pushes, or pulls);
  ``guided`` follows a policy; ``vicinity`` shortens a given solution
- ``combine``: ``portfolio`` runs these in turns, ``waypoints`` pairs two beams; callers use
  ``anytime``, ``optimiser`` and ``solver``
"""
