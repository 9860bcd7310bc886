"""Serves only requests to this host, from this page, within limits of size and time.

A page of another site can send requests to the loopback address, and a name that resolves to it
makes such a page look like ours; hence the checks of Host and Origin.
"""

import asyncio
import ipaddress
from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
# Time for a request to arrive completely, and for a client that reads nothing.
_BODY_S, _STALLED_S = 30.0, 60.0
# Bodies of all unanswered requests together: a few of the largest, or many usual ones.
_MAX_HELD_BYTES = 2**26


class RefusedError(Exception):
    """A request is refused while its body arrives; the rest is not read."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Safety:
    """Refuses requests for other hosts, of other origins and of too many bytes; adds headers.

    ``names`` are the names of the server besides ``localhost``. An address is never refused: no
    other site can make a browser send one in its place. ``origins`` are those of proxies, such as
    ``https://play.example``.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        names: Iterable[str] = (),
        origins: Iterable[str] = (),
        max_body_bytes: int,
    ) -> None:
        self._app = app
        self._origins = set(origins)
        proxies = [urlsplit(origin).hostname or "" for origin in self._origins]
        self._names = {"localhost", *(name.lower() for name in names), *proxies}
        self._max_body_bytes = max_body_bytes
        self._held_bytes = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one request, or refuses it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        is_begun = False

        async def answer(message: Message) -> None:
            nonlocal is_begun
            if message["type"] == "http.response.start":
                is_begun = True
                MutableHeaders(scope=message).update(_HEADERS)
            await asyncio.wait_for(send(message), _STALLED_S)

        refusal = self._refusal(Headers(scope=scope), scope["path"])
        if refusal is None:
            body = _Body(receive)
            try:
                await self._app(scope, self._limited(body), answer)
                return
            except ClientDisconnect:  # in the middle of its request
                return
            except RefusedError as error:
                refusal = error.status, str(error)
            except TimeoutError:
                refusal = 408, "The request did not arrive in time."
            finally:
                self._held_bytes -= body.num_bytes
            if is_begun:
                return
        status, message = refusal
        # The rest of the request is not read, so the connection cannot be used again.
        closing = {"Connection": "close"}
        response = JSONResponse({"message": message}, status_code=status, headers=closing)
        await response(scope, receive, answer)

    def _refusal(self, headers: Headers, path: str) -> tuple[int, str] | None:
        """Why a request is not served, with its status."""
        host = headers.getlist("host")
        if len(host) != 1 or not self._is_own(host[0]):
            allow = "for that of a proxy, start tokoban web with --allow-origin"
            return 421, f"This server answers to its own address only; {allow}."
        # Links from other sites may open the page; behind a proxy it has to say what is wrong.
        if not path.startswith("/api/"):
            return None
        for origin in headers.getlist("origin"):
            if origin not in (f"http://{host[0]}", *self._origins):
                allow = f" If {origin} is a proxy's, start tokoban web --allow-origin {origin}"
                if origin == "null":  # of a file or a sandboxed frame
                    allow = ""
                return 403, f"Requests of other sites are refused.{allow}"
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return 403, "Requests of other sites are refused."
        return None

    def _is_own(self, host: str) -> bool:
        """Whether a Host header names this server."""
        try:
            parts = urlsplit(f"//{host}")
            name, _ = parts.hostname, parts.port
        except ValueError:
            return False
        if name is None or parts.netloc != host or "@" in host:
            return False
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return name in self._names
        return True

    def _limited(self, body: "_Body") -> Receive:
        """Receives a body, with limits on its bytes and on those of all requests."""

        async def limited() -> Message:
            before = body.num_bytes
            message = await body.receive()
            self._held_bytes += body.num_bytes - before
            if body.num_bytes > self._max_body_bytes:
                most = f"{self._max_body_bytes:,} bytes"
                raise RefusedError(413, f"The request is larger than {most}.")
            if body.num_bytes > before and self._held_bytes > _MAX_HELD_BYTES:
                raise RefusedError(429, "The server holds too much already; try again later.")
            return message

        return limited


class _Body:
    """The body of one request as it comes, with a limit on the time until it is whole."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._end_s = asyncio.get_running_loop().time() + _BODY_S
        self._is_whole = False
        self.num_bytes = 0

    async def receive(self) -> Message:
        """The next message; raises ``TimeoutError``."""
        if self._is_whole:
            # The next message says that the client has left, which may be hours later.
            return await self._receive()
        left_s = self._end_s - asyncio.get_running_loop().time()
        message = await asyncio.wait_for(self._receive(), left_s)
        if message["type"] == "http.request":
            self.num_bytes += len(message.get("body", b""))
            self._is_whole = not message.get("more_body", False)
        return message
