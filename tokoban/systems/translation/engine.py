"""The fastest engine of a translator for a device and a precision."""

import math
from typing import Literal

import torch

from tokoban.inference.cached import CachedEngine
from tokoban.inference.engine import Engine, Network, tied_projection
from tokoban.inference.packed import can_pack, packed_network
from tokoban.systems.translation.model import Translator
from tokoban.text.bpe import BOS

Precision = Literal["fp32", "bf16", "int8"]

_TYPES: dict[Precision, torch.dtype] = {
    "fp32": torch.float32,
    "bf16": torch.bfloat16,
    "int8": torch.int8,
}


def network_of(model: Translator) -> Network:
    """The translator as engines know it: sources are prompts, targets begin with ``BOS``."""
    embedding = model.embedding.weight
    return Network(
        stack=model.transformer.decoder,
        encoder=model.transformer.encoder,
        max_length=len(model.position_vectors),
        embedding=embedding,
        embedding_scale=math.sqrt(embedding.shape[1]),
        positions=model.position_vectors,
        projection=tied_projection(embedding),
        start=BOS,
    )


def prepare_for_inference(
    model: Translator, device: torch.device, *, precision: Precision = "fp32"
) -> Engine:
    """Moves the translator to ``device``, and gives its fastest engine there.

    On the CPU ``bf16`` and ``int8`` round the weights and what they are multiplied with; elsewhere
    ``bf16`` rounds everything, the model's own weights too, and ``int8`` is refused.
    """
    dtype = _TYPES[precision]
    if precision == "int8" and device.type != "cpu":
        raise ValueError(f"precision int8 is for the CPU; the device is {device.type}")
    if device.type != "cpu" or (precision == "bf16" and not can_pack(dtype)):
        return CachedEngine(network_of(model.to(device, dtype)))
    network = network_of(model.to(device))
    if precision != "fp32":
        return CachedEngine(packed_network(network, dtype=dtype))
    from tokoban.inference.cpu import fastest_engine  # imports numba

    return fastest_engine(network)
