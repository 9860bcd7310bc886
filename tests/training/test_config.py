import argparse
import math
from dataclasses import dataclass, fields, make_dataclass, replace
from typing import Any, Literal

import pytest

from tokoban import systems
from tokoban.cli.field_options import add_field_arguments, overrides
from tokoban.training.config import describe, field_comments, from_dict, to_dict
from tokoban.training.run_config import RunConfig


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
    # the first one first


CONFIGS = [
    Config(width=3),
    Config(width=-1, share=1e-7, name="", is_deep=True, kind="slow", limit=7, sizes=(2, 3, 5)),
]


@pytest.mark.parametrize("config", CONFIGS)
def test_from_dict_inverts_to_dict(config: Config) -> None:
    assert from_dict(Config, to_dict(config)) == config


def test_run_config_survives_json() -> None:
    run = RunConfig(minutes=2.5, betas=(0.8, 0.99), schedule="noam")
    assert from_dict(RunConfig, to_dict(run)) == run


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
    assert text.endswith("--sizes int [int ...] of the layers, 100 % of them, the first one first")


@pytest.mark.parametrize("name", [*systems.SYSTEMS, "the run"])
def test_help_says_what_every_field_of_a_training_is(name: str) -> None:
    config = RunConfig if name == "the run" else systems.load(name).config_type
    assert list(field_comments(config)) == [field.name for field in fields(config)]


def test_where_there_is_no_source_there_are_no_comments() -> None:
    assert field_comments(make_dataclass("Unwritten", [("width", int)])) == {}


def test_describe_says_every_kind_of_field() -> None:
    assert describe(int | None) == "int or None"
    assert describe(tuple[int, ...]) == "int,..."


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({}, "a run needs an end: give steps or minutes"),
        ({"steps": 0}, "steps must be at least 1, got 0"),
        ({"minutes": 0.0}, "minutes must be above 0, got 0.0"),
        ({"minutes": float("nan")}, "minutes must be above 0, got nan"),
        ({"steps": 1, "seed": -1}, "seed must be from 0 to 2^32 - 1, got -1"),
        ({"steps": 1, "learning_rate": 0.0}, "learning_rate must be above 0, got 0.0"),
        ({"steps": 1, "final_share": 1.5}, "final_share must be in [0, 1], got 1.5"),
        ({"steps": 1, "warmup_steps": -1}, "warmup_steps must be at least 0, got -1"),
        ({"steps": 1, "weight_decay": -0.1}, "weight_decay must be at least 0, got -0.1"),
        ({"steps": 1, "betas": (0.9, 1.0)}, "betas must be in [0, 1), got (0.9, 1.0)"),
        ({"steps": 1, "clip_norm": -1.0}, "clip_norm must be at least 0, got -1.0"),
        ({"steps": 1, "ema_decay": 1.0}, "ema_decay must be in [0, 1), got 1.0"),
        ({"steps": 1, "epsilon": 0.0}, "epsilon must be above 0, got 0.0"),
        ({"steps": 1, "accumulate": 0}, "accumulate must be at least 1, got 0"),
        ({"steps": 1, "average_last": -1}, "average_last must be at least 0, got -1"),
        ({"steps": 1, "average_every": 0}, "average_every must be at least 1, got 0"),
        ({"steps": 1, "keep_every": -1}, "keep_every must be at least 0, got -1"),
        ({"steps": 1, "patience": -1}, "patience must be at least 0, got -1"),
        (
            {"steps": 1, "average_last": 2, "ema_decay": 0.5},
            "average_last and ema_decay are two averages: choose one of them",
        ),
        (
            {"steps": 1, "patience": 2, "monitor": "score"},
            "patience needs monitor, a metric, and evaluate_every, to look at it",
        ),
        (
            {"steps": 1, "target": 0.5, "evaluate_every": 3},
            "target needs monitor, a metric, and evaluate_every, to look at it",
        ),
        ({"steps": 1, "log_every": 0}, "log_every must be at least 1, got 0"),
        ({"steps": 1, "evaluate_every": -1}, "evaluate_every must be at least 0, got -1"),
        (
            {"steps": 1, "checkpoint_every_s": -1.0},
            "checkpoint_every_s must be at least 0, got -1.0",
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
