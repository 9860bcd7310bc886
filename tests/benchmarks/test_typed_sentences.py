"""Sentences that people type: counts by hand, and those of the kept ones."""

from pathlib import Path

import pytest

from benchmarks import typed_sentences


def test_what_is_read_is_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [
        "FIRST\ten\tPlease push the left box first.",
        "LAST\ten\tPush the left box first",
        "AVOID+LEAVE\tde\tMeide die Ecken und lass die linke Kiste niemals los",
        "LEAVE+PLAYER_ENDS\tde\tLass die linke Kiste stehen und ende in einer Ecke",
    ]
    file = tmp_path / "typed.tsv"
    file.write_text("\n".join(lines))
    assert typed_sentences.main([str(file), "--show"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "otherwise: LAST: Push the left box first",
        "not understood: AVOID+LEAVE: Meide die Ecken und lass die linke Kiste niemals los",
        "de: 1 as meant, 0 otherwise, 1 not understood",
        "en: 1 as meant, 1 otherwise, 0 not understood",
    ]


@pytest.mark.parametrize(
    ("name", "german", "english"),
    [
        ("typed_sentences", "53 as meant, 0 otherwise, 7", "82 as meant, 0 otherwise, 8"),
        ("typed_short", "30 as meant, 0 otherwise, 18", "50 as meant, 0 otherwise, 22"),
    ],
)
def test_none_of_the_kept_sentences_is_misread(
    capsys: pytest.CaptureFixture[str], name: str, german: str, english: str
) -> None:
    """As docs/results.md says."""
    assert typed_sentences.main([f"{typed_sentences.TYPED.with_stem(name)}"]) == 0
    expected = [f"de: {german} not understood", f"en: {english} not understood"]
    assert capsys.readouterr().out.splitlines() == expected
