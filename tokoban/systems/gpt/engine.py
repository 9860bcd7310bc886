"""The fastest engine of a GPT."""

from tokoban.inference.engine import Engine, Network, tied_projection
from tokoban.systems.gpt.model import Gpt


def network_of(model: Gpt) -> Network:
    """The model as engines know it."""
    embedding = model.embedding.weight
    return Network(
        stack=model.body,
        max_length=model.context_length,
        embedding=embedding,
        positions=None if model.positions is None else model.positions.table,
        projection=tied_projection(embedding) if model.head is None else model.head,
    )


def engine_of(model: Gpt) -> Engine:
    """The fastest engine where the model is; on a CPU it copies the weights when it is used."""
    from tokoban.inference.cpu import fastest_engine  # imports numba

    return fastest_engine(network_of(model))
