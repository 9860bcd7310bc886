"""Games by name: our own as ``name:number``, Sokoban, and all that Gymnasium knows."""

import difflib
import re
from collections.abc import Callable

import gymnasium
import torch

from tokoban.systems.memory_ppo.collection import Collection
from tokoban.systems.memory_ppo.flip_flop import FlipFlop
from tokoban.systems.memory_ppo.repeat_previous import RepeatPrevious
from tokoban.systems.memory_ppo.rules_env import Rules, RulesVectorEnv
from tokoban.systems.memory_ppo.t_maze import TMaze
from tokoban.systems.memory_ppo.tensor_env import TensorEnv, open_environment

_RULES: dict[str, Callable[..., Rules]] = {  # of one number, or of those that have a range
    "repeat-previous": RepeatPrevious,
    "flip-flop": FlipFlop,
    "t-maze": TMaze,
    "collection": Collection,
}
_RANGED = ("t-maze",)
_SOKOBAN = "sokoban"
# Weights of a few kilobytes may name a game of any size, and all of its steps are kept in memory.
_LARGEST = {"collection": 64, _SOKOBAN: 32}
_LARGEST_OF_OTHERS = 4096
_NUM_LEVELS = 256

# What the number means, for messages and --help.
FORMS = (
    "repeat-previous:LAG",
    "flip-flop:STEPS",
    "t-maze:LENGTH",
    "t-maze:SHORTEST-LONGEST",
    "collection:SIDE",
    "sokoban:SIDE",
)


def make_env(
    name: str,
    num_games: int,
    *,
    seed: int,
    device: torch.device,
    is_alone: bool = False,
    is_drawn: bool = False,
) -> TensorEnv:
    """``num_games`` games called ``name``; equal seeds give equal games.

    Drawn or not, they are the same with ``is_alone``: see ``open_environment``.
    ValueError for a name that nothing has, with names that are near, and for one whose package is
    not installed.
    """
    kind, _, number = name.partition(":")
    if kind in _RULES or kind == _SOKOBAN:
        sizes = _sizes(name, number, has_range=kind in _RANGED)
        largest = _LARGEST.get(kind, _LARGEST_OF_OTHERS)
        if max(sizes) > largest:
            raise ValueError(f"environment {name!r}: expected numbers up to {largest}")
        if kind == _SOKOBAN:
            return _sokoban(sizes[0], num_games, seed=seed, device=device, is_drawn=is_drawn)
        environment = RulesVectorEnv(_RULES[kind](*sizes), num_games, device=device)
        return TensorEnv(environment, seed=seed, device=device, takes_tensors=True)
    try:
        found = open_environment(name, num_games, is_alone=is_alone, is_drawn=is_drawn)
    except ValueError as error:
        near = difflib.get_close_matches(name, [*FORMS, *gymnasium.registry], n=3, cutoff=0.5)
        is_known = name in gymnasium.registry or "needs the package" in str(error)
        hint = f"; near are {', '.join(near)}" if near and not is_known else ""
        raise ValueError(f"{error}{hint}") from None
    return TensorEnv(found, seed=seed, device=device)


def check_imports_nothing(name: str) -> None:
    """``ValueError`` for a name ``module:Id``, for which Gymnasium would import the module.

    For names that come from a file: only a user may say what code is run.
    """
    kind, colon, _ = name.partition(":")
    if colon and kind not in _RULES and kind != _SOKOBAN:
        raise ValueError(
            f"it names the environment {name!r}, which would import code; if you trust it, name it "
            f"yourself: --env {name}"
        )


def _sizes(name: str, text: str, *, has_range: bool) -> list[int]:
    numbers = text.split("-") if has_range else [text]
    if len(numbers) > 2 or not all(re.fullmatch("[0-9]{1,9}", number) for number in numbers):
        wanted = f"a number, as in {', '.join(FORMS)}"
        if len(numbers) > 1:
            wanted = "a number or two, as in t-maze:3-7"
        raise ValueError(f"environment {name!r}: expected {wanted}")
    return [int(number) for number in numbers]


def _sokoban(
    side: int, num_games: int, *, seed: int, device: torch.device, is_drawn: bool
) -> TensorEnv:
    from tokoban.sokoban.simulation.level_pool import GeneratedLevels
    from tokoban.sokoban.simulation.vector_environment import SokobanVectorEnv

    levels = GeneratedLevels(
        num_levels=_NUM_LEVELS, rows=side, columns=side, num_boxes=1, seed=seed
    )
    environment = SokobanVectorEnv(
        num_games,
        levels,
        device=device,
        has_action_mask=False,
        render_mode="rgb_array" if is_drawn else None,
    )
    return TensorEnv(environment, seed=seed, device=device, takes_tensors=True)
