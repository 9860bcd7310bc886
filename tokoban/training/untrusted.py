"""Untrusted files: what they claim to hold is checked before memory is allocated for it.

A weights file is read after its header has been compared with the model of its config, which is
built on the ``meta`` device, where tensors have shapes but no memory. A checkpoint is scanned
before it is unpickled. docs/decisions/0024-files-of-strangers.md says why.
"""

import math
import os
import pickletools
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.modules.module import register_module_parameter_registration_hook

from tokoban.training.weights_header import Expected, TensorInfo, check_tensors

_LEAST_TABLES_BYTES = 64 * 2**20  # what a model may keep in memory beside its weights in any case

_MOST_TRAINED_TENSORS = 25_000  # of a model that is trained

_OTHERS = {torch.uint8: "U8", torch.int64: "I64", torch.int32: "I32", torch.bool: "BOOL"}

# All that checkpoints name; whatever else a pickle may name could be called with any argument.
_PICKLED = re.compile(r"collections OrderedDict|torch\._utils _rebuild_tensor_v2|torch \w+Storage")


def check_model(
    build: Callable[[], nn.Module], found: Mapping[str, TensorInfo], *, file_bytes: int
) -> None:
    """``ValueError`` unless the model of ``build`` has the tensors that a file has.

    Nothing is allocated for it: the model is built on the ``meta`` device, and no further than a
    model of so many tensors can go. Tensors that are not in the file, such as tables of positions,
    may take as much memory as the file, or 64 MiB. What is called ``_extra_state`` is bytes.
    """
    model = _without_memory(build, num_tensors=len(found))
    expected: dict[str, Tensor] = model.state_dict()
    check_tensors(found, {name: _expected(name, tensor) for name, tensor in expected.items()})
    tables = [buffer for name, buffer in model.named_buffers() if name not in expected]
    num_bytes = sum(table.numel() * table.element_size() for table in tables)
    if num_bytes > max(file_bytes, _LEAST_TABLES_BYTES):
        raise ValueError(f"its config asks for {num_bytes:,} bytes of tables beside the weights")


def _expected(name: str, tensor: Tensor) -> Expected:
    if name.endswith("_extra_state"):
        return Expected(None, ("U8",), "bytes")
    if tensor.is_floating_point():
        return Expected(tuple(tensor.shape))
    return Expected(tuple(tensor.shape), (_OTHERS.get(tensor.dtype, ""),), str(tensor.dtype))


def check_memory(build: Callable[[], nn.Module]) -> None:
    """``ValueError`` for a model that this machine has not the memory to train.

    Weights, gradients and two moments are 16 bytes a parameter.
    """
    if not hasattr(os, "sysconf"):
        return
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    model = _without_memory(build, num_tensors=_MOST_TRAINED_TENSORS)
    num_parameters = sum(parameter.numel() for parameter in model.parameters())
    if 16 * num_parameters > memory:
        raise ValueError(
            f"a model of {num_parameters:,} parameters takes {16 * num_parameters:,} bytes in "
            f"training; this machine has {memory:,}"
        )


def are_numbers(model: nn.Module, *, most: float = math.inf) -> bool:
    """Whether no weight is NaN, infinite or above ``most``; limits beside them may be infinite."""
    for parameter in model.parameters():
        # In one pass over the weights; both are NaN if one is.
        low, high = map(float, parameter.detach().aminmax())
        if not (-most <= low and high <= most and math.isfinite(high - low)):
            return False
    return not any(bool(buffer.isnan().any()) for buffer in model.buffers())


def check_checkpoint(path: Path) -> None:
    """``ValueError`` for a checkpoint that would take more memory than the file, or call anything.

    A checkpoint is a zip file of one pickle and of storages, none of which is compressed.
    """
    if not path.is_file():
        raise ValueError("not a file")
    try:
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
            if any(entry.compress_type != zipfile.ZIP_STORED for entry in entries):
                raise ValueError("compressed, as no checkpoint is")
            if sum(entry.file_size for entry in entries) > path.stat().st_size:
                raise ValueError("its parts are said to be larger than the file")
            pickles = [entry for entry in entries if entry.filename.endswith(".pkl")]
            for entry in pickles:
                _check_pickle(archive.read(entry))
    except (zipfile.BadZipFile, NotImplementedError, EOFError, OSError) as error:
        raise ValueError(f"not a checkpoint ({_first_line(error)})") from None


@contextmanager
def refused_if_unfit(message: str) -> Iterator[None]:
    """Within, errors about parts of a file of other names or types become ``ValueError``.

    ``message`` says what does not fit.
    """
    try:
        yield
    except torch.OutOfMemoryError:
        raise
    except _UNFIT as error:
        raise ValueError(f"{message} ({type(error).__name__}: {_first_line(error)})") from None


_UNFIT = (KeyError, TypeError, AttributeError, IndexError, RuntimeError, OverflowError)


def checkpoint_tensors(state: Mapping[str, Any]) -> dict[str, TensorInfo]:
    """The tensors of a model's state as ``check_model`` compares them."""
    return {
        name: TensorInfo(_name_of(tensor), tuple(tensor.shape))
        for name, tensor in state.items()
        if isinstance(tensor, Tensor)
    }


def _name_of(tensor: Tensor) -> str:
    if tensor.is_floating_point():
        return "F32" if tensor.dtype in _REAL else str(tensor.dtype)
    return _OTHERS.get(tensor.dtype, str(tensor.dtype))


_REAL = (torch.float64, torch.float32, torch.float16, torch.bfloat16)


def _check_pickle(content: bytes) -> None:
    for opcode, argument, _ in pickletools.genops(content):
        is_name = opcode.name in ("GLOBAL", "INST")
        if opcode.name == "STACK_GLOBAL" or (is_name and not _PICKLED.fullmatch(str(argument))):
            raise ValueError(f"it names {argument!r}, as no checkpoint does")


def _without_memory(build: Callable[[], nn.Module], *, num_tensors: int) -> nn.Module:
    """The model of ``build`` on the meta device; ``ValueError`` if there can be none."""
    with _few_parameters(num_tensors), torch.device("meta"):
        try:
            return build()
        except ValueError:
            raise  # says itself what is wrong with which field
        except (RuntimeError, TypeError, ArithmeticError) as error:
            raise ValueError(f"no model can be built by its config: {_first_line(error)}") from None


@contextmanager
def _few_parameters(num_tensors: int) -> Iterator[None]:
    """Within, a model with far more parameters than ``num_tensors`` is a ``ValueError``.

    Else a config of a billion layers would be built until memory is full of modules.
    """
    num_left = 4 * num_tensors + 64  # some are made and then removed, such as biases

    def count(*_: object) -> None:
        nonlocal num_left
        num_left -= 1
        if num_left < 0:
            raise ValueError(
                f"the model of its config has far more tensors than the expected {num_tensors}"
            )

    handle = register_module_parameter_registration_hook(count)
    try:
        yield
    finally:
        handle.remove()


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
