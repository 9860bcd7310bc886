"""Files that are whole or not there: checkpoints of a run, weights, JSON.

Everything is written to a temporary file beside its place, flushed to the disk, and then renamed.
"""

import json
import re
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from tokoban.training.atomic import atomically
from tokoban.training.untrusted import check_checkpoint, read_header

# The newest, and one more in case the disk spoils it.
NUM_KEPT = 2

_NAME = re.compile(r"step-(\d{10})\.pt")


def write_json_atomically(path: Path, value: Any) -> None:
    """``value`` as indented JSON; ValueError for NaN and infinity, which JSON has not."""
    text = json.dumps(value, indent=2, allow_nan=False)
    with atomically(path) as temporary:
        temporary.write_text(text + "\n", encoding="utf-8")


def save_weights(
    path: Path, model_state: Mapping[str, Tensor], metadata: Mapping[str, str]
) -> None:
    """A model's state as one safetensors file, with text beside it.

    Tensors that share memory (tied weights) are written one by one, as safetensors asks.
    """
    from safetensors.torch import save_file

    tensors = {
        name: tensor.detach().to("cpu", copy=True).contiguous()
        for name, tensor in model_state.items()
    }
    with atomically(path) as temporary:
        save_file(tensors, temporary, metadata=dict(metadata))


def load_weights(path: Path) -> tuple[dict[str, Tensor], dict[str, str]]:
    """The state and the metadata that ``save_weights`` wrote, on the CPU.

    FileNotFoundError where there is no file, ValueError where it is not a safetensors file.
    """
    from safetensors import SafetensorError, safe_open

    read_header(path)  # says in a sentence what is wrong with a file, and limits its header
    try:
        with safe_open(path, framework="pt") as weights:
            state = {name: weights.get_tensor(name) for name in weights.keys()}  # noqa: SIM118
            return state, weights.metadata() or {}
    except SafetensorError as error:
        raise ValueError(f"{path}: not a safetensors file ({error})") from None


def save_checkpoint(folder: Path, step: int, state: Mapping[str, Any]) -> Path:
    """Writes ``state`` as the checkpoint of ``step`` and removes all but the newest few."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"step-{step:010}.pt"
    with atomically(path) as temporary:
        torch.save(dict(state), temporary)
    for older in checkpoints(folder)[NUM_KEPT:]:
        older.unlink()
    return path


def load_newest_checkpoint(folder: Path, *, device: str = "cpu") -> dict[str, Any]:
    """The state of the newest checkpoint that can be read; on ``meta`` it takes no memory.

    Warns of each newer one that cannot. FileNotFoundError where there is none at all, ValueError
    where none can be read.
    """
    paths = checkpoints(folder)
    if not paths:
        raise FileNotFoundError(f"{folder}: no checkpoint to resume from")
    for path in paths:
        try:
            check_checkpoint(path)
            return torch.load(path, map_location=device, weights_only=True)
        except Exception as error:  # torch has no one exception for a file it cannot read
            reason = str(error).partition("\n")[0]
            warnings.warn(f"{path}: unreadable checkpoint passed over ({reason})", stacklevel=2)
    raise ValueError(f"{folder}: none of the {len(paths)} checkpoints can be read")


def checkpoints(folder: Path) -> list[Path]:
    """The checkpoints in ``folder``, newest first."""
    return sorted(
        (path for path in folder.glob("*.pt") if _NAME.fullmatch(path.name)), reverse=True
    )
