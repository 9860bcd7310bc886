"""Labels the levels of some files, and has A* prove random ones of the labels again.

Prints the rate by the clock and by the seconds of the processor, which other work on the machine
does not change. Then A* solves, or proves unsolvable, states drawn from all shards, and for some of
them everything that a move or a push can make of them. Exits with 1 if any label differs.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from tokoban.files.locks import alone_in
from tokoban.sokoban import rules
from tokoban.sokoban.board import Board, Direction, Square
from tokoban.sokoban.labels.folder import LabelFolder
from tokoban.sokoban.labels.job import LabelConfig, read_job
from tokoban.sokoban.labels.shards import Shard, read_shard
from tokoban.sokoban.search.bitboard.labels import DEADLOCKED
from tokoban.sokoban.search.combine.solver import solve
from tokoban.sokoban.work import Workers


def label(arguments: argparse.Namespace, path: Path) -> dict[str, float]:
    """Labels into a folder, and returns what it took and how much came of it."""
    started_s, started_cpu_s = time.perf_counter(), time.process_time()
    config = LabelConfig(num_states=arguments.states, max_levels=arguments.levels)
    job = read_job(arguments.files, config, evaluation=arguments.evaluation)
    with alone_in(path):
        folder = LabelFolder(path, job)
        num_levels = folder.num_missing_levels
        folder.complete(Workers(arguments.threads))
        elapsed_s, cpu_s = time.perf_counter() - started_s, time.process_time() - started_cpu_s
        manifest = folder.conclude()
    assert manifest is not None
    num_bytes = sum(shard["bytes"] for shard in manifest["shards"])
    return {
        "levels": num_levels,
        "elapsed_s": elapsed_s,
        "cpu_s": cpu_s,
        "cpu_ms_a_level": 1000 * cpu_s / max(num_levels, 1),
        "states": manifest["states"],
        "solvable_share": manifest["solvable_states"] / manifest["states"],
        "bytes_a_state": num_bytes / manifest["states"],
        "dropped": len(job.dropped),
    }


def draw_states(path: Path, num_states: int, seed: int) -> Iterator[tuple[Shard, int]]:
    """Random states of all shards together, each as likely."""
    shards = [read_shard(file) for file in sorted(path.glob("*.safetensors"))]
    ends = np.cumsum([len(shard) for shard in shards])
    chance = np.random.default_rng(seed)
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


def prove(path: Path, num_states: int, num_sets: int, seed: int) -> dict[str, int]:
    """Compares labels with A*; of the first ``num_sets`` solvable ones all optimal actions too."""
    counts = {"solvable": 0, "deadlocked": 0, "sets": 0, "wrong": 0}
    for shard, state in draw_states(path, num_states, seed):
        board, moves_left = shard.board(state), int(shard.moves_left[state])
        pushes_left = int(shard.pushes_left[state])
        counts["deadlocked" if moves_left == DEADLOCKED else "solvable"] += 1
        is_right = (price(board, "moves"), price(board, "pushes")) == (moves_left, pushes_left)
        if 0 < moves_left < DEADLOCKED and counts["sets"] < num_sets:
            counts["sets"] += 1
            is_right &= best_moves(board, moves_left) == shard.best_moves[state]
            for unit, left in (("moves", moves_left), ("pushes", pushes_left)):
                is_right &= best_pushes(board, unit, left) == written_pushes(shard, state, unit)
        counts["wrong"] += not is_right
    return counts


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", metavar="LEVELS")
    parser.add_argument("--evaluation", action="append", default=[], metavar="LEVELS")
    parser.add_argument("--levels", type=int, metavar="N", help="the first N")
    parser.add_argument("--states", type=int, default=64, help="drawn of a level (default: 64)")
    parser.add_argument("--threads", type=int, default=2, help="number of threads (default: 2)")
    parser.add_argument("--proofs", type=int, default=1000, help="states (default: 1000)")
    parser.add_argument("--sets", type=int, default=300, help="of which so many with all actions")
    parser.add_argument("--seed", type=int, default=0, help="of the choice of states to prove")
    parser.add_argument("--output", metavar="DIR", help="keep the labels in this new folder")
    arguments = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(arguments.output or folder)
        labelled = label(arguments, path)
        print(", ".join(f"{name} {figure:,.4g}" for name, figure in labelled.items()), flush=True)
        counts = prove(path, arguments.proofs, arguments.sets, arguments.seed)
    print(", ".join(f"{name} {count}" for name, count in counts.items()))
    return int(counts["wrong"] > 0)


if __name__ == "__main__":
    sys.exit(main())
