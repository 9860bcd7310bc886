"""The network as a ``Guide``: positions of any level as tokens, and its answers by squares.

Axes: P positions, F floor squares of the level (also T, its tokens).
"""

from weakref import WeakKeyDictionary

import numpy as np
import torch
from jaxtyping import Bool, Int32
from torch import Tensor

from tokoban.sokoban.search.level.ground import UNREACHABLE, Ground, Squares
from tokoban.sokoban.search.searches.guided.guide import Guidance
from tokoban.systems.push_policy.batches import Boards, collated, inverse, seen
from tokoban.systems.push_policy.compiled import Judged, PackedNet, judge, pack
from tokoban.systems.push_policy.model import PushNet
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

    With several views, up to 8, the means of the probabilities over as many symmetries. Compiled
    loops execute a network on the CPU, torch all else.
    """
    device = next(model.parameters()).device
    if device.type == "cpu" and isinstance(model, PushNet):
        net = _packed(model)
        views = [_judged_compiled(net, seen(boards, view), view) for view in range(num_views)]
    else:
        boards = Boards(*(tensor.to(device) for tensor in boards))
        is_legal = boards.features[:, :, CAN_PUSH : CAN_PUSH + 4] != 0
        # Converting a few numbers costs more than half precision saves.
        uses_bf16 = device.type == "cuda" and is_legal.numel() > _LEAST_FOR_BF16
        with torch.inference_mode(), torch.autocast(device.type, torch.bfloat16, enabled=uses_bf16):
            views = [_judged_by_torch(model, boards, is_legal, view) for view in range(num_views)]
    policy, push_deadlocks, values = (np.mean(parts, axis=0) for parts in zip(*views, strict=True))
    deadlocked = values[:, DEADLOCK_CLASS]
    excess = values[:, :DEADLOCK_CLASS] @ np.arange(DEADLOCK_CLASS, dtype=np.float32)
    excess = 2 * excess / (1 - deadlocked).clip(min=1e-6)
    with np.errstate(divide="ignore"):  # the logarithm of 0, for a push that is not legal
        log_policy = np.log(policy)
    return Guidance(
        log_policy=log_policy,
        pushes_left=np.minimum(bounds, UNREACHABLE).astype(np.float32) + excess,
        deadlocked=np.where(bounds >= UNREACHABLE, np.float32(1), deadlocked),
        push_deadlocks=push_deadlocks,
    )


def _judged_by_torch(
    model: PushModel, boards: Boards, is_legal: Bool[Tensor, "P T 4"], view: int
) -> Judged:
    directions = DIRECTIONS[view].tolist()
    output = model(seen(boards, view))
    policy = output.log_policy(is_legal[:, :, inverse(directions)]).exp()[:, :, directions]
    push_deadlocks = output.result.softmax(-1)[:, :, directions, Result.DEADLOCK]
    parts = policy.masked_fill(~is_legal, 0.0), push_deadlocks, output.value.softmax(-1)
    return Judged(*(part.cpu().numpy() for part in parts))


def _judged_compiled(net: PackedNet, boards: Boards, view: int) -> Judged:
    features, neighbours, coordinates = (tensor.contiguous().numpy() for tensor in boards)
    return judge(net, features, neighbours, coordinates, DIRECTIONS[view].astype(np.int64))


def _packed(model: PushNet) -> PackedNet:
    """Its weights as the loops read them, laid out anew when training has changed them."""
    state = model.loops, *((tensor.data_ptr(), tensor._version) for tensor in model.parameters())
    known = _known.get(model)
    if known is None or known[0] != state:
        known = _known[model] = state, pack(model)
    return known[1]


_known: WeakKeyDictionary[PushNet, tuple[tuple[object, ...], PackedNet]] = WeakKeyDictionary()
