"""Checks that the ending of a file name fits the format that is written."""

from pathlib import Path

LEVEL_ENDINGS = (".sok", ".xsb", ".txt")
# Endings that promise a format, written by some command or often asked for.
_PROMISES = (
    *(".sok", ".xsb", ".slc", ".xml", ".boxoban", ".rle", ".json", ".jsonl", ".html", ".htm"),
    *(".safetensors", ".png", ".svg", ".gif", ".jpg", ".jpeg", ".webp", ".bmp", ".pdf"),
    *(".gz", ".zip"),
)


def check_ending(place: str | Path, fitting: tuple[str, ...], *, is_required: bool = False) -> None:
    """``ValueError`` for a name whose ending promises another format than these.

    Others fit, unless one of these is required because it chooses the format.
    """
    suffix = Path(place).suffix.lower()
    if suffix not in fitting and (is_required or suffix in _PROMISES):
        raise ValueError(f"{place}: expected a name that ends in {' or '.join(fitting)}")
