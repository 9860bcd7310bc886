import argparse
import math
import re
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, get_type_hints

import pytest

from tokoban import systems
from tokoban.cli.field_options import add_field_arguments, overrides
from tokoban.training.config import field_comments, from_dict, limits_of, to_dict
from tokoban.training.run_config import RunConfig
from tokoban.training.spec import SystemSpec


@dataclass(frozen=True, kw_only=True)
class Config:
    width: int
    share: float = 0.5
    name: str = "a"
    is_deep: bool = False
    kind: Literal["fast", "slow"] = "fast"
    level: Literal[1, 2] = 1
    limit: int | None = None
    betas: tuple[float, float] = (0.9, 0.95)
    sizes: tuple[int, ...] = ()  # of the layers, 100 % of them,
    # the first one first, or as is_deep says in python_docs


CONFIGS = [
    Config(width=3),
    Config(width=-1, share=1e-7, name="", is_deep=True, kind="slow", limit=7, sizes=(2, 3, 5)),
]


@pytest.mark.parametrize("config", CONFIGS)
def test_from_dict_inverts_to_dict(config: Config) -> None:
    assert from_dict(Config, to_dict(config)) == config


def test_an_int_is_a_float() -> None:
    share = from_dict(Config, {"width": 3, "share": 1}).share
    assert share == 1.0 and type(share) is float


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"widht": 3}, "Config has no field 'widht'; did you mean 'width'?"),
        (
            {"x": 3},
            "Config has no field 'x'; "
            "it has width, share, name, is_deep, kind, level, limit, betas, sizes",
        ),
        ({}, "Config: field 'width' is missing"),
        ({"width": 3.0}, "Config.width: expected int, got 3.0"),
        ({"width": True}, "Config.width: expected int, got True"),
        ({"width": None}, "Config.width: expected int, got None"),
        ({"share": "1"}, "Config.share: expected float, got '1'"),
        ({"is_deep": 1}, "Config.is_deep: expected true or false, got 1"),
        ({"name": 7}, "Config.name: expected str, got 7"),
        ({"kind": "medium"}, "Config.kind: expected 'fast' or 'slow', got 'medium'"),
        ({"level": True}, "Config.level: expected 1 or 2, got True"),
        ({"limit": "ten"}, "Config.limit: expected int or None, got 'ten'"),
        ({"betas": [0.1]}, "Config.betas: expected float,float, got [0.1]"),
        ({"betas": 0.1}, "Config.betas: expected float,float, got 0.1"),
        ({"sizes": [2, "3"]}, "Config.sizes: expected int,..., got [2, '3']"),
        ({"width": 2**63}, "Config.width: a number of 64 bits; expected at most 63"),
        ({"share": math.nan}, "Config.share: expected float, got nan"),
        ({"share": math.inf}, "Config.share: expected float, got inf"),
        ({"width": "x" * 99}, f"Config.width: expected int, got '{'x' * 76}..."),
        (None, "expected the fields of Config, got NoneType"),
        ([1], "expected the fields of Config, got list"),
    ],
)
def test_from_dict_refuses(fields: Any, message: str) -> None:
    with pytest.raises(ValueError) as refusal:
        from_dict(Config, fields)
    assert str(refusal.value) == message


def parse(*arguments: str) -> dict[str, object]:
    parser = argparse.ArgumentParser(allow_abbrev=False, exit_on_error=False)
    add_field_arguments(parser, Config)
    return overrides(parser.parse_args(arguments), Config)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ((), {}),
        (("--width", "7"), {"width": 7}),
        (("--width=-7",), {"width": -7}),
        (("--share", "3e-4"), {"share": 3e-4}),
        (("--share", "1"), {"share": 1.0}),
        (("--is-deep", "true"), {"is_deep": True}),
        (("--is-deep", "False"), {"is_deep": False}),
        (("--kind", "slow"), {"kind": "slow"}),
        (("--level", "2"), {"level": 2}),
        (("--limit", "none"), {"limit": None}),
        (("--limit", "3"), {"limit": 3}),
        (("--betas", "0.5,0.7"), {"betas": (0.5, 0.7)}),
        (("--sizes", "2,3,5"), {"sizes": (2, 3, 5)}),
        (("--sizes", ""), {"sizes": ()}),
        (("--name", "7", "--share", "2"), {"name": "7", "share": 2.0}),
    ],
)
def test_flags_give_only_what_was_given(
    arguments: tuple[str, ...], expected: dict[str, object]
) -> None:
    given = parse(*arguments)
    assert given == expected
    assert {type(value) for value in given.values()} == {type(v) for v in expected.values()}
    assert replace(CONFIGS[0], **given) == replace(CONFIGS[0], **expected)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--width", "3.5"), "argument --width: expected int, got '3.5'"),
        (("--width", "none"), "argument --width: expected int, got 'none'"),
        (("--share", "half"), "argument --share: expected float, got 'half'"),
        (("--is-deep", "yes"), "argument --is-deep: expected true or false, got 'yes'"),
        (("--kind", "medium"), "argument --kind: expected 'fast' or 'slow', got 'medium'"),
        (("--limit", "ten"), "argument --limit: expected int or None, got 'ten'"),
        (("--betas", "0.5"), "argument --betas: expected float,float, got '0.5'"),
        (("--betas", "0.5,0.6,0.7"), "argument --betas: expected float,float, got '0.5,0.6,0.7'"),
    ],
)
def test_flags_refuse(arguments: tuple[str, ...], message: str) -> None:
    with pytest.raises(argparse.ArgumentError) as refusal:
        parse(*arguments)
    assert str(refusal.value) == message


def test_help_shows_types_and_the_comments_behind_the_fields() -> None:
    parser = argparse.ArgumentParser()
    add_field_arguments(parser, Config)
    text = " ".join(parser.format_help().split())
    assert "--kind fast|slow" in text
    assert "--betas float,float --sizes" in text
    assert "--sizes int [int ...] of the layers, 100 % of them, the first one first" in text
    assert text.endswith("or as --is-deep says in python_docs")  # fields alone are options


# What another rule limits, or nothing.
_UNLIMITED = {"rotary_base", "goal", "horizon", "keep", "expansion", "top_k", "top_p", "target"}
_SPECS = [systems.load(name) for name in systems.SYSTEMS]


@pytest.mark.parametrize("spec", _SPECS, ids=systems.SYSTEMS)
def test_help_shows_where_data_lie_as_paths(spec: SystemSpec) -> None:
    parser = argparse.ArgumentParser()
    add_field_arguments(parser, spec.config_type, paths=spec.data_fields)
    text = parser.format_help()
    for name in spec.data_fields:
        assert re.search(rf"--{name.replace('_', '-')} (PATH|\w+\|)", text), name


_KINDS = [RunConfig, *(k for s in _SPECS for k in (s.config_type, s.evaluation_type))]


@pytest.mark.parametrize("kind", _KINDS)
def test_every_field_has_help_and_a_default(kind: type) -> None:
    assert list(field_comments(kind)) == [field.name for field in fields(kind)]
    kind(**{"steps": 1} if kind is RunConfig else {})  # a run needs an end


@pytest.mark.parametrize("kind", _KINDS)
def test_every_number_has_limits_and_beyond_them_it_is_refused(kind: type) -> None:
    limits, least = limits_of(kind), {"steps": 1} if kind is RunConfig else {}
    for name, hint in get_type_hints(kind).items():
        if name not in limits:
            assert name in _UNLIMITED or not re.search(r"\b(int|float)\b", str(hint))
            continue
        limit, number = limits[name], float if "float" in str(hint) else int
        below = limit.above if limit.least is None else limit.least - 1
        above = limit.below if limit.most is None else limit.most + 1
        edges = [number(edge) for edge in (below, above) if edge is not None]
        for value in [*edges, math.nan] if number is float else edges:
            given = (value, value) if "tuple" in str(hint) else value
            with pytest.raises(ValueError) as refusal:
                kind(**least | {name: given})
            assert str(refusal.value) == f"{name} is {given}; expected {limit}"


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({}, "a run needs an end: give steps or minutes"),
        (
            {"steps": 1, "average_last": 2, "ema_decay": 0.5},
            "average_last and ema_decay are two averages: choose one of them",
        ),
        (
            {"steps": 1, "average_last": 2},
            "average_last needs keep_every, the steps between snapshots",
        ),
        (
            {"steps": 1, "patience": 2, "monitor": "score"},
            "patience needs monitor, a metric, and evaluate_every, to look at it",
        ),
        (
            {"steps": 1, "target": 0.5, "evaluate_every": 3},
            "target needs monitor, a metric, and evaluate_every, to look at it",
        ),
        (
            {"steps": 1, "schedule": "noam", "warmup_steps": 0},
            "schedule noam needs warmup_steps of at least 1, got 0",
        ),
    ],
)
def test_run_config_refuses(fields: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError) as refusal:
        RunConfig(**fields)  # type: ignore[arg-type]
    assert str(refusal.value) == message
