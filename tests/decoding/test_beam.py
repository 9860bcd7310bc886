"""Beam search: laws on a model that depends on its whole history, and small sums by hand."""

import math
from collections.abc import Callable
from dataclasses import fields
from typing import Any, NamedTuple

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.crossings import Crossings
from tests.decoding.toy import (
    MergingToyStepper,
    Model,
    RankingToyStepper,
    ToyStepper,
    random_model,
    replayed_score_nats,
    table_model,
    toy_key,
    toy_ranks,
)
from tokoban.decoding.beam import Beams, beam_search
from tokoban.decoding.sampling import sample
from tokoban.decoding.stepper import RankingStepper

Plan = tuple[int, ...]


class PlainBeam(NamedTuple):
    plan: Plan
    score: float
    rank: float
    is_finished: bool


def plans_of(beams: Beams, search: int = 0) -> list[Plan]:
    """The actions of each beam that is not empty, the best first."""
    kept = beams.scores_nats[search] > -torch.inf
    rows = beams.actions[search][kept].tolist()
    return [tuple(action for action in row if action >= 0) for row in rows]


def plain_beam_search(
    model: Model,
    seed: int,
    *,
    width: int,
    max_steps: int,
    end_action: int | None,
    stop_at_first: bool,
    keep: int,
    key: Callable[[Plan], int] | None,
    is_ranking: bool,
) -> list[PlainBeam]:
    """Beam search of one start in lists and loops, the best beam first."""

    def successor(beam: PlainBeam, action: int, log_prob: float) -> PlainBeam:
        plan, score = (*beam.plan, action), beam.score + log_prob
        rank = score
        if is_ranking:
            rows = torch.tensor([seed]), torch.tensor([plan]), torch.tensor([score])
            rank = float(toy_ranks(*rows))
        return PlainBeam(plan, score, rank, action == end_action)

    beams = [PlainBeam((), 0.0, 0.0, False)]
    visited = {key(()) if key else 0}
    for _ in range(max_steps):
        finished = [beam for beam in beams if beam.is_finished]
        if len(finished) == len(beams) or (stop_at_first and finished):
            break
        successors = []
        for beam in beams:
            if not beam.is_finished:
                history = torch.tensor([beam.plan], dtype=torch.int64)
                log_probs = model(torch.tensor([seed]), history)[0].tolist()
                successors += [
                    successor(beam, action, log_prob)
                    for action, log_prob in enumerate(log_probs)
                    if log_prob > -math.inf
                ]
        successors.sort(key=lambda beam: -beam.score)
        if key:
            best = {key(beam.plan): beam for beam in reversed(successors)}
            successors = [beam for beam in successors if beam is best[key(beam.plan)]]
            successors = [beam for beam in successors if key(beam.plan) not in visited]
        stepped = sorted(finished + successors, key=lambda beam: -beam.score)[:width]
        beams = sorted(stepped, key=lambda beam: -beam.rank)[:keep]
        beams = [beam for beam in beams if beam.rank > -math.inf]
        visited |= {key(beam.plan) for beam in beams} if key else set()
    return sorted(beams, key=lambda beam: (not beam.is_finished, -beam.rank))


@settings(max_examples=150)
@given(
    seeds=st.lists(st.integers(0, 10**6), min_size=1, max_size=3),
    width=st.sampled_from([1, 2, 5, 7, 11]),
    num_actions=st.integers(1, 5),
    max_steps=st.sampled_from([1, 3, 5, 7]),
    forbidden_percent=st.sampled_from([0, 20, 60]),
    is_ending=st.booleans(),
    stop_at_first=st.booleans(),
    toy=st.sampled_from([ToyStepper, MergingToyStepper, RankingToyStepper]),
    modulus=st.sampled_from([11, 37, 101]),
    keep_share=st.sampled_from([None, 0.3, 0.6]),
    stop_check_every=st.integers(0, 3),
)
def test_a_batch_of_searches_equals_plain_searches_one_by_one(
    seeds: list[int],
    width: int,
    num_actions: int,
    max_steps: int,
    forbidden_percent: int,
    is_ending: bool,
    stop_at_first: bool,
    toy: type[ToyStepper],
    modulus: int,
    keep_share: float | None,
    stop_check_every: int,
) -> None:
    model = random_model(num_actions, forbidden_percent=forbidden_percent)
    end_action = num_actions - 1 if is_ending else None
    is_merging = toy is not ToyStepper
    keep = None if keep_share is None else math.ceil(keep_share * width)
    options: dict[str, Any] = {"modulus": modulus} if is_merging else {}
    beams = beam_search(
        toy(model, seeds=seeds, width=width, end_action=end_action, **options),
        num_searches=len(seeds),
        width=width,
        max_steps=max_steps,
        keep=keep,
        merge_equal=is_merging,
        rank=toy is RankingToyStepper,
        stop_at_first=stop_at_first,
        stop_check_every=stop_check_every,
    )
    for search, seed in enumerate(seeds):
        expected = plain_beam_search(
            model,
            seed,
            width=width,
            max_steps=max_steps,
            end_action=end_action,
            stop_at_first=stop_at_first,
            keep=keep or width,
            key=(lambda plan: toy_key(plan, modulus)) if is_merging else None,
            is_ranking=toy is RankingToyStepper,
        )
        num_empty = (keep or width) - len(expected)
        assert plans_of(beams, search) == [beam.plan for beam in expected]
        scores = beams.scores_nats[search].tolist()
        assert scores[: len(expected)] == pytest.approx([beam.score for beam in expected])
        assert scores[len(expected) :] == [-math.inf] * num_empty
        is_finished = [beam.is_finished for beam in expected] + [False] * num_empty
        assert beams.is_finished[search].tolist() == is_finished


@pytest.mark.parametrize(("num_actions", "max_steps", "width"), [(2, 5, 37), (7, 2, 53)])
@pytest.mark.parametrize("end_action", [None, 1])
def test_a_beam_as_wide_as_all_plans_enumerates_them(
    num_actions: int, max_steps: int, width: int, end_action: int | None
) -> None:
    model = random_model(num_actions)

    def all_plans(plan: Plan) -> list[Plan]:
        if len(plan) == max_steps or (plan and plan[-1] == end_action):
            return [plan]
        return [full for action in range(num_actions) for full in all_plans((*plan, action))]

    scores = {plan: replayed_score_nats(model, 7, plan) for plan in all_plans(())}
    best_first = sorted(scores, key=lambda plan: (plan[-1] != end_action, -scores[plan]))
    stepper = ToyStepper(model, width=width, end_action=end_action)
    beams = beam_search(stepper, num_searches=1, width=width, max_steps=max_steps)
    assert plans_of(beams) == best_first
    kept_scores = beams.scores_nats[0, : len(scores)].tolist()
    assert kept_scores == pytest.approx([scores[plan] for plan in best_first])
    assert math.fsum(map(math.exp, kept_scores)) == pytest.approx(1.0)


def test_width_one_is_greedy() -> None:
    seeds = list(range(11))
    model = random_model(5)
    beams = beam_search(
        ToyStepper(model, seeds=seeds, end_action=3), num_searches=11, width=1, max_steps=7
    )
    greedy = sample(ToyStepper(model, seeds=seeds, end_action=3), num_rows=11, max_steps=7)
    for field in fields(Beams):
        assert torch.equal(getattr(beams, field.name)[:, 0], getattr(greedy, field.name))
    assert 0 < int(greedy.is_finished.sum()) < 11


def test_replaying_a_beam_gives_the_state_the_stepper_holds() -> None:
    stepper = ToyStepper(random_model(5), seeds=[3, 11, 29], width=7)
    beams = beam_search(stepper, num_searches=3, width=7, max_steps=13)
    assert torch.equal(beams.actions.flatten(0, 1), stepper.histories)
    assert stepper.seeds.view(3, 7).tolist() == [[3] * 7, [11] * 7, [29] * 7]


def test_of_equal_scores_the_lower_beam_then_the_lower_action_goes_first() -> None:
    equal = [1 / 97] * 97
    model = table_model({(): equal} | {(action,): equal for action in range(97)})
    beams = beam_search(ToyStepper(model, width=31), num_searches=1, width=31, max_steps=2)
    assert plans_of(beams) == [(0, action) for action in range(31)]


def test_a_start_without_allowed_actions_leaves_empty_beams_and_no_nan() -> None:
    model = table_model({(): [0.0, 0.0, 0.0]})
    stepper = ToyStepper(model, seeds=[3, 5], width=2)
    beams = beam_search(stepper, num_searches=2, width=2, max_steps=5)
    assert beams.scores_nats.tolist() == [[-math.inf] * 2] * 2
    assert (beams.actions == -1).all()
    assert bool((beams.actions == -1).all())
    assert not beams.is_finished.any()
    assert stepper.num_calls == 1


@pytest.mark.parametrize(("stop_check_every", "num_calls"), [(0, 7), (1, 2), (3, 3), (5, 5)])
def test_the_interval_of_asking_changes_no_result(stop_check_every: int, num_calls: int) -> None:
    model = table_model({(): [0.7, 0.3], (0,): [0.0, 1.0]})
    stepper = ToyStepper(model, width=3, end_action=1)
    beams = beam_search(
        stepper, num_searches=1, width=3, max_steps=7, stop_check_every=stop_check_every
    )
    assert plans_of(beams) == [(0, 1), (1,)]
    assert stepper.num_calls == num_calls


@pytest.mark.parametrize("ending", [0.1, 0.4, 0.6])
def test_a_finished_beam_is_merged_with_nothing(ending: float) -> None:
    # The stepper hands the finished row of (1,) on with action 0: the same actions as (0, 1).
    model = table_model({(): [1 - ending, ending], (0,): [0.3, 0.7]})
    stepper = MergingToyStepper(model, width=3, end_action=1)
    beams = beam_search(stepper, num_searches=1, width=3, max_steps=2, merge_equal=True)
    assert sorted(plans_of(beams)) == [(0, 0), (0, 1), (1,)]


class Judge(ToyStepper):
    """Ranks a row by what is written down for its last action."""

    def __init__(self, model: Model, worth: list[float], **options: Any) -> None:
        super().__init__(model, **options)
        self.worth = torch.tensor(worth)

    def ranks(self, scores_nats: torch.Tensor) -> torch.Tensor:
        return self.worth[self.histories[:, -1]]


def test_of_the_rows_that_were_stepped_the_highest_ranks_live_on() -> None:
    model = table_model({(): [0.5, 0.2, 0.3], (2,): [0.6, 0.3, 0.1]})
    stepper = Judge(model, [1.0, 2.0, 3.0], width=3)
    assert isinstance(stepper, RankingStepper)
    assert not isinstance(ToyStepper(model), RankingStepper)
    unranked = beam_search(stepper, num_searches=1, width=3, max_steps=1, keep=1)
    assert plans_of(unranked) == [(0,)]
    stepper = Judge(model, [1.0, 2.0, 3.0], width=3)
    beams = beam_search(stepper, num_searches=1, width=3, max_steps=2, keep=1, rank=True)
    assert plans_of(beams) == [(2, 2)]
    assert beams.scores_nats.exp().tolist() == [pytest.approx([0.03])]
    beams = beam_search(
        Judge(model, [1.0, 2.0, 3.0], width=2), num_searches=1, width=2, max_steps=1, rank=True
    )
    assert plans_of(beams) == [(2,), (0,)]  # the cut to the width is by score, the order by rank


def test_a_row_that_is_worth_nothing_is_dropped_though_there_is_room() -> None:
    model = table_model({(): [0.5, 0.3, 0.2], (1,): [0.4, 0.0, 0.6]})
    stepper = Judge(model, [-math.inf, 1.0, 1.0], width=5)
    beams = beam_search(stepper, num_searches=1, width=5, max_steps=2, rank=True)
    assert plans_of(beams) == [(1, 2)]


@pytest.mark.parametrize(("stop_check_every", "num_crossings"), [(0, 0), (1, 7), (2, 3), (11, 0)])
def test_only_the_stop_check_crosses_to_the_host(stop_check_every: int, num_crossings: int) -> None:
    stepper = RankingToyStepper(random_model(3), seeds=[3, 11], width=11, modulus=1009)
    with Crossings() as crossings:
        beam_search(
            stepper,
            num_searches=2,
            width=11,
            max_steps=7,
            keep=5,
            merge_equal=True,
            rank=True,
            stop_check_every=stop_check_every,
        )
    assert len(crossings.names) == num_crossings


@pytest.mark.gpu
def test_a_search_on_the_gpu_never_waits_and_finds_the_same() -> None:
    def search(device: str, debug_mode: str = "default") -> Beams:
        model = random_model(5, forbidden_percent=20)
        stepper = RankingToyStepper(
            model, seeds=[3, 11, 29], width=13, end_action=2, modulus=1009, device=device
        )
        torch.cuda.set_sync_debug_mode(debug_mode)
        try:
            return beam_search(
                stepper,
                num_searches=3,
                width=13,
                max_steps=11,
                keep=7,
                merge_equal=True,
                rank=True,
                stop_check_every=0,
            )
        finally:
            torch.cuda.set_sync_debug_mode("default")

    search("cuda")  # what is set up once may wait
    on_gpu, on_cpu = search("cuda", debug_mode="error"), search("cpu")
    assert torch.equal(on_gpu.actions.cpu(), on_cpu.actions)
    torch.testing.assert_close(on_gpu.scores_nats.cpu(), on_cpu.scores_nats)


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({"num_searches": 0}, "num_searches is 0; expected at least 1"),
        ({"width": 0}, "width is 0; expected at least 1"),
        ({"max_steps": -3}, "max_steps is -3; expected at least 1"),
        ({"keep": 0}, "keep is 0; expected at least 1"),
        ({"keep": 5}, "keep is 5; expected at most width, which is 3"),
        ({"merge_equal": True}, "merge_equal: the stepper does not tell equal states from others"),
        ({"rank": True}, "rank: the stepper does not rank its rows"),
        ({"stop_check_every": -1}, r"stop_check_every is -1; expected 0 \(never\) or more"),
        ({"width": 5}, "the stepper has 6 rows; expected 2 searches x 5 beams = 10"),
    ],
)
def test_what_cannot_be_is_refused(sizes: dict[str, int], message: str) -> None:
    stepper = ToyStepper(random_model(2), seeds=[3, 5], width=3)
    options: dict[str, Any] = {"num_searches": 2, "width": 3, "max_steps": 7, **sizes}
    with pytest.raises(ValueError, match=message):
        beam_search(stepper, **options)
