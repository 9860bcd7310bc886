"""``tokoban train --start-from``: trained weights are trained further, in their own tokens."""

import json
import shutil
from pathlib import Path

import pytest
import torch

from tests.training.toy import read_lines
from tokoban import cli, pretrained
from tokoban.training.checkpoint import load_weights

# So small a rate moves no weight of float32.
STILL = ["--learning-rate", "1e-30", "--weight-decay", "0", "--warmup-steps", "0"]
RUN = ["--device", "cpu", "--checkpoint-every-s", "0"]


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run of a small translator that has read our own number words."""
    path = tmp_path_factory.mktemp("trained") / "run"
    words = ["--preset", "toy", "--width", "8", "--steps", "2", *RUN, "--output", str(path)]
    assert cli.main(["train", "translation", *words]) == 0
    return path


@pytest.fixture
def captions(tmp_path: Path) -> list[str]:
    """Text of other words than the trained weights have seen."""
    source, target = tmp_path / "train.de", tmp_path / "train.en"
    source.write_text("".join(f"Ein Hund Nummer {n} läuft\n" for n in range(40)))
    target.write_text("".join(f"a dog number {n} runs\n" for n in range(40)))
    return ["--train-source", str(source), "--train-target", str(target), "--num-validation", "5"]


def _train(path: Path, *words: str) -> int:
    return cli.main(["train", "translation", *words, *RUN, "--output", str(path)])


def test_it_begins_with_the_weights_the_shape_and_the_tokens_of_another_run(
    trained: Path, captions: list[str], tmp_path: Path
) -> None:
    further = ["--preset", "toy", "--start-from", str(trained), "--steps", "1", *STILL, *captions]
    assert _train(tmp_path / "further", *further) == 0
    before, config = pretrained.load(str(trained), system="translation")
    after, config_after = pretrained.load(str(tmp_path / "further"), system="translation")
    assert config.width == config_after.width == 8  # the preset has another
    assert config_after.train_source == (captions[1],)
    assert config_after.vocabulary_size == config.vocabulary_size
    for name, tensor in before.state_dict().items():
        assert torch.equal(tensor, after.state_dict()[name]), name  # the tokenizer is one of them
    record = json.loads((tmp_path / "further/config.json").read_text())
    assert record["started_from"] == str(trained)
    assert json.loads((trained / "config.json").read_text())["started_from"] == ""


@pytest.mark.slow
def test_weights_of_half_precision_are_trained_in_single(
    captions: list[str], tmp_path: Path
) -> None:
    further = ["--preset", "toy", "--start-from", "translation-de-en", "--steps", "1", *STILL]
    assert _train(tmp_path / "further", *further, *captions) == 0
    state, _ = load_weights(tmp_path / "further/weights.safetensors")
    shipped, _ = load_weights(pretrained.weights_path("translation-de-en"))
    for name, tensor in shipped.items():
        if tensor.is_floating_point():
            assert tensor.dtype == torch.float16
            assert state[name].dtype == torch.float32
            # What half precision has rounded to 0 has moved by the learning rate.
            torch.testing.assert_close(tensor.float(), state[name], rtol=0, atol=1e-20)


def test_stopped_and_resumed_is_as_straight_on_even_when_the_first_weights_are_gone(
    trained: Path, captions: list[str], tmp_path: Path
) -> None:
    first = tmp_path / "first"
    shutil.copytree(trained, first)
    further = ["--preset", "toy", "--start-from", str(first), "--schedule", "constant", *captions]
    assert _train(tmp_path / "whole", *further, "--steps", "4", "--log-every", "1") == 0
    assert _train(tmp_path / "parts", *further, "--steps", "2", "--log-every", "1") == 0
    shutil.rmtree(first)
    assert _train(tmp_path / "parts", "--resume", "--steps", "4") == 0
    one, other = (
        {
            line["step"]: line["train/loss"]
            for line in read_lines(tmp_path / name / "metrics.jsonl")
            if "train/loss" in line
        }
        for name in ("whole", "parts")
    )
    assert one == other
    assert len(one) == 4


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--start-from", "nowhere"], "no weights 'nowhere': not a file"),
        (["--start-from", "life-16"], "weights of the system 'life'; expected 'translation'"),
        (
            ["--start-from", "translation-de-en", "--width", "64"],
            "the weights to start from are of another model (size mismatch for ",
        ),
    ],
)
def test_weights_that_do_not_fit_are_refused_in_a_sentence(
    words: list[str],
    complaint: str,
    captions: list[str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert _train(tmp_path / "run", "--preset", "toy", *words, *captions) == 2
    last = capsys.readouterr().err.splitlines()[-1]
    assert complaint in last
    assert not (tmp_path / "run").exists()


def test_a_run_goes_on_only_as_from_where_it_was_started(
    trained: Path, captions: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "run"
    further = ["--preset", "toy", "--start-from", str(trained), "--steps", "1", *captions]
    assert _train(path, *further) == 0
    resume = ["--resume", "--start-from", "translation-de-en"]
    assert _train(path, *resume) == 2
    said = capsys.readouterr().err.splitlines()[-1]
    assert f"was started from {trained}, and cannot go on as if from translation-de-en" in said


@pytest.mark.parametrize("system", ["translation", "gpt"])
def test_no_run_goes_on_with_a_text_of_other_tokens(
    system: str, captions: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, text = tmp_path / "run", Path(captions[1])
    of_text = ["--preset", "toy", *captions]
    if system == "gpt":
        of_text = ["--preset", "shakespeare_small", "--text", str(text), "--context-length", "16"]
        of_text += ["--num-layers", "1", "--width", "32", "--num-heads", "2"]
    words = ["train", system, *of_text, "--steps", "1", *RUN, "--output", str(path)]
    assert cli.main(words) == 0
    text.write_text(text.read_text().replace("Hund", "Kxtzq"))
    assert cli.main(["train", system, "--resume", "--output", str(path), "--steps", "2"]) == 2
    said = capsys.readouterr().err.splitlines()[-1]
    assert "its text or its classes have changed since the run began" in said
