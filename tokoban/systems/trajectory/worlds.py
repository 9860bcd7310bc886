"""Environments by name: Gymnasium's and our own."""

import re
from functools import partial

from tokoban.systems.trajectory.environments import World, gymnasium_world
from tokoban.systems.trajectory.graphs import GraphEnv, seeded_graph
from tokoban.systems.trajectory.levels import SokobanLevelsEnv


def make_world(
    env: str, *, max_steps: int | None = None, repeat: int = 1, is_drawn: bool = False
) -> World:
    """``graph:SEED``, ``sokoban``, or a name of Gymnasium's; ``ValueError`` for any other.

    Gymnasium's are cut off after ``max_steps``, and do each action ``repeat`` times; for our own it
    is a ``ValueError`` to ask for either.
    """
    found = re.fullmatch(r"graph:([0-9]{1,18})", env)
    if (found or env == "sokoban") and (max_steps is not None or repeat != 1):
        raise ValueError(f"max_steps and repeat are for environments of Gymnasium, not for {env}")
    if found:
        return World(env, partial(GraphEnv, seeded_graph(int(found[1]))))
    if env == "sokoban":
        return World(env, SokobanLevelsEnv)
    return gymnasium_world(env, max_steps=max_steps, repeat=repeat, is_drawn=is_drawn)
