"""The reference rules for deadlocks that need no search: dead squares and frozen boxes.

Slow and plain; ``search.rules.table`` lists the rules of the searches with their sources, and tests
hold those to these. The Sokoban wiki calls them simple deadlocks and freeze deadlocks.
"""

from tokoban.sokoban.board import OFFSETS, Board, Square

_DIRECTIONS = range(len(OFFSETS))
_AXES = ((0, 2), (1, 3))  # up and down, left and right


def dead_squares(board: Board) -> frozenset[Square]:
    """Floor squares from which a lone box never reaches a goal, wherever the player stands.

    The player starts beside the box wherever that is best, but has to *walk* around it from one
    push to the next. Squares that nobody can reach are judged in the same way. The time grows with
    the square of the floor: 0.03 s for 100 squares.
    """
    bare = Board(board.height, board.width, board.walls, board.goals, frozenset(), board.player)
    reached = set(board.goals)
    # Backwards from the goals by pulls, over states (box, player beside it). States that differ
    # only by a walk around the box are one: the first one met marks the others as seen.
    waiting = [
        (goal, goal.neighbour(side))
        for goal in board.goals
        for side in _DIRECTIONS
        if bare.is_free(goal.neighbour(side))
    ]
    seen: set[tuple[Square, Square]] = set()
    while waiting:
        box, player = waiting.pop()
        if (box, player) in seen:
            continue
        zone = set(bare.flood(player, bare.walls | {box}))
        for side in _DIRECTIONS:
            before = box.neighbour(side)
            behind = before.neighbour(side)
            if before in zone:
                seen.add((box, before))
                if bare.is_free(behind):
                    reached.add(before)
                    waiting.append((before, behind))
    floor = (Square(row, column) for row in range(board.height) for column in range(board.width))
    return frozenset(square for square in floor if bare.is_free(square) and square not in reached)


def frozen_boxes(board: Board) -> frozenset[Square]:
    """The boxes that can never move again, because walls and each other block both axes.

    All such boxes are returned, those on goals too: the board is deadlocked as soon as one of them
    is on no goal. Boxes that stay only because the player cannot reach them are not found.
    """
    # The greatest fixed point: all boxes are frozen at first; a box with both neighbours of an axis
    # free of walls and frozen boxes is not, until nothing changes. Only the neighbours of a box
    # that is no longer frozen are looked at again, so the time is linear.
    frozen = set(board.boxes)

    def is_blocked(box: Square, axis: tuple[int, int]) -> bool:
        neighbours = [box.neighbour(direction) for direction in axis]
        return any(
            square in frozen or square in board.walls or not board.contains(square)
            for square in neighbours
        )

    waiting = list(frozen)
    while waiting:
        box = waiting.pop()
        if box in frozen and not all(is_blocked(box, axis) for axis in _AXES):
            frozen.remove(box)
            waiting += (box.neighbour(direction) for direction in _DIRECTIONS)
    return frozenset(frozen)
