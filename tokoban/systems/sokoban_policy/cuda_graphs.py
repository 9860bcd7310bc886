"""Whole rollouts as one CUDA graph.

They are those of ``sample`` on a ``PolicyStepper``, without early stops. Levels and noise are
copied to fixed addresses, which the graph reads. On a CPU the same class calls the same function,
without a graph.
Axes: R games, A the five actions, T moves.
"""

from dataclasses import dataclass, fields, replace

import torch
from jaxtyping import Float
from torch import Tensor

from tokoban.decoding.sampling import Samples, sample
from tokoban.inference.cuda_graph import CudaGraph
from tokoban.sokoban.simulation.bitboards import Bitboards
from tokoban.systems.sokoban_policy.episodes import NUM_ACTIONS
from tokoban.systems.sokoban_policy.model import SokobanPolicy
from tokoban.systems.sokoban_policy.stepper import PolicyStepper


@dataclass(frozen=True)
class Rollouts:
    """The samples of each game's row, and its board after all moves.

    A row that has ended plays on, so its last board need not be the solved one.
    """

    samples: Samples
    boards: Bitboards  # [R]


class CapturedRollouts:
    """Rollouts of up to ``num_rows`` games at a time, sampled with noise or greedy.

    A graph reads the model's weights where they are now: they may change in place, not move.
    """

    def __init__(
        self,
        model: SokobanPolicy,
        *,
        num_rows: int,
        max_moves: int,
        allow_undo: bool,
        is_greedy: bool = False,
        compiled: bool = False,
    ) -> None:
        device = model.mask.device
        self._levels = _no_levels(num_rows, device)
        self._noise = torch.zeros(max_moves, num_rows, NUM_ACTIONS, device=device)
        self._boards = _no_levels(num_rows, device)

        def play() -> Samples:
            stepper = PolicyStepper(model, self._levels, allow_undo=allow_undo, compiled=compiled)
            samples = sample(
                stepper,
                num_rows=num_rows,
                max_steps=max_moves,
                noise=None if is_greedy else self._noise,
                stop_check_every=0,
            )
            _copy(stepper.game.current(), self._boards)
            return samples

        self._is_greedy = is_greedy
        self._graph = CudaGraph(play, device)

    def __call__(self, levels: Bitboards, noise: Float[Tensor, "T R A"] | None = None) -> Rollouts:
        """Plays ``levels`` [R], with ``gumbel_noise`` for them unless greedy."""
        num_games = len(levels.boxes)
        expected = None if self._is_greedy else (len(self._noise), num_games, NUM_ACTIONS)
        given = None if noise is None else tuple(noise.shape)
        if given != expected:
            raise ValueError(f"noise of shape {given}; expected {expected}")
        _put(levels, self._levels)
        if noise is not None:
            self._noise[:, :num_games] = noise
        samples = self._graph()
        return Rollouts(
            _first(samples, num_games), self._boards.map(lambda word: word[:num_games].clone())
        )


def _no_levels(num_levels: int, device: torch.device) -> Bitboards:
    words = torch.zeros(4, num_levels, dtype=torch.int64, device=device)
    return Bitboards(*words.unbind(0))


def _put(levels: Bitboards, places: Bitboards) -> None:
    """Copies the levels to the first places; in those left over the levels before play again."""
    num_levels, num_places = len(levels.boxes), len(places.boxes)
    if not 1 <= num_levels <= num_places:
        raise ValueError(f"{num_levels} levels; expected 1 to {num_places}")
    _copy(levels, places.at(slice(num_levels)))


def _copy(boards: Bitboards, places: Bitboards) -> None:
    for word, place in zip(boards, places, strict=True):
        place.copy_(word)


def _first(result: Samples, num_rows: int) -> Samples:
    """A copy of the result's first rows."""
    kept = {field.name: getattr(result, field.name)[:num_rows].clone() for field in fields(result)}
    return replace(result, **kept)
