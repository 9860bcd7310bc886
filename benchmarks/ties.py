"""Which targets make a policy that searches well: oracles from exact labels, before any training.

Where several pushes are optimal, a policy may be taught all of them alike (uniform), any share of
them (what the set loss leaves open), or one (canonical: finish the box nearest to a goal). Such
policies are made here from the exact pushes left of every position of a level; they search, and the
evaluated positions are counted. ``--error`` gives that share of the probability to all legal pushes
alike; a share ``--drawn`` of the positions, chosen by hash, has one drawn push as its target, right
or wrong. The pushes left are exact up to a normal error of ``--value-error``, deadlocks unknown. No
network takes part: this says what ties cost the search, and not which target is learned best.
"""

import argparse
import json
import sys
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Bool, Float64, Int64

from tokoban.sokoban.board import Board
from tokoban.sokoban.formats.levels import read_levels
from tokoban.sokoban.search.bitboard.labels import DEADLOCKED
from tokoban.sokoban.search.bitboard.levels import from_board
from tokoban.sokoban.search.bitboard.sweep import sweep
from tokoban.sokoban.search.level.ground import Ground, Squares, build_ground
from tokoban.sokoban.search.limits import Limits
from tokoban.sokoban.search.searches.guided.guide import Guidance, legal_pushes
from tokoban.sokoban.search.searches.guided.search import GuidedOptions, solve_guided

# The weights [K] of the optimal pushes of a position, whose boxes need so many pushes alone [K].
Target = Callable[[np.random.Generator, Int64[np.ndarray, " K"]], Float64[np.ndarray, " K"]]


def _canonical(draw: np.random.Generator, alone: Int64[np.ndarray, " K"]) -> np.ndarray:
    """All on a push of the box that needs fewest pushes, but some."""
    return np.eye(len(alone))[np.where(alone > 0, alone, 1 << 20).argmin()]


def _concentrated(spread: float) -> Target:
    """Logits with this standard deviation."""
    return lambda draw, alone: np.exp(spread * draw.normal(size=len(alone)))


TARGETS: dict[str, Target] = {
    "uniform": lambda draw, alone: np.ones(len(alone)),
    "set, logits of spread 1": _concentrated(1),
    "set, logits of spread 3": _concentrated(3),
    "canonical": _canonical,
}
ORDERS = {
    "levin": GuidedOptions(order="levin", uniform=1e-6),
    "phs": GuidedOptions(order="phs", uniform=1e-6, push_loss=0.0),
    "phs, 0.4 a push": GuidedOptions(order="phs", uniform=1e-6),
    "phs*": GuidedOptions(order="phs*", uniform=1e-6),
}


class Oracle:
    """A policy made from the exact pushes left of all positions of one level."""

    def __init__(
        self, board: Board, squares: Squares, target: Target, options: argparse.Namespace
    ) -> None:
        levels = from_board(board)
        assert levels is not None, "the level is larger than 8x8"
        found = sweep(levels, "pushes")
        assert found is not None
        self._row = {int(boxes): row for row, boxes in enumerate(found.boxes)}
        self._distance = found.distance
        self._ground: Ground = build_ground(board, squares)
        self._target, self._options = target, options
        top, left = (min(ends) for ends in zip(*squares.squares, strict=True))
        self._cell = [8 * (row - top) + column - left for row, column in squares.squares]

    def evaluate(self, boxes: Bool[np.ndarray, "P F"], zone: Bool[np.ndarray, "P F"]) -> Guidance:
        """As ``Guide`` says."""
        shape = (*boxes.shape, 4)
        policy, left = np.zeros(shape), np.zeros(len(boxes), np.float32)
        is_legal = legal_pushes(self._ground.neighbours, boxes, zone)
        for row, (own, area) in enumerate(zip(boxes, zone, strict=True)):
            left[row] = self._fill(own, area, np.argwhere(is_legal[row]), policy[row])
        with np.errstate(divide="ignore"):
            log_policy = np.log(policy).astype(np.float32)
        return Guidance(log_policy, left, np.zeros_like(left), np.zeros(shape, np.float32))

    def _fill(
        self,
        boxes: Bool[np.ndarray, " F"],
        zone: Bool[np.ndarray, " F"],
        pushes: Int64[np.ndarray, "K 2"],
        policy: Float64[np.ndarray, "F 4"],
    ) -> float:
        """Writes the policy of one position, and returns the pushes left."""
        word = sum(1 << self._cell[box] for box in np.flatnonzero(boxes))
        player = int(np.flatnonzero(zone)[0])
        own = self._left(word, player)
        draw = np.random.default_rng(zlib.crc32(boxes.tobytes() + zone.tobytes()))
        left, alone = [], []
        for box, direction in pushes.tolist():
            end = int(self._ground.neighbours[box, direction])
            left.append(self._left(word ^ 1 << self._cell[box] ^ 1 << self._cell[end], box))
            behind = self._ground.neighbours[box, direction ^ 2]
            side = int(self._ground.zone[box, behind])
            alone.append(int(self._ground.lower_bound[4 * box + side]))
        is_best = np.array(left) == own - 1
        if own == DEADLOCKED or draw.random() < self._options.drawn:
            is_best = np.arange(len(pushes)) == draw.integers(len(pushes))
        weights = self._target(draw, np.array(alone)[is_best])
        shares = np.full(len(pushes), self._options.error / len(pushes))
        shares[is_best] += (1 - self._options.error) * weights / weights.sum()
        policy[pushes[:, 0], pushes[:, 1]] = shares
        return 0.0 if own == DEADLOCKED else own + draw.normal(0, self._options.value_error)

    def _left(self, boxes: int, player: int) -> int:
        row = self._row.get(boxes)
        return DEADLOCKED if row is None else int(self._distance[row, self._cell[player]])


def measure(
    boards: Sequence[Board], target: Target, order: str, options: argparse.Namespace
) -> list[int]:
    """The positions that each search evaluated, the limit where it found no solution."""
    evaluated = []
    for board in boards:
        guide = Oracle(board, Squares(board), target, options)
        answer = solve_guided(
            board,
            guide,
            options=ORDERS[order],
            limits=Limits(max_evaluated=options.limit),
        )
        is_solved = answer.status == "solved"
        evaluated.append(answer.num_evaluated if is_solved else options.limit)
    return evaluated


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("levels", nargs="+", metavar="FILE", help="levels of up to 8x8 squares")
    parser.add_argument("--count", type=int, default=100, metavar="N", help="levels of each file")
    parser.add_argument("--error", type=float, default=0.0, metavar="E", help="spread over all")
    parser.add_argument("--drawn", type=float, default=0.0, metavar="S", help="of the positions")
    parser.add_argument("--value-error", type=float, default=0.0, metavar="E", help="in pushes")
    parser.add_argument("--limit", type=int, default=3000, metavar="N", help="evaluated positions")
    parser.add_argument("--json", metavar="OUT", help="write the rows here too")
    arguments = parser.parse_args(argv)
    rows: list[dict[str, Any]] = []
    for file in arguments.levels:
        boards = [level.board for level in read_levels(file).levels[: arguments.count]]
        for name, target in TARGETS.items():
            for order in ORDERS:
                evaluated = measure(boards, target, order, arguments)
                row = {"levels": file, "target": name, "order": order}
                row |= {"mean": float(np.mean(evaluated)), "median": float(np.median(evaluated))}
                row |= {"solved": sum(count < arguments.limit for count in evaluated)}
                row |= {"error": arguments.error, "drawn": arguments.drawn}
                rows.append(row | {"value_error": arguments.value_error})
                print(rows[-1], flush=True)
    if arguments.json:
        Path(arguments.json).write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
