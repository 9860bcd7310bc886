"""Other people's Sokoban simulators on the same work, where they are installed: not required.

jumanji (JAX) steps the very levels that the others step; EnvPool (C++) those it comes with, as its
levels cannot be given. Both compute a reward and an observation at each step, and EnvPool begins a
new game after 120 steps; jumanji's transition alone is measured too.
Axes: B boards, T moves, H rows, W columns.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from tokoban.sokoban.board import Board


class Peer(NamedTuple):
    """A way of stepping: ``call`` plays ``num_moves`` on each board and waits until it is done."""

    name: str
    num_moves: int
    call: Callable[[], object]


@contextmanager
def one_core() -> Iterator[None]:
    """Nothing started inside uses more than one core: JAX and EnvPool make threads of their own."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def jumanji_grids(boards: Sequence[Board]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The boards as jumanji has them: what is fixed, what varies, and where the player is."""
    shape = len(boards), boards[0].height, boards[0].width
    fixed, variable = np.zeros(shape, dtype=np.uint8), np.zeros(shape, dtype=np.uint8)
    for number, board in enumerate(boards):
        for squares, grid, code in (
            (board.walls, fixed, 1),
            (board.goals, fixed, 2),
            ({board.player}, variable, 3),
            (board.boxes, variable, 4),
        ):
            for square in squares:
                grid[number, square.row, square.column] = code
    return fixed, variable, np.array([board.player for board in boards], dtype=np.int32)


class Jumanji:
    """jumanji's Sokoban on given levels of 10x10 squares and four boxes, jit-compiled."""

    def __init__(self) -> None:
        # Else it would take three quarters of a GPU, which torch is using too.
        os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
        self.jax: Any = import_module("jax")
        jax, sokoban = self.jax, "jumanji.environments.routing.sokoban"
        generator = import_module(f"{sokoban}.generator").SimpleSolveGenerator()
        # Its other generators fetch levels from the network; this one is never asked for any.
        self.environment = import_module(f"{sokoban}.env").Sokoban(generator=generator)
        self.state = import_module(f"{sokoban}.types").State
        self.is_on_gpu = jax.default_backend() == "gpu"
        self.play = jax.jit(self._play, static_argnums=2)
        self.step = jax.jit(jax.vmap(self.environment.step))

    def start(self, boards: Sequence[Board], batch: int) -> Any:
        """``batch`` games, the levels over and over."""
        jnp = self.jax.numpy
        rows = np.arange(batch) % len(boards)
        fixed, variable, player = (jnp.asarray(part[rows]) for part in jumanji_grids(boards))
        keys = jnp.zeros((batch, 2), dtype=jnp.uint32)
        return self.state(
            key=keys,
            fixed_grid=fixed,
            variable_grid=variable,
            agent_location=player,
            step_count=jnp.zeros(batch, dtype=jnp.int32),
        )

    def step_by_step(self, boards: Sequence[Board], actions: np.ndarray) -> Peer:
        """Its step, one move of each board a call, for ``actions`` [B]."""
        state, taken = self.start(boards, len(actions)), self.jax.numpy.asarray(_renamed(actions))
        return Peer("jumanji, step", 1, partial(self._wait, self.step, state, taken))

    def in_one_scan(self, boards: Sequence[Board], actions: np.ndarray) -> Iterator[Peer]:
        """All moves of ``actions`` [T, B] in one call: its whole step, and its transition alone."""
        num_moves, batch = actions.shape
        state, taken = self.start(boards, batch), self.jax.numpy.asarray(_renamed(actions))
        for name, is_whole in (("step", True), ("transition alone", False)):
            title = f"jumanji, {name}, {num_moves} in one scan"
            yield Peer(title, num_moves, partial(self._wait, self.play, state, taken, is_whole))

    def _wait(self, function: Callable[..., Any], *arguments: Any) -> Any:
        return self.jax.block_until_ready(function(*arguments))

    def _play(self, state: Any, actions: Any, is_whole_step: bool) -> Any:
        """All moves in one scan; the rewards are kept, or a compiler would not compute them."""
        one = self._whole_step if is_whole_step else self._transition
        return self.jax.lax.scan(self.jax.vmap(one), state, actions)

    def _whole_step(self, state: Any, action: Any) -> Any:
        state, answer = self.environment.step(state, action)
        return state, (answer.reward, answer.step_type)

    def _transition(self, state: Any, action: Any) -> Any:
        environment = self.environment
        action = environment.detect_noop_action(
            state.variable_grid, state.fixed_grid, action, state.agent_location
        )
        grid, place = self.jax.lax.cond(
            (action == -1).all(),
            lambda: (state.variable_grid, state.agent_location),
            lambda: environment.move_agent(state.variable_grid, action, state.agent_location),
        )
        return state.replace(variable_grid=grid, agent_location=place), ()


def _renamed(actions: np.ndarray) -> np.ndarray:
    """As both of them count: up, right, down, left."""
    return np.array([0, 3, 2, 1], dtype=np.int32)[actions]


def envpool_step(actions: np.ndarray) -> Peer:
    """EnvPool's Sokoban on one thread, a Python call for each move of ``actions`` [T, B]."""
    batch = actions.shape[1]
    games = import_module("envpool").make(
        "Sokoban-v0", env_type="gymnasium", num_envs=batch, batch_size=batch, num_threads=1
    )
    games.reset()
    taken = _renamed(actions)

    def call() -> None:
        for moves in taken:
            games.step(moves)

    return Peer("EnvPool, step", len(actions), call)
