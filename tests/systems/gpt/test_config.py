"""Configs that cannot be are refused, each with its reason."""

from typing import Any

import pytest

from tokoban.systems.gpt.config import GptConfig


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"num_layers": 0}, "num_layers must be at least 1, got 0"),
        ({"context_length": 1}, "context_length must be at least 2, got 1"),
        ({"vocabulary_size": 1}, "vocabulary_size must be at least 2, got 1"),
        ({"num_heads": 3}, "num_heads must be a divisor of width 128, got 3"),
        ({"dropout": 1.0}, r"dropout must be in \[0, 1\), got 1.0"),
        ({"validation_share": 0.0}, "validation_share must be between 0 and 1, got 0.0"),
        ({"data_seed": -1}, "data_seed must be at least 0, got -1"),
        (
            {"positions": "rotary", "width": 9, "num_heads": 3},
            "rotary positions turn pairs: expected an even head width, got 3",
        ),
        (
            {"source": "sort", "num_digits": 7, "context_length": 13},
            "context_length must be at least 14 for sort with 7 digits, got 13",
        ),
        (
            {"source": "addition", "num_digits": 3, "context_length": 10},
            "context_length must be at least 11 for addition with 3 digits, got 10",
        ),
        ({"source": "sort", "num_digits": 40}, "num_digits must be at most 39, got 40"),
        ({"source": "addition", "num_digits": 10}, "num_digits must be at most 9, got 10"),
        (
            {"source": "sort", "tokens": "bpe", "vocabulary_size": 300},
            "tokens must be characters for sort, got bpe",
        ),
        (
            {"source": "addition", "vocabulary_size": 11},
            "vocabulary_size must be at least 12 for addition, got 11",
        ),
        (
            {"source": "sort", "text": ("a.txt",)},
            "text files are for the source files, not for sort",
        ),
        ({"tokens": "bpe", "vocabulary_size": 259}, "vocabulary_size must be at least 260"),
    ],
)
def test_what_cannot_be_is_refused(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        GptConfig(**fields)
