"""The server of the page: what it serves, what it refuses, and that nothing hostile harms it."""

import asyncio
import base64
import json
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.processes import SOON_S
from tests.web.event_loops import in_own_loop
from tokoban.sokoban.canonical import canonical_form
from tokoban.sokoban.formats import parse_levels
from tokoban.web import app, jobs, safety
from tokoban.web.app import Collection, make_app, shipped_collection
from tokoban.web.jobs import JobQueue, Run

LEVELS = "First\n\n#####\n#@$.#\n#####\n\nSolution\nR\n\nSecond\n\n######\n#@ $.#\n######\n"


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    """A client of the application without its worker processes."""
    collection = Collection("first", "<b>First</b>", parse_levels(LEVELS))
    yield TestClient(make_app([collection]), base_url="http://127.0.0.1:8000")


def test_the_page_and_its_files_are_served_with_a_policy_against_strange_scripts(
    client: TestClient,
) -> None:
    page = client.get("/")
    assert page.headers["content-type"].startswith("text/html")
    assert "script-src 'self'" in page.headers["content-security-policy"]
    for path in ("/", "/static/js/server.js"):
        answer = client.get(path)
        assert answer.headers["cache-control"] == "no-cache"
        tag = {"if-none-match": answer.headers["etag"]}
        assert client.get(path, headers=tag).status_code == 304
    assert answer.headers["content-type"].startswith("text/javascript")


def test_a_browser_keeps_the_files_of_a_version_until_the_page_names_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(app._PACKAGE / "static", tmp_path / "static")
    monkeypatch.setattr(app, "_PACKAGE", tmp_path)
    client = TestClient(make_app([]), base_url="http://127.0.0.1:8000")

    def main_of_page() -> str:
        return re.findall(r'src="(static-\w+/js/main.js)"', client.get("/").text)[0]

    first = main_of_page()
    assert main_of_page() == first
    assert "immutable" in client.get(first).headers["cache-control"]
    (tmp_path / "static/js/server.js").write_text("// another")
    second = main_of_page()
    assert second != first
    script = client.get(second.replace("main", "server"))
    assert (script.text, "immutable" in script.headers["cache-control"]) == ("// another", True)
    # A page of the first version goes on with what is there, and keeps none of it.
    assert client.get(first).headers["cache-control"] == "no-cache"


def test_collections_hold_the_levels_of_their_files(client: TestClient) -> None:
    listed = client.get("/api/collections").json()["collections"]
    assert [(one["id"], one["name"], one["num_levels"]) for one in listed] == [
        ("first", "<b>First</b>", 2)
    ]
    levels = client.get("/api/collections/first").json()["levels"]
    assert levels[0]["rows"] == ["#####", "#@$.#", "#####"]
    assert (levels[0]["title"], levels[0]["solutions"]) == ("First", ["R"])
    assert client.get("/api/collections/second").status_code == 404


def test_the_shipped_collection_is_60_rated_levels_of_our_own() -> None:
    file = shipped_collection().file
    assert (len(file), file.problems, file.warnings) == (60, (), ())
    assert len({canonical_form(level.board) for level in file}) == 60
    assert "made and rated by this project" in file.notes[0]
    ratings = [next(one[12:] for one in level.notes if "Difficulty" in one) for level in file]
    order = ["easy", "medium", "hard", "expert"]
    assert ratings == sorted(ratings, key=order.index)
    assert set(ratings) == set(order)
    for level in file:
        fewest = next(note for note in level.notes if note.startswith("Pushes: "))
        assert level.solutions[0].num_pushes == int(fewest.removeprefix("Pushes: "))


@pytest.mark.parametrize(
    ("notes", "name", "credit"),
    [
        ("; All of it\n\n;-----\n; By A.\n; Free.\n;\n; More.", "All of it", "By A.\nFree."),
        ("::: SOK :::\n\nTitle: All of it\nEmail: a@b.org\n\nMore.", "All of it", "Email: a@b.org"),
        ("Collection: All of it\n\nBy A.", "All of it", "By A."),
        (f"; {'By A. ' * 20}", "file.txt", ("By A. " * 20).strip()),
        ("By A.\n\nMore.", "file.txt", "By A."),
        ("", "file.txt", ""),
    ],
)
def test_a_collection_has_the_name_that_its_file_gives_it(
    notes: str, name: str, credit: str
) -> None:
    collection = Collection("x", "file.txt", parse_levels(f"{notes}\n\n{LEVELS}"))
    client = TestClient(make_app([collection]), base_url="http://127.0.0.1:8000")
    [listed] = client.get("/api/collections").json()["collections"]
    found = client.get("/api/collections/x").json()
    assert (listed["name"], found["name"], found["credit"]) == (name, name, credit)


def test_levels_that_are_written_are_read_again(client: TestClient) -> None:
    read = client.post("/api/levels/read", json={"text": LEVELS, "name": "p" * 255}).json()
    assert read["problems"] == []
    about = {"name": "Mine: 2", "credit": "By A.\nTitle: none"}
    for levels in (read["levels"], read["levels"][:1]):
        written = client.post("/api/levels/write", json={"levels": levels, **about}).json()
        again = client.post("/api/levels/read", json={"text": written["text"], "name": ""}).json()
        assert again["levels"] == levels
        assert {key: again[key] for key in about} == about


def test_a_drawing_that_is_no_level_does_not_hold_up_the_others(client: TestClient) -> None:
    drawn = {"title": "Odd", "rows": ["######", "#@$$.#", "######"]}
    read = client.post("/api/levels/read", json={"text": LEVELS, "name": ""}).json()
    whole = read["levels"][0]
    written = client.post("/api/levels/write", json={"levels": [drawn, whole]}).json()
    [left_out] = written["left_out"]
    told = left_out["title"], left_out["message"], left_out["code"], left_out["values"]
    assert told == ("Odd", "2 boxes but 1 goal", "unequal", {"boxes": 2, "goals": 1})
    alone = client.post("/api/levels/write", json={"levels": [whole]}).json()
    assert (alone["text"], alone["left_out"]) == (written["text"], [])
    assert client.post("/api/levels/write", json={"levels": [drawn]}).json()["text"] == ""
    damaged = ({"saved": [{"moves": "r", "at": 7}]}, {"solutions": ["zz"]}, {"title": "a\nb"})
    for record in damaged:
        records = [{**whole, **record}, whole]
        found = client.post("/api/levels/write", json={"levels": records}).json()
        assert (found["text"], len(found["left_out"])) == (alone["text"], 1)


SLC = '<?xml version="1.0" encoding="iso-8859-1"?><SokobanLevels><Level Id="Niçois">{}</Level>'
XML = SLC.format("".join(f"<L>{row}</L>" for row in ("#####", "#@$.#", "#####")))
XML += "</SokobanLevels>"
XSB = "; Niçois\n\n#####\n#@$.#\n#####\n"


@pytest.mark.parametrize(
    "content",
    [
        *(XSB, XSB.encode(), XSB.encode("latin-1"), XSB.encode("utf-16")),
        *(XML, XML.encode("latin-1"), XML.encode("utf-8-sig"), XML.encode("utf-16")),
    ],
)
def test_a_text_is_as_it_is_and_a_file_is_decoded_as_by_the_commands(
    client: TestClient, content: str | bytes
) -> None:
    body = {"name": ""}
    if isinstance(content, str):
        body["text"] = content
    else:
        body["base64"] = base64.b64encode(content).decode()
    [level] = client.post("/api/levels/read", json=body).json()["levels"]
    assert level["title"] == "Niçois"


def test_a_board_that_is_no_level_has_a_code_and_a_wrong_solution_its_line(
    client: TestClient,
) -> None:
    text = "#####\n#@$.#\n#####\n\nSolution\nl\n\n######\n#@$$.#\n######\n"
    read = client.post("/api/levels/read", json={"text": text, "name": ""}).json()
    assert len(read["levels"]) == 1
    assert read["wrong_solutions"] == [6]
    assert read["problems"] == [
        {
            "line": 8,
            "level": 2,
            "message": "2 boxes but 1 goal",
            "code": "unequal",
            "values": {"boxes": 2, "goals": 1},
        }
    ]


@pytest.mark.parametrize(
    ("host", "is_served"),
    [
        ("localhost:8000", True),
        ("LOCALHOST", True),
        ("127.0.0.1:8000", True),
        ("[::1]:8000", True),
        ("evil.example", False),
        ("localhost.evil.example:8000", False),
        ("localhost@evil.example", False),
        ("127.0.0.1.evil.example", False),
        ("localhost/evil.example", False),
        ("", False),
    ],
)
def test_only_own_names_are_answered(client: TestClient, host: str, is_served: bool) -> None:
    answer = client.get("/api/collections", headers={"host": host})
    assert answer.status_code == (200 if is_served else 421)


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "https://127.0.0.1:8000"},
        {"origin": "http://127.0.0.1:8001"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_requests_of_other_sites_are_refused(client: TestClient, headers: dict[str, str]) -> None:
    body = {"text": LEVELS, "name": ""}
    own = {"origin": "http://127.0.0.1:8000", "sec-fetch-site": "same-origin"}
    assert client.post("/api/levels/read", json=body, headers=own).status_code == 200
    assert client.post("/api/levels/read", json=body, headers=headers).status_code == 403
    # A link from elsewhere may still open the page.
    if "origin" not in headers:
        assert client.get("/", headers=headers).status_code == 200


@pytest.mark.parametrize(
    "path",
    ["/static/../app.py", "/static/%2e%2e/app.py", "/static//etc/passwd", "/static/js", "/app.py"],
)
def test_no_path_of_a_client_is_opened(client: TestClient, path: str) -> None:
    assert client.get(path).status_code == 404


def test_a_wrong_method_is_told_the_right_ones(client: TestClient) -> None:
    answer = client.get("/api/jobs/0")
    assert answer.status_code == 405
    assert set(answer.headers["allow"].split(", ")) == {"POST", "DELETE"}


@pytest.mark.parametrize(
    ("content", "status"),
    [
        (b"{", 400),
        (b"[]", 400),
        (b"[" * 100_000, 400),
        (b'{"text": 3}', 400),
        (b'{"base64": "I?"}', 400),
        ('{"base64": "é"}'.encode(), 400),
        (b'{"text": 3, "none": "' + b"#" * 100_000 + b'"}', 400),
        (b'{"text": "' + b"#" * 10_000_000 + b'"}', 413),
    ],
    ids=[
        "cut off",
        "list",
        "deep",
        "no text",
        "no bytes",
        "no ASCII",
        "no text at length",
        "10 MB",
    ],
)
def test_what_cannot_be_read_is_told_in_a_sentence(
    client: TestClient, content: bytes, status: int
) -> None:
    json_type = {"content-type": "application/json"}
    answer = client.post("/api/levels/read", content=content, headers=json_type)
    assert answer.status_code == status
    assert answer.json()["message"].endswith(".") or "expected" in answer.json()["message"]

    # The same without a length that was told in advance.
    def parts() -> Iterator[bytes]:
        for start in range(0, len(content), 100_000):
            yield content[start : start + 100_000]

    answer = client.post("/api/levels/read", content=parts(), headers=json_type)
    assert answer.status_code == status


def test_many_large_requests_at_once_are_held_within_a_limit(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = {"text": " " * 90_000, "name": ""}
    monkeypatch.setattr(safety, "_MAX_HELD_BYTES", 80_000)
    assert client.post("/api/levels/read", json=body).status_code == 429
    # What was held is let go, whether it was refused or answered.
    monkeypatch.setattr(safety, "_MAX_HELD_BYTES", 100_000)
    for _ in range(3):
        assert client.post("/api/levels/read", json=body).status_code == 200


UPLOAD = {
    "type": "http",
    "method": "POST",
    "path": "/api/jobs",
    "query_string": b"",
    "headers": [(b"host", b"localhost"), (b"content-type", b"application/json")],
}


@in_own_loop
async def test_a_request_that_comes_drop_by_drop_is_given_up(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(safety, "_BODY_S", 0.2)

    async def drops() -> Any:
        await asyncio.sleep(0.05)
        return {"type": "http.request", "body": b" ", "more_body": True}

    sent = []

    async def send(message: Any) -> None:
        sent.append(message)

    await asyncio.wait_for(client.app(UPLOAD, drops, send), SOON_S)
    assert sent[0]["status"] == 408


@in_own_loop
async def test_a_client_that_leaves_during_its_upload_is_no_error(client: TestClient) -> None:
    received = iter(
        [{"type": "http.request", "body": b"{", "more_body": True}, {"type": "http.disconnect"}]
    )

    async def receive() -> Any:
        return next(received)

    async def send(message: Any) -> None:
        raise AssertionError("nobody is there to be answered")

    await client.app(UPLOAD, receive, send)


def test_a_page_behind_a_proxy_is_served_and_told_what_to_do(client: TestClient) -> None:
    body = {"text": LEVELS, "name": ""}
    # The proxy at play.example passes requests on with the server's own host.
    behind = {"origin": "https://play.example", "sec-fetch-site": "same-origin"}
    assert client.get("/static/js/main.js", headers=behind).status_code == 200
    refused = client.post("/api/levels/read", json=body, headers=behind)
    assert refused.status_code == 403
    assert "tokoban web --allow-origin https://play.example" in refused.json()["message"]
    allowing = TestClient(
        make_app([], origins=["https://play.example"]), base_url="http://localhost"
    )
    for host in ("localhost", "play.example"):  # rewritten or not
        headers = behind | {"host": host}
        assert allowing.post("/api/levels/read", json=body, headers=headers).status_code == 200
    evil = behind | {"origin": "https://evil.example"}
    assert allowing.post("/api/levels/read", json=body, headers=evil).status_code == 403
    of_a_frame = client.post("/api/levels/read", json=body, headers=behind | {"origin": "null"})
    assert of_a_frame.json()["message"] == "Requests of other sites are refused."
    told = client.get("/", headers={"host": "play.example"})
    assert (told.status_code, "--allow-origin" in told.json()["message"]) == (421, True)


def test_a_job_that_waits_lets_its_connection_go_and_is_asked_for_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(app, "_PATIENCE_S", 0.0)
    queue = JobQueue(command=(sys.executable, "-c", "input()"))  # no worker is ever ready
    address = "http://127.0.0.1:8000"
    with TestClient(make_app([], queue=queue), base_url=address) as client:

        def asked(path: str) -> list[dict[str, Any]]:
            answer = client.post(path, json={"kind": "solve", "arguments": {}})
            return [json.loads(line) for line in answer.text.splitlines()]

        told = asked("/api/jobs")
        assert [event["event"] for event in told] == ["queued", "parked"]
        path = f"/api/jobs/{told[-1]['id']}"
        [parked] = asked(path)
        assert client.post(path).status_code == 404  # it has another id now
        path = f"/api/jobs/{parked['id']}"
        assert client.delete(path, headers={"origin": "http://evil.example"}).status_code == 403
        assert [client.delete(path).status_code for _ in range(2)] == [200, 404]

        # Who has not come back by then has left.
        monkeypatch.setattr(app, "_ABANDONED_S", 0.0)
        abandoned = asked("/api/jobs")[-1]["id"]
        assert client.get("/api/collections").status_code == 200
        assert client.post(f"/api/jobs/{abandoned}").status_code == 404

        # Jobs that are too large to wait are refused.
        asked("/api/jobs")
        monkeypatch.setattr(jobs, "_MAX_WAITING_BYTES", 0)
        body = {"kind": "solve", "arguments": {}}
        assert client.post("/api/jobs", json=body).status_code == 429


@in_own_loop
async def test_a_client_that_leaves_while_its_job_is_parked_ends_it() -> None:
    run, is_parking = Run(1, "solve", {}), asyncio.Event()

    async def send(message: Any) -> None:
        if b"parked" in message.get("body", b""):
            is_parking.set()
            await asyncio.Event().wait()

    async def receive() -> Any:
        await is_parking.wait()
        return {"type": "http.disconnect"}

    await app._EventStream(run, 0.0, lambda run: "id")({}, receive, send)
    assert run.is_cancelled.is_set()


def test_a_form_of_another_site_cannot_post(client: TestClient) -> None:
    content = json.dumps({"text": LEVELS})
    answer = client.post(
        "/api/levels/read", content=content, headers={"content-type": "text/plain"}
    )
    assert answer.status_code == 400
