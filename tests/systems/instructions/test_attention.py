"""What is shown of squares and words is what the network computed, and every row is whole."""

from pathlib import Path

import pytest
import torch

from tokoban import cli, pretrained
from tokoban.sokoban.board import Board
from tokoban.systems.instructions.attention import attention
from tokoban.systems.instructions.model import InstructionNet

ROOM = Board.from_xsb("#######|#  .  #|#@$ $.#|#     #|#######")
TEXT = "push the left box last"


def test_what_a_word_reads_are_squares_and_words_alone() -> None:
    model, _ = pretrained.load("sokoban-instructions", system="instructions")
    assert isinstance(model, InstructionNet)
    read, told, among = attention(model, ROOM, TEXT).panels
    assert read.queries.to_dict()["labels"] == TEXT.split()
    wholes = read.weights.sum(3) + among.weights.sum(3)
    assert torch.allclose(wholes, torch.ones_like(wholes), atol=1e-5)
    floor = torch.tensor([square in ROOM.inside() for square in ROOM.squares()])
    assert not read.weights[..., ~floor].any() and not told.weights[:, :, ~floor].any()
    assert (read.weights[..., floor] > 0).all() and (told.weights[:, :, floor] > 0).all()


@pytest.mark.parametrize("command", ["solve", "ask"])
def test_the_page_is_written_for_an_instruction_and_a_question(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, page = tmp_path / "level.xsb", tmp_path / "page.html"
    file.write_text(f"{ROOM}\n")
    sentence = ["--instruction", TEXT] if command == "solve" else ["is the left box on a goal"]
    words = [command, str(file), *sentence, "--attention", str(page)]
    assert cli.main(words) == 2
    assert "--attention has no effect with" in capsys.readouterr().err
    assert cli.main([*words, "--by", "policy"]) == 0
    assert sentence[-1] in page.read_text() and "words to squares" in page.read_text()
    file.write_text(f"{ROOM}\n\n{ROOM}\n")
    assert cli.main([*words, "--by", "policy"]) == 2
    assert "--attention shows one level, got 2" in capsys.readouterr().err
