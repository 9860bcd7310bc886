"""Sentences that people type: how many of the kept ones are understood."""

import pytest

from benchmarks import typed_sentences


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
