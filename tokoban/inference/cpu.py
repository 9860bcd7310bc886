"""The engines of a CPU in single precision, each where it is faster."""

import threading
from collections.abc import Sequence

from jaxtyping import Bool, Int64
from torch import Tensor

from tokoban.inference.cached import CachedEngine
from tokoban.inference.compiled import CompiledEngine, can_compile
from tokoban.inference.engine import Engine, Network, Prompts, Rows
from tokoban.inference.packed import can_pack, packed_network

# A step's products of so few weights take less time than torch's calls for them; an encoder, which
# reads once, takes as long either way. Measured on one thread.
_FEW_BYTES = 16 * 2**20


def fastest_engine(network: Network) -> Engine:
    """A ``CpuEngine`` where the loops can execute the network; elsewhere a ``CachedEngine``."""
    return CpuEngine(network) if can_compile(network) else CachedEngine(network)


class CpuEngine:
    """Compiled loops for a single row and for small networks; packed weights for all else.

    Each copies the weights at its first use; until then those of the modules must stay as they
    are.
    """

    def __init__(self, network: Network) -> None:
        self.network = network
        self._lock = threading.Lock()
        self._compiled: CompiledEngine | None = None
        self._packed: CachedEngine | None = None
        modules = [network.stack, network.projection]  # what a step reads
        parameters = {p for module in modules if module is not None for p in module.parameters()}
        self.is_small = 4 * sum(p.numel() for p in parameters) <= _FEW_BYTES

    @property
    def compiled(self) -> CompiledEngine:
        """The compiled loops."""
        with self._lock:
            if self._compiled is None:
                self._compiled = CompiledEngine(self.network)
            return self._compiled

    @property
    def packed(self) -> CachedEngine:
        """Torch with packed weights, or without where it lacks oneDNN."""
        with self._lock:
            if self._packed is None:
                packed = packed_network(self.network) if can_pack() else self.network
                self._packed = CachedEngine(packed)
            return self._packed

    def read(self, prompts: Prompts, *, width: int = 1, max_length: int | None = None) -> Rows:
        return self._for(len(prompts) * width).read(prompts, width=width, max_length=max_length)

    def greedy(
        self,
        sources: Sequence[Sequence[int]],
        forced: Int64[Tensor, "P T"],
        *,
        may_follow: Bool[Tensor, "V"],
        end: int,
    ) -> tuple[list[list[int]], list[float]]:
        return self._for(len(sources)).greedy(sources, forced, may_follow=may_follow, end=end)

    def _for(self, num_rows: int) -> Engine:
        """The faster one."""
        return self.compiled if self.is_small or num_rows == 1 else self.packed
