"""``tokoban label``: what it says, what it writes, and what is refused."""

import io
import json
from pathlib import Path

import pytest

from tokoban.cli import label, main
from tokoban.sokoban.labelling.folder import LabelFolder
from tokoban.sokoban.labelling.shards import read_shard

SMALL = "#####\n#@$.#\n#####\n"
ROOM = "######\n#@   #\n#  $ #\n#.   #\n######\n"
LARGE = "###########\n#@$.      #\n###########\n"


@pytest.fixture(autouse=True)
def levels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file ``levels.xsb`` in the current folder, and no torchrun around."""
    monkeypatch.chdir(tmp_path)
    for name in ("RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE"):
        monkeypatch.delenv(name, raising=False)
    path = Path("levels.xsb")
    path.write_text(f"; a\n{SMALL}\n; b\n{LARGE}\n; c\n{ROOM}\n; d\n{SMALL}")
    return path


def run(*words: str) -> int:
    return main(["label", "levels.xsb", "--output", "out", "--workers", "1", *words])


def test_it_says_what_it_wrote_and_what_has_no_labels(capsys: pytest.CaptureFixture[str]) -> None:
    Path("evaluation.xsb").write_text(ROOM.replace("#@   #", "#  @ #"))
    assert run() == 0
    first, second, third = capsys.readouterr().out.splitlines()
    shard = read_shard("out/00000.safetensors")
    size = Path("out/00000.safetensors").stat().st_size
    assert first == (
        f"2 levels, {len(shard):,} states, {100 * shard.is_alive.mean():.1f} % of them alive, "
        f"{size / 1e6:.1f} MB in 1 file"
    )
    assert second.startswith("2 levels in ")
    assert third == (
        "without labels: 1 duplicate, same player; 1 too large "
        "(dropped.jsonl and manifest.json name them)"
    )
    assert run() == 0
    assert capsys.readouterr().out.splitlines()[1] == "all was there already"
    words = ["--evaluation", "evaluation.xsb", "--max-sets", "1", "--output", "other"]
    assert run(*words, "--evaluation", "levels.xsb") == 2
    assert capsys.readouterr().err == (
        "tokoban: none of 4 levels is left to be labelled: "
        "interior 1x9 does not fit one 64-bit plane (8x8)\n"
    )
    assert run(*words) == 0
    out = capsys.readouterr().out
    assert "0 levels, 0 states, 0.0 % of them alive" in out
    assert "1 evaluation, same area; 1 too large; 1 given up" in out
    assert json.loads(Path("other/manifest.json").read_text())["levels"]["given_up"] == [
        "levels.xsb#0"
    ]


def test_levels_that_cannot_be_read_are_told_and_the_others_labelled(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("levels.xsb").write_text(f"; a\n{SMALL}\n; b\n{SMALL.replace('@', ' ')}")
    assert run() == 2
    told = capsys.readouterr()
    assert told.err == 'levels.xsb:7: level 2 "b": no player\n'
    assert "without labels: 1 unreadable" in told.out
    assert len(read_shard("out/00000.safetensors")) == 2


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--output", "out/put"], "seed 0, not 1"),
        (["--workers", "0"], "--workers is 0; expected at least 1"),
        (["--states", "0"], "num_states is 0; expected 1 to 10000"),
        (["--levels", "0"], "max_levels is 0; expected 1 to 2147483647"),
        (["--evaluation", "none.xsb"], "none.xsb: No such file or directory"),
        (["--output", "levels.xsb"], "levels.xsb: a file, where a folder is to be"),
    ],
)
def test_what_cannot_be_is_one_line(
    words: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    if "out/put" in words:
        assert run(*words) == 0
        words = [*words, "--seed", "1"]
    capsys.readouterr()
    assert run(*words) == 2
    assert told in capsys.readouterr().err


def test_torchrun_shares_out_the_files(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORLD_SIZE", "2")
    monkeypatch.setenv("RANK", "1")
    assert run("--levels-per-shard", "1") == 0
    assert capsys.readouterr().out == (
        "labels of 1 level written; others are still missing in out\n"
    )
    monkeypatch.setenv("RANK", "0")
    assert run("--levels-per-shard", "1") == 0
    assert "in 2 files" in capsys.readouterr().out
    for rank, world in (("2", "2"), ("one", "2"), ("0", "")):
        monkeypatch.setenv("RANK", rank)
        monkeypatch.setenv("WORLD_SIZE", world)
        assert run() == 2
        assert capsys.readouterr().err == (
            f"tokoban: RANK is {rank!r} and WORLD_SIZE {world!r}; "
            "expected whole numbers, the first below the second\n"
        )


def test_processors_are_shared_by_the_processes_of_a_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(label.os, "cpu_count", lambda: 8)
    for processes, expected in (("1", 8), ("3", 2), ("9", 1)):
        monkeypatch.setenv("LOCAL_WORLD_SIZE", processes)
        assert label._num_processors() == expected


def test_an_interrupt_says_how_to_go_on(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(LabelFolder, "complete", interrupt)
    assert run() == 130
    assert capsys.readouterr().err == (
        "tokoban: interrupted; the files that are whole are kept, and the same command goes on\n"
    )


def test_a_terminal_shows_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    assert run() == 0
    assert "2 of 2 levels" in terminal.getvalue()
