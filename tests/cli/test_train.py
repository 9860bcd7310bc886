"""``tokoban train``: what reaches the loop, for a system that has nothing to train."""

import dataclasses
import json
import re
import resource
import sys
import types
import warnings
from pathlib import Path
from typing import Any

import pytest
from torch import nn

from tokoban import cli, systems
from tokoban.training import loop
from tokoban.training.config import to_dict
from tokoban.training.run_config import RunConfig
from tokoban.training.spec import AnySpec, Preset, SystemSpec


@dataclasses.dataclass(frozen=True, kw_only=True)
class Config:
    """Two fields."""

    width: int = 5
    has_bias: bool = True


def small() -> Config:
    """The only preset."""
    return Config(width=7)


@dataclasses.dataclass(frozen=True)
class NoOptions:
    """Of the evaluation."""


@pytest.fixture
def trained(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Registers the system ``toy``; the list gets what the loop is called with."""
    calls: list[Any] = []
    spec: AnySpec = SystemSpec(
        name="toy",
        config_type=Config,
        presets={"small": Preset(small, RunConfig(steps=11, learning_rate=0.5))},
        smallest="small",
        build_model=lambda config: nn.Linear(config.width, 1),
        make_system=lambda config, start: config,
        evaluation_type=NoOptions,
        evaluate=lambda trained, options: {},
    )
    module = types.ModuleType("toy.spec")
    vars(module)["SPEC"] = spec
    monkeypatch.setitem(systems.SYSTEMS, "toy", "toy.spec")
    monkeypatch.setitem(sys.modules, "toy.spec", module)

    def record_call(system: Any, run: Any, directory: Any, *, resume: bool, plot: Any) -> None:
        calls.append((system, run, directory, resume, plot))

    monkeypatch.setattr(loop, "fit", record_call)
    return calls


def test_a_preset_and_its_overrides_reach_the_loop(trained: list[Any], tmp_path: Path) -> None:
    words = ["--preset", "small", "--has-bias", "false", "--learning-rate", "0.25"]
    assert cli.main(["train", "toy", *words, "--output", str(tmp_path)]) == 0
    [(config, run, directory, is_resumed, _)] = trained
    assert config == Config(width=7, has_bias=False)
    assert run == RunConfig(steps=11, learning_rate=0.25)
    assert (directory.path, directory.system, is_resumed) == (tmp_path, "toy", False)
    assert directory.config == {"width": 7, "has_bias": False}


@pytest.mark.parametrize(
    ("words", "steps"), [(["--minutes", "3"], None), (["--minutes", "3", "--steps", "5"], 5)]
)
def test_minutes_take_the_place_of_the_presets_steps(
    words: list[str], steps: int | None, trained: list[Any]
) -> None:
    assert cli.main(["train", "toy", "--preset", "small", *words]) == 0
    assert (trained[0][1].minutes, trained[0][1].steps) == (3.0, steps)


@pytest.mark.parametrize("num_resumed", [0, 1, 2])
def test_a_resumed_run_goes_on_with_its_last_settings(
    num_resumed: int, trained: list[Any], tmp_path: Path
) -> None:
    runs = [RunConfig(steps=13 + n, learning_rate=0.125 / (n + 1)) for n in range(1 + num_resumed)]
    first, *later = ({"run": to_dict(run)} for run in runs)
    record = {"system": "toy", "config": {"width": 3, "has_bias": True}, "resumed": later}
    (tmp_path / "config.json").write_text(json.dumps(record | first))
    words = ["train", "toy", "--output", str(tmp_path), "--resume"]
    assert cli.main(words) == cli.main([*words, "--steps", "17"]) == 0
    (config, run, _, is_resumed, _), (_, longer, *_) = trained
    assert config == Config(width=3)
    assert (run, longer) == (runs[-1], dataclasses.replace(runs[-1], steps=17))
    assert is_resumed


def test_settings_of_a_resumed_run_that_are_none_are_refused(
    trained: list[Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = to_dict(RunConfig(steps=13))
    record = {"system": "toy", "config": {"width": 3}, "run": run, "resumed": ["yesterday"]}
    (tmp_path / "config.json").write_text(json.dumps(record))
    assert cli.main(["train", "toy", "--output", str(tmp_path), "--resume"]) == 2
    complaint = "expected the fields of RunConfig, got NoneType"
    assert capsys.readouterr().err == f"tokoban: {tmp_path / 'config.json'}: {complaint}\n"
    assert not trained


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ([], "tokoban: --preset is missing; expected one of small\n"),
        (["--resume"], "tokoban: --resume needs --output, the folder of the run to go on with\n"),
    ],
)
def test_what_is_missing_is_named(
    words: list[str], complaint: str, trained: list[Any], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["train", "toy", *words]) == 2
    assert capsys.readouterr().err == complaint
    assert not trained


def test_a_systems_help_lists_its_presets_and_fields(
    trained: list[Any], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        cli.main(["train", "toy", "--help"])
    shown = capsys.readouterr().out
    for part in ("small: The only preset.", "--width int", "--learning-rate float"):
        assert part in shown


def test_the_help_shows_the_values_of_the_preset_that_is_named(
    capsys: pytest.CaptureFixture[str],
) -> None:
    presets = systems.load("gpt").presets

    for name in ("sort", "small"):
        with pytest.raises(SystemExit):
            cli.main(["train", "gpt", "--preset", name, "--help"])
        shown = " ".join(capsys.readouterr().out.split())
        config, run = presets[name].config(), presets[name].run
        for option, value in (
            ("--width int", config.width),
            ("--source", config.source),
            ("--learning-rate float", run.learning_rate),
        ):
            (described,) = re.findall(rf" {option} .*?\({name}: (.*?)\)", shown)
            assert described == str(value)


def test_runs_without_an_output_that_start_at_once_get_folders_of_their_own(
    trained: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    paths: list[Path] = []

    def start_another(system: Any, run: Any, directory: Any, **options: Any) -> None:
        paths.append(directory.path)
        if len(paths) < 3:  # before this one has written anything
            assert cli.main(["train", "toy", "--preset", "small"]) == 0

    monkeypatch.setattr(loop, "fit", start_another)
    assert cli.main(["train", "toy", "--preset", "small"]) == 0
    first = paths[0].name
    assert first.endswith("-toy-small")
    assert [path.name for path in paths] == [first, f"{first}-2", f"{first}-3"]
    assert list((tmp_path / "runs").iterdir()) == []  # nothing was written, nothing stays


@pytest.mark.filterwarnings("ignore:.*out of date:DeprecationWarning")
@pytest.mark.parametrize("system", ["ppo", "trajectory"])
def test_an_environment_that_cannot_be_imported_is_one_line(
    system: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("gymnasium")
    words = ["--preset", "tiny", "--env", "Hopper-v2", "--output", str(tmp_path / "run")]
    assert cli.main(["train", system, *words]) == 2
    *_, line = capsys.readouterr().err.splitlines()
    assert line.startswith("tokoban: Hopper-v2") and "gymnasium-robotics" in line
    assert not (tmp_path / "run").exists()


LIFE = ["train", "life", "--preset", "tiny", "--device", "cpu", "--checkpoint-every-s", "0"]


@pytest.mark.parametrize("part", ["weights", "checkpoint"])
def test_a_full_disk_is_one_line_and_what_was_saved_stays(
    part: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "run"
    assert cli.main([*LIFE, "--steps", "2", "--output", str(path)]) == 0
    weights, [checkpoint] = path / "weights.safetensors", [*path.glob("checkpoints/*2.pt")]
    before = weights.read_bytes(), checkpoint.read_bytes()
    full = {"weights": weights, "checkpoint": checkpoint}[part]
    _, most = usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    capsys.readouterr()
    try:  # a limit on the size of files ends a write as a full disk does
        resource.setrlimit(resource.RLIMIT_FSIZE, (full.stat().st_size - 1, most))
        status = cli.main([*LIFE[:2], "--resume", "--steps", "4", "--output", str(path)])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, usual)
    assert status == 2
    *_, line = capsys.readouterr().err.splitlines()
    unwritten = weights if part == "weights" else path / "checkpoints/step-0000000003.pt"
    assert line == f"tokoban: {unwritten}: File too large"
    if part == "weights":
        assert weights.read_bytes() == before[0]
    assert checkpoint.read_bytes() == before[1]
    assert not [*path.rglob("*.tmp")]
    assert cli.main([*LIFE[:2], "--resume", "--steps", "4", "--output", str(path)]) == 0


def test_damage_is_reported_in_lines_and_the_run_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "run"
    assert cli.main([*LIFE, "--steps", "3", "--output", str(path)]) == 0
    checkpoint = path / "checkpoints/step-0000000003.pt"
    content = checkpoint.read_bytes()
    checkpoint.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    metrics = path / "metrics.jsonl"
    metrics.write_text(metrics.read_text().replace('{"step": 1', "{step: 1", 1))
    capsys.readouterr()
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        words = ["--resume", "--steps", "4", "--output", str(path)]
        assert cli.main([*LIFE[:2], *words]) == 0
    told = [line for line in capsys.readouterr().err.splitlines() if line.startswith("tokoban: ")]
    assert told == [
        f"tokoban: {checkpoint}: unreadable checkpoint passed over "
        "(its content does not match its digest)",
        f"tokoban: {metrics}, line 1: damaged, and left out",
    ]


def test_a_run_from_weights_that_has_no_checkpoint_begins_with_them_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, path, straight = tmp_path / "first", tmp_path / "run", tmp_path / "straight"
    assert cli.main([*LIFE, "--steps", "1", "--output", str(first)]) == 0
    further = [*LIFE, "--steps", "2", "--start-from", str(first), "--output"]

    def fall(folder: Path, step: int, state: Any) -> None:
        raise OSError("killed")

    with monkeypatch.context() as patched:  # its weights are there already, of step 1
        patched.setattr(loop, "save_checkpoint", fall)
        assert cli.main([*further, str(path)]) == 2
    assert (path / "weights.safetensors").exists()
    assert cli.main([*LIFE[:2], "--resume", "--output", str(path)]) == 0
    assert cli.main([*further, str(straight)]) == 0
    one, other = ((each / "weights.safetensors").read_bytes() for each in (path, straight))
    assert one == other
