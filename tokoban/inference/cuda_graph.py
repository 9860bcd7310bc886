"""A function as one CUDA graph: the host launches it once, instead of each of its kernels.

Nguyen et al., "Accelerating PyTorch with CUDA Graphs" (PyTorch blog, 2021).
"""

from collections.abc import Callable
from typing import Generic, TypeVar

import torch

# Calls before the capture: libraries choose their kernels, compilers compile, tables are sent.
_NUM_WARM_UPS = 3

Result = TypeVar("Result")


class CudaGraph(Generic[Result]):
    """A function of tensors at fixed addresses, captured; its result has fixed addresses, too.

    Elsewhere than on a CUDA device each call is one of the function itself.
    """

    _result: Result

    def __init__(self, function: Callable[[], Result], device: torch.device) -> None:
        self._function = function
        self._graph = torch.cuda.CUDAGraph() if device.type == "cuda" else None
        if self._graph is None:
            return
        with torch.cuda.device(device):
            side = torch.cuda.Stream()
            side.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(side):
                for _ in range(_NUM_WARM_UPS):
                    function()
            torch.cuda.current_stream().wait_stream(side)
            with torch.cuda.graph(self._graph):
                self._result = function()

    def __call__(self) -> Result:
        """The result, which holds until the next call."""
        if self._graph is None:
            return self._function()
        self._graph.replay()
        return self._result
