"""The player on the device: games and the engine's rows side by side.

The article "Rollouts on the GPU": moves are chosen and made where the network runs.
Axes: a row R is one game (search * K + beam in a beam search), A the five actions, T positions.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int, Int64
from torch import Tensor

from tokoban.inference.engine import Engine
from tokoban.sokoban.simulation import bitboards
from tokoban.sokoban.simulation.bitboards import Bitboards
from tokoban.systems.sokoban_policy.engine import engine_of
from tokoban.systems.sokoban_policy.episodes import FIRST_BOARD, Game
from tokoban.systems.sokoban_policy.model import PolicyOutput, SokobanPolicy


class StepOutput(NamedTuple):
    """The policy's output for each row's board, among the allowed actions."""

    log_probs: Float[Tensor, "R A"]
    is_solved: Bool[Tensor, "R"]


class PolicyStepper:
    """Plays one game per row as the policy's answers and the decoding say.

    A ``MergingStepper``. Moves that change nothing are forbidden, and so is undo unless
    ``allow_undo``; what remains is normalised. After the model's ``max_moves`` actions it has no
    room for another board.
    """

    def __init__(
        self,
        model: SokobanPolicy,
        levels: Bitboards,
        *,
        width: int = 1,
        allow_undo: bool,
        compiled: bool = False,
        engine: Engine | None = None,
    ) -> None:
        """``levels`` are starts on the model's device, not solved yet; each has ``width`` rows.

        ``compiled`` makes one compiled function of a step: half a minute for the first two sizes of
        a batch, then none.
        ``engine`` is one of this model; by default it is made here.
        """
        self.model, self.allow_undo = model, allow_undo
        engine = engine or engine_of(model, fixed_shapes=compiled)
        self.device = levels.boxes.device
        self.game = Game(
            levels.map(lambda word: word.repeat_interleave(width)), model.max_positions
        )
        self.num_moves = 0
        self._step = _compiled_step() if compiled else _step
        with torch.no_grad(), _exactly():
            starts = self.game.all_boards(FIRST_BOARD + 1).at(slice(None, None, width))
            self._rows = engine.read(model.encode(starts), width=width)
            output = model.heads(self._rows.output)
            self._output = _allowed(output, self.game.current(), allow_undo=allow_undo)

    def log_probs(self) -> Float[Tensor, "R A"]:
        """Log-probabilities of the next actions; all -inf for a walled-in player."""
        return self._output.log_probs

    def keys(self) -> Int64[Tensor, "R"]:
        """Keys of the boards now."""
        return bitboards.keys(self.game.current())

    def successor_keys(self) -> Int64[Tensor, "R A"]:
        """Keys of the boards after each action."""
        after = bitboards.successors(self.game.current())
        undone = self.game.undone()
        words = (
            torch.cat([word, back.unsqueeze(1)], dim=1)
            for word, back in zip(after, undone, strict=True)
        )
        return bitboards.keys(Bitboards(*words))

    @torch.no_grad()
    def advance(
        self, parents: Int[Tensor, "R"] | None, actions: Int[Tensor, "R"]
    ) -> Bool[Tensor, "R"]:
        """Plays, and asks the policy about the new boards; a game is finished when it is solved."""
        if parents is not None:
            self.game.reorder(parents)
        self.num_moves += 1
        if self.num_moves == self.model.max_moves:
            self.game.advance(actions)  # no move follows, so nobody reads the policy's output
            return bitboards.is_solved(self.game.current())
        with _exactly():
            self._output = self._step(
                self.model,
                self.game,
                self._rows.step(parents),
                actions,
                allow_undo=self.allow_undo,
            )
        return self._output.is_solved


def _step(
    model: SokobanPolicy,
    game: Game,
    advance: Callable[[Tensor], Tensor],
    actions: Int[Tensor, "R"],
    *,
    allow_undo: bool,
) -> StepOutput:
    """One action of every game, and the policy's output after it: what is compiled as one."""
    game.advance(actions)
    boards = game.current()
    newest = boards.map(lambda word: word.unsqueeze(1))
    output = model.heads(advance(model.encode(newest)[:, 0]))
    return _allowed(output, boards, allow_undo=allow_undo)


@cache
def _compiled_step() -> Callable[..., StepOutput]:
    return torch.compile(_step, fullgraph=True)


def _allowed(output: PolicyOutput, boards: Bitboards, *, allow_undo: bool) -> StepOutput:
    """Without the actions that are not allowed."""
    logits = output.action_logits.float()
    may_undo = torch.full_like(logits[:, :1], allow_undo, dtype=torch.bool)
    is_allowed = torch.cat([bitboards.is_legal(boards), may_undo], dim=1)
    logits = logits.masked_fill(~is_allowed, -torch.inf)
    return StepOutput(
        logits - logits.logsumexp(1, keepdim=True).nan_to_num(neginf=0.0),
        bitboards.is_solved(boards),
    )


@contextmanager
def _exactly() -> Iterator[None]:
    """Within, there is no TF32, by which a GPU's convolutions round their inputs by default.

    Outside of what is compiled, since the switch is the whole process's.
    """
    switch = torch.backends.cudnn
    before = switch.allow_tf32
    switch.allow_tf32 = False
    try:
        yield
    finally:
        switch.allow_tf32 = before
