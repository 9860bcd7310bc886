"""A higher policy over lower ones, and the push policy alone, on levels of any number of boxes.

Unseen levels on floors within 6x6 squares, or those of ``--files``. For each number of boxes, or
file, and each arrangement: how many levels are solved within so many positions that its own network
evaluated, and the seconds of the processor a level, in which lower policies count. ``flat`` is the
search of the push policy.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import torch

from tokoban import pretrained, systems
from tokoban.sokoban.board import Board
from tokoban.sokoban.formats.levels import read_levels
from tokoban.sokoban.instructions import benchmark
from tokoban.systems.subgoals.evaluate import FLAT, LOWER, lower_policy
from tokoban.systems.subgoals.play import play_all
from tokoban.training.metrics import share

_LOWER = ("rollout", "push", "search")
_SEED = 1_000_003  # of the levels; not that of any training


def main(argv: Sequence[str] | None = None) -> int:
    """Prints a line of JSON for each row as it comes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--weights", default="sokoban-subgoals")
    parser.add_argument("--levels", type=int, default=100, help="of each number of boxes")
    parser.add_argument("--files", nargs="+", metavar="FILE", help="in place of generated levels")
    parser.add_argument("--boxes", type=int, nargs="+", default=[3, 4, 5, 6, 7, 8])
    parser.add_argument("--evaluated", type=int, nargs="+", default=[100, 1000])
    chosen = parser.parse_args(argv)
    for file in chosen.files or ():
        if not Path(file).is_file():
            parser.error(f"{file}: no such file")
    torch.set_num_threads(1)  # threads that wait for each other would count as work
    trained = pretrained.load_trained(chosen.weights, systems.load("subgoals"))
    trained = replace(trained, players=pretrained.players((LOWER, FLAT)))
    flat = trained.players[FLAT]

    def by_subgoals(lower: str, boards: Sequence[Board], most: int) -> int:
        policy = lower_policy(trained, lower)
        games = play_all(trained.model, boards, policy, most_evaluated=most)
        return sum(game.moves is not None for game in games)

    def by_pushes(boards: Sequence[Board], most: int) -> int:
        return sum(moves is not None for moves in flat(boards, most))

    arrangements: dict[str, Callable[[Sequence[Board], int], int]] = {"flat": by_pushes}
    arrangements |= {f"over {lower}": partial(by_subgoals, lower) for lower in _LOWER}
    for where in chosen.files or chosen.boxes:
        if isinstance(where, str):
            boards = [level.board for level in read_levels(where).levels[: chosen.levels]]
        else:
            boards = benchmark.held_out(chosen.levels, seed=_SEED, num_boxes=(where,))
        for name, play in arrangements.items():
            play(boards[:2], 2)  # compiles and loads
            for most in chosen.evaluated:
                started_s = time.process_time()
                solved = share("solved", play(boards, most), len(boards))
                seconds = (time.process_time() - started_s) / len(boards)
                row = {"levels_of": where, "by": name, "evaluated": most, "levels": len(boards)}
                print(json.dumps(row | solved | {"s_a_level": round(seconds, 4)}), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
