"""Where a command's files go: whole or not at all, or to standard output for ``-``."""

import os
import sys
from pathlib import Path


def write_output(destination: str, text: str) -> None:
    """Writes ``text`` as UTF-8 to the file ``destination``, or to standard output for ``-``.

    The file appears complete or not at all: an interrupted run leaves an older one as it was.
    Raises ``OSError`` naming ``destination`` where it cannot be written.
    """
    if destination == "-":
        sys.stdout.write(text)
        return
    path = Path(destination).resolve()
    # What exists and is no plain file (a pipe, /dev/null, a folder) cannot be replaced by one.
    is_replaced = path.is_file() or not path.exists()
    written = path.with_name(f".{path.name}.{os.getpid()}") if is_replaced else path
    try:
        try:
            written.write_text(text, encoding="utf-8", newline="\n")
            if is_replaced:
                written.replace(path)
        finally:
            if is_replaced:
                written.unlink(missing_ok=True)
    except OSError as error:
        raise OSError(error.errno, error.strerror, destination) from None
