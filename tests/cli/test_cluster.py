"""``--cluster``: the same files by other processes, and what is refused."""

import itertools
import json
import multiprocessing
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import tokoban
from tokoban.cli import main
from tokoban.sokoban.labels import items

ROOM = "######\n#@   #\n#  $ #\n#.   #\n######\n"
LEVELS = (
    f"{ROOM}\n#####\n#@$.#\n#####\n\n{ROOM.replace('@ ', ' @')}\n#########\n#@ $   .#\n#########\n"
)
LARGE = "###########\n#@$.      #\n###########\n"


@pytest.fixture(scope="module")
def pool() -> Iterator[ProcessPoolExecutor]:
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as executor:
        yield executor


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Gives Dask another executor; the place that was asked for is its ``place``."""
    asked = SimpleNamespace(executor=None, place=None)

    class Client:
        def __init__(self, *, timeout: float, set_as_default: bool, **place: str) -> None:
            asked.place = place

        def __enter__(self) -> "Client":
            return self

        def __exit__(self, *_: object) -> None:
            pass

        def get_executor(self, *, pure: bool) -> Any:
            return asked.executor

    monkeypatch.setitem(sys.modules, "distributed", SimpleNamespace(Client=Client))
    monkeypatch.chdir(tmp_path)
    Path("levels.xsb").write_text(f"{LEVELS}\n{LARGE}")
    return asked


def written(place: Path) -> dict[str, object]:
    """All files, of answers all fields but the seconds."""
    files: dict[str, object] = {}
    for path in place.iterdir() if place.is_dir() else [place]:
        files[path.name] = path.read_bytes()
        if path.name == "answers.jsonl":
            answers = map(json.loads, path.read_text().splitlines())
            clock = "seconds", "elapsed_s"
            files[path.name] = [{k: one[k] for k in one if k not in clock} for one in answers]
    return files


@pytest.mark.parametrize(
    "command",
    [
        "label levels.xsb --states 5 --levels-per-shard 2 --output OUT",
        "label levels.xsb --levels-per-shard 2 --played-by sokoban-push --output OUT",
        "generate --levels 3 --seed 2 --style mixed --rows 8 --columns 8 --boxes 2 --output OUT",
        "solve levels.xsb --by search --max-expansions 5000 --folder OUT",
        "solve levels.xsb --by policy --max-expansions 50 --folder OUT",
    ],
)
def test_other_processes_write_the_same(
    command: str, asked: Any, pool: ProcessPoolExecutor, tmp_path: Path
) -> None:
    asked.executor = pool
    status = main(command.replace("OUT", "here.out").split())
    assert main([*command.replace("OUT", "there.out").split(), "--cluster", "tcp://x:1"]) == status
    assert asked.place == {"address": "tcp://x:1"}
    here, there = written(tmp_path / "here.out"), written(tmp_path / "there.out")
    assert here.get("here.out", here) == there.get("there.out", there)


def test_boards_have_the_same_answers_from_other_processes(pool: ProcessPoolExecutor) -> None:
    hard = "------..|-$.$-$--|-$.-----|#$--#-$-|+-------|.##.----|-.-$-$$-|.---#---"
    boards = [tokoban.Board.from_xsb(drawing) for drawing in (*LEVELS.split("\n\n"), hard)]
    asked: Any = {"max_expansions": 300, "time_limit_s": None}

    def answers(**workers: Any) -> list[tuple[int, tokoban.Answer]]:
        found = tokoban.solve_all(boards, **asked, **workers)
        return sorted((number, replace(answer, elapsed_s=0.0)) for number, answer in found)

    expected = [
        (number, replace(tokoban.solve(board, **asked), elapsed_s=0.0))
        for number, board in enumerate(boards)
    ]
    assert expected[-1][1].optimum is None  # the limit ends its search
    assert answers() == answers(num_threads=3) == answers(executor=pool) == expected


def test_a_file_that_is_there_is_a_scheduler_file(asked: Any) -> None:
    Path("scheduler.json").write_text("{}")
    with ThreadPoolExecutor(1) as asked.executor:
        assert main(["label", "levels.xsb", "--output", "out", "--cluster", "scheduler.json"]) == 0
    assert asked.place == {"scheduler_file": "scheduler.json"}


def test_play_on_processors_of_several_kinds_is_refused(
    asked: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kinds = itertools.cycle(["one", "another"])
    monkeypatch.setattr(items, "_processor", lambda: next(kinds))
    words = ["label", "levels.xsb", "--levels-per-shard", "1", "--output", "out", "--cluster", "x"]
    with ThreadPoolExecutor(1) as asked.executor:
        assert main([*words, "--played-by", "sokoban-push"]) == 2
        assert capsys.readouterr().err == (
            "tokoban: levels were played on several processors (another, one), whose sums may "
            "differ; expected workers of one kind\n"
        )
        assert main([*words, "--output", "sampled"]) == 0


def test_without_dask_a_sentence_says_how_to_get_it(
    asked: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert main(["label", "levels.xsb", "--output", "out", "--cluster", "x"]) == 2
    told = (
        "tokoban: this needs the package distributed, which is missing: "
        "pip install 'tokoban[cluster]'\n"
    )
    assert capsys.readouterr().err == told
