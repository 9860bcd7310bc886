"""Instructions as a ``System``: network, examples and loss, wired together."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from tokoban.sokoban.canonical import canonical_form
from tokoban.sokoban.instructions import benchmark
from tokoban.systems.instructions.config import InstructionsConfig
from tokoban.systems.instructions.dataset import NO_PUSH, Batch, drawing
from tokoban.systems.instructions.model import InstructionNet, Output
from tokoban.systems.instructions.prompts import NUM_MARKS
from tokoban.systems.instructions.words import PADDING, Words, grammar_words
from tokoban.text.saved import tokenizer_of
from tokoban.training import processes
from tokoban.training.ahead import drawn_batches
from tokoban.training.system import Loss, Unvalidated

_LEAST_NATS = -16.0  # of a right answer, below which the loss no longer grows
_MARKS_WEIGHT = 3.0  # names are learned first: nothing else can be read without them


def loss_of(output: Output, batch: Batch) -> Loss:
    """-log of the probability of a right answer: the mean over pushes plus that over words.

    Added are the cross-entropies of what becomes of a legal push, the mean over these, and of what
    the names mean, a weighted sum over names and the mean over squares.
    """
    num_pushes, num_words, num_legal, num_squares = counts_of(batch).clamp(min=1)
    is_best = batch.is_best
    is_push = is_best.flatten(1).any(1)
    of_best = output.push.masked_fill(~is_best, -torch.inf).flatten(1)
    right = of_best.masked_fill(~is_push[:, None], 0.0).logsumexp(1)
    push = -(right.clamp(min=_LEAST_NATS) * is_push).sum() / num_pushes
    # Words: the first competes with pushes, the others do not.
    is_word = batch.answers != PADDING
    nats = torch.cat([output.first[:, None], output.rest], 1)
    of_words = nats.gather(2, batch.answers[:, :, None]).squeeze(2)
    words = -(of_words.clamp(min=_LEAST_NATS) * is_word).sum() / num_words
    labels = batch.outlook.flatten().long()
    outlook = (
        functional.cross_entropy(
            output.outlook.flatten(0, 2), labels, ignore_index=NO_PUSH, reduction="sum"
        )
        / num_legal
    )
    is_marked = batch.marks[:, :, None] >> torch.arange(NUM_MARKS, device=labels.device) & 1
    of_marks = functional.binary_cross_entropy_with_logits(
        output.marks, is_marked.float(), reduction="none"
    )
    is_square = batch.prompt.boards.is_square
    marks = _MARKS_WEIGHT * (of_marks.sum(2) * is_square).sum() / num_squares
    parts = torch.stack([push, words, outlook, marks])
    with torch.no_grad():
        best = output.push.flatten(1).argmax(1, keepdim=True)
        is_hit = is_best.flatten(1).gather(1, best).squeeze(1) & is_push
        is_said = (nats.argmax(2) == batch.answers) | ~is_word
        is_answer = is_word.any(1)
        metrics = {
            "push": push.detach(),
            "top1": is_hit.sum() / num_pushes,
            "words": words.detach(),
            "outlook": outlook.detach(),
            "marks": marks.detach(),
            "answered": (is_said.all(1) & is_answer).sum() / is_answer.sum().clamp(min=1),
        }
    return Loss(parts.sum(), metrics, parts)


def counts_of(batch: Batch) -> Float[Tensor, "4"]:
    """The number of pushes to choose, of words to say, of legal pushes and of squares."""
    is_push, is_word = batch.is_best.flatten(1).any(1), batch.answers != PADDING
    is_legal, is_square = batch.outlook != NO_PUSH, batch.prompt.boards.is_square
    return torch.stack([x.sum() for x in (is_push, is_word, is_legal, is_square)]).float()


@dataclass(frozen=True)
class InstructionsSystem(Unvalidated):
    """Trains one network; each level is used once."""

    config: InstructionsConfig
    held_out: frozenset[str]  # canonical forms of levels
    words: Words

    def initial_model(self) -> InstructionNet:
        """A freshly initialised network on the CPU."""
        needed, known = self.words.vocabulary_size, self.config.vocabulary_size
        if needed > known:
            raise ValueError(f"vocabulary_size is {known}; expected at least {needed}")
        return InstructionNet(self.config, self.words)

    def train_batches(self, model: InstructionNet, *, start_step: int) -> Iterator[Batch]:
        """Batches for this process."""
        draw = partial(drawing, self.held_out, self.words, self.config, processes.rank())
        return drawn_batches(draw, start_step, workers=self.config.workers)

    def loss(self, model: nn.Module, batch: Batch) -> Loss:
        """``loss_of`` the network's answers."""
        return loss_of(model(batch.prompt, batch.answers), batch)

    def weights(self, batch: Batch) -> Tensor:
        """``counts_of`` the batch."""
        return counts_of(batch)


def make_system(
    config: InstructionsConfig, start: InstructionNet | None = None
) -> InstructionsSystem:
    """The system of ``config``."""
    words = grammar_words() if start is None else tokenizer_of(start)
    levels = benchmark.held_out(config.levels, seed=config.level_seed)
    return InstructionsSystem(config, frozenset(map(canonical_form, levels)), words)


def grow(config: InstructionsConfig, start: InstructionNet) -> InstructionNet:
    """The network with the grammar's words added to its vocabulary, as far as there is room."""
    room = config.vocabulary_size
    start.tokenizer = tokenizer_of(start).extended(grammar_words().words, most=room)
    return start
