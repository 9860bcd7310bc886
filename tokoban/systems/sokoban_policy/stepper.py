"""The player on the device: KV cache, games and answers side by side; nothing crosses to the host.

Axes: a row R is one game (search * K + beam in a beam search), A the five actions, T positions.
"""

import torch
from jaxtyping import Bool, Float, Int, Int64
from torch import Tensor

from tokoban.sokoban import bitboards
from tokoban.sokoban.bitboards import Bitboards
from tokoban.systems.sokoban_policy.episodes import FIRST_BOARD, Game
from tokoban.systems.sokoban_policy.model import SokobanPolicy


class PolicyStepper:
    """Plays one game per row as the policy's answers and the decoding say (a ``MergingStepper``).

    Moves that change nothing are forbidden, and so is undo unless ``allow_undo``; what remains is
    normalised. After ``max_moves`` actions the policy has no room for another board and is not
    asked again.
    """

    def __init__(self, model: SokobanPolicy, levels: Bitboards, *, allow_undo: bool) -> None:
        """``levels`` are starts [R] on the model's device; they must not be solved already."""
        self.model, self.allow_undo = model, allow_undo
        self.device = levels.boxes.device
        self.game = Game(levels, model.max_positions)
        self.cache = model.new_cache(len(levels.boxes))
        with torch.inference_mode():
            self._answers = model(self.game.all_boards(), cache=self.cache)

    @property
    def max_moves(self) -> int:
        """How many actions fit: every position but the goal's and the start's."""
        return self.model.max_positions - FIRST_BOARD - 1

    def log_probs(self) -> Float[Tensor, "R A"]:
        """The policy's next actions; a walled-in player has none, and all of them are -inf."""
        logits = self._answers.action_logits[:, -1].float()
        allowed = torch.cat(
            [
                bitboards.is_legal(self.game.current()),
                torch.full_like(logits[:, :1], self.allow_undo, dtype=torch.bool),
            ],
            dim=1,
        )
        logits = logits.masked_fill(~allowed, -torch.inf)
        return logits - logits.logsumexp(1, keepdim=True).nan_to_num(neginf=0.0)

    def successor_keys(self) -> Int64[Tensor, "R A"]:
        """Keys of the boards after each action."""
        after = bitboards.successors(self.game.current())
        undone = self.game.undone()
        words = (
            torch.cat([word, back.unsqueeze(1)], dim=1)
            for word, back in zip(after, undone, strict=True)
        )
        return bitboards.keys(Bitboards(*words))

    @torch.inference_mode()
    def advance(self, parents: Int[Tensor, "R"], actions: Int[Tensor, "R"]) -> Bool[Tensor, "R"]:
        """Plays, and asks the policy about the new boards; a game is finished when it is solved."""
        self.game.reorder(parents)
        self.cache.reorder(parents)
        self.game.advance(actions)
        boards = self.game.current()
        if self.game.position + 1 < self.model.max_positions:
            newest = boards.map(lambda word: word.unsqueeze(1))
            self._answers = self.model(newest, cache=self.cache)
        return bitboards.is_solved(boards)
