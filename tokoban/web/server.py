"""Runs the page's server: binds the address, serves, and opens the browser."""

import asyncio
import os
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

_SHUTDOWN_S = 2  # for the requests that are being answered
_MAX_CONNECTIONS = 512  # beyond them, requests are refused
_MAX_SILENT = 256  # connections; beyond them, the oldest without a request makes room


def bind(host: str, port: int) -> socket.socket:
    """A socket that listens; raises ``OSError`` that names the address, ``ValueError`` for none."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        listening = socket.create_server((host, port), family=family, backlog=256)
        # Connections inherit it. asyncio would set it only where the socket names its protocol;
        # without it a body waits 40 ms until its headers are acknowledged.
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    except UnicodeError:  # a part between dots is empty or too long
        raise ValueError(f"{host!r} is no address; expected one such as 127.0.0.1") from None
    except OSError as error:
        # The message of ``create_server`` has the address too; an unknown host has no errno.
        known = not isinstance(error, socket.gaierror)
        message = os.strerror(error.errno) if known and error.errno else error.strerror
        raise OSError(error.errno, message or str(error), f"{host}:{port}") from None
    return listening


def address_of(listening: socket.socket, host: str) -> str:
    """The address for a browser; a wildcard address becomes the loopback one."""
    port = listening.getsockname()[1]
    host = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}.get(host, host)
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def serve(app: ASGIApp, listening: socket.socket, *, on_ready: Callable[[], None]) -> None:
    """Serves until Ctrl-C or a signal to end; calls ``on_ready`` once requests are answered."""
    config = uvicorn.Config(
        app,
        http=_Connection,
        ws="none",
        lifespan="on",
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=_MAX_CONNECTIONS,
        timeout_graceful_shutdown=_SHUTDOWN_S,
    )
    _Server(config, on_ready).run(sockets=[listening])


class _Connection(H11Protocol):
    """A connection that may be closed to make room while it has no request.

    Connections that send nothing would otherwise keep out those that do.
    """

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Takes a connection, and closes the oldest silent one if there are many."""
        super().connection_made(transport)
        self._made_s = self.loop.time()
        if len(self.connections) > _MAX_SILENT:
            silent = [
                each
                for each in self.connections
                if isinstance(each, _Connection) and each is not self and each._is_silent()
            ]
            if silent:
                min(silent, key=lambda each: each._made_s).transport.close()

    def _is_silent(self) -> bool:
        """Whether it is open without a request that is still to be answered."""
        is_answering = self.cycle is not None and not self.cycle.response_complete
        return not is_answering and not self.transport.is_closing()


class _Server(uvicorn.Server):
    """A server that says when it is ready, and that ends without waiting for jobs."""

    def __init__(self, config: uvicorn.Config, on_ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_ready = on_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Starts, then reports it."""
        await super().startup(sockets)
        if self.started:
            self._on_ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Ends, as if all clients had left: a stream would last as long as its job."""
        for connection in self.server_state.connections:
            connection.transport.abort()
        await super().shutdown(sockets)


def open_browser(address: str) -> None:
    """Opens the address in a window, where there is a screen."""
    # Without one, a text browser would take over the terminal.
    has_screen = sys.platform in ("darwin", "win32") or any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY")
    )
    if has_screen:
        # Some browsers return only when they are closed.
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
