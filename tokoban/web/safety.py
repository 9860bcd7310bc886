"""What every request and answer must be: for this host, from this page, of bearable size.

A page of another site can send requests to the loopback address, and a name that resolves to it
makes such a page look like ours; hence the checks of Host and Origin.
"""

import asyncio
import ipaddress
from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
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
# A request that has not arrived whole by then is given up, and so is a client that reads nothing.
_BODY_S, _STALLED_S = 30.0, 60.0


class TooLargeError(Exception):
    """The body of a request is larger than is read."""


class Safety:
    """Refuses requests for other hosts, of other origins and of too many bytes; adds headers.

    ``names`` are the names of the server beside ``localhost``. An address is never refused: no
    other site can make a browser send one in its place.
    """

    def __init__(self, app: ASGIApp, *, names: Iterable[str] = (), max_body_bytes: int) -> None:
        self._app = app
        self._names = {"localhost", *(name.lower() for name in names)}
        self._max_body_bytes = max_body_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one request, or refuses it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            raise ValueError(f"{scope['type']} is not served")
        is_begun = False

        async def answer(message: Message) -> None:
            nonlocal is_begun
            if message["type"] == "http.response.start":
                is_begun = True
                MutableHeaders(scope=message).update(_HEADERS)
            await asyncio.wait_for(send(message), _STALLED_S)

        refusal = self._refusal(Headers(scope=scope), scope["path"])
        if refusal is None:
            try:
                await self._app(scope, self._limited(receive), answer)
                return
            except TooLargeError as error:
                refusal = 413, str(error)
            except TimeoutError:
                refusal = 408, "The request did not arrive in time."
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
            return 421, "This server answers to its own address only."
        for origin in headers.getlist("origin"):
            if origin != f"http://{host[0]}":
                return 403, "Requests of other sites are refused."
        # Links from elsewhere may open the page, but not use it.
        site = headers.get("sec-fetch-site", "same-origin")
        if path.startswith("/api/") and site not in ("same-origin", "none"):
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

    def _limited(self, receive: Receive) -> Receive:
        """``receive`` with a limit on all bytes of a body, and on the time until it is whole."""
        num_bytes = 0
        is_whole = False

        async def limited() -> Message:
            nonlocal num_bytes, is_whole
            # After the body the next message is that the client leaves, which may take hours.
            message = await (receive() if is_whole else asyncio.wait_for(receive(), _BODY_S))
            if message["type"] == "http.request":
                num_bytes += len(message.get("body", b""))
                is_whole = not message.get("more_body", False)
                if num_bytes > self._max_body_bytes:
                    most = f"{self._max_body_bytes:,} bytes"
                    raise TooLargeError(f"The request is larger than {most}.")
            return message

        return limited
