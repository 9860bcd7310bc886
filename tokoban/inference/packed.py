"""Linear maps with their weights laid out for the CPU's widest instructions; for inference alone.

Axes: B any, D width of the inputs, V width of the outputs.
"""

import copy
from dataclasses import replace

import torch
from jaxtyping import Float, Int8
from torch import Tensor, nn
from torch.nn import functional

from tokoban.inference.engine import Network
from tokoban.transformer.blocks import DecoderBlock, EncoderBlock, FeedForward

# The rows of inputs for which the layout is chosen; any other number is computed with it as well.
_TYPICAL_ROWS = 32


_OPERATIONS = "_reorder_linear_weight", "_linear_pointwise"
_BF16_CHECK = "_is_mkldnn_bf16_supported"  # by the processor


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
        has_relu: bool = False,
    ) -> None:
        super().__init__()
        self.dtype = dtype
        self.activation = "relu" if has_relu else "none"
        with torch.no_grad():
            self.bias = None if bias is None else bias.detach().to(dtype)
            plain = weight.detach().to("cpu", dtype)
            self.weight = torch.ops.mkldnn._reorder_linear_weight(plain, _TYPICAL_ROWS)

    def forward(self, inputs: Float[Tensor, "*B D"]) -> Float[Tensor, "*B V"]:
        """inputs @ weight.T + bias, and of that only what is above zero if it has a ReLU."""
        rows = inputs.to(self.dtype)
        found = torch.ops.mkldnn._linear_pointwise(
            rows, self.weight, self.bias, self.activation, [], ""
        )
        return found.to(inputs.dtype)


class QuantizedLinear(nn.Module):
    """``nn.Linear`` with int8 products and exact sums: it reads a quarter of the memory.

    Each output has a scale of its own for its weights. Each row of inputs is scaled by its greatest
    when it comes, so that no other row changes what becomes of it.
    """

    def __init__(
        self,
        weight: Float[Tensor, "V D"],
        bias: Float[Tensor, "V"] | None = None,
        *,
        has_relu: bool = False,
    ) -> None:
        super().__init__()
        if not hasattr(torch, "_int_mm"):
            raise ValueError(f"torch {torch.__version__} has no products of bytes, as int8 needs")
        self.has_relu = has_relu
        with torch.no_grad():
            plain = weight.detach().to("cpu", torch.float32)
            rounded, scales = _as_bytes(plain)
            self.weight, self.scales = rounded.t().contiguous(), scales[:, 0]
            self.bias = None if bias is None else bias.detach().clone()

    def forward(self, inputs: Float[Tensor, "*B D"]) -> Float[Tensor, "*B V"]:
        """Nearly inputs @ weight.T + bias, and of that only what is above zero if it has a ReLU."""
        rounded, scales = _as_bytes(inputs.reshape(-1, inputs.shape[-1]))
        found = torch._int_mm(rounded, self.weight).to(inputs.dtype)
        found.mul_(scales).mul_(self.scales)
        if self.bias is not None:
            found.add_(self.bias)
        if self.has_relu:
            found.relu_()
        return found.unflatten(0, inputs.shape[:-1])


def _as_bytes(rows: Float[Tensor, "B D"]) -> tuple[Int8[Tensor, "B D"], Float[Tensor, "B 1"]]:
    """Integers from -127 to 127, and the scale of each row."""
    greatest = rows.abs().amax(dim=1, keepdim=True)
    scales = greatest.clamp_(min=torch.finfo(rows.dtype).tiny * 127) / 127
    return (rows / scales).round_().to(torch.int8), scales


def can_pack(dtype: torch.dtype = torch.float32) -> bool:
    """Whether this torch has oneDNN and its operations on packed weights.

    Weights of bf16 also need a processor of AVX-512 or AVX-NE-CONVERT.
    """
    if not torch.backends.mkldnn.is_available():
        return False
    needed = (*_OPERATIONS, _BF16_CHECK) if dtype == torch.bfloat16 else _OPERATIONS
    if not all(hasattr(torch.ops.mkldnn, name) for name in needed):
        return False
    return dtype != torch.bfloat16 or getattr(torch.ops.mkldnn, _BF16_CHECK)()


def packed_linear(
    weight: Float[Tensor, "V D"],
    bias: Float[Tensor, "V"] | None = None,
    *,
    dtype: torch.dtype = torch.float32,
    has_relu: bool = False,
) -> PackedLinear | QuantizedLinear:
    """The map in ``dtype``: ``torch.int8`` or one with a point."""
    if dtype == torch.int8:
        return QuantizedLinear(weight, bias, has_relu=has_relu)
    return PackedLinear(weight, bias, dtype=dtype, has_relu=has_relu)


def pack_linears(model: nn.Module, *, dtype: torch.dtype = torch.float32) -> None:
    """Puts a ``packed_linear`` in the place of every ``nn.Linear`` below ``model``.

    Of its self attentions queries, keys and values become one; a ReLU joins what it follows.
    """
    for module in list(model.modules()):
        if isinstance(module, EncoderBlock | DecoderBlock):
            module.attention.fuse_projections()
        if isinstance(module, FeedForward) and module.activation is functional.relu:
            weight, bias = module.expand.weight, module.expand.bias
            expand = packed_linear(weight, bias, dtype=dtype, has_relu=True)
            module.register_module("expand", expand)
            module.activation = nn.Identity()
    for module in list(model.modules()):
        for name, child in list(module.named_children()):
            if type(child) is nn.Linear:
                setattr(module, name, packed_linear(child.weight, child.bias, dtype=dtype))


def packed_network(network: Network, *, dtype: torch.dtype = torch.float32) -> Network:
    """The network with packed copies of its weights: half the time on the CPU, in bf16 a third.

    ``ValueError`` where torch lacks oneDNN, or the processor the products of bf16.
    """
    if not can_pack():
        raise ValueError("this torch was built without oneDNN, by which weights are packed")
    if not can_pack(dtype):
        raise ValueError("this processor cannot multiply packed weights of bf16")
    stack, encoder = copy.deepcopy(network.stack), copy.deepcopy(network.encoder)
    pack_linears(stack, dtype=dtype)
    if encoder is not None:
        pack_linears(encoder, dtype=dtype)
    projection = network.projection
    if isinstance(projection, nn.Linear):
        projection = packed_linear(projection.weight, projection.bias, dtype=dtype)
    return replace(network, stack=stack, encoder=encoder, projection=projection)
