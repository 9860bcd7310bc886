"""Untrusted files: what they claim to hold is checked before memory is allocated for it.

A weights file is read after its header has been compared with the model that its config asks for,
which is built on the ``meta`` device, where tensors have shapes and no memory. A checkpoint is
looked through before it is unpickled. docs/decisions/0024-files-of-strangers.md says why.
"""

import json
import os
import pickletools
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.modules.module import register_module_parameter_registration_hook

_MOST_HEADER_BYTES = 24 * 2**20  # of safetensors; as objects of Python it takes up to 25 times
_LEAST_TABLES_BYTES = 64 * 2**20  # what a model may keep in memory beside its weights in any case

_MOST_TRAINED_TENSORS = 25_000  # of a model that is trained

# The types of safetensors that a parameter or a buffer of floats may be kept in.
_FLOATS = ("F64", "F32", "F16", "BF16")
_OTHERS = {torch.uint8: "U8", torch.int64: "I64", torch.int32: "I32", torch.bool: "BOOL"}

# All that checkpoints name; whatever else a pickle may name could be called with any argument.
_PICKLED = re.compile(r"collections OrderedDict|torch\._utils _rebuild_tensor_v2|torch \w+Storage")


class TensorInfo(NamedTuple):
    """The type (as safetensors names it) and shape of one tensor, as declared by a file."""

    dtype: str
    shape: tuple[int, ...]


class Header(NamedTuple):
    """The beginning of a safetensors file."""

    tensors: dict[str, TensorInfo]
    metadata: dict[str, str]


def read_header(path: Path) -> Header:
    """The tensors that a safetensors file declares; none is read.

    ``FileNotFoundError`` where there is no file, ``ValueError`` where it is no safetensors file.
    """
    if not path.is_file():
        raise FileNotFoundError(f"{path}: no such weights file")
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if length > _MOST_HEADER_BYTES:
            raise _no_safetensors(path, f"a header of {length:,} bytes")
        text = file.read(length)
    if not length or len(text) < length:
        raise _no_safetensors(path, "it ends within its header")
    try:
        header = json.loads(text)
    except (ValueError, RecursionError):
        raise _no_safetensors(path, "its header is not JSON") from None
    if not isinstance(header, dict):
        raise _no_safetensors(path, "its header is not an object")
    metadata = header.pop("__metadata__", {})
    if not isinstance(metadata, dict) or not all(isinstance(x, str) for x in metadata.values()):
        raise _no_safetensors(path, "its metadata are not texts")
    try:
        tensors = {
            name: TensorInfo(str(each["dtype"]), tuple(map(int, each["shape"])))
            for name, each in header.items()
        }
    except (KeyError, TypeError, ValueError, OverflowError):
        raise _no_safetensors(path, "its header lacks types or shapes") from None
    return Header(tensors, metadata)


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
    missing, unknown = expected.keys() - found.keys(), found.keys() - expected.keys()
    for names, message in (missing, "is missing"), (unknown, "is not of this model"):
        if names:
            raise ValueError(f"the tensor {min(names)!r} {message}")
    for name, tensor in expected.items():
        dtype, shape = found[name]
        if name.endswith("_extra_state"):
            is_right, wanted = dtype == "U8" and len(shape) == 1, "bytes"
        elif tensor.is_floating_point():
            is_right, wanted = dtype in _FLOATS, "floating-point numbers"
        else:
            is_right, wanted = dtype == _OTHERS.get(tensor.dtype), str(tensor.dtype)
        if not is_right:
            raise ValueError(f"the tensor {name!r} is of type {dtype}; expected {wanted}")
        if not name.endswith("_extra_state") and shape != tuple(tensor.shape):
            raise ValueError(
                f"the tensor {name!r} has the shape {shape}; its config asks for "
                f"{tuple(tensor.shape)}"
            )
    tables = [buffer for name, buffer in model.named_buffers() if name not in expected]
    num_bytes = sum(table.numel() * table.element_size() for table in tables)
    if num_bytes > max(file_bytes, _LEAST_TABLES_BYTES):
        raise ValueError(f"its config asks for {num_bytes:,} bytes of tables beside the weights")


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


def are_numbers(model: nn.Module) -> bool:
    """Whether no weight is NaN or infinite; limits kept beside the weights may be infinite."""
    return all(bool(parameter.isfinite().all()) for parameter in model.parameters()) and not any(
        bool(buffer.isnan().any()) for buffer in model.buffers()
    )


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


def _no_safetensors(path: Path, reason: str) -> ValueError:
    return ValueError(f"{path}: not a safetensors file ({reason})")


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
