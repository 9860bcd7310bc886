"""``tokoban convert``: a level file of any format, written in another."""

import argparse
import sys
from dataclasses import replace
from pathlib import Path

from tokoban.cli import level_options, options
from tokoban.cli.output import check_destination, is_one_file, write_output
from tokoban.files.endings import LEVEL_ENDINGS, check_ending
from tokoban.sokoban.formats import LevelFile, write_boxoban, write_levels, write_xsb
from tokoban.sokoban.wording import counted

SUMMARY = "convert a level file to another format, or one level to a picture"
UNDECIDED = ""
FORMATS = {"sok": "SOK", "xsb": "XSB", "boxoban": "Boxoban", "png": "PNG"}
# What each may be written to; without --format the ending chooses.
_ENDINGS = {
    **dict.fromkeys(("sok", "xsb"), LEVEL_ENDINGS),
    "boxoban": (*LEVEL_ENDINGS, ".boxoban"),
    "png": (".png",),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares what to read, where to write it, and how."""
    parser.add_argument("file", metavar="IN", help=level_options.FILE_HELP)
    parser.add_argument("output", metavar="OUT", help="file to write; - for standard output")
    parser.add_argument(
        "--format",
        choices=FORMATS,
        help="sok keeps everything; xsb keeps boards, titles and authors; boxoban keeps boards of "
        "10 x 10 squares; png is a picture of one board (default: by the ending .xsb or .png of "
        "OUT, else sok; an ending of another format is refused)",
    )
    options.add(parser, "--level")
    parser.add_argument(
        "--rle", action="store_true", help="write runs of squares and moves run-length encoded"
    )


def run(arguments: argparse.Namespace) -> int:
    """Answers 0 if all levels were written, else 2, and reports the problems of the others."""
    suffix = Path(arguments.output).suffix.lower().removeprefix(".")
    wanted = arguments.format or (suffix if suffix in ("xsb", "png") else "sok")
    if wanted in ("boxoban", "png") and arguments.rle:
        raise ValueError(f"--rle has no effect with --format {wanted}")
    check_destination(arguments.output)
    check_ending(arguments.output, _ENDINGS.get(arguments.format, (*LEVEL_ENDINGS, ".png")))
    if is_one_file(arguments.file, arguments.output):
        raise ValueError(f"{arguments.output} is to be read; expected another file to write")
    chosen = level_options.read(arguments.file, number=arguments.level)
    if not chosen.levels:
        return chosen.conclude(0)
    levels = tuple(chosen.levels.values())
    if wanted == "png" and len(levels) != 1:
        raise ValueError(f"a picture is of one level, and there are {len(levels)}; see --level")
    found = replace(chosen.file, levels=levels)
    write_output(arguments.output, _write(found, wanted, run_length=arguments.rle))
    report = sys.stderr if arguments.output == "-" else sys.stdout
    print(_summarise(found, wanted), file=report)
    return chosen.conclude(0)


def _write(found: LevelFile, chosen: str, *, run_length: bool) -> str | bytes:
    if chosen == "png":
        from tokoban.sokoban.png import encode_png
        from tokoban.sokoban.render import render_rgb

        return encode_png(render_rgb(found.levels[0].board))
    if chosen == "boxoban":
        return write_boxoban(level.board for level in found.levels)
    if chosen == "xsb":
        return write_xsb(found.levels, run_length=run_length)
    return write_levels(found.levels, notes=found.notes, run_length=run_length)


def _summarise(found: LevelFile, chosen: str) -> str:
    """How many levels were written, and what the format has no place for."""
    levels = found.levels
    left_out = {}
    if chosen != "sok":
        notes = [found.notes, *(level.notes for level in levels)]
        left_out = {
            "solution": sum(len(level.solutions) for level in levels),
            "saved game": sum(len(level.saved_games) for level in levels),
            "note line": sum(map(len, notes)),
        }
    if chosen in ("boxoban", "png"):
        numbers = (level.title == str(number) for number, level in enumerate(levels))
        left_out["title"] = sum(bool(level.title) for level in levels) - sum(numbers)
        left_out["author"] = sum(bool(level.author) for level in levels)
    parts = [counted(count, name) for name, count in left_out.items() if count]
    written = f"{counted(len(levels), 'level')} written as {FORMATS[chosen]}"
    return f"{written}; left out: {', '.join(parts)}" if parts else written
