"""Where the cells look: the attention matrix, figures of it, and its film over a training run.

Axes: B batch, H rows, W columns, T cells that ask, S cells that answer.
"""

import copy
from collections.abc import Iterator
from pathlib import Path

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from tokoban.systems.life.model import LifeNet
from tokoban.systems.life.rules import NEIGHBOURS
from tokoban.training.checkpoint import load_weights
from tokoban.training.snapshots import Snapshots, step_of
from tokoban.transformer import record_attention
from tokoban.viewing.films import save_film


def attention_matrix(model: LifeNet, grids: Bool[Tensor, "B H W"]) -> Float[Tensor, "T S"]:
    """How much of each cell every cell takes, the mean over the grids."""
    with record_attention(model) as record, torch.no_grad():
        model(grids)
    return record.stacked()[0].mean((0, 1))


def neighbour_mean(side: int, *, device: torch.device | None = None) -> Float[Tensor, "T S"]:
    """The matrix that attention is to find: an eighth of each neighbour."""
    places = torch.arange(side**2, device=device).unflatten(0, (side, side))
    matrix = torch.zeros(side**2, side**2, device=device)
    for shift in NEIGHBOURS:
        neighbours = torch.roll(places, shift, dims=(0, 1)).flatten()
        matrix[places.flatten(), neighbours] = 1 / len(NEIGHBOURS)
    return matrix


ATTENTION_FIGURES = (
    "neighbour_mass",
    "least_neighbour_mass",
    "own_mass",
    "far_mass",
    "distance_to_mean",
)


def attention_figures(matrix: Float[Tensor, "T S"]) -> dict[str, float]:
    """What of their attention cells give their neighbours, themselves and all others.

    ``distance_to_mean`` is half the sum of |weight - 1/8 for a neighbour and 0 for others|: the
    share of a cell's attention that lies elsewhere than in the mean of its neighbours.
    """
    side = round(len(matrix) ** 0.5)
    mean = neighbour_mean(side, device=matrix.device)
    mass = (matrix * (mean > 0)).sum(1)
    own = matrix.diagonal()
    return {
        "neighbour_mass": mass.mean().item(),
        "least_neighbour_mass": mass.min().item(),
        "own_mass": own.mean().item(),
        "far_mass": (1 - mass - own).mean().item(),
        "distance_to_mean": (matrix - mean).abs().sum(1).div(2).mean().item(),
    }


def matrices_of_run(
    model: LifeNet, kept: Path, *, grids: Bool[Tensor, "B H W"]
) -> Iterator[tuple[int, Float[Tensor, "T S"]]]:
    """The step and the matrix of each of the run's kept weights of ``model``.

    ``ValueError`` if none were kept.
    """
    paths = Snapshots(kept, num_kept=None).paths()[::-1]
    if not paths:
        raise ValueError(f"{kept}: no kept weights to make a film of; train with --keep-every")
    model = copy.deepcopy(model)
    for path in paths:
        model.load_state_dict(load_weights(path)[0])
        yield step_of(path), attention_matrix(model, grids)


def film_of_run(model: LifeNet, kept: Path, *, grids: Bool[Tensor, "B H W"], film: Path) -> int:
    """A frame for each of the run's kept weights of ``model``; the number of them.

    To the left the whole matrix, a pixel a weight; to the right what the cell in the middle of the
    grid looks at. Black is an eighth or more.
    """
    side, frames, captions = model.side, [], []
    for step, matrix in matrices_of_run(model, kept, grids=grids):
        middle = matrix[(side // 2) * side + side // 2].unflatten(0, (side, side))
        enlarged = middle.repeat_interleave(side, 0).repeat_interleave(side, 1)
        gap = torch.zeros(side**2, side)
        frames.append(torch.cat([matrix, gap, enlarged], dim=1).mul(len(NEIGHBOURS)).clamp(0, 1))
        captions.append(f"step {step}")
    save_film(torch.stack(frames), film, captions=captions, frame_ms=150)
    return len(frames)
