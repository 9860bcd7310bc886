"""`tokoban web` as a process of its own: quick to start, hard to harm, and gone without a trace."""

import contextlib
import errno
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest

from benchmarks.served import Server
from tests.processes import SOON_S, cpu_s, is_alive, wait_until
from tokoban.cli import main
from tokoban.web.app import Collection
from tokoban.web.server import bind

LEVEL = "#####\n#@$.#\n#####"
# Nothing is found for it in the time of a test: 24 boxes, and no room to pass.
HARD = "\n".join(
    [
        "####################",
        "#@                 #",
        *["#  $ $ $ $ $ $ $   #", "#                  #"] * 4,
        *["#  . . . . . . .   #", "#                  #"] * 4,
        "####################",
    ]
)


class Client:
    """A server of the page, and a client of it."""

    def __init__(self) -> None:
        self.server = Server()
        self.http = self._new_client()

    def _new_client(self) -> httpx.Client:
        return httpx.Client(base_url=self.server.url, timeout=SOON_S)

    def reconnect(self) -> None:
        """Asks by a new connection from now on."""
        self.http.close()
        self.http = self._new_client()

    def close(self) -> None:
        self.http.close()
        self.server.close()

    def workers(self) -> list[int]:
        """The processes that the server has started."""
        listed = Path(f"/proc/{self.server.process.pid}/task")
        return [
            int(pid) for task in listed.iterdir() for pid in (task / "children").read_text().split()
        ]

    def events(self, kind: str, **arguments: Any) -> Generator[dict[str, Any], None, None]:
        return events_of(self.http, {"kind": kind, "arguments": arguments})


def events_of(http: httpx.Client, job: Any) -> Generator[dict[str, Any], None, None]:
    """The events of a job, asked for again while it waits."""
    path = "/api/jobs"
    while path:
        with http.stream("POST", path, json=job) as answer:
            path = ""
            assert answer.status_code == 200, answer.read()
            for line in answer.iter_lines():
                event = json.loads(line)
                if event["event"] == "parked":
                    path = f"/api/jobs/{event['id']}"
                else:
                    yield event
        if path:
            time.sleep(0.1)


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    """The server that all tests ask until the last one ends it."""
    with contextlib.closing(Client()) as made:
        list(made.events("explain", board=LEVEL))  # once the searches are loaded
        yield made


def test_a_closed_tab_ends_its_work_and_the_worker_serves_the_next(client: Client) -> None:
    events = client.events("solve", board=HARD, time_limit_s=300)
    assert next(event for event in events if event["event"] == "progress")
    events.close()
    started_s = time.monotonic()
    *_, done = client.events("solve", board=LEVEL)
    assert done["status"] == "solved"
    assert time.monotonic() - started_s < SOON_S
    # Nobody works any more.
    pids = client.workers()
    assert wait_until(lambda: _is_idle(pids))


def _is_idle(pids: list[int]) -> bool:
    before = [cpu_s(pid) for pid in pids]
    time.sleep(0.3)
    return sum(cpu_s(pid) for pid in pids) - sum(before) < 0.05


def head_of_job(client: Client, num_bytes: int) -> bytes:
    """A request for a job, as far as its body."""
    host = f"POST /api/jobs HTTP/1.1\r\nHost: 127.0.0.1:{client.server.port}\r\n"
    kind = f"Content-Type: application/json\r\nContent-Length: {num_bytes}\r\n\r\n"
    return (host + kind).encode()


def test_a_client_that_sends_or_reads_nothing_keeps_nobody_waiting(client: Client) -> None:
    body = json.dumps({"kind": "solve", "arguments": {"board": HARD}})
    with contextlib.ExitStack() as open_ones:

        def connect() -> socket.socket:
            return open_ones.enter_context(
                socket.create_connection(("127.0.0.1", client.server.port))
            )

        for one in [connect() for _ in range(600)][-10:]:
            one.sendall(head_of_job(client, 99_999))
        connect().sendall(head_of_job(client, len(body)) + body.encode())
        client.reconnect()  # its connection of earlier is silent too
        started_s = time.monotonic()
        assert client.http.get("/api/collections").status_code == 200
        assert list(client.events("explain", board=LEVEL))[-1]["event"] == "done"
        assert time.monotonic() - started_s < SOON_S


def test_it_listens_on_the_loopback_address_alone(client: Client) -> None:
    listening = Path("/proc/net/tcp").read_text() + Path("/proc/net/tcp6").read_text()
    addresses = re.findall(rf" ([0-9A-F]+):{client.server.port:04X} [0-9A-F]+:0000 0A ", listening)
    assert addresses == ["0100007F"]


def test_what_is_sent_waits_for_no_acknowledgement() -> None:
    with (
        bind("127.0.0.1", 0) as listening,
        socket.create_connection(listening.getsockname()),
        listening.accept()[0] as accepted,
    ):
        assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_ctrl_c_ends_it_at_once_and_quietly_with_open_streams(
    capfd: pytest.CaptureFixture[str],
) -> None:
    with (
        contextlib.closing(Client()) as client,
        socket.create_connection(("127.0.0.1", client.server.port)) as slow,
    ):
        slow.sendall(head_of_job(client, 99_999))
        events = client.events("solve", board=HARD, time_limit_s=300)
        assert next(events)["event"] == "queued"
        workers = client.workers()
        client.server.process.send_signal(signal.SIGINT)
        assert client.server.process.wait(SOON_S) == 0
        assert wait_until(lambda: not any(map(is_alive, workers)))
        with pytest.raises(httpx.HTTPError):
            list(events)
    assert capfd.readouterr().err == ""


def test_a_port_in_use_is_a_sentence() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        command = [sys.executable, "-m", "tokoban", "web", "--no-open", "--port", port]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert ended.stderr == f"tokoban: 127.0.0.1:{port}: {os.strerror(errno.EADDRINUSE)}\n"


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[Collection]:
    """The collections that the command gives to the page."""
    found: list[Collection] = []
    monkeypatch.setattr("tokoban.web.app.make_app", lambda given, **_: found.extend(given))
    return found


def test_a_file_without_levels_is_left_out_beside_others(
    tmp_path: Path, shown: list[Collection], capsys: pytest.CaptureFixture[str]
) -> None:
    good, bad = tmp_path / "good.xsb", tmp_path / "bad.xsb"
    good.write_text("#####\n#@$.#\n#####\n")
    bad.write_text("#####\n#@$ #\n#####\n")
    missing = tmp_path / "missing.xsb"
    with socket.create_server(("127.0.0.1", 0)) as taken:  # so that nothing is served
        command = ["web", "--port", str(taken.getsockname()[1])]
        assert main([*command, str(bad), str(good), str(missing)]) == 2
        told = capsys.readouterr().err.splitlines()
        assert [(one.id, one.title) for one in shown][1:] == [("file-good", "good")]
        assert told[0].startswith(f"tokoban: {bad}:1: ")
        assert told[1] == f"tokoban: {missing}: {os.strerror(errno.ENOENT)}"
        assert "in use" in told[2]
        assert main([*command, str(missing)]) == 2  # all that was asked for
        assert capsys.readouterr().err == f"tokoban: {missing}: {os.strerror(errno.ENOENT)}\n"


def test_files_of_one_name_are_two_collections_and_an_id_stays_with_its_name(
    tmp_path: Path, shown: list[Collection]
) -> None:
    paths = [tmp_path / folder / name for folder in "ab" for name in ("one.xsb", "two.xsb")]
    for path in paths:
        path.parent.mkdir(exist_ok=True)
        path.write_text(LEVEL)
    with socket.create_server(("127.0.0.1", 0)) as taken:  # so that nothing is served
        command = ["web", "--port", str(taken.getsockname()[1])]
        for some in (paths, paths[1:2]):
            shown.clear()
            assert main([*command, *map(str, some)]) == 2
            ids = [one.id for one in shown]
            assert len(set(ids)) == len(some) + 1
            assert "file-two" in ids


def test_a_host_that_can_be_none_is_a_sentence() -> None:
    for host in ("a..b", "a" * 70):
        with pytest.raises(ValueError, match=f"^'{host}' is no address; expected one such as"):
            bind(host, 0)


def test_no_worker_outlives_a_server_that_is_killed(client: Client) -> None:
    events = client.events("solve", board=HARD, time_limit_s=300)
    assert next(event for event in events if event["event"] == "progress")
    workers = client.workers()
    assert len(workers) >= 2
    client.server.process.kill()
    assert wait_until(lambda: not any(map(is_alive, workers)))
    with pytest.raises(httpx.HTTPError):
        list(events)
