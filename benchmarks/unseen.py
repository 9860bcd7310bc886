"""Writes generated levels that the training of some exact-label weights never drew.

The training's drawings are drawn again, all of them, and every candidate that is among them is left
out: the level itself, an image of it under the eight symmetries, or either one moved on the board.
What is left is half solvable, and can be measured by
``tokoban evaluate sokoban --weights NAME --levels FILE``. Ends with one JSON object on standard
output. Some ten minutes on one core for the shipped weights.
"""

import argparse
import json
import sys
from collections.abc import Sequence

import torch

from tokoban.cli.output import write_output
from tokoban.pretrained import weights_path
from tokoban.sokoban.formats import Level, Solution, write_levels
from tokoban.sokoban.puzzles.random_levels import GeneratedLevel, generate
from tokoban.sokoban.simulation import bitboards
from tokoban.systems.sokoban_policy.config import SokobanPolicyConfig
from tokoban.systems.sokoban_policy.dataset import BATCHES_A_DRAWING, ExactGames
from tokoban.training.checkpoint import load_weights
from tokoban.training.config import from_dict

_NUM_LEVELS, _NUM_CANDIDATES, _SEED = 4000, 16_000, 2


def is_drawn(
    levels: Sequence[GeneratedLevel], config: SokobanPolicyConfig, *, num_steps: int
) -> list[bool]:
    """Which of the levels a training by one process has drawn in ``num_steps`` steps."""
    games = ExactGames(
        batch_games=config.batch_games,
        num_positions=config.max_positions,
        seed=config.data_seed,
        held_out=torch.zeros(0, dtype=torch.int64),
        device=torch.device("cpu"),
    )
    keys = bitboards.canonical_keys(bitboards.pack([level.board for level in levels]))
    is_met = torch.zeros(len(levels), dtype=torch.bool)
    for drawing in range(-(-num_steps // BATCHES_A_DRAWING)):
        drawn, _ = games.draw(drawing)
        is_met |= torch.isin(keys, bitboards.canonical_keys(drawn))
    return is_met.tolist()


def unseen(
    levels: Sequence[GeneratedLevel], is_met: Sequence[bool], num_levels: int
) -> list[GeneratedLevel]:
    """The first ``num_levels`` that were not met, half of them solvable."""
    fresh = [level for level, met in zip(levels, is_met, strict=True) if not met]
    kinds = [[x for x in fresh if (x.solution is None) is lost] for lost in (False, True)]
    if min(map(len, kinds)) < num_levels // 2:
        raise ValueError(
            f"{len(kinds[0])} solvable and {len(kinds[1])} unsolvable levels were not met; "
            f"expected {num_levels // 2} of each"
        )
    return kinds[0][: num_levels // 2] + kinds[1][: num_levels // 2]


def main(argv: Sequence[str] | None = None) -> int:
    """Answers 0 once the levels are written."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weights", default="sokoban-8x8", metavar="NAME_OR_PATH")
    parser.add_argument("--output", required=True, metavar="FILE")
    arguments = parser.parse_args(argv)
    _, metadata = load_weights(weights_path(arguments.weights))
    config = from_dict(SokobanPolicyConfig, json.loads(metadata["config"]))
    candidates = list(generate(_NUM_CANDIDATES, seed=_SEED))
    is_met = is_drawn(candidates, config, num_steps=int(metadata["step"]))
    chosen = unseen(candidates, is_met, _NUM_LEVELS)
    written = [
        Level(x.board, solutions=(Solution.of(x.board, x.solution),) if x.solution else ())
        for x in chosen
    ]
    write_output(arguments.output, write_levels(written))
    counts = {
        "candidates": len(candidates),
        "met_in_training": sum(is_met),
        "written": len(chosen),
        "steps": int(metadata["step"]),
    }
    print(json.dumps(counts))
    return 0


if __name__ == "__main__":
    sys.exit(main())
