"""One environment: Gymnasium's own checker, the rules, rewards, flags, masks, and the frames."""

import re
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

gymnasium = pytest.importorskip("gymnasium")

from gymnasium.error import ClosedEnvironmentError  # noqa: E402
from gymnasium.utils.env_checker import check_env  # noqa: E402

from tests.sokoban.brute_force import pushes_of  # noqa: E402
from tests.sokoban.drawings import DRAWINGS  # noqa: E402
from tokoban.sokoban import rules  # noqa: E402
from tokoban.sokoban.board import Board, Direction  # noqa: E402
from tokoban.sokoban.formats.xsb import format_board, parse_board  # noqa: E402
from tokoban.sokoban.render import render_rgb  # noqa: E402
from tokoban.sokoban.simulation import registration  # noqa: E402
from tokoban.sokoban.simulation.environment import Rewards, SokobanEnv  # noqa: E402
from tokoban.sokoban.simulation.level_pool import GeneratedLevels, frame  # noqa: E402
from tokoban.sokoban.simulation.tensor_boards import Plane, from_planes, to_board  # noqa: E402
from tokoban.sokoban.simulation.vector_environment import SokobanVectorEnv  # noqa: E402

REPOSITORY = Path(__file__).resolve().parents[3]
FEW = GeneratedLevels(num_levels=7, rows=7, columns=8, num_boxes=2, seed=5)
UP, LEFT, DOWN, RIGHT = Direction
ROOM = parse_board("-----|-.$@-|--$--|-----")


def board_of(observation: np.ndarray) -> Board:
    """The board that the five planes of an observation show."""
    planes = torch.from_numpy(observation).bool()
    assert torch.equal(planes[Plane.FLOOR], ~planes[Plane.WALL])
    return to_board(from_planes(planes), ())


def boards_after_pushes(board: Board) -> dict[int, Board]:
    """What each possible push leads to, by its action: 4 * cell of the interior + direction."""
    return {
        4 * ((board.width - 2) * (box.row - 1) + box.column - 1) + direction: after
        for (box, direction), after in pushes_of(board).items()
    }


# What Gymnasium asks for.


@pytest.mark.parametrize("actions", ["moves", "pushes"])
def test_gymnasiums_checker_finds_nothing(actions: str) -> None:
    assert registration
    made = gymnasium.make("tokoban/Sokoban-v0", levels=FEW, actions=actions)
    check_env(made.unwrapped)


# What a step does.


def test_a_step_leads_from_drawing_to_drawing() -> None:
    for name, drawing in DRAWINGS.items():
        environment = SokobanEnv([drawing.start])
        observation, _ = environment.reset()
        before, after = frame([drawing.start, drawing.end])
        assert board_of(observation) == before, name
        for action in drawing.actions:
            observation, *_ = environment.step(action)
        assert board_of(observation) == after, name
        assert observation.dtype == np.uint8


def test_a_level_can_be_requested_and_a_smaller_one_is_filled_up_with_wall() -> None:
    environment = SokobanEnv([ROOM, parse_board("@$.")])
    observation, info = environment.reset(options={"level": 1})
    assert info["level"] == 1
    assert format_board(board_of(observation)) == "\n".join(["#" * 7, "#@$.###", *["#" * 7] * 4])


@pytest.mark.parametrize(
    ("board", "reward"),
    [
        ("-@$--", 2.0),
        ("-@#$.", 2.0),
        ("-@$.$", 2.0 + 3.0),
        ("-@*-", 2.0 + 5.0),
        ("-@*.$", 2.0),
        ("-@$.", 2.0 + 3.0 + 7.0),
        # Solved from the start, and so after a step that leaves the boxes alone.
        ("*@-", 2.0 + 7.0),
    ],
)
def test_a_reward_is_the_sum_of_what_happened(board: str, reward: float) -> None:
    rewards = Rewards(step=2.0, box_on_goal=3.0, box_off_goal=5.0, solved=7.0)
    environment = SokobanEnv([parse_board(board)], rewards=rewards)
    environment.reset()
    assert environment.step(RIGHT)[1] == reward


def test_the_usual_rewards_are_those_of_gym_sokoban() -> None:
    rewards = Rewards()
    assert rewards.of(0, False) == -0.1
    assert rewards.of(1, False) == -0.1 + 1
    assert rewards.of(-1, False) == -0.1 - 1
    assert rewards.of(1, True) == -0.1 + 1 + 10


def test_an_episode_ends_when_it_is_solved_or_at_the_step_cap() -> None:
    environment = SokobanEnv([parse_board("-@$.")], max_steps=3)

    def flags(actions: Iterable[int]) -> list[tuple[bool, bool, bool]]:
        environment.reset()
        answers = [environment.step(action) for action in actions]
        return [(answer[2], answer[3], answer[4]["is_solved"]) for answer in answers]

    no, capped, solved = (False, False, False), (False, True, False), (True, False, True)
    assert flags([UP, DOWN, LEFT]) == [no, no, capped]
    assert flags([RIGHT]) == [solved]
    # Solved by the last step allowed: that is its end, and not the cap.
    assert flags([LEFT, RIGHT, RIGHT]) == [no, no, solved]


@pytest.mark.parametrize(
    ("actions", "flags"), [([RIGHT], (True, False)), ([UP] * 3, (False, True))]
)
def test_after_its_end_an_episode_pays_nothing_and_its_flags_stay(
    actions: list[int], flags: tuple[bool, bool]
) -> None:
    environment = SokobanEnv([parse_board("-@$.-")], max_steps=3)
    environment.reset()
    assert [environment.step(action) for action in actions][-1][2:4] == flags
    for action in (LEFT, RIGHT, RIGHT):
        assert environment.step(action)[1:4] == (0.0, *flags)
    environment.reset()
    assert environment.step(RIGHT)[1:4] == (-0.1 + 1 + 10, True, False)


# Masks, and pushes.


@pytest.mark.parametrize("actions", ["moves", "pushes"])
def test_the_mask_tells_what_changes_the_board(actions: Any) -> None:
    chance = np.random.default_rng(11)
    environment = SokobanEnv(FEW, actions=actions)
    for level in range(3):
        observation, info = environment.reset(options={"level": level})
        for _ in range(5):
            after = boards_after_pushes(board_of(observation))
            if actions == "pushes":
                assert np.flatnonzero(info["action_mask"]).tolist() == sorted(after)
            action = int(chance.integers(environment.action_space.n))
            if chance.random() < 0.7 and info["action_mask"].any():
                action = int(chance.choice(np.flatnonzero(info["action_mask"])))
            is_legal, before = info["action_mask"][action], board_of(observation)
            observation, *_, info = environment.step(action)
            assert (board_of(observation) != before) == is_legal
            if actions == "pushes":
                assert board_of(observation) == after.get(action, before)


# Levels and seeds.


def test_a_seed_means_the_same_levels_and_another_one_others() -> None:
    def levels(environment: SokobanEnv, seed: int) -> list[int]:
        first = environment.reset(seed=seed)[1]["level"]
        return [first, *(environment.reset()[1]["level"] for _ in range(20))]

    one, two = SokobanEnv(FEW), SokobanEnv(FEW)
    assert levels(one, 3) == levels(two, 3) == levels(one, 3)
    assert levels(one, 4) != levels(one, 3)
    assert set(levels(one, 3)) == set(range(7))
    large = [levels(one, seed) for seed in (3, 2**64 + 3, 2**70 + 3, 2**64 + 3)]
    assert large[1] == large[3]
    assert large[0] != large[1] != large[2] != large[0]


def test_without_a_seed_levels_come_from_the_environments_own_chance() -> None:
    def levels(seed: int) -> list[int]:
        environment = SokobanEnv(FEW)
        environment.np_random = np.random.default_rng(seed)
        return [environment.reset()[1]["level"] for _ in range(20)]

    assert levels(1) == levels(1)
    assert levels(1) != levels(2)


# Frames.


def test_frames_show_the_board() -> None:
    board = parse_board("@$.")
    (framed,) = frame([board])
    assert SokobanEnv([board]).render() is None
    text = SokobanEnv([board], render_mode="ansi")
    text.reset()
    assert text.render() == "#####\n#@$.#\n#####"
    picture = SokobanEnv([board], render_mode="rgb_array", square_px=7)
    picture.reset()
    picture.step(RIGHT)
    after = rules.step(framed, RIGHT)
    assert np.array_equal(picture.render(), render_rgb(after, square_px=7))


# What is refused.


def test_levels_and_actions_out_of_range_are_refused() -> None:
    environment = SokobanEnv([ROOM, replace(ROOM, goals=frozenset())])
    for level in (-1, 2):
        with pytest.raises(ValueError, match=f"^the level is {level}; expected 0 to 1$"):
            environment.reset(options={"level": level})
    with pytest.raises(ValueError, match=r"^got 2 levels for one environment$"):
        environment.reset(options={"level": [0, 1]})
    environment.reset()
    expected = "; expected a whole number from 0 to 3"
    for action in (-1, 4, np.array([1])):
        with pytest.raises(ValueError, match=re.escape(f"the action is {action!r}{expected}")):
            environment.step(action)
    for one in (1, np.int64(1), np.array(1), torch.tensor(1)):
        environment.reset(seed=0)
        moved = environment.step(one)[0]
        environment.reset(seed=0)
        assert np.array_equal(moved, environment.step(1)[0])


# Run without the hook that checks the types of this suite, and without what else it imports.
APART = """
import re
import sys
import gymnasium
import tokoban.sokoban.simulation.registration
assert not {"torch", "numba"} & set(sys.modules)
spec = gymnasium.spec("tokoban/Sokoban-v0")
del gymnasium.registry["tokoban/Sokoban-v0"]
del sys.modules["tokoban.sokoban.simulation.registration"]
name = "tokoban.sokoban.simulation.registration:tokoban/Sokoban-v0"
observation, _ = gymnasium.make(name).reset(seed=0)
assert observation.shape == (5, 10, 10)
from tokoban.sokoban.simulation.tensor_boards import Plane
assert observation[Plane.BOX].sum() == 2
import numpy as np
from tokoban.sokoban.simulation.environment import Rewards, SokobanEnv
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.simulation.level_pool import GeneratedLevels
from tokoban.sokoban.simulation.vector_environment import SokobanVectorEnv

ROOM = parse_board("#######|#@ $ .#|#######")


def one(**arguments):
    return SokobanEnv([ROOM], **arguments)


def many(**arguments):
    return SokobanVectorEnv(**{"num_envs": 2, "levels": [ROOM]} | arguments)


def started(environment):
    environment.reset(seed=3)
    return environment


CASES = [
    *(lambda make=make, wrong=wrong: make(**wrong) for make in (one, many) for wrong in (
        {"rewards": 5}, {"rewards": {"step": 1}}, {"rewards": None}, {"max_steps": "7"},
        {"max_steps": 1.5}, {"max_steps": True}, {"max_steps": 10**30}, {"actions": 3},
        {"actions": ["moves"]}, {"render_mode": 1}, {"square_px": "7"}, {"square_px": 10**30},
        {"max_steps": 0}, {"square_px": 3}, {"render_mode": "human"},
    )),
    *(lambda wrong=wrong: many(**wrong) for wrong in (
        {"num_envs": "2"}, {"num_envs": 2.0}, {"num_envs": None}, {"num_envs": 10**30},
        {"num_envs": 0}, {"autoreset_mode": "Never"},
        {"device": "meta"}, {"device": 1.5}, {"device": "abacus"}, {"device": []},
        {"autoreset_mode": 3}, {"autoreset_mode": None}, {"has_action_mask": "no"},
    )),
    *(lambda wrong=wrong, make=make: make(wrong) for make in (
        SokobanEnv, lambda levels: SokobanVectorEnv(2, levels)
    ) for wrong in (5, None, [5], [None], b"levels", {"a": 1}, [], "no/such.xsb")),
    *(lambda wrong=wrong: Rewards(step=wrong) for wrong in ("1", None, float("nan"), True)),
    *(lambda wrong=wrong: GeneratedLevels(num_levels=wrong) for wrong in ("1", None, 1.5)),
    *(lambda wrong=wrong, make=make: make().reset(**wrong) for make in (one, many) for wrong in (
        {"seed": "abc"}, {"seed": 1.5}, {"seed": -1}, {"seed": True}, {"seed": {}},
        {"options": {"lvl": 0}}, {"options": {5: 0}},
        {"options": 5}, {"options": [1]}, {"options": {"level": "a"}}, {"options": {"level": {}}},
        {"options": {"level": 0.5}}, {"options": {"level": [[0]]}}, {"options": {"level": 1}},
        {"options": {"level": [0, 0, 0]}}, {"seed": [1, 2, 3]}, {"seed": [-1, 2]},
        {"options": {"level": [[0], [0, 1]]}}, {"seed": [[0], [0, 1]]},
    )),
    *(lambda wrong=wrong: many().reset(options={"reset_mask": wrong})
      for wrong in ("ab", None, 1, [1, 0], {}, [True], [[True], [True, False]])),
    lambda: one().reset(options={"reset_mask": [True]}),
    *(lambda wrong=wrong: started(one()).step(wrong)
      for wrong in ("0", 0.5, None, [0], -1, 10**30)),
    *(lambda wrong=wrong: started(many()).step(wrong)
      for wrong in ("ab", 0, None, [0.5, 1], [[0, 1]], [0], [None, 1], [10**30, 0], [[0], [0, 1]],
                    [0, 4], [-1, 0], [True, False])),
    *(lambda wrong=wrong: started(many()).board(wrong) for wrong in ("0", 0.5, None, 2)),
    lambda: gymnasium.make("tokoban/Sokoban-v0", levels=[ROOM], rewards=5),
    lambda: gymnasium.make_vec("tokoban/Sokoban-v0", num_envs=2, levels=[ROOM], device="meta"),
]
for number, case in enumerate(CASES):
    try:
        case()
    except ValueError as error:
        if not re.fullmatch(".*(expected|got|No such file).*", str(error)):  # one line
            print(number, "no sentence on what was expected and found:", error)
    except Exception as error:
        print(number, type(error).__name__, error)
    else:
        print(number, "was accepted")
print(len(CASES), "cases")
"""


def test_it_is_found_by_a_name_alone_and_refuses_what_is_of_another_type_in_one_sentence() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", APART], cwd=REPOSITORY, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r"\d+ cases\n", done.stdout), done.stdout


@pytest.mark.parametrize("is_vector", [False, True])
def test_a_closed_environment_says_so_whatever_is_asked_of_it(is_vector: bool) -> None:
    environment: Any = SokobanVectorEnv(2, [ROOM]) if is_vector else SokobanEnv([ROOM])
    environment.reset(seed=1)
    environment.close()
    environment.close()
    for ask in (
        environment.reset,
        lambda: environment.step([0, 0] if is_vector else 0),
        environment.render,
    ):
        with pytest.raises(ClosedEnvironmentError, match="the environment is closed"):
            ask()
