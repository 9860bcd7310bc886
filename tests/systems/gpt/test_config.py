"""Configs that cannot be are refused, each with its reason."""

from typing import Any

import pytest

from tokoban.systems.gpt.config import GptConfig


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"num_heads": 3}, "num_heads is 3; expected a divisor of width 128"),
        (
            {"positions": "rotary", "width": 9, "num_heads": 3},
            "with an even quotient, since rotary positions turn pairs",
        ),
        (
            {"source": "sort", "num_digits": 7, "context_length": 13},
            "context_length is 13; expected at least 14 for sort with 7 digits",
        ),
        (
            {"source": "addition", "num_digits": 3, "context_length": 10},
            "context_length is 10; expected at least 11 for addition with 3 digits",
        ),
        ({"source": "sort", "num_digits": 40}, "num_digits is 40; expected at most 39"),
        ({"source": "addition", "num_digits": 10}, "num_digits is 10; expected at most 9"),
        (
            {"source": "sort", "tokens": "bpe", "vocabulary_size": 300},
            "tokens is 'bpe'; expected characters for sort",
        ),
        (
            {"source": "addition", "vocabulary_size": 11},
            "vocabulary_size is 11; expected at least 12 for addition",
        ),
        (
            {"source": "sort", "text": ("a.txt",)},
            "text files are for the source files, not for sort",
        ),
        (
            {"tokens": "bpe", "vocabulary_size": 259},
            "vocabulary_size is 259; expected at least 260 for bpe",
        ),
    ],
)
def test_what_cannot_be_is_refused(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        GptConfig(**fields)
