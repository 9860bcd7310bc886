"""``tokoban evaluate``: a system's figures as lines and as one flat JSON object."""

import argparse
import json
import math
import sys
import types
from collections.abc import Sequence
from pathlib import Path

import pytest

from tokoban import cli, pretrained, systems

FIGURES = {"accuracy": 0.75, "num_levels": 11.0, "signature": "by hand"}


@pytest.fixture(autouse=True)
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Registers the system ``toy``, whose figures tell what it was asked."""

    def load(name: str, *, system: str, named: Sequence[str] = ()) -> tuple[str, str]:
        if name != "toy-weights":
            raise FileNotFoundError(2, "no such weights", name)
        return "the model of " + system, "its config"

    def add_arguments(parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--generated", type=int)

    def evaluate_model(model: str, config: str, arguments: argparse.Namespace) -> dict[str, object]:
        assert (model, config) == ("the model of toy", "its config")
        if arguments.generated == 0:
            return {"accuracy": math.nan}
        return FIGURES | {"num_levels": float(arguments.generated)}

    evaluate = types.ModuleType("toy.evaluate")
    vars(evaluate).update(add_arguments=add_arguments, evaluate_model=evaluate_model)
    monkeypatch.setitem(systems.SYSTEMS, "toy", "toy")
    monkeypatch.setitem(sys.modules, "toy.evaluate", evaluate)
    monkeypatch.setattr(pretrained, "load", load)


ASKED = ["evaluate", "toy", "--weights", "toy-weights", "--generated", "11"]


def test_figures_are_printed_one_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(ASKED) == 0
    assert capsys.readouterr().out == "accuracy    0.75\nnum_levels  11\nsignature   by hand\n"


def test_json_is_one_flat_object_of_the_same_figures(tmp_path: Path) -> None:
    path = tmp_path / "figures.json"
    assert cli.main([*ASKED, "--json", str(path)]) == 0
    assert json.loads(path.read_text()) == FIGURES


def test_json_on_standard_output_comes_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([*ASKED, "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out) == FIGURES


def test_what_could_not_be_measured_is_null(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([*ASKED, "--generated", "0", "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out) == {"accuracy": None}


def test_invalid_levels_are_status_2_and_the_figures_of_the_rest_are_written(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(FIGURES, "invalid_levels", 2.0)
    assert cli.main([*ASKED, "--json", "-"]) == 2
    told = capsys.readouterr()
    assert json.loads(told.out)["invalid_levels"] == 2
    assert told.err.splitlines()[-1].startswith("tokoban: 2 levels left out")


def test_weights_must_be_named(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        cli.main(["evaluate", "toy"])
    assert left.value.code == 2
    assert "required: --weights" in capsys.readouterr().err


def test_missing_weights_are_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["evaluate", "toy", "--weights", "nothing"]) == 2
    assert capsys.readouterr().err == "tokoban: nothing: no such weights\n"
