"""Beam search: laws on a model that depends on its whole history, and small sums by hand."""

import math
from dataclasses import fields
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.utils._python_dispatch import TorchDispatchMode

from tests.decoding.toy import (
    MergingToyStepper,
    Model,
    ToyStepper,
    random_model,
    replayed_score_nats,
    table_model,
)
from tokoban.decoding.beam import Beams, beam_search
from tokoban.decoding.sampling import sample
from tokoban.decoding.stepper import MergingStepper, Stepper

Plan = tuple[int, ...]


def plans_of(beams: Beams, search: int = 0) -> list[Plan]:
    """The actions of each beam that is not empty, the best first."""
    kept = beams.scores_nats[search] > -torch.inf
    rows = beams.actions[search][kept].tolist()
    lengths = beams.lengths[search][kept].tolist()
    return [tuple(row[:length]) for row, length in zip(rows, lengths, strict=True)]


def plain_beam_search(
    model: Model,
    seed: int,
    *,
    width: int,
    max_steps: int,
    end_action: int | None,
    stop_at_first: bool,
    is_merging: bool,
) -> list[tuple[Plan, float, bool]]:
    """Beam search of one start in lists and loops: (plan, score, is finished), the best first."""
    beams: list[tuple[Plan, float, bool]] = [((), 0.0, False)]
    for _ in range(max_steps):
        finished = [beam for beam in beams if beam[2]]
        if len(finished) == len(beams) or (stop_at_first and finished):
            break
        successors = []
        for plan, score, is_finished in beams:
            if not is_finished:
                log_probs = model(torch.tensor([seed]), torch.tensor([plan], dtype=torch.int64))
                for action, log_prob in enumerate(log_probs[0].tolist()):
                    if log_prob > -math.inf:
                        longer = (*plan, action)
                        successors.append((longer, score + log_prob, action == end_action))
        successors.sort(key=lambda beam: -beam[1])
        if is_merging:
            firsts = {tuple(sorted(plan)): plan for plan, _, _ in reversed(successors)}
            successors = [beam for beam in successors if beam[0] in firsts.values()]
        beams = sorted(finished + successors, key=lambda beam: -beam[1])[:width]
    return sorted(beams, key=lambda beam: (not beam[2], -beam[1]))


@settings(max_examples=300, deadline=None, derandomize=True)
@given(
    seeds=st.lists(st.integers(0, 10**6), min_size=1, max_size=3),
    width=st.integers(1, 7),
    num_actions=st.integers(1, 5),
    max_steps=st.integers(1, 5),
    forbidden_percent=st.sampled_from([0, 20, 60]),
    is_ending=st.booleans(),
    stop_at_first=st.booleans(),
    is_merging=st.booleans(),
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
    is_merging: bool,
    stop_check_every: int,
) -> None:
    model = random_model(num_actions, forbidden_percent=forbidden_percent)
    end_action = num_actions - 1 if is_ending else None
    toy = MergingToyStepper if is_merging else ToyStepper
    beams = beam_search(
        toy(model, seeds=seeds, width=width, end_action=end_action),
        num_searches=len(seeds),
        width=width,
        max_steps=max_steps,
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
            is_merging=is_merging,
        )
        num_kept = len(expected)
        assert plans_of(beams, search) == [plan for plan, _, _ in expected]
        scores = beams.scores_nats[search].tolist()
        assert scores[:num_kept] == pytest.approx([score for _, score, _ in expected])
        assert scores[num_kept:] == [-math.inf] * (width - num_kept)
        is_finished = [is_finished for _, _, is_finished in expected]
        assert beams.is_finished[search].tolist() == is_finished + [False] * (width - num_kept)


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


# Greedy goes 0 and never finishes; what finishes begins with the second best action.
GREEDY_FAILS = table_model({(): [0.6, 0.4, 0.0], (0,): [0.6, 0.4, 0.0], (1,): [0.0, 0.0, 1.0]})


def test_width_two_finishes_where_greedy_does_not() -> None:
    alone = beam_search(
        ToyStepper(GREEDY_FAILS, end_action=2), num_searches=1, width=1, max_steps=2
    )
    assert plans_of(alone) == [(0, 0)]
    assert not alone.is_finished.any()
    stepper = ToyStepper(GREEDY_FAILS, width=2, end_action=2)
    beams = beam_search(stepper, num_searches=1, width=2, max_steps=2)
    assert plans_of(beams) == [(1, 2), (0, 0)]
    assert beams.is_finished.tolist() == [[True, False]]
    assert beams.scores_nats[0].exp().tolist() == pytest.approx([0.4, 0.36])


def test_scores_are_the_log_probabilities_of_the_returned_actions() -> None:
    seeds = [3, 11, 29]
    model = random_model(5, forbidden_percent=10)
    stepper = ToyStepper(model, seeds=seeds, width=7, end_action=2)
    beams = beam_search(stepper, num_searches=3, width=7, max_steps=11)
    for search, seed in enumerate(seeds):
        replayed = [replayed_score_nats(model, seed, plan) for plan in plans_of(beams, search)]
        assert len(replayed) > 1
        assert beams.scores_nats[search, : len(replayed)].tolist() == pytest.approx(replayed)


def test_replaying_a_beam_gives_the_state_the_stepper_holds() -> None:
    stepper = ToyStepper(random_model(5), seeds=[3, 11, 29], width=7)
    beams = beam_search(stepper, num_searches=3, width=7, max_steps=13)
    assert torch.equal(beams.actions.flatten(0, 1), stepper.histories)
    assert stepper.seeds.view(3, 7).tolist() == [[3] * 7, [11] * 7, [29] * 7]


def test_after_one_step_there_are_as_many_different_beams_as_allowed_actions() -> None:
    model = table_model({(): [0.2, 0.0, 0.5, 0.0, 0.3]})
    beams = beam_search(ToyStepper(model, width=7), num_searches=1, width=7, max_steps=1)
    assert plans_of(beams) == [(2,), (4,), (0,)]


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
    assert beams.lengths.tolist() == [[0, 0], [0, 0]]
    assert bool((beams.actions == -1).all())
    assert not beams.is_finished.any()
    assert stepper.num_calls == 1


def test_a_beam_that_runs_into_a_dead_end_leaves_its_place_to_others() -> None:
    model = table_model({(): [0.9, 0.1], (1,): [0.5, 0.5]})
    beams = beam_search(ToyStepper(model, width=3), num_searches=1, width=3, max_steps=2)
    assert plans_of(beams) == [(1, 0), (1, 1)]
    assert beams.actions.tolist() == [[[1, 0], [1, 1], [-1, -1]]]


def test_a_finished_beam_keeps_its_score_and_actions() -> None:
    model = table_model({(): [0.7, 0.3], (0,): [0.5, 0.5], (0, 0): [0.4, 0.6]})
    stepper = ToyStepper(model, width=3, end_action=1)
    beams = beam_search(stepper, num_searches=1, width=3, max_steps=3)
    assert beams.actions.tolist() == [[[0, 1, -1], [1, -1, -1], [0, 0, 1]]]
    assert beams.scores_nats[0].exp().tolist() == pytest.approx([0.35, 0.3, 0.21])
    assert beams.lengths.tolist() == [[2, 1, 3]]


def test_finished_goes_before_unfinished_whatever_the_scores() -> None:
    model = table_model({(): [0.8, 0.2], (0,): [0.9, 0.1]})
    stepper = ToyStepper(model, width=3, end_action=1)
    beams = beam_search(stepper, num_searches=1, width=3, max_steps=2)
    assert plans_of(beams) == [(1,), (0, 1), (0, 0)]
    assert beams.is_finished.tolist() == [[True, True, False]]


@pytest.mark.parametrize("stop_check_every", [0, 1])
def test_stopping_at_the_first_returns_the_shortest_though_longer_ones_score_higher(
    stop_check_every: int,
) -> None:
    # Ends at once with 0.1, or at the second step with 0.9.
    model = table_model({(): [0.9, 0.1], (0,): [0.0, 1.0]})
    stepper = ToyStepper(model, width=2, end_action=1)
    beams = beam_search(
        stepper,
        num_searches=1,
        width=2,
        max_steps=5,
        stop_at_first=True,
        stop_check_every=stop_check_every,
    )
    assert plans_of(beams) == [(1,), (0,)]
    assert beams.is_finished.tolist() == [[True, False]]
    assert beams.scores_nats[0].exp().tolist() == pytest.approx([0.1, 0.9])
    assert stepper.num_calls == (1 if stop_check_every else 5)


def test_a_depth_two_problem_with_a_budget_of_thirty_asks_the_model_twice() -> None:
    model = table_model({(): [0.8, 0.2, 0.0], (0,): [0.1, 0.1, 0.8], (1,): [0.1, 0.2, 0.7]})
    stepper = ToyStepper(model, width=2, end_action=2)
    beams = beam_search(stepper, num_searches=1, width=2, max_steps=30)
    assert plans_of(beams) == [(0, 2), (1, 2)]
    assert beams.scores_nats[0].exp().tolist() == pytest.approx([0.64, 0.14])
    assert stepper.num_calls == 2


@pytest.mark.parametrize(("stop_check_every", "num_calls"), [(0, 7), (1, 2), (3, 3), (5, 5)])
def test_the_interval_of_asking_changes_no_result(stop_check_every: int, num_calls: int) -> None:
    model = table_model({(): [0.7, 0.3], (0,): [0.0, 1.0]})
    stepper = ToyStepper(model, width=3, end_action=1)
    beams = beam_search(
        stepper, num_searches=1, width=3, max_steps=7, stop_check_every=stop_check_every
    )
    assert plans_of(beams) == [(0, 1), (1,)]
    assert stepper.num_calls == num_calls


# 0 then 1 gives 0.54, 1 then 0 gives 0.32, 0 twice 0.06, 1 twice 0.08.
TWO_ORDERS = table_model({(): [0.6, 0.4], (0,): [0.1, 0.9], (1,): [0.8, 0.2]})


def test_equal_states_are_merged_before_the_cut_and_the_better_score_survives() -> None:
    assert isinstance(ToyStepper(TWO_ORDERS), Stepper)
    assert not isinstance(ToyStepper(TWO_ORDERS), MergingStepper)
    apart = beam_search(ToyStepper(TWO_ORDERS, width=2), num_searches=1, width=2, max_steps=2)
    assert plans_of(apart) == [(0, 1), (1, 0)]
    merging = MergingToyStepper(TWO_ORDERS, width=2)
    merged = beam_search(merging, num_searches=1, width=2, max_steps=2)
    assert plans_of(merged) == [(0, 1), (1, 1)]
    assert merged.scores_nats[0].exp().tolist() == pytest.approx([0.54, 0.08])


def test_all_merged_beams_differ() -> None:
    stepper = MergingToyStepper(random_model(3), seeds=[3, 11], width=8)
    beams = beam_search(stepper, num_searches=2, width=8, max_steps=5)
    for search in range(2):
        states = [tuple(sorted(plan)) for plan in plans_of(beams, search)]
        assert len(states) == len(set(states)) == 8


def test_states_of_different_searches_are_not_merged() -> None:
    beams = beam_search(
        MergingToyStepper(TWO_ORDERS, seeds=[3, 5], width=2), num_searches=2, width=2, max_steps=2
    )
    assert plans_of(beams, 0) == plans_of(beams, 1) == [(0, 1), (1, 1)]


@pytest.mark.parametrize("ending", [0.1, 0.4, 0.6])
def test_a_finished_beam_is_merged_with_nothing(ending: float) -> None:
    # The stepper hands the finished row of (1,) on with action 0: the same actions as (0, 1).
    model = table_model({(): [1 - ending, ending], (0,): [0.3, 0.7]})
    stepper = MergingToyStepper(model, width=3, end_action=1)
    beams = beam_search(stepper, num_searches=1, width=3, max_steps=2)
    assert sorted(plans_of(beams)) == [(0, 0), (0, 1), (1,)]


class CrossingCounter(TorchDispatchMode):
    """Counts the operations that make a device hand a value to the host."""

    CROSSINGS = frozenset({"_local_scalar_dense", "nonzero", "masked_select", "equal", "item"})

    def __init__(self) -> None:
        super().__init__()
        self.num_crossings = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.num_crossings += func.overloadpacket.__name__ in self.CROSSINGS
        return func(*args, **(kwargs or {}))


@pytest.mark.parametrize(("stop_check_every", "num_crossings"), [(0, 0), (1, 7), (2, 3), (11, 0)])
def test_only_the_stop_check_crosses_to_the_host(stop_check_every: int, num_crossings: int) -> None:
    stepper = MergingToyStepper(random_model(3), seeds=[3, 11], width=5)
    with CrossingCounter() as counter:
        beam_search(
            stepper, num_searches=2, width=5, max_steps=7, stop_check_every=stop_check_every
        )
    assert counter.num_crossings == num_crossings


@pytest.mark.gpu
def test_a_search_on_the_gpu_never_waits_and_finds_the_same() -> None:
    def search(device: str, debug_mode: str = "default") -> Beams:
        model = random_model(5, forbidden_percent=20)
        stepper = MergingToyStepper(model, seeds=[3, 11, 29], width=7, end_action=2, device=device)
        torch.cuda.set_sync_debug_mode(debug_mode)
        try:
            return beam_search(stepper, num_searches=3, width=7, max_steps=11, stop_check_every=0)
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
        ({"stop_check_every": -1}, r"stop_check_every is -1; expected 0 \(never\) or more"),
        ({"width": 5}, "the stepper has 6 rows; expected 2 searches x 5 beams = 10"),
    ],
)
def test_sizes_that_cannot_be_are_refused(sizes: dict[str, int], message: str) -> None:
    stepper = ToyStepper(random_model(2), seeds=[3, 5], width=3)
    options: dict[str, Any] = {"num_searches": 2, "width": 3, "max_steps": 7, **sizes}
    with pytest.raises(ValueError, match=message):
        beam_search(stepper, **options)
