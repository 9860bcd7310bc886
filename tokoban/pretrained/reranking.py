"""The shipped networks that choose among the translations of a shipped translator."""

from functools import partial

import torch

from tokoban import pretrained
from tokoban.systems.gpt.model import Gpt
from tokoban.systems.gpt.texts import line_log_probs_nats
from tokoban.systems.translation.engine import Precision, prepare_for_inference
from tokoban.systems.translation.model import Translator
from tokoban.systems.translation.reranking import Reranker

_CPU, _LANGUAGE_MODEL = torch.device("cpu"), "gpt-everyday"


def reranker_of(
    weights: str, *, device: torch.device = _CPU, precision: Precision = "fp32"
) -> Reranker | None:
    """The reranker of a shipped translator, by its name; None for other weights."""
    system, *languages = weights.split("-")
    other = "-".join([system, *reversed(languages)])
    if system != "translation" or not {weights, other} <= {*pretrained.names()}:
        return None
    channel, _ = pretrained.load(other, system=system)
    model, _ = pretrained.load(_LANGUAGE_MODEL, system="gpt")
    assert isinstance(channel, Translator)
    assert isinstance(model, Gpt)
    engine = prepare_for_inference(channel, device, precision=precision)
    return Reranker(channel, engine, partial(line_log_probs_nats, model.to(device)))
