"""The map of neighbourhoods against torch's convolution."""

import torch
from torch.nn import functional

from tokoban.transformer.neighbourhood import NeighbourhoodLinear


def test_a_neighbourhood_is_a_convolution_and_so_are_its_gradients() -> None:
    torch.manual_seed(0)
    rows, columns = 5, 6
    numbers = functional.pad(
        torch.arange(rows * columns).view(rows, columns), (1, 1, 1, 1), value=rows * columns
    )
    neighbours = numbers.unfold(0, 3, 1).unfold(1, 3, 1).reshape(-1, 9).int()
    layer = NeighbourhoodLinear(4, 7).double()
    squares = torch.randn(rows * columns, 4, dtype=torch.double, requires_grad=True)
    found = layer(squares, neighbours)
    kernel = layer.weight.view(3, 3, 4, 7).permute(3, 2, 0, 1)
    planes = squares.T.view(1, 4, rows, columns)
    expected = functional.conv2d(planes, kernel, padding=1)[0].flatten(1).T
    torch.testing.assert_close(found, expected)
    weights = torch.randn_like(expected)
    inputs = (squares, layer.weight)
    for mine, theirs in zip(
        torch.autograd.grad((found * weights).sum(), inputs),
        torch.autograd.grad((expected * weights).sum(), inputs),
        strict=True,
    ):
        torch.testing.assert_close(mine, theirs)
