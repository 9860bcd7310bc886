"""What the confidence cannot be measured on is said in a line."""

from pathlib import Path

import pytest

from benchmarks import confidence


def test_what_cannot_be_measured_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    empty, missing = tmp_path / "empty", tmp_path / "missing"
    empty.write_text("\n")
    for words, said in (
        (["translation-de-en", "--pairs", missing, missing], f"{missing}: No such file"),
        (["translation-de-en", "--pairs", empty, empty], "the files have no sentence\n"),
        (["life-16", "--pairs", empty, empty], "life-16: no shipped weights with a confidence"),
    ):
        assert confidence.main([*map(str, words)]) == 2
        out, err = capsys.readouterr()
        assert (out, err.count("\n")) == ("", 1)
        assert err.startswith(said)
