"""The published archive of Boxoban."""

import tarfile
from pathlib import Path


def published(shared_data: Path, name: str) -> str:
    """The text of one of its files."""
    with tarfile.open(shared_data / "boxoban/boxoban-levels.tar.xz") as archive:
        for member in archive:  # in their order, so that not all of it is unpacked
            if member.name.endswith(name) and (file := archive.extractfile(member)):
                return file.read().decode("ascii")
    raise AssertionError(f"{name} is not in the archive")
