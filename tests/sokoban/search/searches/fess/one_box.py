"""Moves of one box from every position of small boards, in plain Python."""

from collections.abc import Iterator
from dataclasses import dataclass

from tests.sokoban.brute_force import Shape, random_boards
from tests.sokoban.search.push_graph import Position, board_at, push_graph
from tokoban.sokoban.board import Board, Direction, Square


@dataclass(frozen=True)
class Move:
    """One box from one square to another, by pushes of it alone."""

    box: Square
    to: Square
    after: Position

    @property
    def player(self) -> Square:
        return self.after[1]


Graph = dict[Position, list[tuple[Square, Position]]]


def small_boards() -> Iterator[tuple[Board, Graph]]:
    """Boards with all their positions."""
    for shape in (Shape(4, 5, 2, is_closed=True), Shape(3, 5, 3, is_closed=True)):
        for board in random_boards(shape, 12, seed=31):
            if (board.boxes | board.goals) <= board.inside():
                yield board, push_graph(board)


def area_of(board: Board, position: Position) -> frozenset[Square]:
    """Where the player can walk."""
    return frozenset(board_at(board, position).area())


def opens_a_push(
    board: Board, before: frozenset[Square], move: Move, ends: frozenset[Square]
) -> bool:
    """Whether another box can be pushed from a square that the player could not walk to."""
    boxes, new = move.after[0], area_of(board, move.after) - before
    return any(
        box.neighbour(direction.opposite) in new and box.neighbour(direction) in ends - boxes
        for box in boxes - {move.to}
        for direction in Direction
    )


def comes_back(graph: Graph, before: Position, move: Move) -> bool:
    """Whether pushes of the box alone lead back to the position before the move."""
    waiting, seen = [(move.to, move.after)], {(move.to, move.after)}
    while waiting:
        square, here = waiting.pop()
        if here == before:
            return True
        for pushed, after in graph[here]:
            if pushed == square:
                (to,) = after[0] - (here[0] - {square})
                if (to, after) not in seen:
                    seen.add((to, after))
                    waiting.append((to, after))
    return False
