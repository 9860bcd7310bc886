"""Compiled: the flood fill of numbered squares, breadth first.

Axes as in ``ground``. Words of 8x8 squares have a flood of their own, ``level.words.flood``,
which takes a step in all directions at once.
"""

from typing import no_type_check

from tokoban.compiling import entry, inner


@entry
@no_type_check
def flood(neighbours, is_blocked, start, marks, mark, waiting, steps=None):
    """Sets ``marks`` to ``mark`` wherever a walk from ``start`` comes; returns the least square.

    ``marks`` [F + 1] must not hold ``mark`` before, so that it need not be cleared between floods
    with different marks; the wall must be blocked. ``waiting`` [F + 1] is workspace. Writes the
    length of the walk to each square into ``steps`` [F + 1] if that is given.
    """
    marks[start] = mark
    waiting[0] = start
    if steps is not None:
        steps[start] = 0
    first, count, least = 0, 1, start
    while first < count:
        square = waiting[first]
        first += 1
        for direction in range(4):
            ahead = neighbours[square, direction]
            if marks[ahead] != mark and not is_blocked[ahead]:
                marks[ahead] = mark
                waiting[count] = ahead
                count += 1
                if ahead < least:
                    least = ahead
                if steps is not None:
                    steps[ahead] = steps[square] + 1
    return least


@inner
@no_type_check
def flood_rest(neighbours, is_blocked, marks, waiting, least=None):
    """Marks each region of free floor whose mark is below 1: the first with 2, the next with 3 and
    so on; returns how many there are. Writes the least square of each by its mark into ``least`` if
    that is given."""
    num_regions = 0
    for square in range(len(neighbours) - 1):
        if marks[square] < 1 and not is_blocked[square]:
            num_regions += 1
            flood(neighbours, is_blocked, square, marks, 1 + num_regions, waiting)
            if least is not None:
                least[1 + num_regions] = square
    return num_regions
