"""Maps of every square and its eight neighbours, 3x3 convolutions over floor squares, and blocks.

Axes: B positions, T squares of each (padded), R = B * T rows, K squares of a neighbourhood (itself
in the middle), D width, O output width.
"""

import math
from typing import Any

import torch
from jaxtyping import Bool, Float, Int16, Int32
from torch import Tensor, nn
from torch.nn import functional

from tokoban.transformer.attention import MultiHeadAttention
from tokoban.transformer.blocks import Residual

_NUM_NEIGHBOURS = 9  # of a square, itself among them
_LEAST = -1e9  # where infinity would give a gradient of 0 * inf


class NeighbourhoodLinear(nn.Module):
    """A linear map of each square's neighbourhood: a 3x3 convolution over floor squares alone.

    Missing neighbours (walls) are zeros. Square k of a neighbourhood is opposite K - 1 - k.
    """

    def __init__(self, width: int, output_width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(_NUM_NEIGHBOURS * width, output_width))
        nn.init.normal_(self.weight, std=1 / math.sqrt(_NUM_NEIGHBOURS * width))

    def forward(
        self, inputs: Float[Tensor, "R D"], neighbours: Int32[Tensor, "R K"]
    ) -> Float[Tensor, "R O"]:
        """Neighbour R is a wall. If square i is neighbour k of j, j is K - 1 - k of i."""
        weight: Tensor = self.weight
        if torch.is_autocast_enabled(inputs.device.type):
            dtype = torch.get_autocast_dtype(inputs.device.type)
            inputs, weight = inputs.to(dtype), weight.to(dtype)
        product: Tensor = _Product.apply(inputs, weight, neighbours)
        return product


class NeighbourhoodNet(nn.Module):
    """Two maps of neighbourhoods with a ReLU between, at every square."""

    def __init__(self, width: int, hidden_width: int) -> None:
        super().__init__()
        self.first = NeighbourhoodLinear(width, hidden_width)
        self.second = NeighbourhoodLinear(hidden_width, width)
        with torch.no_grad():
            self.second.weight.mul_(0.3)  # so that a deep stack starts near the identity

    def forward(
        self, inputs: Float[Tensor, "B T D"], neighbours: Int32[Tensor, "R K"]
    ) -> Float[Tensor, "B T D"]:
        """Neighbours as numbers of squares of all boards; R = B * T."""
        hidden = functional.relu(self.first(inputs.flatten(0, 1), neighbours))
        return self.second(hidden, neighbours).view_as(inputs)


class NeighbourhoodBlock(nn.Module):
    """Neighbours, then attention if the block has it; each in a residual connection."""

    def __init__(self, width: int, hidden_width: int, *, num_heads: int) -> None:
        """Without heads it has no attention."""
        super().__init__()
        self.near = NeighbourhoodNet(width, hidden_width)
        self.near_residual = Residual(width, pre_norm=True, bias=False)
        self.attention = None
        if num_heads:
            self.attention = MultiHeadAttention(width, num_heads, bias=False)
            self.attention_residual = Residual(width, pre_norm=True, bias=False)

    def forward(
        self,
        inputs: Float[Tensor, "B T D"],
        neighbours: Int32[Tensor, "R K"],
        may_attend: Bool[Tensor, "B 1 1 T"],
    ) -> Float[Tensor, "B T D"]:
        """Padding may not be attended to."""
        return self.attend(self.read_neighbours(inputs, neighbours), may_attend)

    def read_neighbours(
        self, inputs: Float[Tensor, "B T D"], neighbours: Int32[Tensor, "R K"]
    ) -> Float[Tensor, "B T D"]:
        """The first half."""
        return self.near_residual(inputs, lambda x: self.near(x, neighbours))

    def attend(
        self,
        inputs: Float[Tensor, "B S D"],
        may_attend: Bool[Tensor, "B 1 #S #S"],
    ) -> Float[Tensor, "B S D"]:
        """The second half: of squares, and of whatever else is in the sequence."""
        attention = self.attention
        if attention is None:
            return inputs
        return self.attention_residual(inputs, lambda x: attention(x, may_attend=may_attend))


def grid_sinusoids(
    coordinates: Int16[Tensor, "B T 2"], waves: Float[Tensor, "waves"]
) -> Float[Tensor, "B T width"]:
    """Sines and cosines of the row and the column; four times as many as there are waves."""
    angles = coordinates.float()[..., None] * waves  # [B, T, 2, width / 4]
    return torch.cat([angles.sin(), angles.cos()], dim=-1).flatten(-2)


def with_places(
    near: Float[Tensor, "B T D"],
    coordinates: Int16[Tensor, "B T 2"],
    waves: Float[Tensor, "waves"],
    scale: Float[Tensor, ""],
) -> Float[Tensor, "B T D"]:
    """``near`` plus ``scale`` times the sinusoids of each square's row and column."""
    return near + scale.to(near.dtype) * grid_sinusoids(coordinates, waves).to(near.dtype)


def pool(x: Float[Tensor, "B T D"], is_square: Bool[Tensor, "B T"]) -> Float[Tensor, "B 2*D"]:
    """The mean and the maximum of each component over the squares, in fp32."""
    x = x.float()
    mean = (x * is_square[:, :, None]).sum(1) / is_square.sum(1, keepdim=True).clamp(min=1)
    maximum = x.masked_fill(~is_square[:, :, None], _LEAST).amax(1)
    return torch.cat([mean, maximum], dim=1)


class _Product(torch.autograd.Function):
    """The product of gathered neighbourhoods and the weight, with a gradient that gathers too.

    Autograd would add the gradient of each indexed read to its row, which is slow on a CPU. But
    neighbours are mutual, so the gradient of a square is a sum over its own neighbourhood.
    """

    @staticmethod
    def forward(ctx: Any, inputs: Tensor, weight: Tensor, neighbours: Tensor) -> Tensor:
        gathered = _gather(inputs, neighbours)
        ctx.save_for_backward(gathered, weight, neighbours)
        with torch.autocast(inputs.device.type, enabled=False):
            return gathered @ weight

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, Tensor, None]:
        gathered, weight, neighbours = ctx.saved_tensors
        gradient = gradients[0].contiguous()
        of_inputs = None
        if ctx.needs_input_grad[0]:
            turned = weight.unflatten(0, (neighbours.shape[1], -1)).flip(0).transpose(1, 2)
            of_inputs = _gather(gradient, neighbours) @ turned.reshape(
                -1, len(weight) // neighbours.shape[1]
            )
        return of_inputs, gathered.t() @ gradient, None


def _gather(rows: Float[Tensor, "R D"], neighbours: Int32[Tensor, "R K"]) -> Float[Tensor, "R K*D"]:
    with_wall = torch.cat([rows, rows.new_zeros(1, rows.shape[1])])
    return with_wall.index_select(0, neighbours.flatten()).view(len(rows), -1)
