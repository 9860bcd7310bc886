"""Rollouts and what they draw from: laws on a model of whole histories, and pencil sums."""

import math
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.decoding.toy import ToyStepper, random_model, replayed_score_nats, table_model
from tokoban.decoding.sampling import Samples, gumbel_noise, restrict, sample


def drawn_noise(seed: int, max_steps: int, num_rows: int, num_actions: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return gumbel_noise(max_steps, num_rows, num_actions, generator=generator, device="cpu")


def plan_of(samples: Samples, row: int) -> list[int]:
    return samples.actions[row, : int(samples.lengths[row])].tolist()


def test_greedy_takes_the_most_probable_action_at_each_step() -> None:
    seeds = [3, 11, 29, 31, 41]
    model = random_model(5)
    samples = sample(ToyStepper(model, seeds=seeds, end_action=2), num_rows=5, max_steps=7)
    for row, seed in enumerate(seeds):
        plan: list[int] = []
        while len(plan) < 7 and plan[-1:] != [2]:
            log_probs = model(torch.tensor([seed]), torch.tensor([plan], dtype=torch.int64))
            plan.append(int(log_probs.argmax()))
        assert plan_of(samples, row) == plan
        assert samples.is_finished[row] == (plan[-1] == 2)
    assert 0 < int(samples.is_finished.sum()) < 5


def test_a_rollout_is_padded_after_its_end_and_its_score_is_that_of_its_actions() -> None:
    seeds = list(range(13))
    model = random_model(5, forbidden_percent=30)
    stepper = ToyStepper(model, seeds=seeds, end_action=2)
    noise = drawn_noise(seed=17, max_steps=11, num_rows=13, num_actions=5)
    samples = sample(stepper, num_rows=13, max_steps=11, noise=noise, temperature=3.0)
    for row, seed in enumerate(seeds):
        plan = plan_of(samples, row)
        score = float(samples.scores_nats[row])
        assert score == pytest.approx(replayed_score_nats(model, seed, plan))
        assert samples.actions[row].tolist() == plan + [-1] * (11 - len(plan))
        assert samples.is_finished[row] == (2 in plan)
        assert 2 not in plan[:-1]
    assert len(set(samples.lengths.tolist())) > 3


def test_replaying_a_rollout_gives_the_state_the_stepper_holds() -> None:
    stepper = ToyStepper(random_model(5), seeds=[3, 11, 29])
    noise = drawn_noise(seed=17, max_steps=7, num_rows=3, num_actions=5)
    samples = sample(stepper, num_rows=3, max_steps=7, noise=noise)
    assert torch.equal(samples.actions, stepper.histories)
    assert stepper.seeds.tolist() == [3, 11, 29]


def test_a_row_without_allowed_actions_ends_unfinished_with_what_it_has() -> None:
    model = table_model({(): [0.6, 0.4], (0,): [0.3, 0.7]})
    for noise in (None, torch.zeros(5, 1, 2)):
        stepper = ToyStepper(model)
        samples = sample(stepper, num_rows=1, max_steps=5, noise=noise)
        assert samples.actions.tolist() == [[0, 1, -1, -1, -1]]
        assert samples.lengths.tolist() == [2]
        assert samples.scores_nats.exp().tolist() == pytest.approx([0.42])
        assert samples.is_finished.tolist() == [False]
        assert stepper.num_calls == 3


def test_an_ending_asked_of_a_stuck_row_does_not_finish_it() -> None:
    # All is forbidden at the start; argmax falls on action 0, which would be the end.
    stepper = ToyStepper(table_model({(): [0.0, 0.0, 0.0]}), end_action=0)
    samples = sample(stepper, num_rows=1, max_steps=3)
    assert samples.is_finished.tolist() == [False]
    assert samples.scores_nats.tolist() == [0.0]


def test_rows_of_a_batch_equal_rows_alone() -> None:
    seeds = [3, 11, 29, 31]
    model = random_model(5, forbidden_percent=30)
    noise = drawn_noise(seed=23, max_steps=7, num_rows=4, num_actions=5)
    together = sample(
        ToyStepper(model, seeds=seeds, end_action=2), num_rows=4, max_steps=7, noise=noise
    )
    for row, seed in enumerate(seeds):
        stepper = ToyStepper(model, seeds=[seed], end_action=2)
        alone = sample(stepper, num_rows=1, max_steps=7, noise=noise[:, row : row + 1])
        assert torch.equal(alone.actions[0], together.actions[row])
        assert torch.equal(alone.scores_nats[0], together.scores_nats[row])
        assert torch.equal(alone.is_finished[0], together.is_finished[row])


def test_a_larger_budget_rewrites_no_earlier_action() -> None:
    model = random_model(5)
    noise = drawn_noise(seed=23, max_steps=11, num_rows=7, num_actions=5)
    seeds = list(range(7))
    short = sample(ToyStepper(model, seeds=seeds), num_rows=7, max_steps=3, noise=noise[:3])
    long = sample(ToyStepper(model, seeds=seeds), num_rows=7, max_steps=11, noise=noise)
    assert torch.equal(long.actions[:, :3], short.actions)


def test_gumbel_max_draws_two_step_plans_with_their_probabilities() -> None:
    num_rows = 20_011
    probabilities = {(): [0.6, 0.3, 0.1], (0,): [0.2, 0.7, 0.1], (1,): [0.5, 0.5, 0.0]}
    probabilities[(2,)] = [0.1, 0.1, 0.8]
    stepper = ToyStepper(table_model(probabilities), width=num_rows)
    noise = drawn_noise(seed=17, max_steps=2, num_rows=num_rows, num_actions=3)
    samples = sample(stepper, num_rows=num_rows, max_steps=2, noise=noise)
    for first in range(3):
        for second in range(3):
            expected = probabilities[()][first] * probabilities[(first,)][second]
            is_plan = (samples.actions == torch.tensor([first, second])).all(dim=1)
            deviation = math.sqrt(expected * (1 - expected) / num_rows)
            assert abs(float(is_plan.double().mean()) - expected) <= 4 * deviation


def test_drawing_obeys_the_restrictions_and_scores_stay_the_models_own() -> None:
    probabilities = [0.5, 0.2, 0.3]
    num_rows = 1009
    noise = drawn_noise(seed=17, max_steps=1, num_rows=num_rows, num_actions=3)
    restrictions: list[dict[str, Any]] = [{"top_k": 2}, {"top_p": 0.7}, {"temperature": 0.01}]
    for restriction in restrictions:
        stepper = ToyStepper(table_model({(): probabilities}), width=num_rows)
        samples = sample(stepper, num_rows=num_rows, max_steps=1, noise=noise, **restriction)
        chosen = samples.actions[:, 0]
        assert set(chosen.tolist()) == ({0} if "temperature" in restriction else {0, 2})
        own = torch.tensor(probabilities, dtype=torch.float64)[chosen]
        torch.testing.assert_close(samples.scores_nats.exp(), own)


@pytest.mark.parametrize("temperature", [1e-6, 1e-30])
def test_sampling_at_a_temperature_towards_zero_is_greedy(temperature: float) -> None:
    seeds = list(range(11))
    model = random_model(5)
    noise = drawn_noise(seed=17, max_steps=7, num_rows=11, num_actions=5)
    greedy = sample(ToyStepper(model, seeds=seeds), num_rows=11, max_steps=7)
    cold = sample(
        ToyStepper(model, seeds=seeds),
        num_rows=11,
        max_steps=7,
        noise=noise,
        temperature=temperature,
    )
    assert torch.equal(cold.actions, greedy.actions)


@pytest.mark.parametrize(("stop_check_every", "num_calls"), [(0, 7), (1, 2), (3, 3), (5, 5)])
def test_the_interval_of_asking_changes_no_result(stop_check_every: int, num_calls: int) -> None:
    stepper = ToyStepper(table_model({(): [0.7, 0.3], (0,): [0.0, 1.0]}), end_action=1)
    samples = sample(stepper, num_rows=1, max_steps=7, stop_check_every=stop_check_every)
    assert plan_of(samples, 0) == [0, 1]
    assert samples.scores_nats.exp().tolist() == pytest.approx([0.7])
    assert stepper.num_calls == num_calls


P = [0.5, 0.125, 0.25, 0.125]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, P),
        ({"temperature": 0.5}, [16 / 22, 1 / 22, 4 / 22, 1 / 22]),  # squares of 4 : 1 : 2 : 1
        ({"top_k": 1}, [1, 0, 0, 0]),
        ({"top_k": 2}, [2 / 3, 0, 1 / 3, 0]),
        ({"top_k": 11}, P),
        ({"top_p": 0.001}, [1, 0, 0, 0]),
        ({"top_p": 0.5}, [1, 0, 0, 0]),
        ({"top_p": 0.51}, [2 / 3, 0, 1 / 3, 0]),
        ({"top_p": 1.0}, P),
        ({"top_k": 2, "top_p": 0.6}, [1, 0, 0, 0]),  # 2/3 reaches what 1/2 would not
        ({"temperature": 0.5, "top_p": 0.7}, [1, 0, 0, 0]),  # 16/22 too
    ],
)
def test_restrictions_by_pencil(options: dict[str, Any], expected: list[float]) -> None:
    restricted = restrict(torch.tensor([P, P[::-1]]).log(), **options)
    assert restricted[0].exp().tolist() == pytest.approx(expected)
    assert restricted[1].exp().tolist() == pytest.approx(expected[::-1])
    assert torch.equal(restricted[0] == -torch.inf, torch.tensor(expected) == 0)


@pytest.mark.parametrize(
    ("options", "num_kept"), [({"top_k": 3}, 3), ({"top_p": 0.5}, 4), ({"top_p": 0.01}, 1)]
)
def test_of_equally_probable_actions_the_first_are_kept(
    options: dict[str, Any], num_kept: int
) -> None:
    restricted = restrict(torch.zeros(2, 7).log_softmax(dim=1), **options)
    expected = [1 / num_kept] * num_kept + [0.0] * (7 - num_kept)
    for row in restricted.exp().tolist():
        assert row == pytest.approx(expected)


def test_a_top_p_of_one_keeps_actions_too_rare_to_move_the_sum() -> None:
    log_probs = torch.tensor([0.0, -30.0, -40.0])
    assert torch.equal(restrict(log_probs, top_p=1.0), log_probs)


@settings(max_examples=100)
@given(
    logits=st.lists(st.floats(-50, 50, width=32) | st.just(-math.inf), min_size=1, max_size=7),
    temperature=st.floats(0.01, 100),
    top_k=st.none() | st.integers(1, 9),
    top_p=st.none() | st.floats(0.001, 1.0),
)
def test_restricted_rows_sum_to_one_and_keep_the_best_or_have_nothing_to_keep(
    logits: list[float], temperature: float, top_k: int | None, top_p: float | None
) -> None:
    log_probs = torch.tensor(logits)
    restricted = restrict(log_probs, temperature=temperature, top_k=top_k, top_p=top_p)
    assert not restricted.isnan().any()
    if max(logits) == -math.inf:
        assert torch.equal(restricted, log_probs)
    else:
        assert float(restricted.exp().sum()) == pytest.approx(1.0, abs=1e-5)
        assert restricted[log_probs.argmax()] == restricted.max() > -torch.inf
        assert bool((restricted[log_probs == -torch.inf] == -torch.inf).all())


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"temperature": 1e40}, [0.25, 0.25, 0.0, 0.25, 0.25]),
        ({"temperature": 1e-320}, [0.0, 1.0, 0.0, 0.0, 0.0]),
        ({"top_p": 1e-320}, [0.0, 1.0, 0.0, 0.0, 0.0]),
        ({"top_k": 2**63}, [0.125, 0.5, 0.0, 0.25, 0.125]),
    ],
)
def test_restrictions_beyond_the_range_of_the_type_keep_what_they_mean(
    options: dict[str, Any], expected: list[float], dtype: torch.dtype
) -> None:
    log_probs = torch.tensor([0.125, 0.5, 0.0, 0.25, 0.125], dtype=dtype).log()
    assert restrict(log_probs, **options).exp().tolist() == pytest.approx(expected, abs=0.01)


def test_noise_is_finite_even_where_a_draw_is_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.Tensor, "exponential_", lambda tensor, generator: tensor.zero_())
    noise = drawn_noise(seed=17, max_steps=2, num_rows=3, num_actions=5)
    assert noise.shape == (2, 3, 5)
    assert bool(noise.isfinite().all())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_rows": 0}, "num_rows is 0; expected at least 1"),
        ({"max_steps": 0}, "max_steps is 0; expected at least 1"),
        ({"stop_check_every": -2}, r"stop_check_every is -2; expected 0 \(never\) or more"),
        ({"num_rows": 5}, "the stepper has 3 rows; expected 5"),
        ({"noise": torch.zeros(7, 3, 5)}, r"noise has shape \(7, 3, 5\); expected \(7, 3, 2\)"),
        ({"temperature": 0.0}, "temperature is 0.0; expected more than 0"),
        ({"temperature": math.nan}, "temperature is nan; expected more than 0"),
        ({"temperature": math.inf}, "temperature is inf; expected more than 0, and finite"),
        ({"top_k": 0}, "top_k is 0; expected at least 1"),
        ({"top_p": 0.0}, "top_p is 0.0; expected more than 0, at most 1"),
        ({"top_p": 1.5}, "top_p is 1.5; expected more than 0, at most 1"),
    ],
)
def test_what_cannot_be_is_refused(options: dict[str, Any], message: str) -> None:
    stepper = ToyStepper(random_model(2), seeds=[3, 5, 7])
    given_options = {"num_rows": 3, "max_steps": 7, "noise": torch.zeros(7, 3, 2), **options}
    with pytest.raises(ValueError, match=message):
        sample(stepper, **given_options)
