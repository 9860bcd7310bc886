"""What translation cannot work with: one sentence each, status 2, and nothing written or lost."""

from pathlib import Path

import pytest

from tokoban import cli

TRAIN = (
    "train translation --preset toy --steps 1 --device cpu --output run "
    "--validation-source two.de --validation-target two.en"
)
EVALUATE = "evaluate translation --weights translation-de-en --device cpu --json scores.json"


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the working directory: good, short, empty, blank, broken and endless files."""
    monkeypatch.chdir(tmp_path)
    contents = {
        "two.de": "zwei Äpfel\nhalb vier\n".encode(),
        "one.en": b"two apples\n",
        "empty.de": b"",
        "empty.en": b"",
        "blank.de": b"\n \n",
        "blank.en": b"\n\n",
        "broken.de": b"zwei\nf\xfcnf\n",
        "two.en": b"two apples\nhalf past three\n",
        "endless.de": b"zwei " * 10_000 + b"\n",
        "endless.en": b"so many twos\n",
        "broken.gz": b"\x1f\x8b\x08rest",
    }
    for name, content in contents.items():
        Path(name).write_bytes(content)


def _texts(source: str, target: str, *, train: bool) -> str:
    names = ("--train-source", "--train-target") if train else ("--source", "--reference")
    return f"{names[0]} {source} {names[1]} {target}"


@pytest.mark.parametrize("train", [True, False], ids=["train", "evaluate"])
@pytest.mark.parametrize(
    ("source", "target", "message"),
    [
        ("missing.de", "two.en", "missing.de"),
        ("two.de", "one.en", "two.de has 2 lines and one.en has 1; expected a translation for"),
        ("broken.de", "two.en", "broken.de:2: not UTF-8"),
        ("broken.gz", "two.en", "broken.gz: a damaged gzip file"),
        ("empty.de", "empty.en", None),
    ],
)
def test_texts_that_cannot_be_used_are_one_sentence(
    source: str, target: str, message: str | None, train: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sorted(Path().iterdir())
    command = f"{TRAIN if train else EVALUATE} {_texts(source, target, train=train)}"
    assert cli.main(command.split()) == 2
    expected = message or ("nothing to learn from: 0 of 0" if train else "has no sentence")
    assert expected in _only_line(capsys)
    assert sorted(Path().iterdir()) == before


def test_a_corpus_of_nothing_but_blank_lines_is_reported_as_empty(
    capsys: pytest.CaptureFixture[str],
) -> None:
    texts = _texts("blank.de", "blank.en", train=True)
    assert cli.main(f"{TRAIN} {texts}".split()) == 2
    assert "2 empty" in _only_line(capsys)


def test_a_sentence_of_ten_thousand_words_is_left_out_or_refused(
    capsys: pytest.CaptureFixture[str],
) -> None:
    texts = _texts("endless.de", "endless.en", train=True)
    assert cli.main(f"{TRAIN} {texts}".split()) == 2
    assert "1 too long" in _only_line(capsys)
    texts = _texts("endless.de", "endless.en", train=False)
    assert cli.main(f"{EVALUATE} {texts}".split()) == 2
    assert "tokens; this translator reads at most 511" in _only_line(capsys)
    assert not Path("scores.json").exists()


def _only_line(capsys: pytest.CaptureFixture[str]) -> str:
    printed = capsys.readouterr()
    assert printed.out == ""
    progress = "measuring ", "training into "
    lines = [line for line in printed.err.splitlines() if not line.startswith(progress)]
    assert len(lines) == 1 and lines[0].startswith("tokoban: "), printed.err
    return lines[0]
