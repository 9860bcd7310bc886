"""A higher policy plays by a lower one: greedily, or by best-first search over subgoals.

The search is Levin's (Orseau et al. 2018, arXiv:1811.10928): the next subgoal to carry out has the
fewest before it for the probability of them all.
"""

import heapq
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float32

from tokoban.sokoban import rules
from tokoban.sokoban.board import Board, Direction
from tokoban.sokoban.encoding.boards import Boards
from tokoban.sokoban.encoding.encoded import collated
from tokoban.sokoban.search.combine.solver import solve
from tokoban.systems.subgoals.dataset import Encoder, Subgoal
from tokoban.systems.subgoals.model import SubgoalNet

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


class _Node(NamedTuple):
    """A subgoal on a board."""

    cost: float
    number: int  # parts equal costs
    nats: float  # log-probability of the subgoals so far, this one included
    depth: int  # their number
    board: Board
    moves: Moves  # to the board
    subgoal: Subgoal


class Game:
    """A level under play."""

    def __init__(self, board: Board) -> None:
        self.start, self.encoder = board, Encoder(board)
        self.moves: Moves | None = () if board.is_solved else None  # a solution
        self.num_evaluated = self.num_commands = self.num_refused = 0
        self.waiting: list[_Node] = []
        self._seen = {_key(board)}
        self._count = 0

    def expand(
        self, board: Board, before: _Node | None, subgoals: Float32[np.ndarray, "T T"]
    ) -> None:
        """Adds the subgoals of a position, by their log-probabilities."""
        self.num_evaluated += 1
        nats, depth, moves = (
            (0.0, 0, ()) if before is None else (before.nats, before.depth, before.moves)
        )
        squares = self.encoder.squares.squares
        for box, target in np.argwhere(subgoals > _LEAST_NATS).tolist():
            all_nats = nats + float(subgoals[box, target])
            cost = math.log(depth + 1) - all_nats
            self._count += 1
            subgoal = squares[box], squares[target]
            node = _Node(cost, self._count, all_nats, depth + 1, board, moves, subgoal)
            heapq.heappush(self.waiting, node)

    def carry_out(self, node: _Node, moves: Moves | None) -> _Node | None:
        """The node after the lower policy's moves; None if it refuses, or leads nowhere new."""
        self.num_commands += 1
        if moves is None:
            self.num_refused += 1
            return None
        after = rules.play(node.board, moves)[-1]
        box, target = node.subgoal
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
    reached: list[tuple[Game, Board, _Node | None]] = [
        (game, game.start, None) for game in games if game.moves is None
    ]
    while reached:
        for first in range(0, len(reached), _ROWS_AT_ONCE):
            group = reached[first : first + _ROWS_AT_ONCE]
            nats = judged(model, [(game.encoder, board) for game, board, _ in group])
            for (game, board, node), subgoals in zip(group, nats, strict=True):
                if is_greedy:
                    game.waiting.clear()
                game.expand(board, node, subgoals)
        reached = _steps(games, lower, most_evaluated)
    return games


def _steps(
    games: Sequence[Game], lower: Lower, most_evaluated: int
) -> list[tuple[Game, Board, _Node | None]]:
    """Carries out subgoals until every game that goes on has come to a new position."""
    reached: list[tuple[Game, Board, _Node | None]] = []
    active = [game for game in games if game.moves is None and game.num_evaluated < most_evaluated]
    while active := [game for game in active if game.waiting]:
        nodes = [heapq.heappop(game.waiting) for game in active]
        answers = lower([command(node.board, node.subgoal) for node in nodes])
        refused = []
        for game, node, moves in zip(active, nodes, answers, strict=True):
            after = game.carry_out(node, moves)
            if after is None:
                refused.append(game)
            elif game.moves is None:
                reached.append((game, after.board, after))
        active = refused
    return reached


def judged(
    model: SubgoalNet, positions: Sequence[tuple[Encoder, Board]]
) -> Float32[np.ndarray, "B T T"]:
    """Log-probabilities of the subgoals of each position."""
    tokens = [encoder.tokens for encoder, _ in positions]
    features = [encoder.encode([board]) for encoder, board in positions]
    boards = Boards.of(collated(tokens, features)).to(model.box.weight.device)
    with torch.inference_mode():
        return model(boards).subgoal.cpu().numpy()
