"""The attention weights of a model's passes, recorded without a change to the model.

Axes: L layers, B batch, N heads, T targets (queries), S sources (keys), E head width; M rows of
keys, each of which serves B / M neighbouring rows.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from fnmatch import fnmatchcase

import torch
from jaxtyping import Float
from torch import Tensor, nn

from tokoban.transformer.attention import MultiHeadAttention
from tokoban.transformer.dot_product import attention_weights


class AttentionRecord(dict[str, list[Tensor]]):
    """By the name of each attention in the model: its weights [B, N, T, S], a tensor per call."""

    def stacked(self, pattern: str = "*") -> Float[Tensor, "L B N T S"]:
        """The weights of all attentions whose name matches ``pattern``, each called once.

        ``pattern`` is a shell pattern such as ``decoder.*.cross_attention``. ``ValueError`` if none
        matches, or one was called several times.
        """
        calls = {name: calls for name, calls in self.items() if fnmatchcase(name, pattern)}
        if not calls:
            raise ValueError(f"no recorded attention matches {pattern!r}: {', '.join(self)}")
        for name, weights in calls.items():
            if len(weights) != 1:
                raise ValueError(f"{name} was called {len(weights)} times; expected one pass")
        return torch.stack([weights for (weights,) in calls.values()])


@contextmanager
def record_attention(model: nn.Module) -> Iterator[AttentionRecord]:
    """Records the weights of every attention of ``model`` while open; may be nested.

    The outputs of the model are bit for bit what they are without a record: the weights are
    computed by the definition, beside the kernels. Passes that were compiled before are not
    recorded.
    """
    attentions = {
        name: module
        for name, module in model.named_modules()
        if isinstance(module, MultiHeadAttention)
    }
    if not attentions:
        raise ValueError(f"{type(model).__name__} has no attention to record")
    record = AttentionRecord()
    with ExitStack() as hooks:
        for name, attention in attentions.items():
            record[name] = []
            hook = _Recorder(record[name])
            hooks.enter_context(attention.attend.register_forward_hook(hook))
        yield record


class _Recorder:
    """A forward hook of ``DotProductAttention``."""

    def __init__(self, calls: list[Tensor]) -> None:
        self._calls = calls

    @torch.no_grad()
    def __call__(
        self,
        module: nn.Module,
        arguments: tuple[Tensor, Tensor, Tensor, Tensor | None],
        output: Tensor,
    ) -> None:
        q, k, _, may_attend = arguments
        group = len(q) // len(k)
        if group > 1:
            k = k.repeat_interleave(group, dim=0)
            if may_attend is not None and may_attend.dim() == 4 and len(may_attend) > 1:
                may_attend = may_attend.repeat_interleave(group, dim=0)
        self._calls.append(attention_weights(q, k, may_attend))
