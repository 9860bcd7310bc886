"""Trains the push policy's cheap baseline, hashed tiles and a linear value, on labels.

The file is read by `python -m benchmarks.push_policy curve LEVELS --weights FILE` and by
`benchmarks.deadlocks`.
"""

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.tiles.learning import learn
from benchmarks.tiles.policy import TABLE_BITS, TilePolicy
from tokoban.sokoban.labels.shard_files import shards_by_kind
from tokoban.training.checkpoint import save_weights


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("labels", nargs="+", metavar="DIR", help="folders of `tokoban label`")
    parser.add_argument("--output", required=True, metavar="FILE", help="the weights")
    parser.add_argument("--minutes", type=float, default=5.0, help="of one core (default: 5)")
    parser.add_argument("--table-bits", type=int, default=20, help="(default: 20)")
    parser.add_argument("--seed", type=int, default=0, help="of the order (default: 0)")
    arguments = parser.parse_args(argv)
    model = TilePolicy(table_bits=arguments.table_bits)
    num_positions = learn(
        model,
        shards_by_kind(arguments.labels)[0],
        minutes=arguments.minutes,
        seed=arguments.seed,
        report=_report,
        clock=time.process_time,
    )
    metadata = {TABLE_BITS: str(arguments.table_bits)}
    save_weights(Path(arguments.output), model.state_dict(), metadata)
    print(f"{num_positions:,} positions")
    return 0


def _report(num_positions: int, means: dict[str, float]) -> None:
    figures = "  ".join(f"{name} {mean:.4f}" for name, mean in means.items())
    print(f"{num_positions:>12,} positions  {figures}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
