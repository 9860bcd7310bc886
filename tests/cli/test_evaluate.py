"""``tokoban evaluate``: a system's metrics as lines and as one JSON object with their origin."""

import hashlib
import json
import math
import sys
import types
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import pytest
from torch import nn

from tokoban import cli, pretrained, systems
from tokoban.cli.report import SCHEMA_VERSION
from tokoban.training.config import Reads, Writes
from tokoban.training.run_config import RunConfig
from tokoban.training.spec import AnySpec, Preset, SystemSpec, Trained

WEIGHTS = b"three"
METRICS: dict[str, float | str] = {"accuracy": 0.75, "num_levels": 11.0, "signature": "by hand"}


@dataclass(frozen=True, kw_only=True)
class Options:
    """One option of the system ``toy``."""

    generated: int = 0  # levels
    film: Annotated[Path | None, Writes((".gif",))] = None  # of a game
    levels: Annotated[Path | None, Reads()] = None  # to play


def evaluate(trained: Trained[str, nn.Module], options: Options) -> dict[str, float | str]:
    assert trained.config == "its config" and not trained.model.training
    if options.generated == 0:
        return {"accuracy": math.nan}
    return METRICS | {"num_levels": float(options.generated)}


@pytest.fixture(autouse=True)
def toy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Registers the system ``toy``, whose metrics tell what it was asked."""
    monkeypatch.chdir(tmp_path)
    Path("toy-weights").write_bytes(WEIGHTS)
    spec: AnySpec = SystemSpec(
        name="toy",
        config_type=Options,
        presets={"small": Preset(Options, RunConfig(steps=1))},
        smallest="small",
        build_model=lambda config: nn.Linear(1, 1),
        make_system=lambda config, start: config,
        evaluation_type=Options,
        evaluate=evaluate,
        shipped="toy-weights",
    )

    def load(name: str, asked: object, *, named: Sequence[str] = ()) -> Trained[str, nn.Module]:
        assert asked is spec
        if name != "toy-weights":
            raise FileNotFoundError(2, "no such weights", name)
        return Trained(nn.Linear(1, 1).eval(), "its config", Path(name))

    module = types.ModuleType("toy.spec")
    vars(module)["SPEC"] = spec
    monkeypatch.setitem(systems.SYSTEMS, "toy", "toy.spec")
    monkeypatch.setitem(sys.modules, "toy.spec", module)
    monkeypatch.setattr(pretrained, "load_trained", load)


ASKED = ["evaluate", "toy", "--weights", "toy-weights", "--generated", "11"]


def test_the_shipped_weights_are_evaluated_where_none_are_named(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert cli.main(["evaluate", "toy", "--generated", "11"]) == 0
    assert capsys.readouterr().err.startswith("measuring toy-weights;")


def test_json_is_one_object_of_origin_and_metrics_that_comes_alone(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert cli.main([*ASKED, "--levels", "here.xsb", "--json", "-"]) == 0
    origin = {
        "weights": "toy-weights",
        "weights_sha256": hashlib.sha256(WEIGHTS).hexdigest(),
        "options": {"generated": 11, "film": None, "levels": "here.xsb"},
    }
    about = {"schema_version": SCHEMA_VERSION} | origin
    assert json.loads(capsys.readouterr().out) == about | METRICS


def test_invalid_levels_are_status_2_and_the_figures_of_the_rest_are_written(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(METRICS, "invalid_levels", 2.0)
    assert cli.main([*ASKED, "--json", "-"]) == 2
    told = capsys.readouterr()
    assert json.loads(told.out)["invalid_levels"] == 2
    assert told.err.splitlines()[-1].startswith("tokoban: 2 levels left out")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--film", "x.mp4"], "x.mp4: expected a name that ends in .gif"),
        (["--film", "no/x.gif"], "no/x.gif: no folder to write it into"),
        (["--film", "x.gif", "--json", "./x.gif"], "--json and --film are both x.gif; expected tw"),
        (["--film", "x.gif", "--levels", "./x.gif"], "--film would overwrite x.gif, which is to b"),
    ],
)
def test_files_are_checked_before_the_work(
    words: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main([*ASKED, *words]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith(f"tokoban: {complaint}")
