"""What a GPU would make the host wait for, found on the CPU."""

from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

READS = frozenset(
    {
        "_local_scalar_dense",
        "item",
        "equal",
        "is_nonzero",
        "nonzero",
        "masked_select",
        "unique_dim",
        "_unique2",
        "unique_consecutive",
        "bincount",
        "repeat_interleave",
    }
)


class Crossings(TorchDispatchMode):
    """The names of the operations inside that make a host wait for its GPU; storage.

    They hand a value to the host, or need one there (how large the result is, as with a boolean
    mask as an index), or copy numbers of the host to the device.
    """

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        name = func.overloadpacket.__name__
        if name in READS or _has_a_mask(name, args) or _is_sent(name, args):
            self.names.append(name)
        return func(*args, **(kwargs or {}))


def _has_a_mask(name: str, args: Any) -> bool:
    """Whether it is indexing, by a boolean mask."""
    if name not in {"index", "index_put", "index_put_", "_index_put_impl_", "_unsafe_index"}:
        return False
    return any(index is not None and index.dtype != torch.int64 for index in args[1])


def _is_sent(name: str, args: Any) -> bool:
    """Whether a tensor is made of the host's numbers; one goes along with the command itself."""
    return name == "lift_fresh" and args[0].dim() > 0
