"""Level -> plan, by the policy's rollouts or beam search; a plan counts once the plain rules agree.

Axes: B levels, K beams, T actions.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import torch
from jaxtyping import Bool, Int64
from torch import Tensor

from tokoban.decoding.beam import beam_search
from tokoban.decoding.sampling import sample
from tokoban.sokoban import bitboards, rules
from tokoban.sokoban.bitboards import Bitboards
from tokoban.sokoban.board import UNDO, Board, Direction
from tokoban.systems.sokoban_policy.config import MAX_BEAM_WIDTH
from tokoban.systems.sokoban_policy.episodes import (
    BIN_NAMES,
    NUM_BINS,
    UNSOLVABLE_BIN,
    goal_boards,
)
from tokoban.systems.sokoban_policy.model import SokobanPolicy
from tokoban.systems.sokoban_policy.stepper import PolicyStepper

# Rows stepped at a time: enough to fill the device, few enough for its memory.
MAX_ROWS = 8192

# What a bin stands for in one number: the middle, on the scale of its logarithm.
_BIN_MOVES = torch.arange(NUM_BINS - 1).exp() - 1

Plan = tuple[Direction, ...]


@dataclass(frozen=True)
class Judgement:
    """What the policy thinks of a level before its first move."""

    predicted_steps_left: float  # moves, if it can be solved at all: a mean over the bins
    predicted_unsolvable: float  # a probability
    likeliest_bin: str  # of the moves left, such as "4 to 11"


def fit(board: Board) -> Board:
    """The board as the policy was trained on: what the player can never reach is wall.

    Raises ``ValueError`` saying why a level does not fit: more than one box, or too large.
    """
    inside = board.inside()
    boxes, goals = board.boxes & inside, board.goals & inside
    if len(boxes) != 1 or len(goals) != 1:
        raise ValueError(f"{len(boxes)} boxes and {len(goals)} goals; the policy knows 1 of each")
    walls = frozenset(board.squares()) - inside
    fitted = replace(board, walls=walls, goals=goals, boxes=boxes)
    bitboards.pack([fitted], margin=1)
    return fitted


def pack(boards: Sequence[Board], device: torch.device) -> Bitboards:
    """Fitted boards as words, with one ring of walls around."""
    return bitboards.pack(boards, device=device, margin=1)


def judge(model: SokobanPolicy, levels: Bitboards) -> list[Judgement]:
    """The policy's first impression of each level [B]; of a solved one it is not asked."""
    with torch.inference_mode():
        both = (torch.stack(words, 1) for words in zip(goal_boards(levels), levels, strict=True))
        logits = model(Bitboards(*both)).steps_left_logits[:, 1].float()
    unsolvable = logits.softmax(-1)[:, UNSOLVABLE_BIN].tolist()
    of_bins = logits[:, :UNSOLVABLE_BIN].softmax(-1)
    moves = (of_bins @ _BIN_MOVES.to(logits.device)).tolist()
    names = [BIN_NAMES[likeliest] for likeliest in of_bins.argmax(-1).tolist()]
    is_solved = bitboards.is_solved(levels).tolist()
    return [
        Judgement(0.0, 0.0, BIN_NAMES[0]) if solved else Judgement(*thought)
        for solved, *thought in zip(is_solved, moves, unsolvable, names, strict=True)
    ]


def by_beam(
    model: SokobanPolicy, levels: Bitboards, *, width: int, max_moves: int
) -> list[Plan | None]:
    """A plan for each level [B] by beam search, ``None`` where no beam solved it in time.

    The score is the summed log-likelihood of the moves; equal boards of a search are merged; a
    search ends with its first solved beam.
    """
    check_width(width)

    def search(starts: Bitboards) -> Int64[Tensor, "B T"]:
        rows = starts.map(lambda word: word.repeat_interleave(width))
        stepper = PolicyStepper(model, rows, allow_undo=False)
        beams = beam_search(
            stepper,
            num_searches=len(starts.boxes),
            width=width,
            max_steps=_room(stepper, max_moves),
            stop_at_first=True,
            stop_check_every=_check_every(stepper.device),
        )
        return beams.actions[:, 0].where(beams.is_finished[:, :1], -1)

    return _plans(levels, search, batch_size=max(1, MAX_ROWS // width))


def check_width(width: int) -> None:
    """Raises ``ValueError`` for a beam that no search can have."""
    if not 1 <= width <= MAX_BEAM_WIDTH:
        raise ValueError(f"a beam of width {width}; expected 1 to {MAX_BEAM_WIDTH}")


def by_rollout(
    model: SokobanPolicy,
    levels: Bitboards,
    *,
    max_moves: int,
    noise: Callable[[int, int], Tensor] | None = None,
) -> list[Plan | None]:
    """A plan for each level [B] by playing on, ``None`` where that did not solve it in time.

    Greedy, or with ``noise(max_steps, num_rows)`` drawn in advance. Undo is among the actions; what
    was undone counts as a move of the rollout, and is left out of the plan.
    """

    def play(starts: Bitboards) -> Int64[Tensor, "B T"]:
        stepper = PolicyStepper(model, starts, allow_undo=True)
        steps, num_rows = _room(stepper, max_moves), len(starts.boxes)
        samples = sample(
            stepper,
            num_rows=num_rows,
            max_steps=steps,
            noise=None if noise is None else noise(steps, num_rows),
            stop_check_every=_check_every(stepper.device),
        )
        return samples.actions.where(samples.is_finished.unsqueeze(1), -1)

    return _plans(levels, play, batch_size=MAX_ROWS)


def _plans(
    levels: Bitboards, play: Callable[[Bitboards], Tensor], *, batch_size: int
) -> list[Plan | None]:
    """Plays batches of the levels that are not solved yet, and checks what comes out."""
    plans: list[Plan | None] = []
    for start in range(0, len(levels.boxes), batch_size):
        batch = levels.at(slice(start, start + batch_size))
        is_solved: Bool[Tensor, B] = bitboards.is_solved(batch)
        actions = torch.full((len(is_solved), 1), -1, device=is_solved.device)
        if not bool(is_solved.all()):
            played = play(batch.at(~is_solved))
            actions = actions.repeat(1, played.shape[1])
            actions[~is_solved] = played
        plans += _checked(batch, actions.tolist(), is_solved.tolist())
    return plans


def _checked(
    levels: Bitboards, actions: list[list[int]], is_solved: list[bool]
) -> Iterator[Plan | None]:
    """Each row's plan without what was undone, replayed by the reference rules."""
    for row, (row_actions, solved_already) in enumerate(zip(actions, is_solved, strict=True)):
        taken = [action for action in row_actions if action >= 0]
        if not taken and not solved_already:
            yield None
            continue
        board = bitboards.to_board(levels, (row,))
        plan = without_undone(board, taken)
        if not rules.play(board, plan)[-1].is_solved:
            raise RuntimeError(f"the plan {plan} of row {row} does not solve its level")
        yield plan


def without_undone(board: Board, actions: Sequence[int]) -> Plan:
    """The moves that remain in force: bumps and moves that were taken back are left out."""
    plan: list[Direction] = []
    boards = rules.play(board, actions)
    for action, before, after in zip(actions, boards, boards[1:], strict=False):
        if action == UNDO:
            plan = plan[:-1]
        elif after != before:
            plan.append(Direction(action))
    return tuple(plan)


def _room(stepper: PolicyStepper, max_moves: int) -> int:
    if not max_moves >= 1:
        raise ValueError(f"the most moves are {max_moves}; expected at least 1")
    return min(max_moves, stepper.max_moves)


def _check_every(device: torch.device) -> int:
    """Asking a GPU whether all is over makes it wait; asking the CPU costs nothing."""
    return 8 if device.type == "cuda" else 1
