"""Small weights that come with the package, each with a card beside it, and how to load any.

``NAME.safetensors`` holds the weights and, in its metadata, the system and its config;
``NAME.md`` is the card: data, command, commit, hardware, figures.
"""

import json
from importlib import resources
from pathlib import Path
from typing import Any

from torch import nn

from tokoban import systems
from tokoban.training.checkpoint import load_weights
from tokoban.training.config import from_dict

WEIGHTS_FILE = "weights.safetensors"  # as a training run calls it


def names() -> list[str]:
    """What ``load`` knows by name."""
    return sorted(path.stem for path in _folder().glob("*.safetensors"))


def load(name_or_path: str, *, system: str) -> tuple[nn.Module, Any]:
    """The model in eval mode on the CPU, and the config it was built with.

    ``name_or_path`` is a name of ``names()``, a weights file, or the folder of a training run.
    Raises ``FileNotFoundError`` or ``ValueError`` saying what is wrong with it.
    """
    path = weights_path(name_or_path)
    state, metadata = load_weights(path)
    if metadata.get("system") != system:
        found = metadata.get("system", "unknown")
        raise ValueError(f"{path}: weights of the system {found!r}; expected {system!r}")
    train = systems.load(system, "train")
    try:
        config = from_dict(train.Config, json.loads(metadata["config"]))
        model: nn.Module = train.build_model(config)
        model.load_state_dict(state)
    except (KeyError, ValueError, RuntimeError) as error:
        reason = str(error).splitlines()[0]
        raise ValueError(f"{path}: these weights do not fit this version ({reason})") from None
    if not all(bool(parameter.isfinite().all()) for parameter in model.parameters()):
        raise ValueError(f"{path}: weights among which are NaN or infinite ones")
    return model.eval(), config


def weights_path(name_or_path: str) -> Path:
    """The file that ``load`` would read; ``FileNotFoundError`` where nothing is so called."""
    shipped = _folder() / f"{name_or_path}.safetensors"
    if shipped.is_file():
        return shipped
    path = Path(name_or_path)
    if path.is_dir():
        return path / WEIGHTS_FILE
    if not path.exists():
        known = ", ".join(names()) or "none"
        raise FileNotFoundError(
            f"no weights {name_or_path!r}: not a file, not a run's folder, and not among "
            f"those that come with tokoban ({known})"
        )
    return path


def _folder() -> Path:
    return Path(str(resources.files(__name__)))
