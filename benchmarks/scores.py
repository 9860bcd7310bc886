"""Which score of the beam search solves more, with fewer boards read: one row for each choice.

Generated solvable levels by seed, each searched with every choice at every width. A row tells how
many were solved, how many with the fewest moves possible, and how many boards a search had the
policy read on average until it was over. One JSON object on standard output.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from tokoban.decoding import beam_search
from tokoban.pretrained import load
from tokoban.sokoban.puzzles.random_levels import generate
from tokoban.sokoban.simulation.bitboards import Bitboards
from tokoban.systems.sokoban_policy import solve
from tokoban.systems.sokoban_policy.config import Score
from tokoban.systems.sokoban_policy.fitting import fit
from tokoban.systems.sokoban_policy.model import SokobanPolicy
from tokoban.systems.sokoban_policy.stepper import PolicyStepper

# What is compared: the choices of ``solve.by_beam``.
CHOICES: tuple[dict[str, Any], ...] = (
    {"score": "log_likelihood", "skip_visited": False},
    {"score": "log_likelihood", "skip_visited": True},
    {"score": "log_likelihood", "skip_visited": True, "max_unsolvable": 0.9},
    {"score": "steps_left", "skip_visited": True},
    {"score": "both", "skip_visited": True},
)
ROWS_AT_A_TIME = 4096


class CountingStepper(PolicyStepper):
    """A ``PolicyStepper`` that remembers how many live rows each of its steps had."""

    def __init__(self, model: SokobanPolicy, starts: Bitboards, **choices: Any) -> None:
        super().__init__(model, starts, **choices)
        self.is_alive: list[Tensor] = []

    def ranks(self, scores_nats: Float[Tensor, "R"]) -> Float[Tensor, "R"]:
        self.is_alive.append(scores_nats > -torch.inf)
        return super().ranks(scores_nats)


def measure(
    model: SokobanPolicy,
    levels: Bitboards,
    best: Tensor,
    *,
    width: int,
    max_moves: int,
    score: Score,
    skip_visited: bool,
    max_unsolvable: float = 1.0,
) -> dict[str, Any]:
    """One row; ``best`` are the fewest moves of each level."""
    num_rows = solve.rows_a_level(width, score)
    batch_size = max(1, ROWS_AT_A_TIME // num_rows)
    num_solved = num_optimal = num_read = 0
    for first in range(0, len(best), batch_size):
        starts = levels.at(slice(first, first + batch_size))
        stepper = CountingStepper(
            model,
            starts.map(lambda word: word.repeat_interleave(num_rows)),
            allow_undo=False,
            score=score,
            max_unsolvable=max_unsolvable,
        )
        beams = beam_search(
            stepper,
            num_searches=len(starts.boxes),
            width=num_rows,
            keep=width,
            max_steps=max_moves,
            merge_equal=True,
            skip_visited=skip_visited,
            rank=True,
            stop_at_first=True,
        )
        is_solved = beams.is_finished[:, 0]
        lengths = beams.lengths[:, 0]
        num_solved += int(is_solved.sum())
        num_optimal += int((is_solved & (lengths == best[first : first + batch_size])).sum())
        rows_alive = torch.stack(stepper.is_alive).unflatten(1, (-1, num_rows)).sum(2)  # [T, B]
        steps = torch.arange(len(rows_alive)).unsqueeze(1)
        num_read += int(rows_alive[(steps < lengths) | ~is_solved].sum())
    return {
        "width": width,
        "score": score,
        "skip_visited": skip_visited,
        "max_unsolvable": max_unsolvable,
        "solved": num_solved,
        "optimal": num_optimal,
        "boards_read_per_level": round(num_read / len(best), 1),
    }


def main(argv: Sequence[str] | None = None) -> int:
    """Answers 0 once all choices are measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weights", default="sokoban-8x8", metavar="NAME_OR_PATH")
    parser.add_argument("--levels", type=int, default=1000, metavar="N")
    parser.add_argument("--seed", type=int, default=101, metavar="S")
    parser.add_argument("--widths", type=int, nargs="+", default=[2, 4, 8, 32], metavar="K")
    parser.add_argument("--max-moves", type=int, default=30, metavar="N")
    arguments = parser.parse_args(argv)
    loaded, _ = load(arguments.weights, system="sokoban")
    assert isinstance(loaded, SokobanPolicy)
    drawn = generate(arguments.levels, seed=arguments.seed, solvable_share=1.0)
    # A level that is drawn solved has nothing to search for.
    found = [level for level in drawn if level.solution]
    best = torch.tensor([len(level.solution or ()) for level in found])
    boards = [fit(level.board, margin=loaded.margin) for level in found]
    levels = solve.pack(boards, torch.device("cpu"), margin=loaded.margin)
    rows = []
    for width in arguments.widths:
        for choice in CHOICES:
            row = measure(
                loaded, levels, best, width=width, max_moves=arguments.max_moves, **choice
            )
            print(json.dumps(row), file=sys.stderr)
            rows.append(row)
    too_long = int((best > arguments.max_moves).sum())
    print(json.dumps({"levels": len(best), "beyond_max_moves": too_long, "rows": rows}, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
