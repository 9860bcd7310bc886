"""``tokoban check``: what is good passes, and every kind of bad file is told in one line each."""

import gzip
import io
import json
import time
from pathlib import Path

import pytest

from tokoban.cli import main

GOOD = (
    "; 1\n\n#####\n#@$.#\n#####\nAuthor: A\n\nSolution/Moves\nR\n\n; 2\n#######\n#@ $ .#\n#######\n"
)
ROOM = "#######\n#@ $ .#\n#######\n"
SMALL = "#####\n#@$.#\n#####\n\n"


def check(path: Path, *words: str) -> int:
    return main(["check", str(path), *words])


def test_a_good_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "good.xsb").write_text(GOOD)
    assert check(tmp_path / "good.xsb") == 0
    figures = "moves 1, pushes 1, box lines 1, box changes 1, pushing sessions 1, player lines 1"
    assert capsys.readouterr() == (
        f'{tmp_path / "good.xsb"}:9: "1": Solution/Moves: {figures}\n'
        "2 good levels, 1 solution, 0 problems\n",
        "",
    )


def test_the_best_of_several_solutions_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = "#######\n#@ $ .#\n# $ . #\n#     #\n#######\n"
    ways = ("rRlrRllldRR", "rRRllldRR", "rRRlddlluRR")
    (tmp_path / "ways.xsb").write_text(rows + "".join(f"\nSolution\n{way}\n" for way in ways))
    assert check(tmp_path / "ways.xsb") == 0
    told = capsys.readouterr().out.splitlines()[:-1]
    assert told[0].startswith(f"{tmp_path / 'ways.xsb'}:8: level 1: Solution: moves 11, ")
    assert [line.partition("player lines ")[2] for line in told] == [
        "6", "4, fewest moves of these, fewest pushes of these", "6",
    ]  # fmt: skip


def test_several_files_and_their_duplicates(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.xsb").write_text(f"; One\n{SMALL}; Two\n{SMALL.replace('$.', '$ .')}")
    (tmp_path / "b.xsb").write_text(
        "; 7\n###\n#.#\n#$#\n#@#\n###\n\n; 8\n#######\n# @$ .#\n#######\n"
    )
    (tmp_path / "c.xsb").write_text("; 9\n#######\n#@ $ .#\n#######\n")
    files = [str(tmp_path / name) for name in ("a.xsb", "b.xsb", "c.xsb")]
    assert main(["check", *files]) == 0
    assert capsys.readouterr().out == "5 good levels, 0 solutions, 0 problems\n"
    assert main(["check", "--duplicates", *files]) == 0
    a, b, c = files
    assert capsys.readouterr().out == (
        f'2 levels are the same:\n  {a}:2: "One"\n  {b}:2: "7"\n'
        f'2 levels are the same:\n  {b}:9: "8"\n  {c}:2: "9", the player on another square\n'
        "5 good levels, 0 solutions, 0 problems, 2 duplicates\n"
    )
    assert main(["check", "--duplicates", "--json", "-", *files]) == 0
    groups = json.loads(capsys.readouterr().out)["duplicates"]
    assert [[level["title"] for level in group["levels"]] for group in groups] == [
        ["One", "7"], ["8", "9"],
    ]  # fmt: skip
    hashes = [[level["hash"] for level in group["levels"]] for group in groups]
    assert hashes[0][0] == hashes[0][1] != groups[1]["hash"]
    assert hashes[1][0] != hashes[1][1]


@pytest.mark.parametrize(
    ("below", "line", "told"),
    [
        ("Reverse Mode Snapshot\n[]R\n", 5, "reverse-mode game kept as text, not played"),
        ("Solution\nRRR\n", 5, "move 1 (R): written as a push but no box moves"),
        ("boxorder: 1\n", 4, "boxorder (Sokoban+) is passed over: any box may go to any goal"),
    ],
)
def test_warnings_are_no_problems(
    below: str, line: int, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "warn.xsb").write_text(f"{ROOM}{below}")
    assert check(tmp_path / "warn.xsb", "--json", str(tmp_path / "found.json")) == 0
    printed = capsys.readouterr()
    assert printed.err.startswith(f"{tmp_path / 'warn.xsb'}:{line}: ")
    assert printed.err.endswith(f"{told} (a warning)\n")
    found = json.loads((tmp_path / "found.json").read_text())
    [warning] = found["warnings"]
    assert (warning["line"], warning["message"]) == (line, told)
    assert [one["lurd"] for one in found["levels"][0]["solutions"]] == ["rRR"] * ("RRR" in below)


def test_standard_input(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"####\n#@.#\n####\n")))
    assert main(["check", "-"]) == 2
    out, err = capsys.readouterr()
    assert out == "0 good levels, 0 solutions, 1 problem\n"
    assert err == 'standard input:1: level 1 "": no box\n'


def test_the_findings_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mixed.xsb").write_text(f"{GOOD}\nSnapshot\nrR\n\nSolution\nru\n")
    assert check(tmp_path / "mixed.xsb", "--json", str(tmp_path / "found.json")) == 2
    found = json.loads((tmp_path / "found.json").read_text())
    first, second = found["levels"]
    [solution], [problem] = first["solutions"], found["problems"]
    assert [one["line"] for one in (first, second, solution, problem)] == [3, 12, 9, 20]
    assert (first["author"], second["author"], solution["title"]) == ("A", "", "Solution/Moves")
    figures = "moves", "pushes", "box_lines", "box_changes", "pushing_sessions", "player_lines"
    assert [solution[name] for name in figures] == [1] * 6
    assert second["saved_games"] == [{"line": 17, "title": "Snapshot", "moves": 2}]
    assert (problem["index"], problem["message"]) == (2, "move 2 (u): wall at row 1, column 3")
    assert {one["file"] for one in (first, second, problem)} == {str(tmp_path / "mixed.xsb")}
    assert capsys.readouterr().out.endswith("\n2 good levels, 1 solution, 1 problem\n")
    check(tmp_path / "mixed.xsb", "--json", "-")
    assert json.loads(capsys.readouterr().out) == found


# What the tests of the formats do not say: (bytes of the file, the line, words of the reason).
MALFORMED: dict[str, tuple[bytes | str, int, str]] = {
    "empty": ("", 1, "no board found"),
    "blank lines": ("\n\n  \n", 1, "no board found"),
    "words": ("no levels here\n", 1, "no board found"),
    "moves only": ("rrUU\n", 1, "no board found"),
    "binary": (bytes(range(256)) * 5, 1, "NUL character"),
    "binary without NUL": (bytes(range(128, 256)) * 5, 1, "no board found"),
    "UTF-16 without mark": (SMALL.encode("utf-16-le"), 1, "NUL character"),
    "UTF-32": (SMALL.encode("utf-32"), 1, "NUL character"),
    "NUL in a note": (f"{SMALL}\0", 5, "NUL character"),
    "EBCDIC": (SMALL.encode("cp500"), 1, "no board found"),
    "full-width signs": (SMALL.replace("#", "\uff03"), 2, "column 1: '\uff03' is not a square"),
    "no last row": ("#####\n#@$.#\n", 1, "the player can leave at row 2, column 2"),
    "truncated in a row": ("#####\n#@$.#\n###", 1, "the player can leave at row 3, column 4"),
    "other walls beside a board": (f"{SMALL}XXXXX\nX@$.X\nXXXXX\n", 6, "column 1: 'X' is not a"),
    "escape sequence": ("#####\n#@$\x1b#\n#####\n", 2, "column 4: 'U+001B' is not a square"),
    "wide space": ("#####\n#@$\u2003#\n#####\n", 2, "column 4: 'U+2003' is not a square"),
    "too wide": (f"{'#' * 1000}\n#@$.#\n#####\n", 1, "larger than 512x512"),
    "4 MB of walls": ("#" * 4 * 10**6, 1, "no board found"),
    "4 MB of squares": ("#@$." * 900_000, 1, "larger than 512x512"),
    "4 MB of words": ("word " * 800_000, 1, "no board found"),
    "4 MB of moves": (f"{SMALL}Solution\n{'rl' * 2_000_000}", 6, "more than 1000000 characters"),
    "huge count": (f"{SMALL}Solution\n99999999999999r\n", 6, "more than 1000000 characters"),
    "several pushers": (f"{SMALL}Solution\n{{1}}R\n", 6, "several players are not supported"),
    "bad counts": ("#####\n#@$.#\n2(2#\n", 3, '"(" without ")"'),
    "a board too large in code": ("5#|#@$.#|513(#|)5#", 1, "larger than 512x512"),
    "code without end": ("5#\n#@$.#\n" + "9(" * 400_000 + "#", 3, "nested deeper than 32"),
    "packed": (gzip.compress(SMALL.encode()), 1, "a compressed file; expected the level file"),
    "a web page": ("<!DOCTYPE html>\n<html></html>", 2, "root element is <html>"),
    "entities": ('<!DOCTYPE SokobanLevels [<!ENTITY a "b">]>\n<SokobanLevels/>', 1, "entity decl"),
    "4 MB of elements": ("<SokobanLevels>" + "<L>" * 1_300_000, 1, "nested deeper"),
}  # fmt: skip


@pytest.mark.parametrize("name", MALFORMED)
def test_a_malformed_file_is_reported(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content, line, reason = MALFORMED[name]
    path = tmp_path / "bad.xsb"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    start = time.process_time()
    assert check(path) == 2
    assert time.process_time() - start < 2  # a second of other work at most
    told = capsys.readouterr().err.splitlines()
    assert told[0].startswith(f"{path}:{line}: ")
    assert reason in told[0]
    assert all(len(message) < 300 and message.isprintable() for message in told)


def test_one_bad_level_among_good_ones(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bad.xsb").write_text(f"; 1\n{SMALL}; 2 'Open'\n#####\n#@$.\n#####\n\n; 3\n{SMALL}")
    assert check(tmp_path / "bad.xsb") == 2
    assert capsys.readouterr() == (
        "2 good levels, 0 solutions, 1 problem\n",
        f'{tmp_path / "bad.xsb"}:7: level 2 "2 Open": not closed: the player can leave at row 2, '
        "column 5\n",
    )


def test_a_file_that_cannot_be_read_loses_no_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good, missing = tmp_path / "good.xsb", tmp_path / "missing.xsb"
    good.write_text("#####\n#@$.#\n#####\n")
    for files in ([good, missing, tmp_path], [missing, tmp_path, good]):
        assert main(["check", *map(str, files)]) == 2
        assert capsys.readouterr() == (
            "1 good level, 0 solutions, 0 problems\n",
            f"tokoban: {missing}: No such file or directory\n"
            f"tokoban: {tmp_path}: a folder; expected a file\n",
        )
