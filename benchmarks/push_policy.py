"""Levels solved against CPU seconds, by networks and the baseline; strength by inputs.

Each of the weights is a row of each table. `curve`: one level after the other, one position at a
time, as `tokoban solve` would on one core; levels solved within so many CPU seconds each, and
within so many evaluated positions; weights of `benchmarks.tiles` are taken, too. `inputs`: greedy
play and search of all weights; give networks trained on raw, augmented and bounded inputs. Policies
choose pushes and walk by a shortest path.
"""

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from benchmarks.harness import hardware
from benchmarks.tiles.policy import judge_in
from tokoban import pretrained
from tokoban.cli.output import check_destination, write_output
from tokoban.sokoban.board import Board
from tokoban.sokoban.formats.levels import read_levels
from tokoban.sokoban.search.answer import Answer
from tokoban.sokoban.search.level.ground import Squares, build_ground
from tokoban.sokoban.search.limits import Limits
from tokoban.sokoban.search.searches.guided.search import GuidedOptions, solve_guided
from tokoban.systems.push_policy.evaluate import PushEvaluation, evaluate
from tokoban.systems.push_policy.guide import Judge, NetworkGuide
from tokoban.systems.push_policy.spec import SPEC
from tokoban.training.metrics import wilson
from tokoban.training.run_directory import current_commit

SECONDS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
TABLES = ("curve", "inputs")


def curve(judge: Judge, boards: Sequence[Board], *, most_s: float, search: str) -> dict[str, Any]:
    """The share of levels solved within so many CPU seconds each."""

    def solved(board: Board) -> Answer:
        squares = Squares(board)
        return solve_guided(
            board,
            NetworkGuide(judge, squares, build_ground(board, squares)),
            options=GuidedOptions(order=search),
            limits=Limits(time_limit_s=most_s),
            clock=time.process_time,
        )

    solved(boards[0])  # what is compiled at first is not counted
    taken, evaluated = [], []
    for board in boards:
        started_s = time.process_time()
        answer = solved(board)
        is_solved = answer.solution is not None
        taken.append(time.process_time() - started_s if is_solved else np.inf)
        evaluated.append(answer.num_evaluated)
    return {
        **{
            f"solved_within_{limit:g}_s": float(np.mean(np.array(taken) <= limit))
            for limit in SECONDS
            if limit <= most_s
        },
        "low": wilson(int(np.isfinite(taken).sum()), len(taken)).low,
        "high": wilson(int(np.isfinite(taken).sum()), len(taken)).high,
        "mean_evaluated": float(np.mean(evaluated)),
    }


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("table", choices=TABLES)
    parser.add_argument("files", nargs="+", metavar="LEVELS")
    parser.add_argument("--weights", nargs="+", required=True, metavar="W", help="of push")
    parser.add_argument("--first", type=int, metavar="N", help="only so many levels of each file")
    parser.add_argument("--search", default="phs", help="levin, phs or phs*")
    parser.add_argument("--seconds", type=float, default=5.0, help="of a level (default: 5)")
    parser.add_argument("--most-evaluated", type=int, default=1000, help="in table inputs")
    parser.add_argument("--json", metavar="OUT", help="write the rows here too (-: to stdout)")
    arguments = parser.parse_args(argv)
    check_destination(arguments.json)
    torch.set_num_threads(1)
    found: list[dict[str, Any]] = []
    for name in arguments.weights:
        for path in arguments.files:
            for row in _rows(name, path, arguments):
                found.append({"weights": name, "levels": path, **row})
                print(json.dumps(found[-1]), file=sys.stderr, flush=True)
    about = {"hardware": hardware(torch.device("cpu")), "commit": current_commit()}
    text = json.dumps({**about, "table": arguments.table, "rows": found}, indent=1) + "\n"
    if arguments.json:
        write_output(arguments.json, text)
    return 0


def _rows(name: str, path: str, arguments: argparse.Namespace) -> list[dict[str, Any]]:
    """The rows of one of the weights on one file."""
    if arguments.table == "curve":
        boards = [level.board for level in read_levels(path).levels][: arguments.first]
        return [curve(judge_in(name), boards, most_s=arguments.seconds, search=arguments.search)]
    trained = pretrained.load_trained(name, SPEC)
    options = PushEvaluation(
        levels=(Path(path),),
        first=arguments.first,
        search=arguments.search,
        most_evaluated=arguments.most_evaluated,
        states=16,
    )
    return [{"inputs": trained.config.inputs} | evaluate(trained, options)]


if __name__ == "__main__":
    sys.exit(main())
