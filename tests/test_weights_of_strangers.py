"""Weights, run folders and checkpoints that somebody else made: refused in a sentence, harmless."""

import gzip
import io
import json
import re
import resource
import shutil
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tokoban import cli, pretrained, systems
from tokoban.sokoban.png import encode_png
from tokoban.text.bpe import Tokenizer, train_bpe
from tokoban.training.checkpoint import (
    load_newest_checkpoint,
    load_weights,
    save_checkpoint,
    save_weights,
)
from tokoban.training.config import to_dict
from tokoban.training.read_files import read_unpacked

CANARY = "stranger_canary"


@pytest.fixture
def canary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A module that could be imported, and the file that it writes if it is."""
    written = tmp_path / "was_here"
    code = f"open({str(written)!r}, 'w').close()\nimport gymnasium\n"
    code += "gymnasium.register('Canary-v0', 'gymnasium.envs.classic_control:CartPoleEnv', "
    code += "max_episode_steps=3)\n"
    (tmp_path / f"{CANARY}.py").write_text(code)
    monkeypatch.syspath_prepend(tmp_path)
    yield written
    sys.modules.pop(CANARY, None)
    import gymnasium

    gymnasium.registry.pop("Canary-v0", None)


def write_weights(path: Path, system: str, **changes: Any) -> Path:
    """Weights of the smallest preset of ``system``, whose config says something else."""
    spec = systems.load(system)
    config = spec.presets[spec.smallest].config()
    model = spec.build_model(config)
    described = json.dumps(to_dict(config) | changes)
    save_weights(path, model.state_dict(), {"system": system, "config": described})
    return path


def refusal(capsys: pytest.CaptureFixture[str], *words: str | Path) -> str:
    """The one line that a refused command says."""
    assert cli.main(list(map(str, words))) == 2
    error = capsys.readouterr().err.strip().splitlines()
    assert all(line.isprintable() for line in error)
    return error[-1]


def test_weights_cannot_name_a_module_to_import(
    tmp_path: Path, canary: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = f"{CANARY}:Canary-v0"
    weights = write_weights(tmp_path / "x.safetensors", "ppo", env=name)
    run = tmp_path / "run"
    run.mkdir()
    config = json.loads(load_weights(weights)[1]["config"])
    record = {"system": "ppo", "config": config, "run": {"steps": 1}, "resumed": []}
    (run / "config.json").write_text(json.dumps(record))
    for words in (
        ("evaluate", "ppo", "--weights", weights),
        ("evaluate", "ppo", "--weights", weights, "--env", "CartPole-v1"),
        ("train", "ppo", "--preset", "tiny", "--start-from", weights, "--output", tmp_path / "new"),
        ("train", "ppo", "--resume", "--output", run),
    ):
        said = refusal(capsys, *words)
        assert f"the environment '{name}', which would import code" in said
    assert not canary.exists()


def test_a_user_may_name_the_module_that_the_weights_name(
    tmp_path: Path, canary: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = f"{CANARY}:Canary-v0"
    assert cli.main(
        ["train", "ppo", "--preset", "tiny", "--memory", "none", "--env", name, "--steps", "1",
         "--evaluation-episodes", "2", "--num-games", "2", "--minibatches", "1", "--epochs", "1",
         "--num-steps", "8", "--output", str(tmp_path / "run")]
    ) == 0  # fmt: skip
    assert canary.exists()
    words = ["evaluate", "ppo", "--weights", str(tmp_path / "run"), "--episodes", "2"]
    assert cli.main([*words, "--env", name]) == 0


@pytest.mark.parametrize(
    ("system", "changes", "reason"),
    [
        ("gpt", {"width": 48_000}, "has the shape (4, 48); its config asks for (4, 48000)"),
        ("gpt", {"num_layers": 900}, "far more tensors than the expected"),
        ("gpt", {"num_layers": 10**9}, "num_layers is 1000000000; expected 1 to 1000"),
        ("gpt", {"width": 10**30}, "expected at most 63"),
        ("gpt", {"context_length": 10**9}, "expected 2 to 8192"),
        ("gpt", {"num_heads": -1}, "num_heads is -1; expected at least 1"),
        ("translation", {"max_positions": 8000, "width": 60_000}, "has the shape"),
        ("sokoban", {"max_positions": 10**6}, "expected 3 to 4096"),
        ("life", {"side": 10**6}, "expected 3 to 64"),
        ("vit", {"picture_height": 10**6, "picture_width": 10**6}, "expected 1 to 4096"),
        ("ppo", {"env": "repeat-previous:999999999"}, "expected numbers up to 4096"),
        ("ppo", {"env": "sokoban:20000"}, "expected numbers up to 32"),
        ("trajectory", {"env": "os:system"}, "unknown environment 'os:system'"),
        ("trajectory", {"window": 10**12}, "expected 1 to 256"),
    ],
)
def test_what_a_config_asks_for_is_checked_before_memory_is_given_to_it(
    tmp_path: Path, system: str, changes: dict[str, Any], reason: str
) -> None:
    weights = write_weights(tmp_path / "x.safetensors", system, **changes)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(ValueError, match=re.escape(reason)):
        pretrained.load(str(weights), system=system)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # kB


State = dict[str, torch.Tensor]


def with_first_weight(number: float) -> Callable[[State], object]:
    def change(state: State) -> None:
        next(x for x in state.values() if x.is_floating_point()).view(-1)[0] = number

    return change


def with_first_tensor_as(dtype: torch.dtype) -> Callable[[State], object]:
    def change(state: State) -> None:
        name = next(iter(state))
        state[name] = state[name].to(dtype)

    return change


NOT_REAL = torch.int64, torch.complex64, torch.bool, torch.float8_e4m3fn, torch.uint8


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        *((with_first_tensor_as(dtype), "is of type .*expected floating-") for dtype in NOT_REAL),
        *((with_first_weight(x), "are NaN or above 1,000,000") for x in (np.nan, np.inf, -3e38)),
        (lambda state: state.pop("answer.weight"), "'answer.weight' is missing"),
        (lambda state: state.update(zzz=torch.zeros(3)), "'zzz' is not of this model"),
    ],
)
def test_tensors_that_no_model_can_have_are_refused(
    change: Callable[[State], object], reason: str, tmp_path: Path
) -> None:
    state, metadata = load_weights(pretrained.weights_path("life-16"))
    change(state)
    save_weights(tmp_path / "x.safetensors", state, metadata)
    with pytest.raises(ValueError, match=reason):
        pretrained.load(str(tmp_path / "x.safetensors"), system="life")


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_weights_of_another_precision_are_read(tmp_path: Path, dtype: torch.dtype) -> None:
    state, metadata = load_weights(pretrained.weights_path("life-16"))
    changed = {name: x.to(dtype) if x.is_floating_point() else x for name, x in state.items()}
    save_weights(tmp_path / "x.safetensors", changed, metadata)
    model, _ = pretrained.load(str(tmp_path / "x.safetensors"), system="life")
    assert all(x.dtype == torch.float32 for x in model.parameters())


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "it ends within its header"),
        ((2**40).to_bytes(8, "little"), "a header of 1,099,511,627,776 bytes"),
        ((100).to_bytes(8, "little") + b"{}", "it ends within its header"),
        ((7).to_bytes(8, "little") + b"[1, 2] ", "its header is not an object"),
        ((10**6).to_bytes(8, "little") + b"[" * 10**6, "its header is not JSON"),
        ((9).to_bytes(8, "little") + b'{"a": 3} ', "its header lacks types or shapes"),
        ((24).to_bytes(8, "little") + b'{"__metadata__": {"a":1}}'[:24], "is not JSON"),
    ],
)
def test_headers_that_lie_are_refused(tmp_path: Path, content: bytes, reason: str) -> None:
    path = tmp_path / "x.safetensors"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=rf"x.safetensors: not a safetensors file \(.*{reason}"):
        load_weights(path)


def gpt_with(path: Path, tokenizer: str | bytes) -> Path:
    """Weights of a small GPT beside which these bytes lie as the tokenizer."""
    weights = write_weights(path, "gpt")
    state, metadata = load_weights(weights)
    content = tokenizer if isinstance(tokenizer, bytes) else zlib.compress(tokenizer.encode())
    state["_extra_state"] = torch.frombuffer(bytearray(content), dtype=torch.uint8)
    save_weights(weights, state, metadata)
    return weights


def changed_tokenizer(**changes: Any) -> str:
    described = json.loads(train_bpe(["a b"], vocabulary_size=261).to_json())
    return json.dumps(described | changes)


@pytest.mark.parametrize(
    ("tokenizer", "reason"),
    [
        (2**28, "more than 16,777,216 bytes"),
        (zlib.compress(b" " * 99)[:-5], "no readable tokenizer"),
        ("[" * 10**6, "nested too deeply"),
        ("7", "expected an object with a model"),
        ('{"characters": ["ab", "c"]}', "not a vocabulary of characters"),
        ('{"characters": "\\ud800"}', "not a vocabulary of characters"),
        ('{"characters": "abcdefgh"}', "a tokenizer of 8 tokens; the network knows 4"),
        (
            changed_tokenizer(
                padding={
                    "strategy": {"Fixed": 10**12}, "direction": "Right", "pad_to_multiple_of": None,
                    "pad_id": 0, "pad_type_id": 0, "pad_token": "[PAD]",
                }
            ),
            "its normaliser, splitting or decoder",
        ),
        (
            changed_tokenizer(
                normalizer={"type": "Replace", "pattern": {"String": "a"}, "content": "a" * 999}
            ),
            "its normaliser, splitting or decoder",
        ),
    ],
)  # fmt: skip
def test_tokenizers_that_would_fill_the_memory_are_refused(
    tmp_path: Path, tokenizer: str | bytes | int, reason: str
) -> None:
    if isinstance(tokenizer, int):  # so many blanks
        tokenizer = zlib.compress(b" " * tokenizer, 1)
    weights = gpt_with(tmp_path / "x.safetensors", tokenizer)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(ValueError, match=reason):
        pretrained.load(str(weights), system="gpt")
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300_000  # kB


def test_a_vocabulary_with_gaps_or_of_no_bytes_is_refused() -> None:
    described = json.loads(train_bpe(["a b"], vocabulary_size=261).to_json())
    for name, number in ("zz", 10**9), ("€", 260):
        changed = json.loads(json.dumps(described))
        changed["model"]["vocab"] |= {name: number}
        with pytest.raises(ValueError, match=r"expected tokens numbered|stands for no bytes"):
            Tokenizer.from_json(json.dumps(changed))


def test_names_of_classes_cannot_steer_a_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    state, metadata = load_weights(pretrained.weights_path("vit-boards"))
    names = json.dumps(["\x1b]0;mine\x07", "b\x1b[2J", "c\r"]).encode()
    state["_extra_state"] = torch.frombuffer(bytearray(names), dtype=torch.uint8)
    save_weights(tmp_path / "x.safetensors", state, metadata)
    picture = tmp_path / "x.png"
    picture.write_bytes(encode_png(np.zeros((32, 32, 3), np.uint8)))
    assert cli.main(["classify", str(picture), "--weights", str(tmp_path / "x.safetensors")]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert line.isprintable() and "?]0;mine?" in line
    config = json.loads(metadata["config"]) | {"question": "\x1b[2J"}
    save_weights(tmp_path / "x.safetensors", state, metadata | {"config": json.dumps(config)})
    refusal(capsys, "classify", picture, "--weights", tmp_path / "x.safetensors")
    save_weights(tmp_path / "x.safetensors", state, metadata | {"config": '{"\x1b": "\x1b"}'})
    refusal(capsys, "classify", picture, "--weights", tmp_path / "x.safetensors")


def test_a_message_does_not_quote_megabytes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    state, metadata = load_weights(pretrained.weights_path("life-16"))
    config = json.loads(metadata["config"]) | {"rule": "B3/S23" * 100_000}
    path = tmp_path / "x.safetensors"
    save_weights(path, state, metadata | {"config": json.dumps(config)})
    assert len(refusal(capsys, "evaluate", "life", "--weights", path)) < 2100


def test_what_a_network_writes_cannot_steer_a_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    weights = gpt_with(tmp_path / "x.safetensors", json.dumps({"characters": "\x1b\x9b\n\x07"}))
    words = ["generate-text", "\n", "--weights", str(weights), "--max-tokens", "40"]
    assert cli.main(words) == 0
    written = capsys.readouterr().out
    assert "?" in written and all(each.isprintable() or each == "\n" for each in written)


class Evil:
    """Calls a function as it is unpickled."""

    def __init__(self, function: Any, *arguments: Any) -> None:
        self.call = function, arguments

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return self.call


def test_checkpoints_that_call_something_are_passed_over(tmp_path: Path) -> None:
    save_checkpoint(tmp_path, 1, {"step": 1})
    for number, evil in enumerate([Evil(exec, "raise SystemExit"), Evil(bytearray, 2**40)]):
        torch.save({"step": evil}, tmp_path / f"step-{2 + number:010}.pt")
    with pytest.warns(UserWarning, match="as no checkpoint does"):
        assert load_newest_checkpoint(tmp_path) == {"step": 1}


def test_a_checkpoint_that_is_compressed_is_passed_over(tmp_path: Path) -> None:
    save_checkpoint(tmp_path, 1, {"step": 1})
    newest = save_checkpoint(tmp_path, 2, {"step": 2, "x": torch.zeros(10**6)})
    with zipfile.ZipFile(newest) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(newest, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    with pytest.warns(UserWarning, match="compressed, as no checkpoint is"):
        assert load_newest_checkpoint(tmp_path) == {"step": 1}


def test_texts_that_unpack_to_far_more_are_refused(tmp_path: Path) -> None:
    bomb = tmp_path / "x.gz"
    bomb.write_bytes(gzip.compress(bytes(2**20)) * 100)
    with pytest.raises(ValueError, match=r"x.gz: a gzip file of more than 67,108,864 bytes"):
        read_unpacked(bomb)
    with pytest.raises(ValueError, match="/dev/zero: more than 268,435,456 bytes"):
        read_unpacked(Path("/dev/zero"))
    small = tmp_path / "y.gz"
    small.write_bytes(gzip.compress(b"one") + gzip.compress(b"two"))
    assert read_unpacked(small) == b"onetwo"


@pytest.mark.parametrize("command", ["generate-text", "translate"])
def test_an_endless_line_of_standard_input_is_refused(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with open("/dev/zero", "rb") as endless:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(endless))
        said = refusal(capsys, command)
    assert "standard input, line 1: more than 1,048,576 bytes" in said


@pytest.fixture(scope="module")
def finished_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("run") / "run"
    words = ["train", "gpt", "--preset", "sort", "--steps", "1", "--device", "cpu"]
    assert cli.main([*words, "--output", str(path)]) == 0
    return path


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ("null", "not the record of a run: no system in it"),
        ("[" * 10**5, "not JSON"),
        ({"config": None}, "no config in it"),
        ({"run": []}, "no run in it"),
        ({"config": {"width": 48_000}}, "the checkpoint is of another model (the tensor"),
        ({"config": {"num_layers": 900}}, "far more tensors than the expected"),
        ({"run": {"steps": "many"}}, "RunConfig.steps: expected int or None, got 'many'"),
    ],
)
def test_records_of_strangers_are_refused_before_a_model_is_built(
    record: Any, reason: str, tmp_path: Path, finished_run: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    run = tmp_path / "run"
    shutil.copytree(finished_run, run)
    if isinstance(record, dict):
        whole = json.loads((run / "config.json").read_text())
        for name, part in record.items():
            whole[name] = whole[name] | part if isinstance(part, dict) else part
        record = json.dumps(whole)
    (run / "config.json").write_text(record)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert reason in refusal(capsys, "train", "gpt", "--resume", "--output", run)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # kB


@pytest.mark.parametrize("missing", ["model", "optimizer", "random", "step"])
def test_a_checkpoint_that_lacks_a_part_is_refused_in_a_sentence(
    missing: str, tmp_path: Path, finished_run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "run"
    shutil.copytree(finished_run, run)
    state = load_newest_checkpoint(run / "checkpoints")
    del state[missing]
    for path in (run / "checkpoints").glob("*.pt"):
        path.unlink()
    save_checkpoint(run / "checkpoints", 1, state)
    words = ["train", "gpt", "--resume", "--steps", "2", "--output", str(run)]
    assert f"(KeyError: '{missing}')" in refusal(capsys, *words)


def test_a_model_too_large_for_the_machine_is_refused_before_it_is_built(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "run"
    said = refusal(capsys, "train", "gpt", "--preset", "sort", "--width", "60000", "--output", run)
    assert "parameters takes" in said
    assert not run.exists()
