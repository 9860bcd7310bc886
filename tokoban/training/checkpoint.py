"""Files written completely or not at all: checkpoints, weights, JSON.

Everything is written to a temporary file beside its place, flushed to the disk, and then renamed.
"""

import hashlib
import json
import re
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO, cast

import torch
from torch import Tensor

from tokoban.files.atomic import atomically
from tokoban.training.untrusted import check_checkpoint
from tokoban.training.weights_header import read_header

# The newest, and one more in case the disk spoils it.
NUM_KEPT = 2

_PART_BYTES = 2**20  # read at once

_NAME = re.compile(r"step-(\d{10})\.pt")


class DamageWarning(UserWarning):
    """A part of a run's folder is damaged and is left out."""


def write_json_atomically(path: Path, value: Any) -> None:
    """``value`` as indented JSON; ValueError for NaN and infinity, which JSON has not."""
    text = json.dumps(value, indent=2, allow_nan=False)
    with atomically(path) as temporary:
        temporary.write_text(text + "\n", encoding="utf-8")


def save_weights(
    path: Path, model_state: Mapping[str, Tensor], metadata: Mapping[str, str]
) -> None:
    """A model's state as one safetensors file, with text beside it.

    Tensors that share memory (tied weights) are written one by one, as safetensors asks. Equal
    arguments give equal bytes.
    """
    from safetensors.torch import save

    tensors = {
        name: tensor.detach().to("cpu", copy=True).contiguous()
        for name, tensor in model_state.items()
    }
    with atomically(path) as temporary:
        temporary.write_bytes(_with_sorted_metadata(save(tensors, metadata=dict(metadata))))


def _with_sorted_metadata(content: bytes) -> bytes:
    """A safetensors file whose text is in the order of its names; safetensors draws an order."""
    num_bytes = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + num_bytes])
    header["__metadata__"] = dict(sorted(header.get("__metadata__", {}).items()))
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + content[8 + num_bytes :]


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
    """Writes ``state`` as the checkpoint of ``step`` and removes all but the newest few.

    The file is torch's, and behind it the SHA-256 of what torch wrote.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"step-{step:010}.pt"
    with atomically(path) as temporary, temporary.open("wb") as file:
        writer = _Writer(file)
        torch.save(dict(state), cast(BinaryIO, writer))
        writer.finish()
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
            _check_digest(path)
            return torch.load(path, map_location=device, weights_only=True)
        except Exception as error:  # torch has no one exception for a file it cannot read
            reason = str(error).partition("\n")[0]
            message = f"{path}: unreadable checkpoint passed over ({reason})"
            warnings.warn(message, DamageWarning, stacklevel=2)
    raise ValueError(f"{folder}: none of the {len(paths)} checkpoints can be read")


class _Writer:
    """A file as ``torch.save`` writes it; ``finish`` adds the digest.

    Where a write fails torch would raise an error of its own, without the reason.
    """

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.digest = hashlib.sha256()
        self.error: OSError | None = None

    def write(self, part: bytes | memoryview) -> int:
        if self.error is None:
            try:
                self.file.write(part)
            except OSError as error:
                self.error = error
        self.digest.update(part)
        return len(part)

    def flush(self) -> None:
        """Nothing: ``finish`` does it."""

    def finish(self) -> None:
        self.write(self.digest.digest())
        if self.error is not None:
            raise self.error
        self.file.flush()


def _check_digest(path: Path) -> None:
    """ValueError where a byte of the file has changed since it was written."""
    digest = hashlib.sha256()
    num_left = path.stat().st_size - digest.digest_size
    with path.open("rb") as file:
        while num_left > 0 and (part := file.read(min(num_left, _PART_BYTES))):
            digest.update(part)
            num_left -= len(part)
        written = file.read()
    if written != digest.digest():
        raise ValueError("its content does not match its digest")


def checkpoints(folder: Path) -> list[Path]:
    """The checkpoints in ``folder``, newest first."""
    return sorted(
        (path for path in folder.glob("*.pt") if _NAME.fullmatch(path.name)), reverse=True
    )
