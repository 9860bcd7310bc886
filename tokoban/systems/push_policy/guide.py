"""The network as a ``Guide``: positions of any level as tokens, and its answers by squares.

Axes: P positions, F floor squares of the level (also T, its tokens).
"""

import numpy as np
import torch
from jaxtyping import Bool, Int32
from torch import Tensor

from tokoban.compiling.host import has_instructions
from tokoban.sokoban.search.ground import UNREACHABLE, Ground, Squares
from tokoban.sokoban.search.guide import Guidance
from tokoban.systems.push_policy.batches import Boards, collated, inverse, seen
from tokoban.systems.push_policy.positions import CAN_PUSH, DEADLOCK_CLASS, DIRECTIONS, Result
from tokoban.systems.push_policy.tiles import PushModel
from tokoban.systems.push_policy.tokens import Tokens

_LEAST_FOR_BF16 = 1000  # pushes of all squares of a batch


class NetworkGuide:
    """A trained network as the guide of one level."""

    def __init__(
        self, model: PushModel, squares: Squares, ground: Ground, *, num_views: int = 1
    ) -> None:
        """Its judgements are means over so many of the board's eight symmetries.

        ``ValueError`` for a level that is too large.
        """
        self.model, self.tokens = model, Tokens(squares, ground)
        self.num_views = num_views

    def evaluate(self, boxes: Bool[np.ndarray, "P F"], zone: Bool[np.ndarray, "P F"]) -> Guidance:
        """The network's judgement of positions, all in one batch."""
        features, bounds = self.tokens.features(boxes, zone)
        boards = collated([self.tokens], [features])
        return judged(self.model, boards, bounds, num_views=self.num_views)


def judged(
    model: PushModel, boards: Boards, bounds: Int32[np.ndarray, " P"], *, num_views: int = 1
) -> Guidance:
    """The network's judgements of positions with these lower bounds.

    With several views, up to 8, the means of the probabilities over as many symmetries. Since only
    large batches use bf16, judgements of a position alone and among others may differ a little.
    """
    device = next(model.parameters()).device
    boards = Boards(*(tensor.to(device) for tensor in boards))
    is_legal = boards.features[:, :, CAN_PUSH : CAN_PUSH + 4] != 0
    # Converting a few numbers costs more than half precision saves.
    uses_bf16 = _has_bf16(device) and is_legal.numel() > _LEAST_FOR_BF16
    with torch.inference_mode(), torch.autocast(device.type, torch.bfloat16, enabled=uses_bf16):
        views = [_judged_once(model, boards, is_legal, view) for view in range(num_views)]
    policy, push_deadlocks, values = (
        torch.stack(parts).mean(0) for parts in zip(*views, strict=True)
    )
    deadlocked = values[:, DEADLOCK_CLASS]
    excess = values[:, :DEADLOCK_CLASS] @ torch.arange(DEADLOCK_CLASS, device=device).float()
    excess = 2 * excess / (1 - deadlocked).clamp(min=1e-6)
    return Guidance(
        log_policy=policy.log().cpu().numpy(),
        pushes_left=np.minimum(bounds, UNREACHABLE).astype(np.float32) + excess.cpu().numpy(),
        deadlocked=np.where(bounds >= UNREACHABLE, np.float32(1), deadlocked.cpu().numpy()),
        push_deadlocks=push_deadlocks.cpu().numpy(),
    )


def _judged_once(
    model: PushModel, boards: Boards, is_legal: Bool[Tensor, "P T 4"], view: int
) -> tuple[Tensor, Tensor, Tensor]:
    """Probabilities: of each push, that it deadlocks, and of the classes of the pushes left."""
    directions = DIRECTIONS[view].tolist()
    output = model(seen(boards, view))
    policy = output.log_policy(is_legal[:, :, inverse(directions)]).exp()[:, :, directions]
    push_deadlocks = output.result.softmax(-1)[:, :, directions, Result.DEADLOCK]
    return policy.masked_fill(~is_legal, 0.0), push_deadlocks, output.value.softmax(-1)


def _has_bf16(device: torch.device) -> bool:
    """Whether there are instructions for half precision."""
    return device.type == "cuda" or has_instructions("avx512bf16")
