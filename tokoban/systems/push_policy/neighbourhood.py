"""A linear map of every square and its eight neighbours: a 3x3 convolution over floor squares only.

Axes: R rows (squares of all boards, one after the other), K squares of a neighbourhood (itself in
the middle), D width, O output width.
"""

import math
from typing import Any

import torch
from jaxtyping import Float, Int32
from torch import Tensor, nn


class NeighbourhoodLinear(nn.Module):
    """Walls count as zeros. Square k of a neighbourhood is opposite to square K - 1 - k."""

    def __init__(self, width: int, output_width: int, *, num_neighbours: int = 9) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(num_neighbours * width, output_width))
        nn.init.normal_(self.weight, std=1 / math.sqrt(num_neighbours * width))

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


class _Product(torch.autograd.Function):
    """The gradient by the inputs is a map of neighbourhoods too: no scattered sums, as of a gather.

    Scattered additions are what the gradient of an indexed read costs on a CPU.
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
