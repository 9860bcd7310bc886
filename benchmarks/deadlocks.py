"""Detection of deadlocks that neither dead squares nor the freeze rule show, by exact labels.

Positions are sampled from play of mixed quality in levels reserved for evaluation, as `tokoban
label` does, and every one is solved or proved deadlocked by retrograde analysis. The benchmark is
the deadlocked ones that no dead square and no frozen box shows, beside all solvable ones. A row
gives the share that is detected with 99.9 % precision: of a classical rule, which is always right,
or of a policy, whose threshold is the lowest of that precision. `beyond matching` leaves out
deadlocks of which the matching of boxes and goals has no finite bound: policies read that bound.
Intervals are 95 % by bootstrap over levels.
"""

import argparse
import json
import sys
from collections.abc import Sequence

import numpy as np
import torch

from benchmarks.harness import hardware
from benchmarks.tiles.policy import judge_in
from tokoban.cli.output import check_destination, write_output
from tokoban.sokoban.board import Board
from tokoban.sokoban.formats.levels import read_levels
from tokoban.sokoban.search.bitboard.terrain import UNREACHABLE
from tokoban.systems.push_policy.evaluate import PRECISION, bootstrapped
from tokoban.systems.push_policy.held_out import (
    Labelled,
    judge_all,
    label_boards,
    recall_at_precision,
)
from tokoban.training.run_directory import current_commit


def recalls(
    labelled: Labelled, scores: np.ndarray, hidden: np.ndarray, seed: int
) -> dict[str, float]:
    """The recall of these scores among the hidden deadlocks, with its interval."""
    is_tested = hidden | ~labelled.is_deadlocked
    own, is_positive = scores[is_tested], hidden[is_tested]
    return bootstrapped(
        "recall",
        labelled.level[is_tested],
        lambda weights: recall_at_precision(own, is_positive, PRECISION, weights),
        seed,
    )


def rows(
    labelled: Labelled, policies: dict[str, np.ndarray], seed: int
) -> list[dict[str, float | str]]:
    """The recall of each rule and policy, on all hidden deadlocks and on those beyond matching."""
    hidden = labelled.is_deadlocked & ~labelled.is_detected
    unmatched = labelled.bound >= UNREACHABLE  # no matching has a finite number of pushes
    detectors = {"matching of boxes and goals": unmatched.astype(np.float32)} | policies
    found: list[dict[str, float | str]] = []
    for name, scores in detectors.items():
        for among, chosen in (("all", hidden), ("beyond matching", hidden & ~unmatched)):
            count = float(chosen.sum())
            row: dict[str, float | str] = {"detector": name, "among": among, "deadlocks": count}
            row.update(recalls(labelled, scores, chosen, seed))
            found.append(row)
    return found


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", metavar="LEVELS", help="of at most 8x8 squares inside")
    parser.add_argument(
        "--weights",
        nargs="*",
        default=[],
        metavar="W",
        help="of push or of tiles, each a row",
    )
    parser.add_argument("--first", type=int, metavar="N", help="only so many levels")
    parser.add_argument("--states", type=int, default=64, help="of a level (default: 64)")
    parser.add_argument("--seed", type=int, default=0, help="of samples (default: 0)")
    parser.add_argument("--json", metavar="OUT", help="write the rows here too (-: to stdout)")
    arguments = parser.parse_args(argv)
    check_destination(arguments.json)
    boards: list[Board] = []
    for path in arguments.files:
        boards += [level.board for level in read_levels(path).levels]
    boards = boards[: arguments.first]
    labelled, _ = label_boards(boards, num_states=arguments.states, seed=arguments.seed)
    policies = {name: judge_all(judge_in(name), labelled).deadlocked for name in arguments.weights}
    found = rows(labelled, policies, arguments.seed)
    about = {
        "hardware": hardware(torch.device("cpu")),
        "commit": current_commit(),
        "levels": len(boards),
        "positions": len(labelled.classes),
        "solvable": int((~labelled.is_deadlocked).sum()),
        "detected_by_dead_squares_and_freezes": int(labelled.is_detected.sum()),
    }
    if arguments.json != "-":
        print(", ".join(f"{name} {value}" for name, value in about.items()))
        for row in found:
            interval = f"{row.get('recall_low', 0):.4f} to {row.get('recall_high', 1):.4f}"
            recall = f"{row['recall']:.4f} ({interval})"
            print(f"{recall}  of {row['deadlocks']:,.0f} {row['among']}: {row['detector']}")
    if arguments.json:
        write_output(arguments.json, json.dumps({**about, "rows": found}, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
