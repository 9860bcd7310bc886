"""Small random boards, and what every possible play of them by the plain rules leads to."""

import random
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import product

from tokoban.sokoban import rules
from tokoban.sokoban.board import Board, Direction, Square


@dataclass(frozen=True)
class Shape:
    """Height and width inside the border, if there is one."""

    height: int
    width: int
    num_boxes: int
    is_closed: bool


def random_boards(shape: Shape, num_boards: int, *, seed: int) -> Iterator[Board]:
    """Boards of up to a third walls, by turns with goals where random play has brought the boxes
    and with goals anywhere, most of which have no solution."""
    draw = random.Random(seed)
    margin = int(shape.is_closed)
    height, width = shape.height + 2 * margin, shape.width + 2 * margin
    everywhere = {Square(row, column) for row in range(height) for column in range(width)}
    inside = sorted(
        square
        for square in everywhere
        if margin <= square.row < height - margin and margin <= square.column < width - margin
    )
    for i in range(num_boards):
        draw.shuffle(inside)
        floor = inside[draw.randrange(len(inside) // 3) :]
        boxes, player = frozenset(floor[: shape.num_boxes]), floor[shape.num_boxes]
        goals = frozenset(draw.sample(floor, shape.num_boxes))
        board = Board(height, width, frozenset(everywhere - set(floor)), goals, boxes, player)
        if i % 2 == 0:
            moves = draw.choices(list(Direction), k=50)
            board = replace(board, goals=rules.play(board, moves)[-1].boxes)
        yield board


def connected_boards(shape: Shape, num_boards: int, *, seed: int) -> Iterator[Board]:
    """Those of as many random boards that have all boxes and goals on one floor with the player."""
    for board in random_boards(shape, num_boards, seed=seed):
        if board.boxes | board.goals <= board.inside():
            yield board


def pushes_of(board: Board) -> dict[tuple[Square, Direction], Board]:
    """Every push that the player can walk to, by box and direction, with the board after it."""
    found, area = {}, board.area()
    for box, direction in product(sorted(board.boxes), Direction):
        behind = box.neighbour(direction.opposite)
        if behind in area:
            start = replace(board, player=behind)
            after = rules.step(start, direction)
            if after != start:
                found[box, direction] = after
    return found


def moved(squares: Iterable[Square], down: int, right: int) -> frozenset[Square]:
    return frozenset(Square(row + down, column + right) for row, column in squares)


def reachable(start: Board) -> dict[Board, list[Board]]:
    """Every board that play can reach, with the boards one move on."""
    after: dict[Board, list[Board]] = {}
    waiting = [start]
    while waiting:
        board = waiting.pop()
        if board not in after:
            after[board] = [rules.step(board, direction) for direction in Direction]
            waiting += after[board]
    return after


def fewest(
    after: dict[Board, list[Board]], start: Board, price: Callable[[Board, Board], int]
) -> int | None:
    """The least total price to a solved board, None if there is none; a move costs 0 or 1."""
    total = {start: 0}
    waiting = deque([start])
    while waiting:
        board = waiting.popleft()
        if board.is_solved:
            return total[board]
        for later in after[board]:
            later_total = total[board] + price(board, later)
            if later not in total or later_total < total[later]:
                total[later] = later_total
                (waiting.append if price(board, later) else waiting.appendleft)(later)
    return None


def is_push(before: Board, after: Board) -> bool:
    return before.boxes != after.boxes


def to_go(after: dict[Board, list[Board]], unit: str) -> dict[Board, int]:
    """The moves or pushes from each board that can be solved, by going back from those that are."""
    before: dict[Board, list[Board]] = {board: [] for board in after}
    for board, laters in after.items():
        for later in laters:
            before[later].append(board)
    total = {board: 0 for board in after if board.is_solved}
    waiting = deque(total)
    while waiting:
        board = waiting.popleft()
        for earlier in before[board]:
            price = int(unit == "moves" or is_push(earlier, board))
            if earlier not in total or total[board] + price < total[earlier]:
                total[earlier] = total[board] + price
                (waiting.append if price else waiting.appendleft)(earlier)
    return total


def best_pushes(
    board: Board, after: dict[Board, list[Board]], total: dict[Board, int], unit: str
) -> set[tuple[int, int]]:
    """Cell and direction of each first push of a shortest solution, walks of all lengths tried."""
    found = set()
    steps = {board: 0}
    waiting = deque([board])
    while waiting:
        here = waiting.popleft()
        for direction, later in enumerate(after[here]):
            if is_push(here, later):
                price = 1 + (steps[here] if unit == "moves" else 0)
                if later in total and total[later] + price == total[board]:
                    row, column = later.player
                    found.add((8 * row + column, direction))
            elif later not in steps:
                steps[later] = steps[here] + 1
                waiting.append(later)
    return found
