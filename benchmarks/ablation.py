"""What each member and part of the portfolio is worth: the table that decides what is taken out.

Runs each level, in some of its images (turned, mirrored), by the whole portfolio, by each member
alone, and by the portfolio without each member and each part, or several of them at once
("without hotspots+waypoints"). Those without run only on the levels that the whole solves after
``--hard-after`` seconds or not at all. The score is the mean
logarithm of the processor time, an unsolved level counting twice the limit. Its difference from
the whole has a 90 % interval by bootstrap over levels (Efron 1979). A mechanism goes if the upper
end of the variant without it is at most 1 %.

One process. Each finished run is a line of OUT, so that a killed benchmark goes on where it was,
from the same commit. Rates of ``rate`` and ``generate`` are those of ``generator``.
"""

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from math import exp, log
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float64

from benchmarks import players_levels
from tokoban.sokoban.board import Board
from tokoban.sokoban.formats.levels import read_levels
from tokoban.sokoban.search.combine.portfolio import FIRST, MEMBERS, PARTS
from tokoban.sokoban.search.combine.solver import prepare
from tokoban.sokoban.search.limits import Limits
from tokoban.sokoban.symmetry import Symmetry
from tokoban.training.run_directory import current_commit

WHOLE = "whole"
EVERYTHING = (FIRST, *MEMBERS)
# By name, what is left out.
ALONE = {f"{one} alone": frozenset(EVERYTHING) - {one} for one in EVERYTHING}
_WITHOUT = "without "
VARIANTS = [WHOLE, *ALONE, *(_WITHOUT + part for part in sorted(PARTS))]
IMAGES = (Symmetry(0, False), Symmetry(1, False), Symmetry(2, True))

_SAMPLES = 10_000
_MOST_WORSE = 0.01  # of a part that goes

Row = dict[str, Any]  # a run, as a line of the file has it
Key = tuple[str, str, int, int]  # variant, file, level, image


def left_out(variant: str) -> frozenset[str]:
    """The parts that a variant does without; ``ValueError`` if there is no such variant."""
    if variant in (WHOLE, *ALONE):
        return ALONE.get(variant, frozenset())
    parts = frozenset(variant.removeprefix(_WITHOUT).split("+"))
    if not variant.startswith(_WITHOUT) or not parts <= PARTS:
        raise ValueError(f"no variant {variant!r}")
    return parts


def _variant(text: str) -> str:
    try:
        left_out(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{error}; expected such as --help names") from None
    return text


def key_of(row: Row) -> Key:
    """What tells one run from another."""
    return row["variant"], row["file"], row["number"], row["image"]


def rows_of(lines: Sequence[str]) -> list[Row]:
    """The runs of a file; its first line says of what kind they are."""
    return [json.loads(line) for line in lines[1:]]


def lines_of(out: Path) -> list[str]:
    """The lines of a file, without a last one that was cut off."""
    text = out.read_text(encoding="utf-8")
    return text[: text.rfind("\n") + 1].splitlines()


def read_rows(out: Path, about: Row) -> list[Row]:
    """The runs that are there; the file is begun if there is none.

    Raises ``SystemExit`` if the runs are of another kind.
    """
    lines = (lines_of(out) if out.exists() else []) or [json.dumps(about)]
    if json.loads(lines[0]) != about:
        raise SystemExit(f"ablation: {out} was begun with {lines[0]}; expected {json.dumps(about)}")
    out.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return rows_of(lines)


def logarithm(row: Row, time_limit_s: float) -> float:
    """Of the time to a solution or a proof, of twice the limit where there is neither."""
    is_open = row["answer"] == "gave up"
    return log(2 * time_limit_s if is_open else max(row["elapsed_s"], 1e-3))


def wanted(
    boards: dict[tuple[str, int], Board], rows: list[Row], chosen: argparse.Namespace
) -> Iterator[Key]:
    """The runs in their order; ``rows`` has those before when the next one is asked for."""
    hard: set[tuple[str, int]] = set()
    for variant in chosen.variants:
        is_without = variant.startswith(_WITHOUT)
        if is_without:
            hard = {
                (row["file"], row["number"])
                for row in rows
                if row["variant"] == WHOLE
                and (row["answer"] == "gave up" or row["elapsed_s"] > chosen.hard_after)
            }
        for file, number in boards:
            if not is_without or (file, number) in hard:
                for image in range(chosen.images):
                    yield variant, file, number, image


def table(rows: Sequence[Row], time_limit_s: float, before: Sequence[Row] = ()) -> str:
    """The variants as Markdown, each compared with the whole on the same levels and images.

    Where there are runs of a commit ``before``, it is the whole of these.
    """
    found = {key_of(row): row for row in before or rows}
    lines = [
        "| variant | levels | runs | solved | unsolvable | whole solved | more solved, 90 % | "
        "mean time, s | time against the whole, 90 % | goes |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|---|",
    ]
    for variant in dict.fromkeys(row["variant"] for row in rows):
        pairs = [
            (row, found[WHOLE, *key[1:]])
            for row in rows
            if (key := key_of(row))[0] == variant and (WHOLE, *key[1:]) in found
        ]
        if not pairs:
            continue
        # Of each level: how much longer, and how many more runs are solved.
        longer: dict[tuple[str, int], list[float]] = {}
        more: dict[tuple[str, int], list[float]] = {}
        times = [logarithm(row, time_limit_s) for row, _ in pairs]
        for spent, (row, whole) in zip(times, pairs, strict=True):
            level, is_solved = (row["file"], row["number"]), row["answer"] == "solved"
            longer.setdefault(level, []).append(spent - logarithm(whole, time_limit_s))
            more.setdefault(level, []).append(is_solved - (whole["answer"] == "solved"))
        differences = np.array([np.mean(some) for some in longer.values()])
        low, high = interval(differences)
        against = (
            f"{exp(differences.mean()) - 1:+.1%} ({exp(low) - 1:+.1%} to {exp(high) - 1:+.1%})"
        )
        least, most = interval(np.array([float(sum(some)) for some in more.values()]))
        more_solved = f"{least * len(more):+.1f} to {most * len(more):+.1f}"
        if variant == WHOLE and not before:
            against = more_solved = ""
        solved, unsolvable = (
            sum(row["answer"] == answer for row, _ in pairs) for answer in ("solved", "unsolvable")
        )
        whole_solved = sum(whole["answer"] == "solved" for _, whole in pairs)
        goes = "yes" if exp(high) - 1 <= _MOST_WORSE else "no"
        lines.append(
            f"| {variant} | {len(longer)} | {len(pairs)} | {solved} | {unsolvable} | "
            f"{whole_solved} | {more_solved} | {exp(np.mean(times)):.2f} | {against} | "
            f"{goes if variant.startswith(_WITHOUT) else ''} |"
        )
    return "\n".join(lines)


def interval(differences: Float64[np.ndarray, " P"]) -> tuple[float, float]:
    """The 90 % interval of the mean, by resampling levels; P are levels."""
    rng, count = np.random.default_rng(0), len(differences)
    means = [differences[rng.integers(count, size=count)].mean() for _ in range(_SAMPLES)]
    low, high = np.quantile(means, [0.05, 0.95]).tolist()
    return low, high


def arguments_of(argv: Sequence[str] | None) -> argparse.Namespace:
    """The options."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--out", required=True, metavar="OUT", help="the runs, as JSON lines")
    parser.add_argument(
        "--before", metavar="FILE", help="the runs of another commit, with whose whole to compare"
    )
    parser.add_argument("--time-limit", type=float, default=30, metavar="SECONDS", help="a run")
    parser.add_argument("--memory-limit", type=float, default=4000, metavar="MB", help="a run")
    parser.add_argument("--images", type=int, default=3, choices=range(1, len(IMAGES) + 1))
    parser.add_argument("--hard-after", type=float, default=1, metavar="SECONDS")
    parser.add_argument(
        "--variants",
        nargs="+",
        default=VARIANTS,
        type=_variant,
        metavar="VARIANT",
        help=f"only these, in this order: {', '.join(VARIANTS)}",
    )
    parser.add_argument(
        "--levels",
        type=players_levels.numbers,
        nargs="+",
        default=[],
        metavar="N",
        help="such as 3 5-9",
    )
    chosen = parser.parse_args(argv)
    names = [Path(file).name for file in chosen.files]
    if twice := {name for name in names if names.count(name) > 1}:
        parser.error(f"two files are called {min(twice)}; the runs are kept by these names")
    return chosen


def main(argv: Sequence[str] | None = None) -> int:
    """Runs what is missing and prints the table."""
    chosen = arguments_of(argv)
    numbers = {number for some in chosen.levels for number in some}
    about = {
        "commit": current_commit(),
        "time_limit_s": chosen.time_limit,
        "memory_limit_mb": chosen.memory_limit,
    }
    boards = {
        (Path(file).name, number): level.board
        for file in chosen.files
        for number, level in enumerate(read_levels(file).levels, 1)
        if not numbers or number in numbers
    }
    out = Path(chosen.out)
    rows = read_rows(out, about)
    known = {*chosen.variants, *(row["variant"] for row in rows)}
    if WHOLE not in known and any(variant.startswith(_WITHOUT) for variant in known):
        raise SystemExit(f"ablation: hard levels are those of {WHOLE!r}, which has no run in {out}")
    done = set(map(key_of, rows))
    limits = Limits(time_limit_s=chosen.time_limit, memory_limit_mb=chosen.memory_limit)
    prepare()
    for variant, file, number, image in wanted(boards, rows, chosen):
        if (variant, file, number, image) in done:
            continue
        board = IMAGES[image].of_board(boards[file, number])
        found = players_levels.run(file, number, board, limits, without=left_out(variant))
        row = {"variant": variant, "image": image, **asdict(found)}
        with out.open("a", encoding="utf-8") as file_of_rows:
            file_of_rows.write(json.dumps(row) + "\n")
        rows.append(row)
        shown = f"{variant}: {file} {number}, image {image}: {row['answer']}"
        print(f"{shown}, {row['elapsed_s']:.2f} s", file=sys.stderr, flush=True)
    before = rows_of(lines_of(Path(chosen.before))) if chosen.before else []
    print(table(rows, chosen.time_limit, before))
    return 0


if __name__ == "__main__":
    started_s = time.process_time()
    status = main()
    print(f"{time.process_time() - started_s:.0f} s of the processor", file=sys.stderr)
    sys.exit(status)
