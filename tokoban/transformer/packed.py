"""Linear maps with their weights laid out for the CPU's widest instructions; for inference alone.

Axes: B any, D width of the inputs, V width of the outputs.
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn

# The rows of inputs for which the layout is chosen; any other number is computed with it as well.
_TYPICAL_ROWS = 32


class PackedLinear(nn.Module):
    """``nn.Linear`` by oneDNN, whose layout of the weights is made once and not at every call.

    torch's own takes MKL for single precision, which on processors other than Intel's keeps to
    instructions half as wide. In ``bf16`` sums are in single precision still, and so are inputs and
    outputs. There are no parameters: what is packed can be neither trained nor saved.
    """

    def __init__(
        self,
        weight: Float[Tensor, "V D"],
        bias: Float[Tensor, "V"] | None = None,
        *,
        dtype: torch.dtype = torch.float32,
    ) -> None:
        super().__init__()
        self.dtype = dtype
        with torch.no_grad():
            self.bias = None if bias is None else bias.detach().to(dtype)
            plain = weight.detach().to("cpu", dtype)
            self.weight = torch.ops.mkldnn._reorder_linear_weight(plain, _TYPICAL_ROWS)

    def forward(self, inputs: Float[Tensor, "*B D"]) -> Float[Tensor, "*B V"]:
        """inputs @ weight.T + bias."""
        rows = inputs.to(self.dtype)
        found = torch.ops.mkldnn._linear_pointwise(rows, self.weight, self.bias, "none", [], "")
        return found.to(inputs.dtype)


def can_pack() -> bool:
    """Whether this torch has oneDNN."""
    return torch.backends.mkldnn.is_available()


def pack_linears(model: nn.Module, *, dtype: torch.dtype = torch.float32) -> None:
    """Puts a ``PackedLinear`` in the place of every ``nn.Linear`` below ``model``."""
    for module in list(model.modules()):
        for name, child in list(module.named_children()):
            if type(child) is nn.Linear:
                setattr(module, name, PackedLinear(child.weight, child.bias, dtype=dtype))
