"""Training of one model by several processes, which torchrun starts.

A system takes every ``world_size()``-th example from ``rank()`` on, and in ``evaluate`` counts its
share and adds the counts up with ``sum_over_processes``: every process then answers the same.
Valid from ``train_batches`` on: ``loop.fit`` joins the processes before it builds the model.
"""

import os
from collections.abc import Iterable, Mapping

import torch
from torch import Tensor, distributed, nn

from tokoban.training.device import DeviceChoice, find_device

_TORCHRUN = ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")  # sets these and LOCAL_RANK


def join(choice: DeviceChoice) -> torch.device:
    """Joins the processes that torchrun started, if there are several; returns this one's device.

    Every process must call it, with the same choice. On GPUs each process has its own.
    ValueError where only some of torchrun's variables are set.
    """
    device = find_device(choice)
    if "LOCAL_RANK" not in os.environ:  # not started by torchrun
        return device
    if missing := [name for name in _TORCHRUN if name not in os.environ]:
        raise ValueError(
            f"LOCAL_RANK is set, but not {', '.join(missing)}; expected all that torchrun sets, or "
            "no LOCAL_RANK, to train in one process"
        )
    if device.type == "cuda":
        device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
        torch.cuda.set_device(device)
    if int(os.environ["WORLD_SIZE"]) > 1 and not _is_joined():
        distributed.init_process_group("nccl" if device.type == "cuda" else "gloo")
    return device


def distribute(model: nn.Module, device: torch.device) -> nn.Module:
    """The model, whose gradients are means over all processes; itself where there is only one."""
    if world_size() == 1:
        return model
    devices = [device] if device.type == "cuda" else None
    return nn.parallel.DistributedDataParallel(model, device_ids=devices)


def rank() -> int:
    """The number of this process, from 0; 0 where there is only one."""
    return distributed.get_rank() if _is_joined() else 0


def world_size() -> int:
    """The number of processes that train together."""
    return distributed.get_world_size() if _is_joined() else 1


def is_main_to_be() -> bool:
    """Whether this process is the one that prints and writes, as soon as torchrun has started it.

    Unlike ``rank`` it is valid before the processes are joined.
    """
    # Cluster schedulers also set RANK, for a single process too.
    return "LOCAL_RANK" not in os.environ or os.environ.get("RANK", "0") == "0"


def sum_over_processes(counts: Mapping[str, int | float]) -> dict[str, float]:
    """Each count, added up over all processes; every process must call it, with the same names.

    Exact for whole numbers up to 2^53.
    """
    if world_size() == 1:
        return {name: float(count) for name, count in counts.items()}
    sums = torch.tensor(list(counts.values()), dtype=torch.float64, device=_device())
    distributed.all_reduce(sums)
    return dict(zip(counts, sums.tolist(), strict=True))


def from_main_process(values: list[float]) -> list[float]:
    """The values of process 0; every process must call it, with as many values."""
    if world_size() == 1:
        return values
    shared = torch.tensor(values, dtype=torch.float64, device=_device())
    distributed.broadcast(shared, src=0)
    return shared.tolist()


def add_up(amount: Tensor) -> Tensor:
    """The sum of every process's ``amount``, which stays on its device; nobody waits for it."""
    if world_size() == 1:
        return amount
    total = amount.clone()
    distributed.all_reduce(total)
    return total


def copy_from_main_process(tensors: Iterable[Tensor]) -> None:
    """Overwrites each tensor by that of process 0; every process must call it, with the same."""
    if world_size() > 1:
        for tensor in tensors:
            distributed.broadcast(tensor, src=0)


def gather_objects(thing: object) -> list[object]:
    """One ``thing`` per process, by rank; every process must call it."""
    if world_size() == 1:
        return [thing]
    gathered: list[object] = [None] * world_size()
    distributed.all_gather_object(gathered, thing)
    return gathered


def _is_joined() -> bool:
    return distributed.is_available() and distributed.is_initialized()


def _device() -> torch.device:
    """The device of tensors sent between processes: NCCL cannot send from the CPU."""
    if "nccl" in distributed.get_backend():
        return torch.device("cuda", torch.cuda.current_device())
    return torch.device("cpu")
