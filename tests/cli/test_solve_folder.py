"""``tokoban solve --folder``: levels of many files, killed, interrupted and resumed."""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tokoban.cli import main, solve
from tokoban.sokoban.board import Board
from tokoban.sokoban.search.combine import anytime

PUSH = "#####\n#@$.#\n#####\n"
ROOM = "######\n#@   #\n#  $ #\n#.   #\n######\n"
HOPELESS = "######\n#$@ .#\n######\n"
REPOSITORY = Path(__file__).resolve().parents[2]
# A process that is killed in the middle of the line of its second answer.
KILLED = """
import os
import sys
from tokoban.cli import answer_folder, main

add = answer_folder.AnswerFolder.add
def add_or_die(folder, answer, stream):
    if stream.tell() == 0:
        return add(folder, answer, stream)
    stream.write(b'{"level": 5, "stat')
    stream.flush()
    os.kill(os.getpid(), 9)
answer_folder.AnswerFolder.add = add_or_die
main(sys.argv[1:])
"""
COMMAND = ("solve", "levels", "--by", "search", "--folder", "out", "--time-limit", "20")


@pytest.fixture(autouse=True)
def levels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Five levels in two files of a folder."""
    monkeypatch.chdir(tmp_path)
    Path("levels/more").mkdir(parents=True)
    Path("levels/a.xsb").write_text(f"; one\n{PUSH}\n; two\n{HOPELESS}\n; three\n{ROOM}")
    Path("levels/more/b.txt").write_text(f"; four\n{ROOM.replace('@ ', ' @')}\n; five\n{PUSH}")
    Path("levels/notes.md").write_text("no levels")


def answers() -> list[dict[str, Any]]:
    """What was merged, without the seconds."""
    lines = Path("out/answers.jsonl").read_text().splitlines()
    found = [json.loads(line) for line in lines]
    return [
        {name: one[name] for name in one if name not in ("seconds", "elapsed_s")} for one in found
    ]


def test_levels_of_all_files_are_answered_in_order(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(list(COMMAND)) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[-1] == (
        "5 levels: 4 solved, 1 proved unsolvable, 0 given up; all answers are in out/answers.jsonl"
    )
    found = answers()
    assert [one["level"] for one in found] == [1, 2, 3, 4, 5]
    assert [(one["file"], one["index"], one["title"]) for one in found] == [
        ("a.xsb", 1, "one"),
        ("a.xsb", 2, "two"),
        ("a.xsb", 3, "three"),
        ("more/b.txt", 1, "four"),
        ("more/b.txt", 2, "five"),
    ]
    assert [one["moves"] for one in found] == [1, None, 7, 6, 1]
    assert {one["schema_version"] for one in found} == {1}


def test_a_killed_run_is_resumed() -> None:
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, *COMMAND],
        env=os.environ | {"PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
    )
    assert killed.returncode == -9
    assert not Path("out/answers.jsonl").exists()
    written = Path("out/unfinished.jsonl").read_bytes()
    assert written.count(b"\n") == 1 and written.endswith(b'"stat')
    assert main(list(COMMAND)) == 0
    resumed = Path("out/answers.jsonl").read_bytes()
    assert written.splitlines()[0] in resumed.splitlines()  # it was not looked at again
    assert sorted(path.name for path in Path("out").iterdir()) == ["answers.jsonl", "job.json"]
    found = answers()
    # Once more, with nothing left to do; and in one go.
    assert main(list(COMMAND)) == 0
    assert Path("out/answers.jsonl").read_bytes() == resumed
    Path("out").rename("before")
    assert main([*COMMAND, "--threads", "2"]) == 0
    assert answers() == found


def test_a_file_that_cannot_be_read_does_not_stop_the_others(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("levels/huge.txt").write_bytes(bytes(2**22 + 1))
    name = os.fsdecode(b"levels/\xfc.xsb")
    Path(name).write_text(PUSH)
    assert main(list(COMMAND)) == 2
    assert capsys.readouterr().err.endswith("levels/huge.txt:1: larger than 4,194,304 bytes\n")
    assert len(answers()) == 6


def test_interrupted_levels_are_looked_at_again(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    best_answer = anytime.best_answer

    def interrupted(board: Board, **options: Any) -> Any:
        if len(board.inside()) > 4:
            raise KeyboardInterrupt
        return best_answer(board, **options)

    monkeypatch.setattr(anytime, "best_answer", interrupted)
    assert main(list(COMMAND)) == 130
    assert not Path("out/answers.jsonl").exists()
    monkeypatch.setattr(anytime, "best_answer", best_answer)
    assert main(list(COMMAND)) == 0
    assert len(answers()) == 5


def test_lines_that_are_no_answers_are_left_out() -> None:
    assert main(list(COMMAND)) == 0
    found, place = answers(), Path("out/answers.jsonl")
    lines = place.read_text().splitlines()
    lines[0] = '{"level": 1}'
    lines[1] = '{"level": 2, "status": ["solved"]}'
    lines[2] = '{"level": Infinity, "status": "solved"}'
    lines[3] = "[" * 100_000
    place.write_text("\n".join(lines))
    assert main(list(COMMAND)) == 0
    assert answers() == found


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("solve", "levels", "--folder", ""), "--folder is empty; expected a path"),
        (
            ("solve", "levels", "--folder", "levels/a.xsb"),
            "levels/a.xsb: a file; expected a folder",
        ),
        (("solve", "levels/more", "--folder", "out"), "out holds the answers to other levels"),
        ((*COMMAND, "--minimise", "any"), "out holds the answers to other levels"),
        (("solve", "levels", "--by", "search"), "levels is a folder; its levels are answered with"),
        ((*COMMAND, "--level", "1"), "--level has no effect with --folder"),
        (("solve", "levels/a.xsb", "--cluster", "x"), "--cluster has no effect without --folder"),
        ((*COMMAND, "--cluster", "x", "--threads", "2"), "--threads has no effect with --cluster"),
        (("solve", "-", "--folder", "out"), "-: expected files, which can be read again"),
        (("solve", "/dev/zero", "--folder", "out"), "/dev/zero: expected files, which can be"),
        (("solve", "levels", "--folder", "damaged"), "damaged holds the answers to other levels"),
        (("solve", "out", "--folder", "else"), "out: no level file (.slc, .txt, .xsb, .sok)"),
    ],
)
def test_what_cannot_be_is_one_line(
    words: tuple[str, ...], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(list(COMMAND)) == 0
    Path("damaged").mkdir()
    Path("damaged/job.json").write_bytes(b"\xff\xfe")
    capsys.readouterr()
    assert main(list(words)) == 2
    assert told in capsys.readouterr().err


def test_every_option_that_changes_answers_is_recorded() -> None:
    parser = argparse.ArgumentParser()
    solve.add_arguments(parser)
    others = {"help", "file", "level", "folder", "json", "jsonl", "output", "attention"}
    others |= {"instruction"}  # which is not for folders
    others |= {"threads", "device", "cluster"}  # how fast, and with how much memory a level
    assert {action.dest for action in parser._actions} - others == {*solve._OF_ANSWERS}
