"""The advisors that clear squares: the opener, and the one for boxes out of plan.

After Shoham and Schaeffer 2020 and Festival. Both take the box that is nearest to the squares in
question, in steps of a walk on the empty board, and move it as far from them as one move can.
"""

from functools import partial
from typing import no_type_check

from tokoban.compiling import inner
from tokoban.sokoban.search.level.ground import NONE
from tokoban.sokoban.search.level.words import EMPTY, index, lowest
from tokoban.sokoban.search.measures.packing.plan import (
    next_square,
    out_of_plan_word,
    point_of_plan,
)
from tokoban.sokoban.search.searches.fess.scores import (
    OUT_OF_PLAN,
    PACKING,
    REGIONS,
    RETURNS,
    ROOMS,
    feature_of,
    has_mark,
)

_FAR = 1 << 30


@inner
@no_type_check
def count_steps(neighbours, waiting, count, steps):
    """Fills ``steps`` [F + 1] with those of a walk on the empty board from the first ``count``
    squares of ``waiting``."""
    wall = len(neighbours) - 1
    steps[:] = _FAR
    for i in range(count):
        steps[waiting[i]] = 0
    first = 0
    while first < count:
        square = waiting[first]
        first += 1
        for direction in range(4):
            ahead = neighbours[square, direction]
            if ahead != wall and steps[ahead] == _FAR:
                steps[ahead] = steps[square] + 1
                waiting[count] = ahead
                count += 1


@inner
@no_type_check
def is_no_worse(child_score, score):
    """Whether a child is as good as its parent by each feature that the advisors here look at."""
    return (
        feature_of(child_score, PACKING) >= feature_of(score, PACKING)
        and feature_of(child_score, REGIONS) >= feature_of(score, REGIONS)
        and feature_of(child_score, OUT_OF_PLAN) >= feature_of(score, OUT_OF_PLAN)
        and feature_of(child_score, ROOMS) >= feature_of(score, ROOMS)
    )


@inner
@no_type_check
def farthest(tree, steps, score, first, last, is_to_return):
    """The child that moves the nearest box farthest, of equal ones the best; NONE if there is none.

    Only children count that move a box away, are no worse than their parent by any feature, and if
    ``is_to_return`` whose move can be undone.
    """
    best = NONE
    for child in range(first, last):
        child_score = tree.child_score[child]
        near, far = steps[tree.box[child]], steps[tree.to[child]]
        if far <= near or not is_no_worse(child_score, score):
            continue
        if is_to_return and not has_mark(child_score, RETURNS):
            continue
        if best != NONE:
            best_near, best_far = steps[tree.box[best]], steps[tree.to[best]]
            if near != best_near:
                is_better = near < best_near
            elif far != best_far:
                is_better = far > best_far
            else:
                is_better = child_score > tree.child_score[best]
            if not is_better:
                continue
        best = child
    return best


@partial(inner, is_inlined=True)
@no_type_check
def open_next_square(tables, tree, scratch, score, first, last):
    """The opener: clears the surroundings of the square that the plan fills next.

    Silent, NONE, if some child packs more.
    """
    for child in range(first, last):
        if feature_of(tree.child_score[child], PACKING) > feature_of(score, PACKING):
            return NONE
    square = next_square(tables.packing, scratch.is_blocked)
    if square == NONE:
        return NONE
    scratch.waiting[0] = square
    count_steps(tables.ground.neighbours, scratch.waiting, 1, scratch.steps)
    return farthest(tree, scratch.steps, score, first, last, False)


@partial(inner, is_inlined=True)
@no_type_check
def clear_out_of_plan(tables, tree, scratch, score, first, last):
    """Clears the squares out of plan by a move that can be undone.

    Silent, NONE, if no box is on them.
    """
    if feature_of(score, OUT_OF_PLAN) == feature_of(-1, OUT_OF_PLAN):
        return NONE
    point = point_of_plan(tables.packing, scratch.is_blocked)
    num_floor = len(tables.ground.zone)
    count = 0
    for word in range(len(scratch.words)):
        rest = out_of_plan_word(tables.packing, point, word)
        while rest != EMPTY:
            square = 64 * word + index(rest)
            rest ^= lowest(rest)
            if square < num_floor:
                scratch.waiting[count] = square
                count += 1
    count_steps(tables.ground.neighbours, scratch.waiting, count, scratch.steps)
    return farthest(tree, scratch.steps, score, first, last, True)
