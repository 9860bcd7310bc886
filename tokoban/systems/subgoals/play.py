"""A higher policy plays by a lower one: greedily, or by best-first search over subgoals.

The search is PHS (Orseau and Lelis 2021, arXiv:2103.11505): the next subgoal to carry out has the
fewest before it for the probability of them all, itself included, and of the pushes that a lower
bound leaves on its board.
"""

import heapq
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float32
from torch.nn import functional

from tokoban.sokoban import rules
from tokoban.sokoban.board import Board, Direction
from tokoban.sokoban.encoding.boards import Boards
from tokoban.sokoban.encoding.encoded import collated
from tokoban.sokoban.encoding.tokens import Tokens
from tokoban.sokoban.search.combine.solver import solve
from tokoban.sokoban.search.searches.guided.tree import PUSH_LOSS
from tokoban.systems.subgoals.model import Output, SubgoalNet
from tokoban.systems.subgoals.stretches import Subgoal

_ROWS_AT_ONCE = 64
_LEAST_NATS = math.log(1e-4)  # of a subgoal that is tried

Moves = tuple[Direction, ...]
# Carries out what boards of one box and one goal ask for, or refuses.
Lower = Callable[[Sequence[Board]], Sequence[Moves | None]]


def command(board: Board, subgoal: Subgoal) -> Board:
    """What the lower policy sees of a subgoal: other boxes are walls."""
    box, target = subgoal
    others = board.boxes - {box}
    return replace(
        board, walls=board.walls | others, boxes=frozenset({box}), goals=frozenset({target})
    )


def exactly(boards: Sequence[Board]) -> list[Moves | None]:
    """The lower policy that never errs: a search for the fewest pushes."""
    found = [solve(board, minimise="pushes").solution for board in boards]
    return [None if solution is None else solution.directions for solution in found]


class Node(NamedTuple):
    """A board, and the subgoal that is to be carried out there."""

    cost: float
    number: int  # parts equal costs
    nats: float  # log-probability of the subgoals so far, this one included, and of their safety
    depth: int  # their number
    board: Board
    moves: Moves  # to the board
    subgoal: Subgoal | None  # None at the start


class Game:
    """A level under play."""

    def __init__(self, board: Board) -> None:
        self.start, self.tokens = board, Tokens.of(board)
        self.moves: Moves | None = () if board.is_solved else None  # a solution
        self.num_evaluated = self.num_commands = self.num_refused = 0
        self.waiting: list[Node] = []
        self._seen, self._count = {_key(board)}, 0

    def expand(self, node: Node, subgoals: Float32[np.ndarray, "T T"], bound: int) -> None:
        """Adds the subgoals of a node's board, with what ``judged`` says of them and of it."""
        self.num_evaluated += 1
        squares, depth = self.tokens.squares.squares, node.depth + 1
        for box, target in np.argwhere(subgoals > _LEAST_NATS).tolist():
            self._count += 1
            nats = node.nats + float(subgoals[box, target])
            order = math.log(depth) + PUSH_LOSS * bound - nats, self._count
            subgoal = squares[box], squares[target]
            heapq.heappush(self.waiting, Node(*order, nats, depth, node.board, node.moves, subgoal))

    def carry_out(self, node: Node, moves: Moves | None) -> Node | None:
        """The node after the lower policy's moves; None if it refuses, or leads nowhere new."""
        assert node.subgoal is not None
        self.num_commands += 1
        if moves is None:
            self.num_refused += 1
            return None
        (box, target), after = node.subgoal, rules.play(node.board, moves)[-1]
        if after.boxes != node.board.boxes - {box} | {target}:
            raise RuntimeError(f"{node.board!r}: the lower policy did not do {node.subgoal}")
        if _key(after) in self._seen:
            return None
        self._seen.add(_key(after))
        moves = (*node.moves, *moves)
        if after.is_solved:
            if not rules.play(self.start, moves)[-1].is_solved:
                raise RuntimeError(f"a play is refused: {self.start!r}")
            self.moves = moves
        return node._replace(board=after, moves=moves)


def _key(board: Board) -> object:
    return board.boxes, min(board.area())


def play_all(
    model: SubgoalNet,
    boards: Iterable[Board],
    lower: Lower,
    *,
    most_evaluated: int,
    is_greedy: bool = False,
) -> list[Game]:
    """Plays all levels side by side; each is played as it would be alone.

    The model evaluates so many positions of each. Greedy play never goes back: it strikes out the
    likeliest subgoal until the lower policy carries one out that leads to a new position.
    """
    games = [Game(board) for board in boards]
    reached = [(game, Node(0.0, 0, 0.0, 0, game.start, (), None)) for game in games]
    while reached := [(game, node) for game, node in reached if game.moves is None]:
        for first in range(0, len(reached), _ROWS_AT_ONCE):
            group = reached[first : first + _ROWS_AT_ONCE]
            judgements = judged(model, [(game.tokens, node.board) for game, node in group])
            for (game, node), (subgoals, bound) in zip(group, judgements, strict=True):
                if is_greedy:
                    game.waiting.clear()
                game.expand(node, subgoals, bound)
        reached = []
        active = [
            game for game in games if game.moves is None and game.num_evaluated < most_evaluated
        ]
        while active := [game for game in active if game.waiting]:  # not at a new position yet
            nodes = [heapq.heappop(game.waiting) for game in active]
            found = lower([command(node.board, node.subgoal) for node in nodes if node.subgoal])
            after = [
                (game, game.carry_out(node, moves))
                for game, node, moves in zip(active, nodes, found, strict=True)
            ]
            reached += [(game, node) for game, node in after if node is not None]
            active = [game for game, node in after if node is None]
    return games


def judged(
    model: SubgoalNet, positions: Sequence[tuple[Tokens, Board]]
) -> list[tuple[Float32[np.ndarray, "T T"], int]]:
    """For each position, the log-probability that a subgoal is chosen and safe, for every subgoal,
    and a lower bound on the pushes left.
    """
    output, bounds = read(model, positions)
    nats = (output.subgoal + functional.logsigmoid(output.safe)).cpu().numpy()
    return [*zip(nats, bounds, strict=True)]


def read(model: SubgoalNet, positions: Sequence[tuple[Tokens, Board]]) -> tuple[Output, list[int]]:
    """The network's output for positions, and lower bounds on the pushes left."""
    tokens = [own for own, _ in positions]
    encoded = [own.features_of([board]) for own, board in positions]
    boards = Boards.of(collated(tokens, [features for features, _ in encoded]))
    with torch.inference_mode():
        output: Output = model(boards.to(model.box.weight.device))
    return output, [int(bound) for _, [bound] in encoded]
