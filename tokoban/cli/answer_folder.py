"""``tokoban solve --folder``: the levels of many files, and their answers.

The folder has ``job.json`` (what was asked for), ``unfinished.jsonl`` with the answers so far and,
once every level has its answer, ``answers.jsonl`` in its place, in the order of the levels. A run
that was killed, or interrupted, loses the levels that it was at; the same command goes on.
"""

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, get_args

from tokoban.cli.output import check_folder, report_findings
from tokoban.cli.report import line_of
from tokoban.files.atomic import atomically
from tokoban.files.locks import alone_in
from tokoban.sokoban.formats import Level, Problem
from tokoban.sokoban.formats.levels import (
    SUFFIXES,
    content_or_problem,
    level_files,
    parse_content,
    read_content,
)
from tokoban.sokoban.search.answer import Status

ANSWERS, _UNFINISHED = "answers.jsonl", "unfinished.jsonl"


@dataclass(frozen=True)
class LevelOfMany:
    """A level, its file, and its number there."""

    file: str
    number: int
    level: Level


@dataclass(frozen=True)
class ManyLevels:
    """The levels of many files, numbered from 1 through all of them."""

    levels: dict[int, LevelOfMany]
    problems: tuple[Problem, ...]
    digest: str  # of the names and bytes of the files


def read_many(path: str) -> ManyLevels:
    """The valid levels of a file, or of all level files below a folder; problems are reported."""
    place = Path(path)
    is_folder = place.is_dir()
    if path == "-" or (place.exists() and not is_folder and not place.is_file()):
        raise ValueError(f"{path}: expected files, which can be read again when a run is resumed")
    files = level_files(place) if is_folder else [place]
    if not files:
        raise ValueError(f"{path}: no level file ({', '.join(SUFFIXES)}) in this folder")
    levels: dict[int, LevelOfMany] = {}
    problems: list[Problem] = []
    digest = hashlib.blake2b(digest_size=16)
    for file in files:
        name = file.relative_to(place).as_posix() if is_folder else file.name
        content = content_or_problem(file) if is_folder else read_content(file)
        if isinstance(content, Problem):
            report_findings([content], [])
            problems.append(content)
            continue
        digest.update(os.fsencode(f"{name}\n{hashlib.blake2b(content).hexdigest()}\n"))
        found = parse_content(content, source=str(file))
        report_findings(found.problems, found.warnings)
        problems += found.problems
        for level in found.levels:
            levels[len(levels) + 1] = LevelOfMany(name, level.number, level)
    return ManyLevels(levels, tuple(problems), digest.hexdigest())


class AnswerFolder:
    """The answers so far, and the levels whose answers are missing."""

    def __init__(self, path: str, numbers: Sequence[int], job: Mapping[str, Any]) -> None:
        """Raises ``ValueError`` if the folder holds the answers to something else."""
        self.path = Path(path)
        self._numbers = numbers
        record = (json.dumps(job, indent=1) + "\n").encode()
        place = self.path / "job.json"
        if place.exists():
            if place.read_bytes() != record:
                raise ValueError(
                    f"{path} holds the answers to other levels, or under other options; expected "
                    "the same arguments or another folder"
                )
        else:
            with atomically(place) as temporary:
                temporary.write_bytes(record)
        known = self._known()
        self.missing = [number for number in numbers if number not in known]

    def open(self) -> IO[bytes]:
        """The file to which finished answers are added."""
        place = self.path / _UNFINISHED
        stream = open(place, "ab")  # noqa: SIM115 (the caller closes it)
        if place.stat().st_size and not place.read_bytes().endswith(b"\n"):
            stream.write(b"\n")  # whoever was killed in the middle of a line
        return stream

    def add(self, answer: Mapping[str, Any], stream: IO[bytes]) -> None:
        """A line, which is on its way to the disk when this returns."""
        try:
            stream.write(f"{line_of(answer)}\n".encode())
            stream.flush()
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(self.path / _UNFINISHED)) from None

    def conclude(self) -> list[dict[str, Any]] | None:
        """Writes the answers in order and returns them; None while some are missing."""
        known = self._known()
        if any(number not in known for number in self._numbers):
            return None
        found = [known[number] for number in self._numbers]
        with atomically(self.path / ANSWERS) as temporary:
            temporary.write_text("".join(f"{line_of(one)}\n" for one in found), encoding="utf-8")
        (self.path / _UNFINISHED).unlink(missing_ok=True)
        return found

    def _known(self) -> dict[int, dict[str, Any]]:
        """The answers so far, by number; broken lines are left out."""
        known: dict[int, dict[str, Any]] = {}
        places = self.path / ANSWERS, self.path / _UNFINISHED
        for place in filter(Path.exists, places):
            for line in place.read_bytes().splitlines():
                try:
                    answer = json.loads(line)
                    number, status = int(answer["level"]), answer["status"]
                except (ValueError, TypeError, KeyError, OverflowError, RecursionError):
                    continue
                if status in get_args(Status):
                    known.setdefault(number, answer)
        return known


@contextmanager
def opened(path: str, many: ManyLevels, options: Mapping[str, Any]) -> Iterator[AnswerFolder]:
    """The folder, which other runs are kept out of."""
    check_folder(path, "--folder")
    with alone_in(path, doing="writes answers into it"):
        job = {"levels": len(many.levels), "blake2b": many.digest, **options}
        yield AnswerFolder(path, list(many.levels), job)
