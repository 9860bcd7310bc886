"""Names of files whose ending promises another format than what is written there."""

from pathlib import Path

LEVEL_ENDINGS = (".sok", ".xsb", ".txt")
# Endings that promise a format, written by some command or often asked for.
_PROMISES = (
    *(".sok", ".xsb", ".slc", ".xml", ".boxoban", ".rle", ".json", ".jsonl", ".html", ".htm"),
    *(".safetensors", ".png", ".svg", ".gif", ".jpg", ".jpeg", ".webp", ".bmp", ".pdf"),
    *(".gz", ".zip"),
)


def check_ending(place: str | Path, fitting: tuple[str, ...]) -> None:
    """``ValueError`` for a name whose ending promises another format than these; others fit."""
    suffix = Path(place).suffix.lower()
    if suffix in _PROMISES and suffix not in fitting:
        raise ValueError(f"{place}: expected a name that ends in {' or '.join(fitting)}")
