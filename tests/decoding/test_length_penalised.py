"""Beam search for sequences that end: what is put aside, and when it is enough."""

import itertools
import math
from collections.abc import Callable
from typing import Any

import pytest
import torch

from tests.decoding.toy import ToyStepper, random_model, replayed_score_nats, table_model
from tokoban.decoding import Hypotheses, beam_search, length_penalised_beam_search, sample

END = 0
A = 4  # actions, the end among them

Penalty = Callable[[int], float]
PENALTIES: dict[str, Penalty] = {"none": lambda length: 1.0, "root": math.sqrt, "length": float}


def search(seeds: list[int], *, width: int, max_steps: int = 6, **options) -> Hypotheses:
    stepper = ToyStepper(random_model(A), seeds=seeds, width=width, end_action=END)
    return length_penalised_beam_search(
        stepper, num_searches=len(seeds), width=width, max_steps=max_steps, end=END, **options
    )


def plans(found: Hypotheses, search: int) -> list[list[int]]:
    return [[action for action in row if action >= 0] for row in found.actions[search].tolist()]


def ranks(found: Hypotheses, search: int, penalty: Callable[[int], float]) -> list[float]:
    scores = found.scores_nats[search].tolist()
    return [
        score / penalty(max(1, len(plan)))
        for score, plan in zip(scores, plans(found, search), strict=True)
    ]


def all_sentences(max_steps: int) -> list[tuple[int, ...]]:
    """Every sequence of other actions with the end behind it, up to ``max_steps`` in all."""
    others = [action for action in range(A) if action != END]
    return [
        (*beginning, END)
        for length in range(max_steps)
        for beginning in itertools.product(others, repeat=length)
    ]


@pytest.mark.parametrize("name", PENALTIES)
@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_a_wide_beam_finds_the_best_of_all(name: str, seed: int) -> None:
    model, penalty, max_steps = random_model(A), PENALTIES[name], 4
    sentences = all_sentences(max_steps)
    rank_of = {
        sentence: replayed_score_nats(model, seed, sentence) / penalty(len(sentence))
        for sentence in sentences
    }
    best = sorted(sentences, key=rank_of.__getitem__, reverse=True)[:5]
    found = search([seed], width=len(sentences), max_steps=max_steps, penalty=penalty, keep=5)
    assert plans(found, 0) == [list(sentence) for sentence in best]
    assert ranks(found, 0, penalty) == pytest.approx([rank_of[sentence] for sentence in best])


@pytest.mark.parametrize("name", PENALTIES)
@pytest.mark.parametrize("width", [1, 2, 3, 7])
def test_scores_are_those_of_the_actions_and_the_highest_rank_comes_first(
    name: str, width: int
) -> None:
    penalty = PENALTIES[name]
    found = search([5, 6, 7], width=width, penalty=penalty)
    for number, seed in enumerate([5, 6, 7]):
        for k, plan in enumerate(plans(found, number)):
            if not plan:
                assert found.scores_nats[number, k] == -torch.inf
                continue
            score = replayed_score_nats(random_model(A), seed, plan)
            assert found.scores_nats[number, k].item() == pytest.approx(score)
            assert plan.count(END) == 1 and plan[-1] == END
        in_order = ranks(found, number, penalty)
        assert in_order == sorted(in_order, reverse=True)


def test_a_beam_of_one_is_greedy() -> None:
    seeds = list(range(20))
    found = search(seeds, width=1, max_steps=30)
    stepper = ToyStepper(random_model(A), seeds=seeds, end_action=END)
    greedy = sample(stepper, num_rows=len(seeds), max_steps=30)
    assert greedy.is_finished.all()
    assert torch.equal(found.actions[:, 0], greedy.actions)


@pytest.mark.parametrize("width", [1, 3])
def test_a_search_does_not_depend_on_the_others(width: int) -> None:
    """Though those that are over leave the stepper, and the rest are numbered anew."""
    seeds = list(range(30, 50))
    together = search(seeds, width=width)
    lengths = {len(plans(together, number)[0]) for number in range(len(seeds))}
    assert len(lengths) > 2  # they end at different steps
    for number, seed in enumerate(seeds):
        alone = search([seed], width=width)
        assert plans(together, number) == plans(alone, 0)
        assert torch.equal(together.scores_nats[number], alone.scores_nats[0])


def test_what_ends_leaves_its_place_to_another() -> None:
    """The finished takes no place of the beam: the second best goes on, and wins in the end."""
    model = table_model(
        {
            (): [0.6, 0.3, 0.1],
            (1,): [0.0, 0.0, 1.0],
            (2,): [0.0, 0.0, 1.0],
            (1, 2): [1.0, 0.0, 0.0],
            (2, 2): [1.0, 0.0, 0.0],
        }
    )

    def stepper(width: int) -> ToyStepper:
        return ToyStepper(model, width=width, end_action=END)

    apart = length_penalised_beam_search(
        stepper(2), num_searches=1, width=2, max_steps=3, end=END, penalty=lambda n: n**3.0
    )
    assert plans(apart, 0) == [[1, 2, 0], [2, 2, 0]]
    # Where the finished stays in the beam, only one other has room beside it.
    among = beam_search(stepper(2), num_searches=1, width=2, max_steps=3)
    assert [row[row >= 0].tolist() for row in among.actions[0]] == [[0], [1, 2, 0]]


def test_a_search_is_over_when_as_many_have_ended_as_the_beam_is_wide() -> None:
    """Of the fourth step nobody asks, though what it leads to would be put first."""
    model = table_model(
        {
            (): [0.5, 0.5, 0.0],
            (1,): [0.4, 0.6, 0.0],
            (1, 1): [0.0, 1.0, 0.0],
            (1, 1, 1): [1.0, 0.0, 0.0],
        }
    )
    stepper = ToyStepper(model, width=2, end_action=END)
    found = length_penalised_beam_search(
        stepper, num_searches=1, width=2, max_steps=5, end=END, penalty=lambda n: n**3.0
    )
    assert plans(found, 0) == [[1, 0], [0]]


def test_a_search_is_over_when_nothing_can_come_before_what_is_kept() -> None:
    """Without a penalty a score only falls: after the first step the end at 0.9 is the best."""
    model = table_model({(): [0.9, 0.1], (1,): [0.0, 1.0], (1, 1): [1.0, 0.0]})
    for keep, num_steps in (1, 0), (2, 2):
        stepper = ToyStepper(model, width=2, end_action=END)
        found = length_penalised_beam_search(
            stepper, num_searches=1, width=2, max_steps=5, end=END, keep=keep
        )
        assert plans(found, 0) == [[0], [1, 1, 0]][:keep]
        assert stepper.histories.shape[1] == num_steps


def test_the_rows_of_a_search_that_is_over_are_dropped() -> None:
    seeds = list(range(30, 50))
    rows = []

    class Counting(ToyStepper):
        def advance(self, parents, actions):
            rows.append(len(actions))
            return super().advance(parents, actions)

    stepper = Counting(random_model(A), seeds=seeds, width=2, end_action=END)
    found = length_penalised_beam_search(stepper, num_searches=20, width=2, max_steps=9, end=END)
    assert rows == sorted(rows, reverse=True) and rows[0] > rows[-1]
    assert (found.actions[:, 0, 0] >= 0).all()


def test_of_equal_scores_the_lower_action_goes_first() -> None:
    model = table_model(
        {(): [0.0, 0.25, 0.25, 0.25, 0.25]} | {(a,): [1.0] + 4 * [0.0] for a in range(1, 5)}
    )
    stepper = ToyStepper(model, width=2, end_action=END)
    found = length_penalised_beam_search(stepper, num_searches=1, width=2, max_steps=3, end=END)
    assert plans(found, 0) == [[1, 0], [2, 0]]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"width": 0}, "width is 0; expected at least 1"),
        ({"width": 2, "keep": 3}, "keep is 3; expected at most width, which is 2"),
        ({"width": 3}, "the stepper has 2 rows; expected 1 searches x 3 beams = 3"),
        ({"width": 2, "max_steps": 0}, "max_steps is 0; expected at least 1"),
    ],
)
def test_sizes_that_do_not_fit_are_refused(options: dict[str, Any], message: str) -> None:
    stepper = ToyStepper(random_model(A), width=2, end_action=END)
    with pytest.raises(ValueError) as refusal:
        length_penalised_beam_search(
            stepper, num_searches=1, end=END, **({"max_steps": 5} | options)
        )
    assert str(refusal.value) == message
