"""Trains the push policy's cheap baseline, hashed tiles and a linear value, on labels.

The file is one of weights of the system ``push``: ``tokoban evaluate push --weights FILE``.
"""

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from tokoban.sokoban.labels.shard_files import shards_by_kind
from tokoban.systems.push_policy.config import PushPolicyConfig
from tokoban.systems.push_policy.tile_learning import learn
from tokoban.systems.push_policy.tiles import TilePolicy
from tokoban.training.checkpoint import save_weights
from tokoban.training.config import to_dict


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("labels", nargs="+", metavar="DIR", help="folders of `tokoban label`")
    parser.add_argument("--output", required=True, metavar="FILE", help="the weights")
    parser.add_argument("--minutes", type=float, default=5.0, help="of one core (default: 5)")
    parser.add_argument("--table-bits", type=int, default=20, help="(default: 20)")
    parser.add_argument("--seed", type=int, default=0, help="of the order (default: 0)")
    arguments = parser.parse_args(argv)
    config = PushPolicyConfig(
        model="tiles", table_bits=arguments.table_bits, data_seed=arguments.seed
    )
    model = TilePolicy(table_bits=config.table_bits)
    num_positions = learn(
        model,
        shards_by_kind(arguments.labels)[0],
        minutes=arguments.minutes,
        seed=arguments.seed,
        report=_report,
        clock=time.process_time,
    )
    metadata = {"system": "push", "config": json.dumps(to_dict(config))}
    metadata["step"] = str(num_positions)
    save_weights(Path(arguments.output), model.state_dict(), metadata)
    print(f"{num_positions:,} positions")
    return 0


def _report(num_positions: int, means: dict[str, float]) -> None:
    figures = "  ".join(f"{name} {mean:.4f}" for name, mean in means.items())
    print(f"{num_positions:>12,} positions  {figures}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
