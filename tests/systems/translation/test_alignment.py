"""Words from tokens, and the weights of words from those of tokens."""

from dataclasses import replace

import pytest
import torch

from tests.systems.translation.drawn import drawn_translator
from tokoban.systems.translation.alignment import (
    Alignment,
    align,
    align_sentences,
    all_attention,
    words,
)
from tokoban.systems.translation.model import Translator
from tokoban.systems.translation.texts import Translation
from tokoban.text.bpe import Tokenizer, train_bpe

pytestmark = pytest.mark.usefixtures("short")


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    # Small enough that most words are several tokens.
    return train_bpe(["eine grüne Tür, drei Türen"], vocabulary_size=264, has_space_before=True)


def translator(tokenizer: Tokenizer) -> Translator:
    return drawn_translator(264, tokenizer).double()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("eine grüne Tür", ["eine", "grüne", "Tür"]),
        ("Tür, Tür!", ["Tür", ",", "Tür", "!"]),
        ("„Türen“ (drei)", ["„Türen“", "(", "drei", ")"]),
        ("42 Türen ...", ["42", "Türen", "..."]),
        ("", []),
    ],
)
def test_words_are_those_of_the_text(tokenizer: Tokenizer, text: str, expected: list[str]) -> None:
    tokens = tokenizer.encode(text)
    found = words(tokenizer, tokens)
    assert [word for word, _ in found] == expected
    assert [place for _, places in found for place in places] == list(range(len(tokens)))


def test_the_weights_of_words_are_sums_over_the_source_and_means_over_the_target(
    tokenizer: Tokenizer,
) -> None:
    model = translator(tokenizer)
    source, target = (tokenizer.encode(text) for text in ("eine Tür, drei", "grüne Türen"))
    of_tokens = all_attention(model, source, target).cross
    assert of_tokens.shape == (3, 2, len(target) + 1, len(source) + 1)
    assert torch.allclose(of_tokens.sum(-1), torch.ones((), dtype=torch.float64))

    found = align(model, source, target)
    assert found.source_words == ["eine", "Tür", ",", "drei"]
    assert found.target_words == ["grüne", "Türen"]
    middle = of_tokens[1].mean(0)  # the last layer but one
    for t, (_, rows) in enumerate(words(tokenizer, target)):
        for s, (_, columns) in enumerate(words(tokenizer, source)):
            expected = sum(float(middle[row, column]) for row in rows for column in columns)
            assert found.weights[t][s] == pytest.approx(expected / len(rows))
        to_the_end = float(middle[rows, -1].mean())
        assert sum(found.weights[t]) == pytest.approx(1 - to_the_end)


def test_each_sentence_is_aligned_by_itself_however_many_there_are(tokenizer: Tokenizer) -> None:
    model = translator(tokenizer)
    source, target = (tokenizer.encode(text) for text in ("eine Tür, drei", "grüne Türen"))
    one, number = Translation("", "", 0.0, source, target, 0.0), 40
    nothing = replace(one, source_tokens=[], tokens=[])
    many = replace(
        one,
        source_tokens=source * number,
        tokens=target * number,
        sentences=(nothing, *[one] * number),
    )
    alone, found = align_sentences(model, one), align_sentences(model, many)
    assert alone == align(model, source, target)
    assert found.source_words == alone.source_words * number
    assert found.target_words == alone.target_words * number
    assert found.links() == [
        (place + 4 * sentence, row + 2 * sentence)
        for sentence in range(number)
        for place, row in alone.links()
    ]
    assert [row[-4:] for row in found.weights[-2:]] == alone.weights
    assert all(sum(row[:-4]) == 0 for row in found.weights[-2:])


def test_the_weights_are_of_the_position_that_wrote_the_token(tokenizer: Tokenizer) -> None:
    """A later target token cannot change what was looked at before it was there."""
    model = translator(tokenizer)
    source, target = (tokenizer.encode(text) for text in ("eine Tür", "grüne Türen"))
    whole = all_attention(model, source, target).cross
    beginning = all_attention(model, source, target[:3]).cross
    assert torch.allclose(whole[:, :, :4], beginning, rtol=0, atol=1e-12)


def test_links_name_the_greatest_weight() -> None:
    found = Alignment(["a", "b", "c"], ["x", "y"], [[0.1, 0.7, 0.2], [0.5, 0.0, 0.25]])
    assert found.links() == [(1, 0), (0, 1)]
    assert found.to_dict() == {
        "source_words": ["a", "b", "c"],
        "target_words": ["x", "y"],
        "attention_weights": [[0.1, 0.7, 0.2], [0.5, 0.0, 0.25]],
        "links": [[1, 0], [0, 1]],
    }
    assert Alignment([], ["x"], [[]]).links() == []
