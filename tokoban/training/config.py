"""A frozen dataclass as JSON; unknown names and wrong types are refused.

A field may be an int, a float, a str, a bool, a Literal, a tuple of these, or one of them or None;
of options also a Path or None. The comment behind a field is its help on the command line.
"""

import dataclasses
import difflib
import inspect
import json
import math
import re
import types
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from tokoban.training.limits import Between

Config = TypeVar("Config")
Rule = tuple[str, bool, str]  # a field, whether its value is right, and what is right

_FIELD = re.compile(r"\s+(?P<name>\w+): [^#]*(# (?P<comment>.*))?$")
_LONGEST_SHOWN = 80  # characters of a value in a message
_NAMES = {bool: "true or false", types.NoneType: "None"}


def to_dict(config: Any) -> dict[str, Any]:
    """The fields of a dataclass instance as what JSON holds: a tuple becomes a list."""
    return json.loads(json.dumps(dataclasses.asdict(config), allow_nan=False))


def from_dict(cls: type[Config], fields: Any) -> Config:
    """The instance of dataclass ``cls`` that ``to_dict`` wrote; the inverse of it.

    A missing key takes the field's default. ValueError for what is no mapping, an unknown key, a
    value of another type (an int is a float, a bool is not an int), NaN, infinity, a number of more
    than 64 bits, and a missing key without default.
    """
    if not isinstance(fields, Mapping):
        raise ValueError(f"expected the fields of {cls.__name__}, got {type(fields).__name__}")
    hints = get_type_hints(cls)
    expected = {field.name: hints[field.name] for field in dataclasses.fields(cls)}  # type: ignore[arg-type]
    values = {}
    for name, value in fields.items():
        if name not in expected:
            text = f"{cls.__name__} has no field {_shown(name)}"
            raise ValueError(f"{text}{_suggestion(name[:_LONGEST_SHOWN], expected)}")
        values[name] = checked(value, expected[name], where=f"{cls.__name__}.{name}")
    for field in dataclasses.fields(cls):  # type: ignore[arg-type]  # Config is any dataclass
        has_default = (field.default, field.default_factory) != (dataclasses.MISSING,) * 2
        if field.name not in values and not has_default:
            raise ValueError(f"{cls.__name__}: field {field.name!r} is missing")
    return cls(**values)


def check_limits(config: Any) -> None:
    """Raises ``ValueError`` for the first field beyond its limits; for ``__post_init__``."""
    for name, limits in limits_of(type(config)).items():
        value = getattr(config, name)
        numbers = value if isinstance(value, tuple) else () if value is None else (value,)
        check_fields(config, (name, all(map(limits.holds, numbers)), str(limits)))


def limits_of(cls: type) -> dict[str, Between]:
    """The limits of the fields of a dataclass, where they have any."""
    return {name: note for name, note in annotations(cls).items() if isinstance(note, Between)}


def annotations(cls: type) -> dict[str, Any]:
    """What the fields of a dataclass are ``Annotated`` with, where they are."""
    hints = get_type_hints(cls, include_extras=True)
    return {
        name: get_args(hint)[1] for name, hint in hints.items() if get_origin(hint) is Annotated
    }


def check_fields(config: Any, *rules: Rule) -> None:
    """Raises ``ValueError`` for the first rule that is not kept."""
    for name, is_right, expected in rules:
        if not is_right:
            raise ValueError(f"{name} is {_shown(getattr(config, name))}; expected {expected}")


def heads_divide_width(config: Any, *, is_rotary: bool = False) -> Rule:
    """A rule for ``check_fields``; with rotary positions a head's width is even."""
    expected = f"a divisor of width {config.width}"
    if is_rotary:
        expected += " with an even quotient, since rotary positions turn pairs"
    return "num_heads", config.width % ((1 + is_rotary) * config.num_heads) == 0, expected


def check_network_of_squares(config: Any) -> None:
    """``check_limits``, and a width for ``num_heads`` and ``neighbourhood.grid_sinusoids``."""
    check_limits(config)
    check_fields(
        config,
        heads_divide_width(config),
        ("width", config.width % 4 == 0, "a multiple of 4, for sines and cosines of two axes"),
    )


@dataclasses.dataclass(frozen=True)
class Reads:
    """Annotates a field for files that are read if they are named."""


@dataclasses.dataclass(frozen=True)
class Writes:
    """Annotates a field for a file to write if it is named, of a kind in ``suffixes`` if any."""

    suffixes: tuple[str, ...] = ()


def field_comments(cls: type) -> dict[str, str]:
    """The comments behind the fields of a dataclass, with their continuation lines, as plain text.

    Empty where there is no source to read.
    """
    try:
        lines = inspect.getsource(cls).splitlines()
    except OSError:
        return {}
    comments: dict[str, str] = {}
    name = ""
    for line in lines:
        if field := _FIELD.match(line):
            name = field["name"] if field["comment"] else ""
            if name:
                comments[name] = field["comment"]
        elif name and line.lstrip().startswith("# "):
            comments[name] += line.lstrip().removeprefix("#")
        else:
            name = ""
    return {name: comment.replace("``", "") for name, comment in comments.items()}


def describe(expected: Any) -> str:
    """A field's type in words: ``int or None``, ``'fp32' or 'bf16'``, ``float,float``."""
    if get_origin(expected) in (Union, types.UnionType):
        return " or ".join(describe(choice) for choice in get_args(expected))
    if get_origin(expected) is Literal:
        return " or ".join(repr(choice) for choice in get_args(expected))
    if get_origin(expected) is tuple:
        return ",".join("..." if part is ... else describe(part) for part in get_args(expected))
    return _NAMES.get(expected, expected.__name__)


def checked(value: Any, expected: Any, *, where: str = "") -> Any:
    """``value`` if it is ``expected``, a list as a tuple, an int as a float; else ValueError."""
    complaint = ValueError(f"{where}: expected {describe(expected)}, got {_shown(value)}")
    if get_origin(expected) in (Union, types.UnionType):
        for choice in get_args(expected):
            try:
                return checked(value, choice, where=where)
            except ValueError:
                continue
        raise complaint
    if get_origin(expected) is Literal:
        if any(value == choice and type(value) is type(choice) for choice in get_args(expected)):
            return value
        raise complaint
    if get_origin(expected) is tuple:
        if not isinstance(value, list | tuple):
            raise complaint
        try:
            return tuple(
                checked(part, kind, where=where) for part, kind in typed_parts(value, expected)
            )
        except ValueError:
            raise complaint from None
    if type(value) is int and abs(value) >= 2**63:
        raise ValueError(f"{where}: a number of {value.bit_length()} bits; expected at most 63")
    if expected is Path and isinstance(value, Path):
        return value
    if expected is float and type(value) is int:
        return float(value)
    if type(value) is not expected or (expected is float and not math.isfinite(value)):
        raise complaint
    return value


def typed_parts(values: Any, expected: Any) -> list[tuple[Any, Any]]:
    """Each part of a tuple beside its type; ValueError where there are too many or too few."""
    kinds = get_args(expected)
    if kinds[-1] is ...:
        kinds = (kinds[0],) * len(values)
    return list(zip(values, kinds, strict=True))


def _shown(value: Any) -> str:
    """A value as a message quotes it: cut where it is long, for a file may hold megabytes."""
    text = repr(value)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[: _LONGEST_SHOWN - 3]}..."


def _suggestion(name: str, known: Mapping[str, Any]) -> str:
    close = difflib.get_close_matches(name, known, n=1)
    return f"; did you mean {close[0]!r}?" if close else f"; it has {', '.join(known)}"
