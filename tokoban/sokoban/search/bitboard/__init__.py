"""Searches of boards whose inside fits 8x8 squares: every set of squares is one 64-bit word.

Arrays in, arrays out: ``batch`` solves many levels, ``sweep`` gives the exact distance of every
state of a level. Read in this order: ``level.words`` (sets of squares), ``terrain`` (dead squares
and bounds of one level), ``push_search`` (A* over pushes), ``layers`` (breadth-first search by
moves from both ends, retrograde analysis from the end alone), ``solutions`` (the moves of a
solution), ``driver`` and ``labels`` (level after level), ``workspace`` (memory) and ``worker``
(limits).
"""
