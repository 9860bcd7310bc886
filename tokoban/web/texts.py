"""Level files as texts: read and written for the page, long ones in a process of their own.

What a long text needs in memory goes with that process, and the server answers others meanwhile.
The process (``python -m tokoban.web.texts read``) takes the body of a request from standard input
and prints the answer; it ends with ``_REFUSED`` after a sentence on what the client got wrong.
"""

import asyncio
import base64
import binascii
import gc
import json
import sys
from collections.abc import Callable
from typing import Any

from starlette.concurrency import run_in_threadpool

from tokoban.web import wire

_LONG_BYTES = 2**16  # below it, a process takes longer to start than the text takes to read
_REFUSED = 3
_MAX_NAME = 200  # characters of a pasted file's name


def _read(content: dict[str, Any]) -> dict[str, Any]:
    """The levels in ``text`` or, as ``base64``, in the bytes of a file; of any format."""
    name = wire.text_of(content, "name", usual="", most=_MAX_NAME)
    if "base64" not in content:
        return wire.read_levels(wire.text_of(content, "text", most=wire.MAX_BODY_BYTES), name)
    encoded = wire.text_of(content, "base64", most=wire.MAX_BODY_BYTES)
    try:
        return wire.read_levels(base64.b64decode(encoded, validate=True), name)
    except binascii.Error:
        raise ValueError("base64: expected bytes so encoded") from None


def _write(content: dict[str, Any]) -> dict[str, Any]:
    """The ``levels`` as the text of a file."""
    return {"text": wire.levels_to_text(content.get("levels"))}


_ACTIONS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {"read": _read, "write": _write}


def _answer(action: str, body: bytes) -> bytes:
    """The answer to a body in JSON; raises ``ValueError`` for what the client got wrong."""
    return json.dumps(_ACTIONS[action](wire.object_of(body))).encode()


async def answer(action: str, body: bytes) -> bytes:
    """The answer to a request to "read" or "write", as JSON; raises ``ValueError`` as ``_answer``.

    Raises ``RuntimeError`` if the process of a long text ends otherwise, for lack of memory say.
    """
    if len(body) <= _LONG_BYTES:
        return await run_in_threadpool(_answer, action, body)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", __name__, action),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        start_new_session=True,  # Ctrl-C in the terminal is the server's
    )
    try:
        printed, _ = await process.communicate(body)
    finally:
        if process.returncode is None:  # the server ends
            process.kill()
    if process.returncode == _REFUSED:
        raise ValueError(printed.decode())
    if process.returncode != 0:
        raise RuntimeError("the process that reads level texts has ended")
    return printed


def _main(action: str) -> int:
    gc.disable()  # a sixth of the time, and nothing is let go before the end
    try:
        sys.stdout.buffer.write(_answer(action, sys.stdin.buffer.read()))
    except ValueError as error:
        sys.stdout.buffer.write(str(error).encode())
        return _REFUSED
    return 0


if __name__ == "__main__":
    sys.exit(_main(sys.argv[1]))
