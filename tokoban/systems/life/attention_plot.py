"""The attention matrix of a network, metrics of it, and its animation over a training run.

Axes: B batch, H rows, W columns, T cells as queries, S cells as keys.
"""

import copy
from pathlib import Path

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from tokoban.systems.life.model import LifeNet
from tokoban.systems.life.rules import NEIGHBOURS
from tokoban.training.checkpoint import load_weights
from tokoban.training.snapshots import Snapshots, step_of
from tokoban.transformer import record_attention
from tokoban.viewing.attention_page import spread
from tokoban.viewing.films import save_film

_MOST_WEIGHTS = 2**27  # of a film, whose frames are all in memory


def attention_matrix(model: LifeNet, grids: Bool[Tensor, "B H W"]) -> Float[Tensor, "T S"]:
    """The attention weights of every cell to every cell, the mean over the grids."""
    with record_attention(model) as record, torch.no_grad():
        model(grids)
    return record.stacked()[0].mean((0, 1))


def neighbour_mean(side: int, *, device: torch.device | None = None) -> Float[Tensor, "T S"]:
    """The matrix that attention should learn: an eighth for each neighbour."""
    places = torch.arange(side**2, device=device).unflatten(0, (side, side))
    matrix = torch.zeros(side**2, side**2, device=device)
    for shift in NEIGHBOURS:
        neighbours = torch.roll(places, shift, dims=(0, 1)).flatten()
        matrix[places.flatten(), neighbours] = 1 / len(NEIGHBOURS)
    return matrix


ATTENTION_METRICS = (
    "neighbour_mass",
    "least_neighbour_mass",
    "own_mass",
    "far_mass",
    "distance_to_mean",
)


def attention_metrics(matrix: Float[Tensor, "T S"]) -> dict[str, float]:
    """The share of attention to neighbours, to the cell itself and to all others.

    ``distance_to_mean`` is half the sum of |weight - 1/8 for a neighbour and 0 for others|: the
    share of a cell's attention that differs from the mean of its neighbours.
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


def film_of_run(
    model: LifeNet, snapshots: Path, *, grids: Bool[Tensor, "B H W"], film: Path
) -> None:
    """Saves a frame for each snapshot of the run of ``model``.

    On the left the whole matrix, one pixel per weight; on the right the attention of the middle
    cell. Black is an eighth or more. Of more than fit into memory: the first, the last and evenly
    spaced ones between. ``ValueError`` if there are none.
    """
    paths = Snapshots(snapshots, num_kept=None).paths()[::-1]
    if not paths:
        raise ValueError(f"{snapshots}: no snapshots of the weights; train with --keep-every")
    model, side = copy.deepcopy(model), model.side
    frames, captions = [], []
    for path in (paths[index] for index in spread(len(paths), _MOST_WEIGHTS // side**4)):
        model.load_state_dict(load_weights(path)[0])
        matrix = attention_matrix(model, grids.to(model.states.device)).cpu()
        middle = matrix[(side // 2) * side + side // 2].unflatten(0, (side, side))
        enlarged = middle.repeat_interleave(side, 0).repeat_interleave(side, 1)
        gap = torch.zeros(side**2, side)
        frames.append(torch.cat([matrix, gap, enlarged], dim=1).mul(len(NEIGHBOURS)).clamp(0, 1))
        captions.append(f"step {step_of(path)}")
    save_film(torch.stack(frames).numpy(), film, captions=captions, frame_ms=150)
