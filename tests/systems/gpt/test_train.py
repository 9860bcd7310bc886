"""Training on little text says so."""

from pathlib import Path

import pytest

from tokoban.systems.gpt.config import GptConfig
from tokoban.systems.gpt.train import make_system


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
