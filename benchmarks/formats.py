"""Reads every level of some folders in every way there is, writes it, and compares.

Of Boxoban files: the fast reader's time; that each file follows from its words byte for byte; the
levels that are the same; and, unless ``--quick``, that the careful reader reads each file, that
what is written of it is the file byte for byte, and that the fast reader has the same boards.
Of other level files: that what is written as SOK, with and without run lengths, and as XSB is read
back the same. Exits with 1 at the first difference.
"""

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tokoban.sokoban.canonical import canonical_keys
from tokoban.sokoban.formats import (
    Level,
    LevelFile,
    parse_boxoban,
    parse_levels,
    read_levels,
    write_boxoban,
    write_levels,
    write_xsb,
)
from tokoban.sokoban.formats.packed import PackedLevels, joined, read_packed


def require(holds: bool, claim: str, place: object) -> None:
    """Leaves the script with 1 unless the claim holds there."""
    if not holds:
        sys.exit(f"{place}: not true that {claim}")


def _published(file: Path) -> PackedLevels:
    packed = read_packed(file.read_bytes(), str(file))
    if packed is None:
        sys.exit(f"{file}: not laid out as Boxoban is published")
    return packed


def time_packed(folders: Sequence[Path]) -> dict[str, PackedLevels]:
    """The levels of each folder, and a line on the time that took."""
    splits = {}
    for folder in folders:
        started_s, used_s = time.perf_counter(), time.process_time()
        files = sorted(folder.rglob("*.txt")) if folder.is_dir() else [folder]
        parts = [_published(file) for file in files]
        packed = joined(parts, map(str, files))
        used_s, elapsed_s = time.process_time() - used_s, time.perf_counter() - started_s
        print(f"{folder}: {len(packed)} levels in {elapsed_s:.2f} s ({used_s:.2f} s of CPU time)")
        splits[str(folder)] = packed
    return splits


def count_same_levels(splits: dict[str, PackedLevels]) -> None:
    """Lines on the levels that are the same, inside each split and between two of them."""
    for exact_player in (True, False):
        player = "its square" if exact_player else "its area"
        keys = {
            name: canonical_keys(packed, exact_player=exact_player)
            for name, packed in splits.items()
        }
        for name, own in keys.items():
            repeated = len(own) - len(np.unique(own))
            print(f"{name}: {repeated} levels repeat another one (player by {player})")
            for other, theirs in keys.items():
                if other != name and len(own) < len(theirs):
                    print(f"  {np.isin(own, theirs).sum()} of its levels are in {other}")


def check_words(splits: dict[str, PackedLevels]) -> int:
    """Draws each file from the words of the fast reader and compares; how many levels."""
    for packed in splits.values():
        drawn = np.full((len(packed), 10, 11), ord(" "), np.uint8)
        drawn[:, [0, -1]] = drawn[:, :, [0, -2]] = ord("#")
        drawn[:, :, -1] = ord("\n")
        inside = drawn[:, 1:9, 1:9]
        planes = {"#": packed.walls, ".": packed.goals, "$": packed.boxes, "@": packed.player}
        for letter, words in planes.items():
            cells = np.unpackbits(words.view(np.uint8), bitorder="little").reshape(-1, 8, 8)
            inside[cells == 1] = ord(letter)
        starts = np.searchsorted(packed.file, range(len(packed.files) + 1))
        for file, start, end in zip(packed.files, starts, starts[1:], strict=False):
            levels = enumerate(drawn[start:end])
            text = b"".join(b"; %d\n%b\n" % (number, rows.tobytes()) for number, rows in levels)
            require(text == Path(file).read_bytes(), "the words hold the whole file", file)
    return sum(map(len, splits.values()))


def check_boxoban(splits: dict[str, PackedLevels]) -> int:
    """Compares the careful reader, the writer and the fast reader; how many levels."""
    count = 0
    for packed in splits.values():
        row = 0
        for number, file in enumerate(packed.files, 1):
            text = Path(file).read_bytes().decode("ascii")
            levels = parse_boxoban(text, source=file).levels
            written = write_boxoban(level.board for level in levels)
            require(written == text, "the file is written as it was read", file)
            for level in levels:
                require(packed.board(row) == level.board, "both readers agree", packed.name(row))
                row += 1
            if sys.stderr.isatty():
                print(f"\r{number}/{len(packed.files)} ", end="", file=sys.stderr, flush=True)
        require(row == len(packed), "both readers find all levels", packed.files[0])
        count += row
    return count


def check_collections(folder: Path) -> int:
    """Writes the levels of other files in every format and reads them back; how many levels."""
    count = 0
    for file in sorted(path for path in folder.iterdir() if path.is_file()):
        read = read_levels(file, strict=True)
        for run_length in (False, True):
            text = write_levels(read.levels, notes=read.notes, run_length=run_length)
            require(parse_levels(text, strict=True) == read, "SOK keeps everything", file)
            bare = tuple(Level(level.board, level.title, level.author) for level in read.levels)
            again = parse_levels(write_xsb(read.levels, run_length=run_length), strict=True)
            require(again == LevelFile(bare), "XSB keeps boards, titles and authors", file)
        count += len(read.levels)
    return count


def main() -> None:
    """Runs what was asked for, one line for each result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--boxoban", nargs="*", type=Path, default=[], metavar="FOLDER")
    parser.add_argument("--levels", nargs="*", type=Path, default=[], metavar="FOLDER")
    parser.add_argument("--quick", action="store_true", help="leave out the careful reader")
    arguments = parser.parse_args()
    splits = time_packed(arguments.boxoban)
    if splits:
        print(f"{check_words(splits)} levels drawn from their words byte for byte")
    count_same_levels(splits)
    for folder in arguments.levels:
        print(f"{folder}: {check_collections(folder)} levels written and read back the same")
    if splits and not arguments.quick:
        started_s = time.perf_counter()
        count = check_boxoban(splits)
        elapsed_s = time.perf_counter() - started_s
        print(f"{count} levels read by both readers and written the same in {elapsed_s:.0f} s")


if __name__ == "__main__":
    main()
