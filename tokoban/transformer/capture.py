"""Looking on: the weights of every attention of a model, without a change to the model's code.

Axes: B batch, N heads, T target positions, S source positions, E head width.
"""

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager

from jaxtyping import Bool, Float
from torch import Tensor, nn

from tokoban.transformer.attention import MultiHeadAttention, attention_weights
from tokoban.transformer.local_attention import Window

# By the module's name in the model: its weights [B, N, T, S], one tensor for each call.
CapturedWeights = dict[str, list[Tensor]]


@contextmanager
def captured_attention(
    model: nn.Module, *, only: Collection[str] | None = None
) -> Iterator[CapturedWeights]:
    """While it is open, ``model`` computes what it always does and its attention weights are kept.

    ``only`` has the names of the attentions to look at, where all would be too many numbers.
    The attention is the plain ``attend`` then, which agrees with the fused one but for rounding.
    Rows that share a row of a memory lie behind one another on the axis T. Passes that are compiled
    and those over one ``CachedStep`` are not seen.
    """
    captured: CapturedWeights = {}
    found = {
        name: module
        for name, module in model.named_modules()
        if isinstance(module, MultiHeadAttention)
    }
    if not found:
        raise ValueError(f"{type(model).__name__} has no attention that could be captured")
    if only is not None:
        for name in only:
            if name not in found:
                raise ValueError(f"no attention is called {name!r}; there are {', '.join(found)}")
        found = {name: module for name, module in found.items() if name in only}
    for name, module in found.items():
        captured[name] = []
        # On the instance, where it hides the method of the class until it is deleted.
        module.mix = _remembering(captured[name])  # type: ignore[method-assign]
    try:
        yield captured
    finally:
        for module in found.values():
            del module.mix


def _remembering(calls: list[Tensor]) -> Callable[..., Tensor]:
    def mix(
        q: Float[Tensor, "B N T E"],
        k: Float[Tensor, "B N S E"],
        v: Float[Tensor, "B N S E"],
        may_attend: Bool[Tensor, "... #T #S"] | Window | None,
    ) -> Float[Tensor, "B N T E"]:
        if isinstance(may_attend, Window):
            may_attend = may_attend.mask(q.shape[2], k.shape[2], device=q.device)
        weights = attention_weights(q, k, may_attend)
        calls.append(weights.detach())
        return weights @ v

    return mix
