"""Trained models, and Sokoban as an environment for training others."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

from tokoban.sokoban.board import Board
from tokoban.sokoban.formats import Level

if TYPE_CHECKING:
    from tokoban.sokoban.simulation.environment import SokobanEnv
    from tokoban.sokoban.simulation.vector_environment import SokobanVectorEnv


@dataclass(frozen=True)
class Pretrained:
    """A trained model in evaluation mode on the CPU, its system and its configuration."""

    system: str  # such as "sokoban" or "translation"
    model: Any  # a torch.nn.Module; of a push policy numpy arrays, which need no torch
    config: Any
    name: str | None = None  # by which other processes load it: of shipped weights, or a whole path


def load(name_or_path: str, *, system: str | None = None) -> Pretrained:
    """Loads shipped weights by name, a weights file, or the result of a training run.

    Safe for untrusted files: loading runs no code and takes memory in proportion to the file's
    size. Raises ``FileNotFoundError``, or ``ValueError`` if the file is damaged or its system is
    not ``system``. Imports torch, except for a push policy.

    >>> import tokoban
    >>> policy = tokoban.load("sokoban-8x8")
    >>> policy.system
    'sokoban'
    >>> board = tokoban.Board.from_xsb("########|#@ $ . #|#      #|########")
    >>> tokoban.hint(board, policy=policy).solver
    'beam'
    """
    if not isinstance(name_or_path, str | Path):
        raise ValueError(f"the weights are {name_or_path!r}; expected a name or a path")
    if not isinstance(system, str | None):
        raise ValueError(f"system is {system!r}; expected a name or None")
    from tokoban import pretrained, systems
    from tokoban.training.weights_header import read_header

    if system is None:
        path = pretrained.weights_path(name_or_path)
        system = read_header(path).metadata.get("system", "unknown")
        if system not in systems.SYSTEMS:
            raise ValueError(f"{path}: {systems.unknown(system)}")
    if system == "push":
        model, config = pretrained.load_pushes(name_or_path)
    else:
        model, config = pretrained.load(name_or_path, system=system)
    is_shipped = str(name_or_path) in pretrained.names()
    name = str(name_or_path) if is_shipped else os.path.realpath(name_or_path)
    return Pretrained(system, model, config, name)


@overload
def make_env(
    levels: Sequence[Board | Level | str | Path] | None = None,
    *,
    num_envs: None = None,
    actions: Literal["moves", "pushes"] = "moves",
    max_steps: int = 120,
    render_mode: str | None = None,
) -> "SokobanEnv": ...
@overload
def make_env(
    levels: Sequence[Board | Level | str | Path] | None = None,
    *,
    num_envs: int,
    actions: Literal["moves", "pushes"] = "moves",
    max_steps: int = 120,
    render_mode: str | None = None,
) -> "SokobanVectorEnv": ...
def make_env(
    levels: Sequence[Board | Level | str | Path] | None = None,
    *,
    num_envs: int | None = None,
    actions: Literal["moves", "pushes"] = "moves",
    max_steps: int = 120,
    render_mode: str | None = None,
) -> "SokobanEnv | SokobanVectorEnv":
    """A Gymnasium environment; with ``num_envs`` a vector environment, stepped on tensors.

    Each reset samples one of ``levels`` (boards, levels, or files of them); None means generated
    levels. An episode ends when the board is solved, and is truncated after ``max_steps``.
    Observations are planes of wall, floor, goals, boxes and the player, with one ring of wall.
    Moves are 0 up, 1 left, 2 down, 3 right; pushes are 4 * cell + direction, where cells are
    numbered row by row within that ring.
    Rewards are those of gym-sokoban; ``tokoban.sokoban.simulation.environment.Rewards`` lists them,
    and ``SokobanEnv`` there takes others. So does ``SokobanVectorEnv``, beside it in
    ``vector_environment``, which also takes a device and an autoreset mode. Imports torch.

    >>> import tokoban
    >>> board = tokoban.Board.from_xsb("#####|#@$.#|#####")
    >>> env = tokoban.make_env([board])
    >>> _ = env.reset(seed=0)
    >>> _, reward, terminated, truncated, _ = env.step(3)
    >>> terminated, truncated
    (True, False)
    """
    options: dict[str, Any] = {
        "actions": actions,
        "max_steps": max_steps,
        "render_mode": render_mode,
    }
    if levels is not None:
        options["levels"] = levels
    if num_envs is None:
        from tokoban.sokoban.simulation.environment import SokobanEnv

        return SokobanEnv(**options)
    from tokoban.sokoban.simulation.vector_environment import SokobanVectorEnv

    return SokobanVectorEnv(num_envs=num_envs, **options)
