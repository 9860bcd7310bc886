"""Generation as tokens: draws by number, dropout, and what cannot be asked for."""

from typing import Any

import pytest
import torch

from tests.systems.gpt.models import random_gpt, random_prompts
from tokoban.decoding import Sampling
from tokoban.systems.gpt.generate import generate

PROMPTS = random_prompts(3, 7)


def test_equal_prompts_draw_apart_unless_their_numbers_are_equal() -> None:
    prompts, model = [PROMPTS[0]] * 3, random_gpt()
    found = generate(model, prompts, max_tokens=31, sampling=Sampling(), numbers=[2, 3, 2]).actions
    assert torch.equal(found[0], found[2])
    assert not torch.equal(found[0], found[1])


@pytest.mark.parametrize("is_training", [True, False])
def test_dropout_is_off_meanwhile_and_as_it_was_afterwards(is_training: bool) -> None:
    model = random_gpt(dropout=0.5).train(is_training)
    first, again = (generate(model, PROMPTS, max_tokens=13).actions for _ in range(2))
    assert torch.equal(first, again)
    assert model.training == is_training


def test_a_row_ends_where_it_is_reported_as_over() -> None:
    told: list[list[int]] = []

    def are_over(tokens: list[int]) -> list[bool]:
        told.append(tokens)
        return [len(told) >= 5, len(told) >= 3]

    found = generate(random_gpt(), PROMPTS, max_tokens=11, are_over=are_over)
    assert found.lengths.tolist() == [5, 3]
    assert found.is_finished.tolist() == [True, True]
    assert found.actions[0].tolist() == [row[0] for row in told] + [-1] * 6


@pytest.mark.parametrize(
    ("prompts", "options", "message"),
    [
        (PROMPTS, {"max_tokens": 0}, "max_tokens is 0; expected at least 1"),
        ([], {}, "there is no prompt to go on from"),
        ([[3], []], {}, "prompt 2 has no token to go on from"),
    ],
)
def test_what_cannot_be_is_refused(
    prompts: list[list[int]], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        generate(random_gpt(), prompts, **{"max_tokens": 3, **options})
