"""Has A* prove random ones of a folder of labels again.

A* solves, or proves unsolvable, states drawn from all shards, and for some of them everything that
a move or a push can make of them. Exits with 1 if any label differs.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from tokoban.sokoban import rules
from tokoban.sokoban.board import Board, Direction, Square
from tokoban.sokoban.labels.shards import Shard, read_shard
from tokoban.sokoban.search.bitboard.labels import DEADLOCKED
from tokoban.sokoban.search.combine.solver import solve

_NUM_SETS = 300


def draw_states(path: Path, num_states: int) -> Iterator[tuple[Shard, int]]:
    """Random states of all shards together, each as likely."""
    shards = [read_shard(file) for file in sorted(path.glob("[0-9]*.safetensors"))]
    ends = np.cumsum([len(shard) for shard in shards])
    chance = np.random.default_rng(0)
    for place in np.sort(chance.choice(ends[-1], min(num_states, ends[-1]), replace=False)):
        number = int(np.searchsorted(ends, place, side="right"))
        yield shards[number], int(place - ends[number] + len(shards[number]))


def price(board: Board, unit: str) -> int:
    """The fewest moves or pushes to the end by A*; ``DEADLOCKED`` if there is no solution."""
    answer = solve(board, minimise=unit)
    if answer.status == "gave up":
        raise RuntimeError(f"A* gave up on {board}")
    if answer.solution is None:
        return DEADLOCKED
    return answer.solution.num_pushes if unit == "pushes" else answer.solution.num_moves


def best_moves(board: Board, moves_left: int) -> int:
    """Bit a: move a is followed by a solution of one move less."""
    after = [rules.step(board, direction) for direction in Direction]
    return sum(
        1 << direction
        for direction in Direction
        if after[direction] != board and price(after[direction], "moves") == moves_left - 1
    )


def best_pushes(board: Board, unit: str, left: int) -> set[tuple[Square, Direction]]:
    """The pushes after which, with the walk to them if moves count, the rest is a solution."""
    steps = {board.player: 0}
    waiting = [board]
    best = set()
    for here in waiting:
        for direction in Direction:
            after = rules.step(here, direction)
            if after.boxes != board.boxes:
                spent = 1 + (steps[here.player] if unit == "moves" else 0)
                if spent <= left and price(after, unit) == left - spent:
                    best.add((after.player, direction))
            elif after.player not in steps:
                steps[after.player] = steps[here.player] + 1
                waiting.append(after)
    return best


def written_pushes(shard: Shard, state: int, unit: str) -> set[tuple[Square, Direction]]:
    """The pushes of a shard, as squares of its board."""
    (words,) = shard.best_pushes(np.array([state]), unit)
    return {
        (Square(cell // 8 + 1, cell % 8 + 1), direction)
        for direction in Direction
        for cell in range(64)
        if int(words[direction]) >> cell & 1
    }


def prove(path: Path, num_states: int) -> dict[str, int]:
    """Compares labels with A*; of the first ``_NUM_SETS`` solvable ones all optimal actions too."""
    counts = {"solvable": 0, "deadlocked": 0, "sets": 0, "wrong": 0}
    for shard, state in draw_states(path, num_states):
        board, moves_left = shard.board(state), int(shard.moves_left[state])
        pushes_left = int(shard.pushes_left[state])
        counts["deadlocked" if moves_left == DEADLOCKED else "solvable"] += 1
        is_right = (price(board, "moves"), price(board, "pushes")) == (moves_left, pushes_left)
        if 0 < moves_left < DEADLOCKED and counts["sets"] < _NUM_SETS:
            counts["sets"] += 1
            is_right &= best_moves(board, moves_left) == shard.best_moves[state]
            for unit, left in (("moves", moves_left), ("pushes", pushes_left)):
                is_right &= best_pushes(board, unit, left) == written_pushes(shard, state, unit)
        counts["wrong"] += not is_right
    return counts


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("labels", type=Path, metavar="DIR", help="of `tokoban label --output DIR`")
    parser.add_argument("--proofs", type=int, default=1000, help="states (default: 1000)")
    arguments = parser.parse_args(argv)
    counts = prove(arguments.labels, arguments.proofs)
    print(", ".join(f"{name} {count}" for name, count in counts.items()))
    return int(counts["wrong"] > 0)


if __name__ == "__main__":
    sys.exit(main())
