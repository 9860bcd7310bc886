"""Messages and output files of commands; files are written atomically, ``-`` is printed."""

import argparse
import errno
import os
import sys
import unicodedata
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from tokoban.files.atomic import atomically
from tokoban.files.endings import LEVEL_ENDINGS, check_ending
from tokoban.sokoban.wording import counted

if TYPE_CHECKING:
    from tokoban.sokoban.formats import Problem


# What options write.
_ENDINGS = {
    "output": LEVEL_ENDINGS,
    "save": LEVEL_ENDINGS,
    "json": (".json",),
    "jsonl": (".jsonl",),
}
# The formats of --attention, chosen by the ending: a page, or a picture of all maps.
ATTENTION = {"attention": (".html", ".png", ".svg")}


def printable_text(text: str) -> str:
    """``text`` of several lines without what could steer a terminal; tabs stay.

    For what is made of the files of other people: titles, notes, the tokens of a network. Spaces of
    every width stay.
    """

    def is_shown(letter: str) -> bool:
        return letter.isprintable() or letter in "\n\t" or unicodedata.category(letter) == "Zs"

    return "".join(letter if is_shown(letter) else "?" for letter in text)


def write_text(text: str) -> None:
    """Writes to standard output: ``printable_text`` on a terminal, elsewhere UTF-8, as to files."""
    if sys.stdout.isatty():
        sys.stdout.write(printable_text(text))
    elif hasattr(sys.stdout, "buffer"):
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode(errors="replace"))
    else:
        sys.stdout.write(text)


def report_findings(problems: "Iterable[Problem]", warnings: "Iterable[Problem]") -> None:
    """Prints the problems and warnings of a level file to standard error."""
    for problem in problems:
        print(problem, file=sys.stderr)
    for warning in warnings:
        print(f"{warning} (a warning)", file=sys.stderr)


def report_interrupted(num_done: int, number: int, noun: str = "level") -> None:
    """Prints, after Ctrl-C, how much of the work was done; the caller keeps the results."""
    message = f"interrupted after {num_done:,} of {counted(number, noun)}; what is known is kept"
    print(f"tokoban: {message}", file=sys.stderr)


def is_one_file(place: str | Path | None, other: str | Path | None) -> bool:
    """Whether two names are of one file, however they are spelt; ``-`` and None are of none."""
    if place is None or other is None or "-" in (str(place), str(other)):
        return False
    return os.path.realpath(place) == os.path.realpath(other)


def check_outputs(
    arguments: argparse.Namespace,
    *options: str,
    inputs: Iterable[str] = (),
    required: Mapping[str, tuple[str, ...]] = ATTENTION,
) -> None:
    """Refuses before the work options that name one place, or one that cannot be written.

    So too one that names a file to be read: ``inputs`` are the names of arguments, each of which
    holds a file, several, or none. ``required`` has the endings of which a name must have one.
    """
    given = (getattr(arguments, name) or [] for name in inputs)
    files = [file for some in given for file in ([some] if isinstance(some, str | Path) else some)]
    named: dict[str, str | Path] = {}
    for option in options:
        place: str | Path | None = getattr(arguments, option)
        if place is None:
            continue
        if place == "":
            raise ValueError(f"--{option} is empty; expected a path")
        for first, earlier in named.items():
            if place == earlier or is_one_file(place, earlier):
                raise ValueError(f"--{first} and --{option} are both {place}; expected two places")
        for file in files:
            if is_one_file(place, file):
                raise ValueError(f"--{option} would overwrite {file}, which is to be read")
        check_destination(place)
        named[option] = place
    for option, place in named.items():
        if option in required:
            check_ending(place, required[option], is_required=True)
        elif option in _ENDINGS:
            check_ending(place, _ENDINGS[option])


def check_destination(destination: str | Path | None) -> None:
    """Refuses before the work what cannot be written after it: ``OSError`` naming the place.

    ``ValueError`` for an empty name, which would be that of the current folder.
    """
    if destination is None or destination == "-":
        return
    if destination == "":
        raise ValueError("the name of a file to be written is empty; expected a path")
    # Not by ``Path.resolve``, which raises ``RuntimeError`` for a link to itself.
    if not Path(os.path.realpath(destination)).parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "no folder to write it into", str(destination))
    if Path(destination).is_dir():
        raise IsADirectoryError(
            errno.EISDIR, "a folder, where a file is to be written", str(destination)
        )


def check_folder(path: str, option: str) -> None:
    """Refuses before the work a place of ``option`` that is no folder: ``OSError`` naming it."""
    if path == "":
        raise ValueError(f"{option} is empty; expected a path")
    if Path(path).exists() and not Path(path).is_dir():
        raise NotADirectoryError(errno.ENOTDIR, "a file; expected a folder", path)


def write_output(destination: str, content: str | bytes) -> None:
    """Writes bytes, or text as UTF-8, to the file ``destination``, or by ``write_text`` for ``-``.

    The file appears complete or not at all: an interrupted run leaves an older one as it was.
    Raises ``OSError`` naming ``destination`` where it cannot be written.
    """
    if destination == "-":
        if isinstance(content, str):
            write_text(content)
        else:
            sys.stdout.buffer.write(content)
        return
    if isinstance(content, str):
        content = content.encode()
    try:
        with atomically(Path(destination)) as written:
            written.write_bytes(content)
    except OSError as error:
        raise OSError(error.errno, error.strerror, destination) from None
