"""Subgoals as a ``System``: network, examples and loss, wired together."""

import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor, nn
from torch.nn import functional

from tokoban.sokoban.board import Board
from tokoban.sokoban.canonical import canonical_form
from tokoban.sokoban.formats.levels import read_levels
from tokoban.sokoban.instructions import benchmark
from tokoban.sokoban.instructions.machine import Cells, TooLargeError
from tokoban.sokoban.sizes import SIDE
from tokoban.systems.subgoals.config import SubgoalsConfig
from tokoban.systems.subgoals.dataset import NUM_BOXES, Batch, Source, drawing
from tokoban.systems.subgoals.model import Output, SubgoalNet, is_candidate
from tokoban.training import processes
from tokoban.training.ahead import drawn_batches
from tokoban.training.system import Loss, Unvalidated

_SAFE_WEIGHT = 4.0  # most pairs of a box and a square are refused easily


def grow(config: SubgoalsConfig, lower: nn.Module) -> SubgoalNet:
    """A network that reads boards as a push policy does; ``ValueError`` if that has other sizes."""
    model = SubgoalNet(config)
    own = model.state_dict()
    shared = {name: tensor for name, tensor in lower.state_dict().items() if name in own}
    try:
        model.load_state_dict(own | shared)
    except RuntimeError:
        raise ValueError("the push policy to start from has other sizes") from None
    return model


def loss_of(output: Output, batch: Batch) -> Loss:
    """-log of the probability of the best subgoals; of stopping, where there are none.

    The weighted cross-entropy of whether a subgoal is safe is added. Of each position it is the
    mean over all pairs of a box and a square without a box.
    """
    of_best = output.subgoal.masked_fill(~batch.is_best, -torch.inf).flatten(1)
    is_lost = ~batch.is_best.flatten(1).any(1)
    right = of_best.masked_fill(is_lost[:, None], 0.0).logsumexp(1)
    nats = torch.where(is_lost, output.stop, right)
    is_pair = is_candidate(batch.boards)
    of_pairs = functional.binary_cross_entropy_with_logits(
        output.safe, batch.is_safe.float(), reduction="none"
    )
    safe = ((of_pairs * is_pair).sum((1, 2)) / is_pair.sum((1, 2)).clamp(min=1)).mean()
    with torch.no_grad():
        chosen, place = output.subgoal.flatten(1).max(1)
        is_best = batch.is_best.flatten(1).gather(1, place[:, None]).squeeze(1)
        num_best = (~is_lost).sum().clamp(min=1)
        metrics = {
            "top1": (is_best & ~is_lost).sum() / num_best,
            "lost_told": ((output.stop > chosen) == is_lost).float().mean(),
            "safe": safe.detach(),
        }
    return Loss(_SAFE_WEIGHT * safe - nats.mean(), metrics)


@dataclass(frozen=True)
class SubgoalsSystem(Unvalidated):
    """Trains one network."""

    config: SubgoalsConfig
    source: Source

    def initial_model(self) -> SubgoalNet:
        """A freshly initialised network on the CPU."""
        return SubgoalNet(self.config)

    def train_batches(self, model: SubgoalNet, *, start_step: int) -> Iterator[Batch]:
        """Batches for this process."""
        draw = partial(drawing, self.source, self.config, processes.rank())
        return drawn_batches(draw, start_step, workers=self.config.workers)

    def loss(self, model: nn.Module, batch: Batch) -> Loss:
        """``loss_of`` the network's choices."""
        return loss_of(model(batch.boards), batch)

    def weights(self, batch: Batch) -> Tensor:
        """The number of positions."""
        return torch.full((1,), len(batch.is_best), device=batch.is_best.device)


def held_out(config: SubgoalsConfig) -> list[Board]:
    """The levels that training does not use."""
    return benchmark.held_out(config.levels, seed=config.level_seed, num_boxes=NUM_BOXES)


def make_system(config: SubgoalsConfig, start: SubgoalNet | None = None) -> SubgoalsSystem:
    """The system of ``config``; reads the level files."""
    known = frozenset(map(canonical_form, held_out(config)))
    boards = [board for file in config.level_files for board in _fit_boards(file, known)]
    return SubgoalsSystem(config, Source(known, boards))


def _fit_boards(file: str, known: frozenset[str]) -> list[Board]:
    """The levels of a file to learn from: unsolved, not too large, of no ``known`` form."""
    boards, read = [], read_levels(file)
    if processes.is_main_to_be():
        for problem in read.problems:
            print(problem, file=sys.stderr)
    for board in (level.board for level in read.levels):
        with suppress(TooLargeError):
            Cells.of(board, frozenset())
            is_fit = len(board.boxes) <= max(NUM_BOXES) and not board.is_solved
            if is_fit and canonical_form(board) not in known:
                boards.append(board)
    if not boards:
        raise ValueError(
            f"{file}: no level fits; expected unsolved ones of at most {max(NUM_BOXES)} boxes "
            f"whose floors lie within {SIDE}x{SIDE} squares"
        )
    return boards
