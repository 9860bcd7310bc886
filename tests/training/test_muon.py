"""Muon in fp32 and torch's in bf16 do the same, but for rounding."""

import pytest
import torch
from torch import nn

from tokoban.training.muon import BatchedMuon, orthogonal

_COEFFICIENTS = (3.4445, -4.775, 2.0315)


@pytest.mark.parametrize("nesterov", [True, False])
def test_steps_are_those_of_torch_but_for_rounding(nesterov: bool) -> None:
    generator = torch.Generator().manual_seed(0)
    one = nn.ParameterList(
        torch.randn(shape, generator=generator) for shape in ((8, 3), (4, 9), (8, 3))
    )
    other = nn.ParameterList(parameter.detach().clone() for parameter in one)
    begun = [parameter.detach().clone() for parameter in one]
    muons = [
        kind(
            parameters,
            lr=0.1,
            weight_decay=0.2,
            momentum=0.8,
            nesterov=nesterov,
            adjust_lr_fn="match_rms_adamw",
        )
        for kind, parameters in ((torch.optim.Muon, one), (BatchedMuon, other))
    ]
    for _ in range(4):
        for mine, its in zip(one, other, strict=True):
            mine.grad = torch.randn(mine.shape, generator=generator)
            its.grad = mine.grad.clone()
        for muon in muons:
            muon.step()
    for mine, its, before in zip(one, other, begun, strict=True):
        moved = (mine - before).norm()
        assert moved > 0.1
        assert (mine - its).norm() < 0.03 * moved


def test_singular_values_come_near_one_and_keep_their_vectors() -> None:
    matrix = torch.randn(6, 4, generator=torch.Generator().manual_seed(1))
    left, _, right = torch.linalg.svd(matrix, full_matrices=False)
    inside = left.T @ orthogonal(matrix, _COEFFICIENTS, 5, 1e-7) @ right.T
    off_diagonal = inside - inside.diag().diag()
    assert off_diagonal.abs().max() < 1e-4
    # Keller Jordan's coefficients end between about 0.68 and 1.13.
    assert inside.diag().min() > 0.6 and inside.diag().max() < 1.2
