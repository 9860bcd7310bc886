"""Level -> solution by rollouts or beam search, confirmed by the plain rules.

Axes: B levels, K beams, T actions.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

import torch
from jaxtyping import Bool, Int64
from torch import Tensor

from tokoban.decoding.beam import beam_search
from tokoban.decoding.sampling import sample
from tokoban.decoding.visited import table_bytes
from tokoban.sokoban import rules
from tokoban.sokoban.board import UNDO, Board, Direction
from tokoban.sokoban.simulation import bitboards
from tokoban.sokoban.simulation.bitboards import Bitboards
from tokoban.systems.sokoban_policy.config import BEAM_WIDTH, MAX_BEAM_WIDTH
from tokoban.systems.sokoban_policy.cuda_graphs import CapturedRollouts
from tokoban.systems.sokoban_policy.engine import engine_of
from tokoban.systems.sokoban_policy.episodes import (
    BIN_NAMES,
    FIRST_BOARD,
    UNSOLVABLE_BIN,
    expected_moves_left,
    goal_boards,
    unsolvable_probability,
)
from tokoban.systems.sokoban_policy.fitting import MARGIN
from tokoban.systems.sokoban_policy.memory import DEFAULT_LIMIT_BYTES, levels_at_a_time
from tokoban.systems.sokoban_policy.model import SokobanPolicy
from tokoban.systems.sokoban_policy.stepper import PolicyStepper
from tokoban.training.config import check_limits
from tokoban.training.limits import Between

# Rows stepped at a time: enough to fill the device; where memory is short it is fewer.
MAX_ROWS = 8192

_BATCHES_WORTH_CAPTURING = 8

Moves = tuple[Direction, ...]


@dataclass(frozen=True, kw_only=True)
class Play:
    """Options of play; a rollout ignores the width of the beam."""

    width: Annotated[int, Between(1, MAX_BEAM_WIDTH)] = BEAM_WIDTH  # of the beam
    memory_limit: int = DEFAULT_LIMIT_BYTES  # of what play itself needs, beside the weights

    def __post_init__(self) -> None:
        check_limits(self)


@dataclass(frozen=True)
class Prediction:
    """The policy's prediction for a level before its first move."""

    predicted_steps_left: float  # moves, if it can be solved at all: a mean over the bins
    predicted_unsolvable: float  # a probability
    likeliest_bin: str  # of the moves left, such as "4 to 11"

    def __str__(self) -> str:
        """The prediction in words."""
        unsolvable = self.predicted_unsolvable
        if unsolvable > 0.5:
            return f"policy: unsolvable, {unsolvable:.0%} sure"
        return f"policy: solvable, {1 - unsolvable:.0%} sure, {self.likeliest_bin} moves left"


def pack(boards: Sequence[Board], device: torch.device) -> Bitboards:
    """Fitted boards as words."""
    return bitboards.pack(boards, device=device, margin=MARGIN)


def predict(
    model: SokobanPolicy, levels: Bitboards, *, memory_limit: int = DEFAULT_LIMIT_BYTES
) -> list[Prediction]:
    """The policy's prediction of each level [B]; that of a solved one is certain."""
    predictions: list[Prediction] = []
    fitting = levels_at_a_time(model, rows_a_level=1, limit_bytes=memory_limit)
    batch_size = min(MAX_ROWS, fitting)
    for first in range(0, len(levels.boxes), batch_size):
        predictions += _predict_batch(model, levels.at(slice(first, first + batch_size)))
    return predictions


def _predict_batch(model: SokobanPolicy, levels: Bitboards) -> Iterator[Prediction]:
    with torch.inference_mode():
        both = (torch.stack(words, 1) for words in zip(goal_boards(levels), levels, strict=True))
        logits = model(Bitboards(*both)).steps_left_logits[:, FIRST_BOARD].float()
    unsolvable = unsolvable_probability(logits).tolist()
    moves = expected_moves_left(logits).tolist()
    names = [BIN_NAMES[bin] for bin in logits[:, :UNSOLVABLE_BIN].argmax(-1).tolist()]
    is_solved = bitboards.is_solved(levels).tolist()
    for solved, *predicted in zip(is_solved, moves, unsolvable, names, strict=True):
        yield Prediction(0.0, 0.0, BIN_NAMES[0]) if solved else Prediction(*predicted)


def by_beam(model: SokobanPolicy, levels: Bitboards, play: Play) -> list[Moves | None]:
    """A solution for each level [B] by beam search, ``None`` where no beam solved it in time.

    The beams of the likeliest moves live on. Equal boards of a search are merged, none is come to
    again, and a search ends with its first solved beam. Raises ``ValueError`` where the memory is
    too little for one level.
    """
    engine = engine_of(model)

    def search(starts: Bitboards) -> Int64[Tensor, "B T"]:
        stepper = PolicyStepper(
            model,
            starts,
            width=play.width,
            engine=engine,
            allow_undo=False,
        )
        beams = beam_search(
            stepper,
            num_searches=len(starts.boxes),
            width=play.width,
            max_steps=model.max_moves,
            merge_equal=True,
            stop_at_first=True,
            stop_check_every=_check_every(stepper.device),
        )
        return beams.actions[:, 0].where(beams.is_finished[:, :1], -1)

    fitting = levels_at_a_time(
        model,
        rows_a_level=play.width,
        limit_bytes=play.memory_limit,
        table_bytes=table_bytes(play.width * model.max_moves + 1),
    )
    return _found(levels, search, batch_size=min(max(1, MAX_ROWS // play.width), fitting))


def by_rollout(model: SokobanPolicy, levels: Bitboards, play: Play) -> list[Moves | None]:
    """A solution for each level [B] by playing on, ``None`` where that did not solve it in time.

    Greedy. Undo is among the actions; what was undone counts as a move of the rollout, and is left
    out of the solution.
    """
    device = levels.boxes.device
    # A captured play has memory of its own, beside what its rehearsals took.
    copies = 2 if device.type == "cuda" else 1
    fitting = levels_at_a_time(model, rows_a_level=copies, limit_bytes=play.memory_limit)
    batch_size = min(MAX_ROWS, fitting)
    engine, captured = engine_of(model), None
    if _pays_to_capture(device, num_batches=math.ceil(len(levels.boxes) / batch_size)):
        captured = CapturedRollouts(
            model,
            num_rows=batch_size,
            max_moves=model.max_moves,
            allow_undo=True,
            is_greedy=True,
        )

    def played(starts: Bitboards) -> Int64[Tensor, "B T"]:
        if captured is not None:
            samples = captured(starts).samples
        else:
            samples = sample(
                PolicyStepper(model, starts, engine=engine, allow_undo=True),
                num_rows=len(starts.boxes),
                max_steps=model.max_moves,
                stop_check_every=_check_every(device),
            )
        return samples.actions.where(samples.is_finished.unsqueeze(1), -1)

    return _found(levels, played, batch_size=batch_size)


def _pays_to_capture(device: torch.device, *, num_batches: int) -> bool:
    """A graph costs some four plays before it saves the host's part of each."""
    return device.type == "cuda" and num_batches >= _BATCHES_WORTH_CAPTURING


def _found(
    levels: Bitboards, play: Callable[[Bitboards], Tensor], *, batch_size: int
) -> list[Moves | None]:
    """Plays batches of the levels that are not solved yet, and checks what comes out."""
    found: list[Moves | None] = []
    for start in range(0, len(levels.boxes), batch_size):
        batch = levels.at(slice(start, start + batch_size))
        is_solved: Bool[Tensor, B] = bitboards.is_solved(batch)
        actions = torch.full((len(is_solved), 1), -1, device=is_solved.device)
        unsolved = (~is_solved).nonzero()[:, 0]
        if len(unsolved):
            played = play(batch.at(unsolved))
            actions = actions.repeat(1, played.shape[1])
            actions[unsolved] = played
        found += _checked(batch, actions.tolist(), is_solved.tolist())
    return found


def _checked(
    levels: Bitboards, actions: list[list[int]], is_solved: list[bool]
) -> Iterator[Moves | None]:
    """Each row's solution without what was undone, replayed by the reference rules."""
    boards = bitboards.to_boards(levels)  # all at once: each read of a device makes the host wait
    for row, (board, row_actions, solved_already) in enumerate(
        zip(boards, actions, is_solved, strict=True)
    ):
        taken = [action for action in row_actions if action >= 0]
        if not taken and not solved_already:
            yield None
            continue
        solution = without_undone(board, taken)
        if not rules.play(board, solution)[-1].is_solved:
            raise RuntimeError(f"the solution {solution} of row {row} does not solve its level")
        yield solution


def without_undone(board: Board, actions: Sequence[int]) -> Moves:
    """The moves that remain in force: bumps and moves that were taken back are left out."""
    solution: list[Direction] = []
    boards = rules.play(board, actions)
    for action, before, after in zip(actions, boards, boards[1:], strict=False):
        if action == UNDO:
            solution = solution[:-1]
        elif after != before:
            solution.append(Direction(action))
    return tuple(solution)


def _check_every(device: torch.device) -> int:
    """Asking a GPU whether all is over makes it wait; asking the CPU costs nothing."""
    return 8 if device.type == "cuda" else 1
