"""The fastest engine of a policy's transformer; the model encodes boards before it."""

from tokoban.inference.cached import CachedEngine
from tokoban.inference.engine import Engine, Network
from tokoban.systems.sokoban_policy.model import SokobanPolicy


def network_of(model: SokobanPolicy) -> Network:
    """The transformer as engines know it: its inputs are vectors of boards."""
    return Network(
        stack=model.transformer,
        max_length=model.max_positions,
        positions=model.position_vectors,
        may_attend=model.mask,
    )


def engine_of(model: SokobanPolicy, *, fixed_shapes: bool = False) -> Engine:
    """The fastest engine where the model is.

    On a CPU it copies the weights. Elsewhere, and with ``fixed_shapes``, each step is the
    same function, which can be compiled and captured, and the weights are read where they are.
    """
    network = network_of(model)
    is_on_cpu = network.device.type == "cpu"
    if is_on_cpu and not fixed_shapes:
        from tokoban.inference.cpu import fastest_engine  # imports numba

        return fastest_engine(network)
    return CachedEngine(network, fixed_shapes=True)
