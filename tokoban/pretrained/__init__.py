"""Small weights that come with the package, each with a card beside it, and how to load any.

``NAME.safetensors`` holds the weights and, in its metadata, the system and its config;
``NAME.md`` is the card: data, command, commit, hardware, figures.
"""

import json
from collections.abc import Callable, Collection
from functools import partial
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tokoban import systems
from tokoban.training.config import Config, from_dict
from tokoban.training.weights_header import Expected, Header, check_tensors, read_header

if TYPE_CHECKING:
    from torch import nn

    from tokoban.training.spec import ConfigT, EvaluationT, SystemSpec, Trained
    from tokoban.training.system import BatchT, ModelT

_LARGEST = 1e6  # of a weight: no training makes such, and sums would overflow
WEIGHTS_FILE = "weights.safetensors"  # as a training run calls it


def names() -> list[str]:
    """The names of the shipped weights."""
    return sorted(path.stem for path in _folder().glob("*.safetensors"))


def load(name_or_path: str, *, system: str) -> "tuple[nn.Module, Any]":
    """The model of a registered system in eval mode on the CPU, and the config it was built with.

    The rest is as ``load_trained`` says.
    """
    trained = load_trained(name_or_path, systems.load(system))
    return trained.model, trained.config


def load_trained(
    name_or_path: str,
    spec: "SystemSpec[ConfigT, ModelT, BatchT, EvaluationT]",
    *,
    named: Collection[str] = (),
) -> "Trained[ConfigT, ModelT]":
    """A trained model of the system ``spec``, on the CPU.

    ``name_or_path`` is a name of ``names()``, a weights file, or the folder of a training run.
    A file of a stranger is safe to load: it runs no code, takes no more memory than its size
    explains, and its config is read only as far as its system's fields go. ``named`` holds the
    names of code (``module:Id``) that the user has given, which the file may name too.
    Raises ``FileNotFoundError`` or ``ValueError`` saying what is wrong with it.
    """
    from tokoban.training.checkpoint import load_weights
    from tokoban.training.spec import Trained
    from tokoban.training.untrusted import are_numbers, check_model

    path = weights_path(name_or_path)
    header = read_header(path)
    config = _config_in(header, path, spec.name, spec.config_type)
    try:
        spec.check_untrusted(config, named)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    build = partial(spec.build_model, config)
    if path.parent != _folder():  # a second or two, since torch imports its compiler for it
        try:
            check_model(build, header.tensors, file_bytes=path.stat().st_size)
        except (ValueError, RuntimeError) as error:
            raise _unfit(path, error) from None
    state, _ = load_weights(path)
    try:
        model = build()
        model.load_state_dict(state)
    except (ValueError, RuntimeError) as error:
        raise _unfit(path, error) from None
    if not are_numbers(model, most=_LARGEST):
        raise _no_numbers(path)
    return Trained(model.eval(), config, path)


def players(names: Collection[str]) -> dict[str, Callable[..., Any]]:
    """``SystemSpec.play`` of these weights, without its first argument."""
    found: dict[str, Callable[..., Any]] = {}
    for name in names:
        spec = systems.load(system_of(name))
        assert spec.play is not None
        found[name] = partial(spec.play, load_trained(name, spec).model)
    return found


def load_pushes(name_or_path: str) -> tuple[Any, Any]:
    """A push policy and its config: a ``CompiledNet``, without torch, where it can be one.

    Else it is as ``load``. The rest is as ``load_trained`` says.
    """
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    from tokoban.systems.push_policy.compiled import CompiledNet, shapes
    from tokoban.systems.push_policy.config import PushPolicyConfig

    path = weights_path(name_or_path)
    header = read_header(path)
    config = _config_in(header, path, "push", PushPolicyConfig)
    # numpy has no bf16.
    if any(x.dtype == "BF16" for x in header.tensors.values()):
        return load(name_or_path, system="push")
    try:
        wanted = {name: Expected(shape) for name, shape in shapes(config)}
        check_tensors(header.tensors, wanted)
    except ValueError as error:
        raise _unfit(path, error) from None
    try:
        state = load_file(path)
    except SafetensorError as error:
        raise ValueError(f"{path}: not a safetensors file ({error})") from None
    if not all((np.abs(tensor) <= _LARGEST).all() for tensor in state.values()):
        raise _no_numbers(path)
    return CompiledNet(state, config), config


def system_of(name_or_path: str) -> str:
    """The system that trained the weights, as their file says; raises as ``load_trained``."""
    return read_header(weights_path(name_or_path)).metadata.get("system", "unknown")


def _config_in(header: Header, path: Path, system: str, config_type: type[Config]) -> Config:
    """The config that a file of weights of this system names."""
    found = header.metadata.get("system", "unknown")
    if found != system:
        raise ValueError(f"{path}: weights of the system {found!r}; expected {system!r}")
    try:
        return from_dict(config_type, json.loads(header.metadata.get("config", "null")))
    except (ValueError, RecursionError) as error:
        raise _unfit(path, error) from None


def _no_numbers(path: Path) -> ValueError:
    return ValueError(f"{path}: some weights are NaN or above {_LARGEST:,.0f}")


def _unfit(path: Path, error: Exception) -> ValueError:
    reason = (str(error).splitlines() or [type(error).__name__])[0]
    return ValueError(f"{path}: these weights do not fit this version ({reason})")


def weights_path(name_or_path: str) -> Path:
    """The file that ``load`` would read; ``FileNotFoundError`` where nothing is so called."""
    shipped = _folder() / f"{name_or_path}.safetensors"
    if Path(name_or_path).name == str(name_or_path) and shipped.is_file():
        return shipped
    path = Path(name_or_path)
    if name_or_path and path.is_dir():
        return path / WEIGHTS_FILE
    if not name_or_path or not path.exists():
        known = ", ".join(names()) or "none"
        raise FileNotFoundError(
            f"no weights {name_or_path!r}: not a file, not a run's folder, and not among "
            f"those that come with tokoban ({known})"
        )
    return path


def _folder() -> Path:
    return Path(str(resources.files(__name__)))
