"""The single pushes that the player can make at a position that is laid out, for all searches."""

from collections.abc import Callable
from functools import partial
from typing import no_type_check

import numpy as np

from tokoban.compiling import inner


def single_pushes(visit: Callable) -> Callable:
    """``push_each``, which visits each push.

    ``visit(state, row, box, direction, end)`` finds box ``row`` moved from ``box`` to ``end``, on
    the floor and among the boxes, and says whether to go on.
    """

    @partial(inner, is_inlined=True)
    @no_type_check
    def push_each(state, neighbours, boxes, is_blocked, area, mark):
        """Visits the pushes from where ``area`` is ``mark``; returns whether no visit ended it."""
        for row in range(len(boxes)):
            box = np.int64(boxes[row])
            for direction in range(4):
                end = np.int64(neighbours[box, direction])
                if area[neighbours[box, direction ^ 2]] != mark or is_blocked[end]:
                    continue
                is_blocked[box], is_blocked[end], boxes[row] = False, True, end
                goes_on = visit(state, row, box, direction, end)
                is_blocked[end], is_blocked[box], boxes[row] = False, True, box
                if not goes_on:
                    return False
        return True

    return push_each
