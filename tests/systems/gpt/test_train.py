"""Training as a whole: a deep net does not stand still at first; little text is named."""

from dataclasses import replace
from pathlib import Path

import pytest

from tokoban.systems.gpt.config import GptConfig
from tokoban.systems.gpt.spec import SPEC
from tokoban.systems.gpt.train import make_system
from tokoban.training.config import to_dict
from tokoban.training.loop import fit
from tokoban.training.run_config import RunConfig
from tokoban.training.run_directory import RunDirectory


@pytest.mark.parametrize(("num_tokens", "is_named"), [(76, True), (77, False)])
def test_a_text_of_fewer_tokens_than_a_batch_is_named(
    num_tokens: int, is_named: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = tmp_path / "text.txt"
    text.write_text("ab" * num_tokens)  # half of it is held out
    config = GptConfig(
        text=(str(text),), vocabulary_size=2, context_length=7, batch_size=11, validation_share=0.5
    )
    make_system(config)
    said = capsys.readouterr().err
    expected = "the text to train on has 76 tokens, fewer than a batch (77): it will be learned"
    assert said.startswith(expected) == is_named == bool(said)


@pytest.mark.slow
def test_twelve_layers_are_hardly_behind_two_after_200_steps(tmp_path: Path) -> None:
    # A net whose residual stream grows with depth stands still at first: nanoGPT's issue 211.
    losses = []
    for num_layers in (2, 12):
        config = replace(SPEC.presets["python_docs"].config(), num_layers=num_layers, width=80)
        directory = RunDirectory(tmp_path / str(num_layers), system="gpt", config=to_dict(config))
        run = RunConfig(steps=200, log_every=20, schedule="constant", device="cpu")
        losses.append(fit(make_system(config), run, directory)["train_loss"])
    assert losses[1] < losses[0] + 0.1  # of 6.9 at the start; 0.06 were seen
