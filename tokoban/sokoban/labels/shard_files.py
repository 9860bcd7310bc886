"""The files of a folder of labels, and what is missing of them."""

import json
import sys
from collections.abc import Iterable
from pathlib import Path

from tokoban.sokoban.wording import counted

LARGE_PREFIX = "large-"  # of the names of shards of levels beyond 8x8


def shards_by_kind(folders: Iterable[str | Path]) -> tuple[list[Path], list[Path]]:
    """The exact shards of some folders, and those of levels beyond 8x8; raises as ``shard_files``.

    In the order of the folders.
    """
    paths = [path for folder in folders for path in shard_files(folder)]
    exact = [path for path in paths if not path.name.startswith(LARGE_PREFIX)]
    return exact, [path for path in paths if path.name.startswith(LARGE_PREFIX)]


def shard_files(folder: str | Path) -> list[Path]:
    """All shards of a folder of ``tokoban label``, exact ones first.

    Those of an unfinished run are taken as they are, and a line on standard error says so. Raises
    ``FileNotFoundError`` where there is no folder or no shard in it, and ``ValueError`` where files
    that the manifest lists are missing or have another size.
    """
    path = Path(folder)
    if not path.is_dir():
        raise FileNotFoundError(f"{folder}: no such folder")
    found = sorted(path.glob("*.safetensors"))
    if not found:
        raise FileNotFoundError(f"{folder}: no shards of `tokoban label`")
    manifest = path / "manifest.json"
    if not manifest.exists():
        message = f"{folder}: the labels are not finished; the files that are there are used"
        print(f"tokoban: {message}", file=sys.stderr)
        return found
    try:
        listed = {one["file"]: one["bytes"] for one in json.loads(manifest.read_bytes())["shards"]}
    except (ValueError, TypeError, KeyError, RecursionError):
        raise ValueError(f"{manifest}: not the manifest of a folder of labels") from None
    sizes = {file.name: file.stat().st_size for file in found}
    num_missing = sum(sizes.get(name) != size for name, size in listed.items())
    if num_missing:
        message = f"{num_missing:,} of {counted(len(listed), 'file')} of labels"
        raise ValueError(f"{folder}: {message} are missing, cut off or changed")
    return found
