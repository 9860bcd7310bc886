"""Where the player can walk, and into how many regions the boxes part the floor."""

from typing import no_type_check

from tokoban.compiling import entry, inner


@entry
@no_type_check
def mark_area(neighbours, is_blocked, start, marks, mark, waiting):
    """Sets ``marks`` to ``mark`` wherever a walk from ``start`` comes; returns the least square.

    No square may carry ``mark`` before; the wall must be blocked.
    """
    marks[start] = mark
    waiting[0] = start
    count = 1
    least = start
    while count > 0:
        count -= 1
        square = waiting[count]
        for direction in range(4):
            ahead = neighbours[square, direction]
            if marks[ahead] != mark and not is_blocked[ahead]:
                marks[ahead] = mark
                waiting[count] = ahead
                count += 1
                if ahead < least:
                    least = ahead
    return least


@inner
@no_type_check
def mark_other_regions(neighbours, is_blocked, marks, mark, waiting):
    """Marks each region of free floor that has less than ``mark``: the first with ``mark + 1``, the
    next with ``mark + 2`` and so on; returns how many there are."""
    num_regions = 0
    for square in range(len(neighbours) - 1):
        if marks[square] < mark and not is_blocked[square]:
            num_regions += 1
            mark_area(neighbours, is_blocked, square, marks, mark + num_regions, waiting)
    return num_regions
