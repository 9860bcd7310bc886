"""The accuracy of a classifier, and its confusions.

Axes: N pictures, A classes (in a confusion matrix: rows are what it is, columns what is said).
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Literal

import torch
from jaxtyping import Float, Int64
from torch import Tensor
from torch.nn import functional

from tokoban.systems.vit.config import VitConfig
from tokoban.systems.vit.dataset import load_training
from tokoban.systems.vit.model import VisionTransformer
from tokoban.systems.vit.pictures import Pictures
from tokoban.systems.vit.sources import listed, load
from tokoban.training import processes
from tokoban.training.config import Writes
from tokoban.training.metrics import share
from tokoban.training.spec import Trained

_BATCH = 500
_MOST_CONFUSIONS = 5  # that are named

METRICS = ("accuracy", "loss")


def validate(model: VisionTransformer, pictures: Pictures) -> dict[str, float]:
    """The share of ``pictures`` that are classified rightly, and the loss without smoothing."""
    mine = torch.arange(processes.rank(), len(pictures), processes.world_size())
    logits, labels = logits_of(model, pictures.at(mine)), pictures.labels[mine]
    totals = processes.sum_over_processes(
        {
            "pictures": len(mine),
            "accuracy": int((logits.argmax(1) == labels).sum()),
            "loss": functional.cross_entropy(logits, labels, reduction="sum").item(),
        }
    )
    num_pictures = totals.pop("pictures")
    return {name: total / num_pictures for name, total in totals.items()}


def logits_of(model: VisionTransformer, pictures: Pictures) -> Float[Tensor, "N A"]:
    """The logits of each picture, on the CPU."""
    device = model.head.weight.device
    with torch.inference_mode():
        parts = [model(part.to(device)).float().cpu() for part in pictures.pixels.split(_BATCH)]
    return torch.cat(parts)


def confusion(
    labels: Int64[Tensor, "N"], predicted: Int64[Tensor, "N"], *, num_classes: int
) -> Int64[Tensor, "A A"]:
    """The number of pictures of each class (row) that were taken for each class (column)."""
    pairs = labels * num_classes + predicted
    return torch.bincount(pairs, minlength=num_classes**2).unflatten(0, (num_classes, num_classes))


@dataclass(frozen=True, kw_only=True)
class VitEvaluation:
    """The pictures to evaluate on, and the file of the confusion matrix."""

    data: str | None = None  # the folder of the pictures (default: as in training)
    part: Literal["test", "held-out"] = "test"  # the test set, for final figures only, or the
    # pictures held out of training, for choices
    confusion: Annotated[Path | None, Writes((".png", ".svg"))] = None  # draw the confusion
    # matrix, as shares of each class


def evaluate(
    trained: Trained[VitConfig, VisionTransformer], options: VitEvaluation
) -> dict[str, int | float | str]:
    """The accuracy with its 95 % interval, the accuracy of each class and the worst confusions.

    ``loss`` is the mean cross-entropy in nats; ``worst_class`` has the lowest accuracy.
    """
    model, config = trained.model, trained.config
    if options.data is not None:
        config = replace(config, data=options.data)
    is_test = options.part == "test"
    pictures = load(config, part="test") if is_test else load_training(config).held_out
    logits, names = logits_of(model, pictures), model.class_names
    labels = _labels_by_name(pictures, names, source=config.data)
    counts = confusion(labels, logits.argmax(1), num_classes=len(names))
    num_right, num_pictures = int(counts.diagonal().sum()), int(counts.sum())
    recalls = counts.diagonal() / counts.sum(1)  # NaN for a class without pictures
    metrics: dict[str, int | float | str] = {
        "pictures": num_pictures,
        **share("accuracy", num_right, num_pictures),
        "loss": functional.cross_entropy(logits, labels).item(),
        **{f"accuracy/{name}": part for name, part in zip(names, recalls.tolist(), strict=True)},
        "worst_class": names[int(recalls.nan_to_num(2.0).argmin())],
        "worst_confusions": _worst(counts, names),
    }
    if options.confusion is not None:
        from tokoban.viewing.plots import plot_weights

        shares = counts / counts.sum(1, keepdim=True).clamp(min=1)
        picture = options.confusion
        plot_weights(shares.tolist(), row_names=names, column_names=names, picture=picture)
    return metrics


def _labels_by_name(
    pictures: Pictures, names: tuple[str, ...], *, source: str
) -> Int64[Tensor, "N"]:
    """The labels as indices into ``names``: those of folders go by the alphabet."""
    if pictures.class_names == names:
        return pictures.labels
    if unknown := sorted(set(pictures.class_names) - set(names)):
        raise ValueError(f"{source}: a class {unknown[0]!r}; expected {listed(names)}")
    return torch.tensor([names.index(name) for name in pictures.class_names])[pictures.labels]


def _worst(counts: Int64[Tensor, "A A"], names: tuple[str, ...]) -> str:
    """The pairs of classes that are confused most, with how often."""
    wrong = counts.clone().fill_diagonal_(0)
    places = wrong.flatten().argsort(descending=True, stable=True)[:_MOST_CONFUSIONS].tolist()
    pairs = [(divmod(place, len(names)), int(wrong.flatten()[place])) for place in places]
    confusions = [
        f"{names[label]} as {names[guess]}: {count}" for (label, guess), count in pairs if count
    ]
    return "; ".join(confusions) or "none"
