"""Every position that play of a small board can reach, by plain search over its pushes."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from tokoban.sokoban.board import Board, Direction, Square

# Boxes, and the least square the player can walk to.
Position = tuple[frozenset[Square], Square]
# The square of the box, and the position after.
Push = tuple[Square, Position]


def position_of(board: Board) -> Position:
    return board.boxes, min(board.area())


def board_at(board: Board, position: Position) -> Board:
    """The level of ``board`` in another position."""
    return replace(board, boxes=position[0], player=position[1])


def expansions(board: Board) -> Iterator[tuple[Position, list[Push]]]:
    """Every position once, with every push of it."""
    ahead = {
        square: [square.neighbour(direction) for direction in Direction]
        for square in board.inside()
    }

    def least_and_area(boxes: frozenset[Square], player: Square) -> tuple[Square, set[Square]]:
        area = {player}
        for square in (found := [player]):
            for beside in ahead[square]:
                if beside in ahead and beside not in area and beside not in boxes:
                    area.add(beside)
                    found.append(beside)
        return min(area), area

    known: set[Position] = set()
    waiting = [position_of(board)]
    while waiting:
        boxes, player = waiting.pop()
        if (boxes, player) in known:
            continue
        known.add((boxes, player))
        _, area = least_and_area(boxes, player)
        pushes: list[Push] = []
        for box in boxes & ahead.keys():
            for direction in Direction:
                beyond = ahead[box][direction]
                if ahead[box][direction.opposite] not in area or beyond not in ahead:
                    continue
                if beyond in boxes:
                    continue
                after = boxes - {box} | {beyond}
                pushes.append((box, (after, least_and_area(after, box)[0])))
        waiting += [position for _, position in pushes]
        yield (boxes, player), pushes


def push_graph(board: Board) -> dict[Position, list[Push]]:
    return dict(expansions(board))


def pushes_left(graph: dict[Position, list[Push]], goals: frozenset[Square]) -> dict[Position, int]:
    """The fewest pushes from each position from which some play brings all boxes to goals."""
    before: dict[Position, list[Position]] = {position: [] for position in graph}
    for position, pushes in graph.items():
        for _, after in pushes:
            before[after].append(position)
    left = {position: 0 for position in graph if position[0] == goals}
    waiting = [*left]
    for position in waiting:  # grows while it is read
        for earlier in before[position]:
            if earlier not in left:
                left[earlier] = left[position] + 1
                waiting.append(earlier)
    return left


def can_be_solved(board: Board) -> bool:
    return any(boxes == board.goals for (boxes, _), _ in expansions(board))


def can_all_come_to_goals(board: Board, boxes: Iterable[Square]) -> bool:
    """Whether these boxes can all be on goals at once where no others are."""
    alone = replace(board, boxes=frozenset(boxes))
    return any(boxes <= board.goals for (boxes, _), _ in expansions(alone))
