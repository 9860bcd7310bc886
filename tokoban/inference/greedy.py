"""Greedy decoding of one source by the steps of any engine; the compiled loop is held to it."""

from collections.abc import Sequence

import torch
from jaxtyping import Bool, Int64
from torch import Tensor

from tokoban.inference.engine import Engine


@torch.no_grad()
def greedy_by_steps(
    engine: Engine,
    source: Sequence[int],
    forced: Int64[Tensor, "T"],
    *,
    may_follow: Bool[Tensor, "V"],
    end: int,
) -> tuple[list[int], float]:
    """As ``Engine.greedy`` says."""
    rows = engine.read([source], max_length=len(forced))
    tokens, score_nats = list[int](), 0.0
    for position, token in enumerate(forced.tolist()):
        logits = rows.output[0]
        log_probs = logits.to(torch.promote_types(logits.dtype, torch.float32)).log_softmax(0)
        if token < 0:
            allowed = log_probs.masked_fill(~may_follow.to(log_probs.device), -torch.inf)
            if position == 0:
                allowed[end] = -torch.inf
            token = int(allowed.argmax())
        score_nats += float(log_probs[token])
        tokens.append(token)
        if token == end or len(tokens) == len(forced):
            break
        rows.advance(torch.tensor([token], device=log_probs.device), None)
    return tokens, score_nats
