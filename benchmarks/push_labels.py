"""Labels of Boxoban's training levels by all processors within a time, for `tokoban train push`.

Each of the sets unfiltered and medium gets a folder in OUTPUT, with the levels of the evaluation
sets kept apart. What is whole when the time is over can be trained on; the same command goes on.
Run it as `python -m benchmarks.push_labels boxoban-levels.tar.xz --output DIR`.
"""

import argparse
import os
import sys
import tarfile
import time
from collections.abc import Sequence
from pathlib import Path

import tokoban

SETS = ("unfiltered", "medium")


def unpacked(boxoban: Path, output: Path) -> Path:
    """The folder of the levels, which are unpacked beside the labels, once."""
    folder = output / "levels"
    if not folder.exists():
        unfinished = output / "unfinished"
        with tarfile.open(boxoban) as archive:
            archive.extractall(unfinished, filter="data")
        unfinished.rename(folder)
    return folder


def main(argv: Sequence[str] | None = None) -> int:
    """Answers 0 if there are labels of each set."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("boxoban", type=Path, help="archive of the published levels")
    options.add_argument("--output", type=Path, required=True, metavar="DIR")
    options.add_argument("--levels", type=int, metavar="N", help="of each set, the first")
    options.add_argument("--seconds", type=float, default=3600.0, help="for both sets together")
    arguments = options.parse_args(argv)
    started_s = time.monotonic()
    output: Path = arguments.output
    output.mkdir(parents=True, exist_ok=True)
    levels = unpacked(arguments.boxoban, output)
    held_out = [levels / "unfiltered" / "test", levels / "medium" / "valid", levels / "hard"]
    is_well = True
    for number, name in enumerate(SETS):
        left_s = arguments.seconds - (time.monotonic() - started_s)
        tokoban.label(
            [levels / name / "train"],
            output / name,
            evaluation=held_out,
            max_levels=arguments.levels,
            num_threads=os.cpu_count() or 1,
            time_limit_s=max(left_s, 0.0) / (len(SETS) - number),
        )
        num_shards = len([*(output / name).glob("*.safetensors")])
        elapsed_s = time.monotonic() - started_s
        found = f"{num_shards:,} shards of at most 1,000 levels"
        print(f"{name}: {found} after {elapsed_s:.0f} s", flush=True)
        is_well &= num_shards > 0
    return 0 if is_well else 1


if __name__ == "__main__":
    sys.exit(main())
