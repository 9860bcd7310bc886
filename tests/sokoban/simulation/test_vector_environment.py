"""Many environments at once: each as one alone, in every mode, on every kind of board."""

import random
from itertools import combinations
from typing import Any

import numpy as np
import pytest
import torch

gymnasium = pytest.importorskip("gymnasium")

from gymnasium.utils.env_checker import data_equivalence  # noqa: E402
from gymnasium.utils.passive_env_checker import data_shares_objects  # noqa: E402
from gymnasium.vector import AutoresetMode, SyncVectorEnv  # noqa: E402

from benchmarks.random_boards import KINDS, random_board  # noqa: E402
from tests.crossings import Crossings  # noqa: E402
from tokoban.sokoban.board import Board  # noqa: E402
from tokoban.sokoban.formats.xsb import parse_board  # noqa: E402
from tokoban.sokoban.simulation import registration  # noqa: E402
from tokoban.sokoban.simulation.environment import Rewards, SokobanEnv  # noqa: E402
from tokoban.sokoban.simulation.level_pool import GeneratedLevels  # noqa: E402
from tokoban.sokoban.simulation.vector_environment import SokobanVectorEnv  # noqa: E402

FEW = GeneratedLevels(num_levels=7, rows=7, columns=8, num_boxes=2, seed=5)
NEARLY = parse_board("-@$.")  # solved by one move out of four
# No two rewards of a step have a sum that others have too.
REWARDS = Rewards(step=-0.25, box_on_goal=1.0, box_off_goal=-3.0, solved=11.0)


def boards(height: int, width: int, *, is_bordered: bool) -> list[Board]:
    chance = random.Random(f"{height} {width} {is_bordered}")
    crowd = [
        random_board(chance, height, width, kind=KINDS["bordered"], is_bordered=is_bordered)
        for _ in range(3)
    ]
    return [*crowd, NEARLY]


# Interiors that fill one word and that do not, and of two words; closed edges and open ones.
LEVELS = {
    "one word, closed": boards(8, 8, is_bordered=True),
    "one word, open": boards(5, 7, is_bordered=False),
    "several words, closed": boards(9, 7, is_bordered=True),
    "several words, open": boards(3, 19, is_bordered=False),
}


def some_actions(mask: np.ndarray, chance: np.random.Generator) -> np.ndarray:
    """Mostly those that change something, where there are any."""
    actions = chance.integers(0, mask.shape[1], len(mask))
    for row, legal in enumerate(mask):
        if legal.any() and chance.random() < 0.8:
            actions[row] = chance.choice(np.flatnonzero(legal))
    return actions


def as_numpy(answer: Any) -> Any:
    """The same answer of an environment with every tensor as an array."""
    if isinstance(answer, dict):
        return {name: as_numpy(value) for name, value in answer.items()}
    if isinstance(answer, tuple):
        return tuple(as_numpy(part) for part in answer)
    return answer.numpy() if isinstance(answer, torch.Tensor) else answer


@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.parametrize("actions", ["moves", "pushes"])
@pytest.mark.parametrize("levels", LEVELS.values(), ids=LEVELS)
def test_many_are_as_each_alone(levels: list[Board], actions: Any, mode: AutoresetMode) -> None:
    arguments = {"levels": levels, "actions": actions, "max_steps": 7, "rewards": REWARDS}
    alone = SyncVectorEnv([lambda: SokobanEnv(**arguments)] * 4, autoreset_mode=mode)
    many = SokobanVectorEnv(4, autoreset_mode=mode, **arguments)
    assert many.observation_space == alone.observation_space
    assert many.action_space == alone.action_space
    assert many.metadata == alone.metadata

    chance = np.random.default_rng(3)
    expected = alone.reset(seed=13)
    assert data_equivalence(many.reset(seed=13), expected, exact=True)
    mask, num_solved, num_truncated = expected[1]["action_mask"], 0, 0
    for _ in range(20):
        chosen = some_actions(mask, chance)
        step = alone.step(chosen)
        assert data_equivalence(many.step(chosen), step, exact=True)
        mask = step[4]["action_mask"]
        num_solved += step[2].sum()
        num_truncated += step[3].sum()
        if mode is AutoresetMode.DISABLED and (finished := step[2] | step[3]).any():
            fresh, _ = alone.reset(options={"reset_mask": finished.copy()})
            observation, info = many.reset(options={"reset_mask": finished})
            assert np.array_equal(observation, fresh)
            assert np.array_equal(info["_action_mask"], finished)
            mask = info["action_mask"]
    assert num_solved > 1
    assert num_truncated > 1


@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.parametrize("actions", ["moves", "pushes"])
def test_tensors_are_as_arrays(actions: Any, mode: AutoresetMode) -> None:
    arguments = {"levels": LEVELS["one word, open"], "actions": actions, "max_steps": 5}
    arrays = SokobanVectorEnv(11, autoreset_mode=mode, **arguments)
    tensors = SokobanVectorEnv(11, autoreset_mode=mode, device="cpu", **arguments)
    chance = np.random.default_rng(5)
    expected: Any = arrays.reset(seed=17)
    assert data_equivalence(as_numpy(tensors.reset(seed=17)), expected, exact=True)
    for _ in range(4 if mode is AutoresetMode.DISABLED else 20):
        chosen = some_actions(expected[-1]["action_mask"], chance)
        expected, answer = arrays.step(chosen), tensors.step(torch.from_numpy(chosen))
        assert answer[1].dtype == torch.float32
        observation, rewards, *flags, info = as_numpy(answer)
        assert np.array_equal(observation, expected[0])
        assert np.array_equal(rewards, expected[1].astype(np.float32))
        assert data_equivalence(tuple(flags), expected[2:4], exact=True)
        finished = flags[0] | flags[1]
        if mode is AutoresetMode.SAME_STEP:
            assert np.array_equal(info["_final_obs"], finished)
            for row in np.flatnonzero(finished):
                assert np.array_equal(info["final_obs"][row], expected[4]["final_obs"][row])
                for name, values in expected[4]["final_info"].items():
                    assert np.array_equal(info["final_info"][name][row], values[row])
        now = {name: value for name, value in info.items() if "final" not in name}
        for name, values in now.items():
            assert np.array_equal(values, expected[4][name])
        if mode is AutoresetMode.DISABLED and finished.any():
            break


def test_it_is_made_by_name() -> None:
    assert registration
    made = gymnasium.make_vec("tokoban/Sokoban-v0", num_envs=3, levels=FEW)
    assert isinstance(made, SokobanVectorEnv)
    observations, infos = made.reset(seed=1)
    assert observations in made.observation_space
    assert infos["action_mask"].shape == (3, 4)
    same_step = gymnasium.make_vec("tokoban/Sokoban-v0", levels=FEW, autoreset_mode="SameStep")
    assert same_step.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP


@pytest.mark.parametrize("device", [None, "cpu"])
@pytest.mark.parametrize("mode", AutoresetMode)
def test_what_was_answered_is_never_written_to_again(device: Any, mode: AutoresetMode) -> None:
    environment = SokobanVectorEnv(3, FEW, autoreset_mode=mode, device=device, max_steps=4)
    actions = np.zeros(3, dtype=np.int64)
    answers = [as_numpy(environment.reset(seed=1))]
    for _ in range(4):
        answer = environment.step(torch.from_numpy(actions) if device else actions)
        answers.append(as_numpy((answer[0], answer[4])))
    answers.append(as_numpy(environment.reset()))
    for one, other in combinations(answers, 2):
        assert not data_shares_objects(one, other)
    told = [value for name, value in answers[-1][1].items() if "final" not in name]
    for one, other in combinations(told, 2):
        assert not data_shares_objects(one, other)


@pytest.mark.parametrize("mode", AutoresetMode)
def test_a_step_on_a_device_asks_it_for_nothing(mode: AutoresetMode) -> None:
    for levels in LEVELS.values():
        environment = SokobanVectorEnv(3, levels, autoreset_mode=mode, device="cpu", max_steps=2)
        environment.reset(seed=1)
        environment.step(torch.zeros(3, dtype=torch.int64))  # the first sends tables
        environment.reset(seed=1)
        # What is said of a device holds for all but the CPU, whose actions are looked at.
        environment.device = torch.device("meta")
        environment._all = lambda value: torch.full((3,), value)  # type: ignore[method-assign]
        with Crossings() as crossings:
            for action in (0, 3, 1):
                environment.step(torch.full((3,), action))
        assert not crossings.names


@pytest.mark.gpu
@pytest.mark.parametrize("mode", AutoresetMode)
def test_a_step_on_a_gpu_does_not_wait_for_it(mode: AutoresetMode) -> None:
    on_cpu, on_gpu = (
        SokobanVectorEnv(37, FEW, autoreset_mode=mode, device=device, max_steps=60)
        for device in ("cpu", "cuda")
    )
    on_cpu.reset(seed=1)
    on_gpu.reset(seed=1)
    on_gpu.step(torch.zeros(37, dtype=torch.int64, device="cuda"))  # the first sends tables
    on_gpu.reset(seed=1)
    actions = torch.randint(0, 4, (50, 37), generator=torch.Generator().manual_seed(1))
    for row, row_on_gpu in zip(actions, actions.cuda(), strict=True):
        torch.cuda.set_sync_debug_mode("error")
        try:
            answer = on_gpu.step(row_on_gpu)
        finally:
            torch.cuda.set_sync_debug_mode("default")
        for one, other in zip(on_cpu.step(row)[:4], answer[:4], strict=True):
            assert torch.equal(one, other.cpu())


# Levels, seeds, and what is seen of a row.


def test_each_environment_draws_its_own_levels_from_its_own_seed() -> None:
    def levels(environment: SokobanVectorEnv, seed: Any) -> list[list[int]]:
        first = environment.reset(seed=seed)[1]["level"]
        return [first.tolist(), *(environment.reset()[1]["level"].tolist() for _ in range(20))]

    one, two = SokobanVectorEnv(3, FEW), SokobanVectorEnv(3, FEW)
    for seed in (5, 2**64 - 2):  # larger ones are hashed
        assert levels(one, seed) == levels(two, seed) == levels(one, [seed, seed + 1, seed + 2])
    assert [row[1:] for row in levels(one, 5)] == [row[:-1] for row in levels(one, 6)]
    # Without a seed of its own the one in the middle goes on.
    kept = SokobanVectorEnv(3, FEW)
    kept.reset(seed=5)
    ahead = [row[1] for row in levels(two, 5)][1:]
    assert [row[1] for row in levels(kept, [8, None, 9])][:20] == ahead


def test_any_row_can_be_seen() -> None:
    levels = LEVELS["several words, open"]
    many = SokobanVectorEnv(3, levels, render_mode="ansi")
    many.reset(options={"level": [2, 0, 1]})
    many.step(np.array([3, 0, 2]))
    alone = SokobanEnv(levels, render_mode="ansi")
    expected = []
    for level, action in ((2, 3), (0, 0), (1, 2)):
        alone.reset(options={"level": level})
        alone.step(action)
        expected.append(alone.render())
    assert many.render() == tuple(expected)
    assert many.render(rows=[2]) == (expected[2],)
    pictures = SokobanVectorEnv(2, levels, render_mode="rgb_array", square_px=5)
    pictures.reset()
    frames = pictures.render()
    assert frames is not None
    assert [frame.shape for frame in frames] == [(5 * 5, 21 * 5, 3)] * 2
    assert SokobanVectorEnv(2, levels).render() is None


# What is refused.


def test_a_finished_environment_is_not_stepped_without_a_reset() -> None:
    environment = SokobanVectorEnv(2, [NEARLY], autoreset_mode=AutoresetMode.DISABLED)
    environment.reset()
    environment.step(np.array([0, 3]))
    with pytest.raises(ValueError, match="must be reset"):
        environment.step(np.array([0, 3]))
    environment.reset(options={"reset_mask": np.array([False, True])})
    environment.step(np.array([0, 3]))


def test_on_a_device_a_finished_environment_that_is_not_reset_pays_nothing() -> None:
    """Without a look at the flags, which would wait for a GPU, no error can be raised."""
    mode = AutoresetMode.DISABLED
    environment = SokobanVectorEnv(3, [NEARLY], autoreset_mode=mode, device="cpu", max_steps=2)
    environment.reset()
    environment.device = torch.device("meta")
    environment._all = lambda value: torch.full((3,), value)  # type: ignore[method-assign]
    environment.step(torch.tensor([3, 0, 0]))  # the first is solved
    before = environment.step(torch.tensor([2, 0, 2]))  # the others are at their step cap
    assert before[1].tolist() == pytest.approx([0, -0.1, -0.1])
    after = environment.step(torch.tensor([2, 3, 3]))
    assert after[1].tolist() == [0, 0, 0]
    assert after[2].tolist() == [True, False, False] and after[3].tolist() == [False, True, True]


def test_actions_of_every_whole_number_type_and_layout_are_played() -> None:
    expected = SokobanVectorEnv(2, FEW)
    expected.reset(seed=3)
    observations = expected.step(np.array([1, 2]))[0]
    read_only = np.broadcast_to(np.array([[1, 2]]), (1, 2))[0]
    for actions in (
        np.array([1, 2], dtype=np.uint16),
        np.array([1, 2], dtype=np.uint64),
        np.array([2, 1])[::-1],
        read_only,
        [1, 2],
    ):
        environment = SokobanVectorEnv(2, FEW)
        environment.reset(seed=np.int64(3))
        assert np.array_equal(environment.step(actions)[0], observations)


def test_a_device_is_given_tensors_and_reset_comes_before_step() -> None:
    environment = SokobanVectorEnv(2, FEW, device="cpu")
    with pytest.raises(ValueError, match=r"^the environment was not reset yet; reset\(\) comes"):
        environment.step(torch.tensor([0, 1]))
    environment.reset()
    with pytest.raises(ValueError, match=r"^the actions are ndarray; expected a tensor on cpu$"):
        environment.step(np.array([0, 1]))


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a CUDA device")
def test_a_gpu_that_is_not_there_is_reported() -> None:
    message = "^the device is cuda, but torch finds no CUDA device$"
    with pytest.raises(ValueError, match=message):
        SokobanVectorEnv(2, FEW, device="cuda")
