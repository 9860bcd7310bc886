"""A system on the command line, and the fields of its dataclasses as options."""

import argparse
import dataclasses
import math
import re
import types
from collections.abc import Collection
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from tokoban.cli.parser import LARGEST, has_many_digits, quoted_word
from tokoban.systems import SYSTEMS
from tokoban.training.config import (
    Reads,
    Writes,
    annotations,
    checked,
    describe,
    field_comments,
    typed_parts,
)
from tokoban.training.limits import Between

_TRUTH = {"true": True, "false": False}


def add_system(parser: argparse.ArgumentParser, options: str) -> None:
    """Declares the system, and ``options`` that are read when the system is known."""
    parser.add_argument(
        "system",
        metavar="SYSTEM",
        help=f"{', '.join(SYSTEMS)}, or FILE.py[:NAME], a SystemSpec of your own",
    )
    rest = parser.add_argument("options", nargs=argparse.REMAINDER, metavar=options)
    rest.required = False  # nothing may be left, and a message on SYSTEM must not name it


def add_field_arguments(
    parser: argparse.ArgumentParser,
    cls: type,
    *,
    usual: Any = None,
    source: str = "default",
    paths: Collection[str] = (),
) -> None:
    """One option per field of dataclass ``cls``: ``--field-name VALUE``.

    A bool is ``true`` or ``false``, and true without a value; None is ``none``. Several values are
    separate words, or one with commas. The help is the comment behind the field, and its value in
    ``usual``, which comes from ``source``. The texts of fields in ``paths`` are shown as paths.
    ``ValueError`` if the parser has an option of a field's name.
    """
    expected, comments, notes = get_type_hints(cls), field_comments(cls), annotations(cls)
    files = {name for name, note in notes.items() if not isinstance(note, Between)}
    group = parser.add_argument_group(f"fields of {cls.__name__}")
    for field in dataclasses.fields(cls):
        kind = expected[field.name]
        # A comment names fields as Python does.
        help_text = re.sub(
            r"\w+_\w+",
            lambda word: _option(word[0]) if word[0] in expected else word[0],
            comments.get(field.name, "").replace("%", "%%"),
        )
        value = getattr(usual, field.name, None)
        if value not in (None, (), ""):
            help_text += f" ({source}: {_shown(value)})".replace("%", "%%")
        metavar = "FILE" if field.name in files else _metavar(kind)
        if field.name in paths:
            metavar = re.sub(r"\bstr\b", "PATH", metavar)
        several = {"nargs": "+"} if _is_several(kind) else {}
        optional = {"nargs": "?", "const": True} if kind is bool else {}
        option = _option(field.name)
        try:
            group.add_argument(
                option,
                dest=field.name,
                type=_WordType(kind),
                default=argparse.SUPPRESS,  # so that an option that was not given leaves no trace
                metavar=metavar,
                help=help_text,
                **several,  # type: ignore[arg-type]
                **optional,  # type: ignore[arg-type]
            )
        except argparse.ArgumentError:
            message = f"{cls.__name__}.{field.name}: the command has an option {option} already"
            raise ValueError(message) from None


def _shown(value: Any) -> str:
    """A value as it may be typed."""
    if isinstance(value, tuple):
        return " ".join(map(_shown, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def overrides(arguments: argparse.Namespace, cls: type) -> dict[str, Any]:
    """The fields of ``cls`` that were given as options, ready for ``dataclasses.replace``."""
    given, expected = vars(arguments), get_type_hints(cls)
    found = {
        field.name: given[field.name] for field in dataclasses.fields(cls) if field.name in given
    }
    return {
        name: tuple(part for parts in value for part in parts)
        if _is_several(expected[name])
        else value
        for name, value in found.items()
    }


def files_of(cls: type) -> tuple[dict[str, tuple[str, ...]], list[str]]:
    """The fields that name a file to write, with the endings it may have, and files to read."""
    notes = annotations(cls).items()
    written = {name: note.suffixes for name, note in notes if isinstance(note, Writes)}
    return written, [name for name, note in notes if isinstance(note, Reads)]


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _is_several(kind: Any) -> bool:
    """Whether it is a tuple of any length."""
    return get_origin(kind) is tuple and get_args(kind)[-1] is ...


def _metavar(kind: Any) -> str:
    shown = describe(get_args(kind)[0]) if _is_several(kind) else describe(kind)
    return shown.replace("'", "").replace(" or ", "|")


class _WordType:
    """Reads one word of an option as ``expected``; argparse prints the complaint."""

    def __init__(self, expected: Any) -> None:
        self.expected = expected

    def __call__(self, text: str) -> Any:
        try:
            return checked(_parse(text, self.expected), self.expected)
        except ValueError:
            range_ = f", from {-LARGEST:,} to {LARGEST:,}" if has_many_digits(text) else ""
            message = f"expected {describe(self.expected)}{range_}, got {quoted_word(text)}"
            raise argparse.ArgumentTypeError(message) from None


def _parse(text: str, expected: Any) -> Any:
    """``text`` as a value that ``checked`` may refuse; ValueError where there is no reading."""
    if get_origin(expected) in (Union, types.UnionType):
        if types.NoneType in get_args(expected) and text.lower() == "none":
            return None
        for choice in get_args(expected):
            try:
                return checked(_parse(text, choice), choice)
            except ValueError:
                continue
        raise ValueError(text)
    if get_origin(expected) is Literal:
        return next((choice for choice in get_args(expected) if str(choice) == text), text)
    if get_origin(expected) is tuple:
        texts = [part.strip() for part in text.split(",")] if text else []
        return [_parse(part, kind) for part, kind in typed_parts(texts, expected)]
    if expected is bool:
        return _TRUTH.get(text.lower(), text)
    if expected is types.NoneType:
        raise ValueError(text)
    if expected is float and not math.isfinite(float(text)):
        raise ValueError(text)
    return expected(text)
