"""The routes: files of the package, collections of levels, and jobs as streams of events."""

import asyncio
import contextlib
import json
import mimetypes
import secrets
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from hashlib import sha256
from importlib import resources
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from tokoban.sokoban.formats import LevelFile, read_levels
from tokoban.web import wire
from tokoban.web.jobs import JobQueue, QueueFullError, Run
from tokoban.web.safety import Safety

_PACKAGE = Path(str(resources.files("tokoban.web")))
# A browser has six connections to a host, for all its tabs together. Fewer jobs run at once; one
# that waits longer than the first limit gives up its connection, and is cancelled if nobody asks
# for it within the second: a hidden tab asks once a minute.
_PATIENCE_S, _ABANDONED_S = 1.0, 150.0
_MAX_PARSED_AT_ONCE = 2  # texts of levels; each may take a second and a hundred megabytes


@dataclass(frozen=True)
class Collection:
    """A level file that the page offers; ``name`` is used where the file has none."""

    id: str
    name: str
    file: LevelFile

    @cached_property
    def title(self) -> str:
        """What the page calls it."""
        return wire.name_and_credit(self.file)[0] or self.name

    @cached_property
    def as_json(self) -> bytes:
        """The collection with all its levels."""
        content = wire.file_to_json(self.file) | {"id": self.id, "name": self.title}
        return json.dumps(content).encode()


def shipped_collection() -> Collection:
    """The 60 levels that come with tokoban, from easy to hard."""
    return Collection("tokoban", "tokoban", read_levels(_PACKAGE / "collection.sok"))


def make_app(
    collections: Sequence[Collection],
    *,
    names: Iterable[str] = (),
    origins: Iterable[str] = (),
    queue: JobQueue | None = None,
) -> Starlette:
    """The page with these collections; ``names`` and ``origins`` are those of ``Safety``.

    The worker processes live from the application's start to its end.
    """
    jobs = queue or JobQueue()

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        await jobs.start()
        try:
            yield
        finally:
            await jobs.close()

    api = _Api(collections, jobs)
    files = _Files(_PACKAGE / "static")
    routes = [
        Route("/", files.answer),
        Route("/static/{path:path}", files.answer),
        Route("/static-{version}/{path:path}", files.answer),
        Route("/api/collections", api.list_collections),
        Route("/api/collections/{id}", api.collection),
        Route("/api/levels/read", partial(api.parsed, wire.read_levels), methods=["POST"]),
        Route("/api/levels/write", partial(api.parsed, wire.write_levels), methods=["POST"]),
        Route("/api/jobs", api.submit_job, methods=["POST"]),
        Route("/api/jobs/{id}", api.parked_job, methods=["POST", "DELETE"]),
    ]
    return Starlette(
        routes=routes,
        lifespan=lifespan,
        middleware=[
            Middleware(Safety, names=names, origins=origins, max_body_bytes=wire.MAX_BODY_BYTES)
        ],
        exception_handlers={HTTPException: _as_message},
    )


class _Files:
    """The files of a folder by name; a client's path is looked up, never opened.

    The page names its files by their version, a hash of them all. A browser keeps what it gets
    under the version without asking for it again: to ask for each of a hundred modules took half
    the time of a visit. An update of tokoban changes the version.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._read()

    def _read(self) -> None:
        """Takes the files as they are now."""
        self._files = {
            path.relative_to(self._folder).as_posix(): path.read_bytes()
            for path in sorted(self._folder.rglob("*"))
            if path.is_file()
        }
        self._tags = {name: _digest(content) for name, content in self._files.items()}
        self._version = _digest(repr(self._tags).encode())
        old, new = b'"static/', f'"static-{self._version}/'.encode()
        self._page = self._files["index.html"].replace(old, new)

    async def answer(self, request: Request) -> Response:
        """A file; the page itself where no path is given."""
        name = request.path_params.get("path")
        if name is None:
            self._read()
            name, content, tag = "index.html", self._page, self._version
        elif name in self._files:
            content, tag = self._files[name], self._tags[name]
        else:
            raise HTTPException(404)
        # A page of an earlier version gets files of this one, which it must not keep as its own.
        is_final = request.path_params.get("version") == self._version
        kept = "max-age=31536000, immutable" if is_final else "no-cache"
        headers = {"ETag": f'"{tag}"', "Cache-Control": kept}
        if request.headers.get("if-none-match") == f'"{tag}"':
            return Response(status_code=304, headers=headers)
        media_type = "text/javascript" if name.endswith(".js") else mimetypes.guess_type(name)[0]
        return Response(content, media_type=media_type, headers=headers)


def _digest(content: bytes) -> str:
    return sha256(content).hexdigest()[:32]


class _Api:
    """The routes that the page calls by fetch."""

    def __init__(self, collections: Sequence[Collection], jobs: JobQueue) -> None:
        self._collections = {collection.id: collection for collection in collections}
        self._jobs = jobs
        # Jobs that wait without a connection, and what cancels them if nobody asks for them.
        self._parked: dict[str, tuple[Run, asyncio.TimerHandle]] = {}
        self._parsing = asyncio.Semaphore(_MAX_PARSED_AT_ONCE)

    async def list_collections(self, request: Request) -> Response:
        """All collections without their levels."""
        listed = [
            {"id": one.id, "name": one.title, "num_levels": len(one.file)}
            for one in self._collections.values()
        ]
        return _json({"collections": listed})

    async def collection(self, request: Request) -> Response:
        """One collection with its levels."""
        found = self._collections.get(request.path_params["id"])
        if found is None:
            raise HTTPException(404, "There is no such collection.")
        content = await run_in_threadpool(lambda: found.as_json)
        return Response(content, media_type="application/json", headers=_FRESH)

    async def parsed(
        self, work: Callable[[dict[str, Any]], dict[str, Any]], request: Request
    ) -> Response:
        """What ``work`` makes of levels that were pasted, dropped or drawn."""
        body = await _body(request)
        async with self._parsing:
            try:
                content = await run_in_threadpool(
                    lambda: json.dumps(work(wire.object_of(body))).encode()
                )
            except ValueError as error:
                raise HTTPException(400, str(error)) from None
        return Response(content, media_type="application/json", headers=_FRESH)

    async def submit_job(self, request: Request) -> Response:
        """Starts a job; the answer is the stream of its events.

        If the job has to wait, the stream ends with ``{"event": "parked", "id": ...}``, and another
        request gets the rest.
        """
        body = await _body(request)
        try:
            content = await run_in_threadpool(wire.object_of, body)
        except ValueError as error:
            raise HTTPException(400, str(error)) from None
        kind, arguments = content.get("kind"), content.get("arguments")
        if not isinstance(kind, str) or not isinstance(arguments, dict):
            raise HTTPException(400, "Expected an object with a kind and arguments.")
        try:
            return _EventStream(self._jobs.submit(kind, arguments), _PATIENCE_S, self._park)
        except QueueFullError as error:
            raise HTTPException(429, str(error)) from None
        except RecursionError:
            raise HTTPException(400, "The arguments are too deep.") from None

    async def parked_job(self, request: Request) -> Response:
        """Ends a job that was parked, or gives its events since then.

        It is parked again if it still waits.
        """
        run, later = self._parked.pop(request.path_params["id"], (None, None))
        if run is None or later is None:
            raise HTTPException(404, "There is no such job any more.")
        later.cancel()
        if request.method == "POST":
            return _EventStream(run, 0.0, self._park)
        run.cancel()
        return _json({})

    def _park(self, run: Run) -> str:
        """Keeps a job that nobody listens to for a while; returns its id."""
        id = secrets.token_hex(16)

        def abandon() -> None:
            del self._parked[id]
            run.cancel()

        later = asyncio.get_running_loop().call_later(_ABANDONED_S, abandon)
        self._parked[id] = run, later
        return id


class _EventStream(Response):
    """The events of a job as lines of JSON; a client that leaves cancels it.

    A job that waits longer than ``patience_s`` is parked instead.
    """

    media_type = "application/x-ndjson"

    def __init__(self, run: Run, patience_s: float, park: Callable[[Run], str]) -> None:
        super().__init__(headers=_FRESH)
        del self.headers["content-length"]
        self._run, self._patience_s, self._park = run, patience_s, park
        self._is_parked = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Streams until the last event, or until the client has left."""
        stream = asyncio.ensure_future(self._stream(send))
        left = asyncio.ensure_future(_wait_for_leave(receive))
        try:
            await asyncio.wait({stream, left}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (stream, left):
                task.cancel()
            await asyncio.gather(stream, left, return_exceptions=True)
            if not self._is_parked:
                self._run.cancel()

    async def _stream(self, send: Send) -> None:
        start = {"type": "http.response.start", "status": 200, "headers": self.raw_headers}
        await send(start)
        async for line in self._run.events(self._patience_s):
            await send({"type": "http.response.body", "body": line, "more_body": True})
        last, parks = b"", self._run.is_waiting
        if parks:
            parked = {"event": "parked", "id": self._park(self._run)}
            last = json.dumps(parked).encode() + b"\n"
        await send({"type": "http.response.body", "body": last, "more_body": False})
        self._is_parked = parks


async def _wait_for_leave(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


_FRESH: Mapping[str, str] = {"Cache-Control": "no-store"}


def _json(content: object) -> Response:
    return JSONResponse(content, headers=_FRESH)


async def _body(request: Request) -> bytes:
    """The body of a request whose type is JSON; any other type is the client's error."""
    # No form of another site can send this type.
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise HTTPException(400, "Expected JSON.")
    return await request.body()


async def _as_message(request: Request, error: Exception) -> Response:
    """An error as one clear sentence."""
    assert isinstance(error, HTTPException)
    headers = {**_FRESH, **(error.headers or {})}
    return JSONResponse({"message": error.detail}, error.status_code, headers)
