"""The JSON that commands write: one schema for all, in whole files and as lines (``docs/json.md``).

A command that has one result writes an object; one that goes through items (levels, sentences)
writes a list of objects, one for each item. Every such object has its ``schema_version``.
"""

import argparse
import json
import math
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import IO, TYPE_CHECKING, Any

from tokoban.cli.output import write_output, write_text

if TYPE_CHECKING:
    from tokoban.sokoban.puzzles.state_space import Choices

# Counts the changes after which a reader of these files may go wrong: a field that is gone or means
# something else. A new field changes nothing.
SCHEMA_VERSION = 1


def write_object(destination: str, fields: Mapping[str, Any]) -> None:
    """Writes one object, a field in each line; prints it for ``-``."""
    lines = (f"  {_dumps(name)}: {_dumps(value)}" for name, value in _versioned(fields).items())
    write_output(destination, "{\n" + ",\n".join(lines) + "\n}\n")


class Entries:
    """The objects of a list; each is a line of ``--jsonl`` as soon as it is added."""

    def __init__(self, jsonl: str | None) -> None:
        self._jsonl = jsonl
        self._stream: IO[bytes] | None = None
        self.lines: list[str] = []

    def add(self, fields: Mapping[str, Any]) -> None:
        """A finished item. Raises ``OSError`` naming the file of ``--jsonl`` if it is full."""
        line = line_of(fields)
        self.lines.append(line)
        if self._jsonl == "-":
            write_text(f"{line}\n")
            sys.stdout.flush()
        elif self._jsonl is not None:
            self._append(f"{line}\n".encode())

    def _append(self, content: bytes) -> None:
        assert self._jsonl is not None
        try:
            # Opened by the first item, so that a run that comes to nothing leaves an older file.
            if self._stream is None:
                self._stream = open(self._jsonl, "wb")  # noqa: SIM115 (until the last item)
            self._stream.write(content)
            self._stream.flush()
        except OSError as error:
            raise OSError(error.errno, error.strerror, self._jsonl) from None

    def close(self, *, is_complete: bool) -> None:
        """Ends ``--jsonl``, which is an empty file if all was done and there was nothing to add."""
        if is_complete and not self.lines and self._jsonl not in (None, "-"):
            self._append(b"")
        if self._stream is not None:
            with suppress(OSError):  # that an item was not written has been raised by its flush
                self._stream.close()


@contextmanager
def entries(arguments: argparse.Namespace) -> Iterator[Entries]:
    """Collects the objects of a command's items, for ``--jsonl`` at once and ``--json`` at the end.

    Both are arguments, and None if not given. An error or Ctrl-C within leaves both with the items
    that were finished.
    """
    collected = Entries(arguments.jsonl)
    is_complete = False
    try:
        yield collected
        is_complete = True
    finally:
        collected.close(is_complete=is_complete)
        if arguments.json is not None and (collected.lines or is_complete):
            content = ",\n".join(collected.lines)
            write_output(arguments.json, f"[\n{content}\n]\n" if content else "[]\n")


def choices_described(choices: "Choices") -> dict[str, float]:
    """The branching and the losing pushes of some positions, as fields."""
    return {
        "branching": choices.branching,
        "losing_share": choices.losing_share,
        "positions_with_choices": choices.positions,
        "legal_pushes": choices.pushes,
        "losing_pushes": choices.losing,
        "unknown_pushes": choices.unknown,
    }


def line_of(fields: Mapping[str, Any]) -> str:
    """One object in one line."""
    return _dumps(_versioned(fields))


def _versioned(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {"schema_version": SCHEMA_VERSION, **fields}


def _dumps(value: Any) -> str:
    text = json.dumps(_finite(value), ensure_ascii=False, allow_nan=False)
    try:
        text.encode()
    except UnicodeEncodeError:  # the name of a file that is no text
        return json.dumps(_finite(value), allow_nan=False)
    return text


def _finite(value: Any) -> Any:
    """JSON has no NaN and no infinity: what could not be measured is null."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {name: _finite(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(each) for each in value]
    return value
