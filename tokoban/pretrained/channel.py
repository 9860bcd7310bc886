"""The shipped translator that chooses among the translations of a shipped one."""

import torch

from tokoban import pretrained
from tokoban.systems.translation.channel import Channel
from tokoban.systems.translation.engine import Precision, prepare_for_inference
from tokoban.systems.translation.model import Translator

_CPU = torch.device("cpu")


def channel_of(
    weights: str, *, device: torch.device = _CPU, precision: Precision = "fp32"
) -> Channel | None:
    """That of the other direction, by the name of the shipped one; none of other weights."""
    system, *languages = weights.split("-")
    back = "-".join([system, *reversed(languages)])
    if system != "translation" or not {weights, back} <= {*pretrained.names()}:
        return None
    model, _ = pretrained.load(back, system=system)
    assert isinstance(model, Translator)
    return Channel(model, prepare_for_inference(model, device, precision=precision))
