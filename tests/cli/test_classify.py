"""``tokoban classify``: pictures in, classes and pictures out, and each complaint in one line."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from tests.viewing.attention_pages import read_attention_page
from tokoban import cli
from tokoban.cli.exit_codes import ExitCode
from tokoban.systems.vit.config import tiny
from tokoban.systems.vit.train import build_model
from tokoban.training.checkpoint import save_weights
from tokoban.training.config import to_dict
from tokoban.viewing import films


@pytest.fixture
def weights(tmp_path: Path) -> str:
    return _save_weights(tmp_path, "open")


def _save_weights(folder: Path, likeliest: str) -> str:
    """Of a network that says ``likeliest`` of everything, with a chance of 80 %."""
    torch.manual_seed(3)
    model = build_model(tiny())
    model.class_names = ("solved", likeliest, "lost")
    with torch.no_grad():
        model.head.weight.zero_()
        model.head.bias.copy_(torch.tensor([0.05, 0.8, 0.15]).log())
    path = folder / "open.safetensors"
    metadata = {"system": "vit", "config": json.dumps(to_dict(tiny()))}
    save_weights(path, model.state_dict(), metadata)
    return str(path)


@pytest.fixture
def picture(tmp_path: Path) -> str:
    Image.new("RGB", (192, 192), "olive").save(tmp_path / "board.png")
    return str(tmp_path / "board.png")


def _classify(weights: str, *words: str) -> int:
    return cli.main(["classify", "--weights", weights, "--device", "cpu", *words])


def test_the_likeliest_classes_are_reported(
    weights: str, picture: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _classify(weights, picture, picture, "--top", "2") == 0
    assert capsys.readouterr().out == f"{picture}: open 80.0%, lost 15.0%\n" * 2
    out = tmp_path / "told.json"
    assert _classify(weights, picture, "--json", str(out)) == 0
    assert capsys.readouterr().out == f"{picture}: open 80.0%, lost 15.0%, solved 5.0%\n"
    told = json.loads(out.read_text())
    (found,) = told["pictures"]
    assert (told["weights"], found["picture"]) == (weights, picture)
    assert [each["name"] for each in found["classes"]] == ["open", "lost", "solved"]
    chances = [each["probability"] for each in found["classes"]]
    assert chances == pytest.approx([0.8, 0.15, 0.05], abs=1e-5)


def test_pictures_of_another_size_are_reported(
    weights: str, picture: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Image.new("RGB", (32, 32), "olive").save(tmp_path / "right.png")
    right = str(tmp_path / "right.png")
    assert _classify(weights, right) == 0
    assert capsys.readouterr().err == ""
    assert _classify(weights, picture, right, picture) == 0
    told = "tokoban: 2 pictures scaled to 32 x 32, which these weights read\n"
    assert capsys.readouterr().err == told


def test_the_attention_is_drawn_beside_each_picture(
    weights: str, picture: str, tmp_path: Path
) -> None:
    out = tmp_path / "looked.png"
    assert _classify(weights, picture, picture, "--attention", str(out)) == 0
    with Image.open(out) as drawn:
        assert drawn.size == (2 * 224 + 8, 2 * (224 + 14))
        assert drawn.getpixel((3, 3)) == (128, 128, 0)
        assert len(drawn.crop((0, 224, 456, 238)).getcolors() or []) > 1  # letters on white


def test_a_caption_has_one_line_whatever_the_class_is_called(
    picture: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    captions: list[str] = []
    captioned = films.captioned

    def noted(frame: np.ndarray, caption: str) -> np.ndarray:
        captions.append(caption)
        return captioned(frame, caption)

    monkeypatch.setattr(films, "captioned", noted)
    weights = _save_weights(tmp_path, "o\np\x1ben")
    assert _classify(weights, picture, "--attention", str(tmp_path / "looked.png")) == 0
    assert captions[0].startswith("o?p?en 80.0%; orange")


def test_pictures_beside_one_that_cannot_be_read_are_classified(
    weights: str, picture: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    damaged = tmp_path / "damaged.png"
    damaged.write_bytes(b"no picture")
    assert _classify(weights, picture) == 0
    alone = capsys.readouterr().out
    assert _classify(weights, str(damaged), picture) == ExitCode.INVALID_INPUT
    told = capsys.readouterr()
    assert told.out == alone
    assert told.err.startswith(f"tokoban: {damaged}: not a picture, or of no known format (")


def test_all_weights_are_a_page(weights: str, picture: str, tmp_path: Path) -> None:
    out = tmp_path / "looked.html"
    assert _classify(weights, picture, "--attention", str(out)) == 0
    (shown,) = read_attention_page(out).values()
    assert shown.shape == (2, 2, 64, 64)
    torch.testing.assert_close(shown.sum(-1), torch.ones(2, 2, 64))


def test_a_board_that_convert_has_drawn_is_classified_by_what_is_shipped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = "########\n##{}    #\n##  {}  #\n##     #\n##  {}  #\n##  @  #\n########\n########\n"
    expected = {"solved": " * ", "open": " $.", "lost": "$ ."}
    for standing, letters in expected.items():
        level = tmp_path / "level.xsb"
        level.write_text(rows.format(*letters))
        board = str(tmp_path / f"{standing}.png")
        assert cli.main(["convert", str(level), board]) == 0
        capsys.readouterr()
        assert cli.main(["classify", board, "--json", "-"]) == 0
        out, err = capsys.readouterr()
        (found,) = json.loads(out)["pictures"]
        assert found["classes"][0]["name"] == standing
        assert found["classes"][0]["probability"] > 0.9
        assert found["is_like_training"] is True
        assert "unlike" not in err


def test_a_picture_unlike_those_of_the_training_is_named(
    weights: str, picture: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["classify", picture, "--json", "-"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["pictures"][0]["is_like_training"] is False
    message = "is unlike the training pictures of vit-boards; its class means nothing"
    assert f"tokoban: {picture} {message}\n" in err
    # A board at half the size that is read shows no box.
    level, board = tmp_path / "level.xsb", tmp_path / "board.png"
    level.write_text("########\n" + "##@$.  #\n" + "#      #\n" * 5 + "########\n")
    assert cli.main(["convert", str(level), str(board)]) == 0
    Image.open(board).resize((16, 16)).save(board)
    capsys.readouterr()
    assert cli.main(["classify", str(board), "--json", "-"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["pictures"][0]["is_like_training"] is False
    assert f"tokoban: {board} {message}\n" in err
    # Of weights that nothing is known of, nothing is said.
    assert _classify(weights, picture, "--json", "-") == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["pictures"][0]["is_like_training"] is None
    assert "unlike" not in err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["no.png"], "no.png: No such file or directory"),
        (["text.png"], "text.png: not a picture, or of no known format"),
        (["folder"], "folder: a folder; expected a file"),
        (["wide.png"], "wide.png: a picture of 64 x 32; expected 32 x 32, or larger or smaller"),
        (["cut.png"], "cut.png: a picture that is damaged ("),
    ],
    ids=str,
)
def test_what_cannot_be_done_is_one_line(
    words: list[str],
    message: str,
    weights: str,
    picture: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    refusal: Callable[[int], str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("text.png").write_text("words")
    Path("folder").mkdir()
    Image.new("L", (64, 32)).save("wide.png")
    Path("cut.png").write_bytes(Path(picture).read_bytes()[:-40])
    assert message in refusal(_classify(weights, *words))
