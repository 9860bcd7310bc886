"""What is fitted to shipped weights after their training: how far their answers can be trusted.

``confidence.json`` has the parameters of translators, which ``python -m benchmarks.confidence``
writes; ``likeness`` those of vision transformers, by ``python -m benchmarks.likeness``.
"""

import json
from pathlib import Path

from tokoban.systems.translation.confidence import Confidence
from tokoban.systems.vit.likeness import Likeness
from tokoban.training.checkpoint import load_weights

TABLE = Path(__file__).with_suffix(".json")
LIKENESS = Path(__file__).with_name("likeness")


def confidence_of(weights: str) -> Confidence | None:
    """The confidence of a shipped translator by its name; none of weights from elsewhere."""
    fitted = json.loads(TABLE.read_text(encoding="utf-8")).get(weights)
    if fitted is None:
        return None
    return Confidence(fitted["intercept"], tuple(fitted["coefficients"]))


def likeness_of(weights: str) -> Likeness | None:
    """What the training pictures of a shipped vision transformer are like, by its name."""
    path = LIKENESS / f"{weights}.safetensors"
    if Path(weights).name != weights or not path.is_file():
        return None
    return Likeness(**load_weights(path)[0])
