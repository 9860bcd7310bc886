"""``tokoban label``: what it says, what it writes, and what is refused."""

import json
from pathlib import Path
from typing import Any

import pytest

from tokoban.cli import main
from tokoban.sokoban.labels.folder import LabelFolder
from tokoban.sokoban.labels.shards import Shard, read_shard

SMALL = "#####\n#@$.#\n#####\n"
ROOM = "######\n#@   #\n#  $ #\n#.   #\n######\n"
LARGE = "###########\n#@$.      #\n###########\n"


@pytest.fixture(autouse=True)
def levels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file ``levels.xsb`` in the current folder."""
    monkeypatch.chdir(tmp_path)
    path = Path("levels.xsb")
    path.write_text(f"; a\n{SMALL}\n; b\n{LARGE}\n; c\n{ROOM}\n; d\n{SMALL}")
    return path


def run(*words: str) -> int:
    return main(["label", "levels.xsb", "--output", "out", "--threads", "1", *words])


def test_it_says_what_it_wrote_and_what_has_no_labels(capsys: pytest.CaptureFixture[str]) -> None:
    Path("evaluation.xsb").write_text(ROOM.replace("#@   #", "#  @ #"))
    assert run() == 0
    first, larger, second, third = capsys.readouterr().out.splitlines()
    shard = read_shard("out/00000.safetensors")
    size = sum(file.stat().st_size for file in Path("out").glob("*.safetensors"))
    assert first == (
        f"2 levels, {len(shard):,} states, "
        f"{100 * shard.is_solvable.mean():.1f} % of them solvable, "
        f"{size / 1e6:.1f} MB in 2 files"
    )
    # The one push that solves it; the other leaves the box in a corridor for ever.
    assert larger == "1 larger level, 1 position"
    assert second.startswith("3 levels in ")
    assert third == (
        "without labels: 1 duplicate, same player (dropped.jsonl and manifest.json name them)"
    )
    assert run() == 0
    assert capsys.readouterr().out.splitlines()[2] == "all was there already"
    words = ["--evaluation", "evaluation.xsb", "--max-sets", "1", "--output", "other"]
    assert run(*words, "--evaluation", "levels.xsb") == 2
    assert capsys.readouterr().err == ("tokoban: none of 4 levels is left to be labelled\n")
    assert run(*words) == 1
    out = capsys.readouterr().out
    assert "0 levels, 0 states, 0.0 % of them solvable" in out
    assert "1 evaluation, same area; 1 given up" in out
    assert json.loads(Path("other/manifest.json").read_text())["levels"]["given_up"] == [
        "levels.xsb#0"
    ]


def test_levels_that_cannot_be_read_are_reported_and_the_others_labelled(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("folder").mkdir()
    Path("folder/huge.txt").write_bytes(bytes(2**22 + 1))
    Path("levels.xsb").write_text(f"; a\n{SMALL.replace('@', ' ')}\n; b\n{SMALL}")
    assert main(["label", "levels.xsb", "folder", "--output", "out", "--threads", "1"]) == 2
    told = capsys.readouterr()
    huge = "folder/huge.txt:1: larger than 4,194,304 bytes\n"
    assert sorted(told.err.splitlines(True)) == [huge, 'levels.xsb:2: level 1 "a": no player\n']
    assert "without labels: 2 unreadable" in told.out
    shard = read_shard("out/00000.safetensors")
    assert len(shard) == 2
    assert shard.level_number.tolist() == [1]  # invalid boards are counted too


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--output", "out/put"], "seed 0, not 1"),
        (["--cluster", ""], "--threads has no effect with --cluster"),
        (["--evaluation", "none.xsb"], "none.xsb: No such file or directory"),
        (["--output", "levels.xsb"], "levels.xsb: a file; expected a folder"),
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


def test_a_second_run_in_the_folder_is_refused_in_one_sentence(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    complete, statuses = LabelFolder.complete, []

    def complete_beside_another(folder: LabelFolder, *workers: Any, **options: Any) -> None:
        monkeypatch.setattr(LabelFolder, "complete", complete)
        statuses.append(run("--seed", "0"))
        complete(folder, *workers, **options)

    monkeypatch.setattr(LabelFolder, "complete", complete_beside_another)
    assert (run(), statuses) == (0, [2])
    assert capsys.readouterr().err == "tokoban: out: another run labels into it\n"
    assert not [path for path in Path("out").iterdir() if path.name.startswith(".")]


def test_moved_folders_are_gone_on_with_and_name_no_place_on_the_machine(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    (old / "levels").mkdir(parents=True)
    levels = "levels.xsb"
    (old / "levels" / levels).write_text(f"{Path(levels).read_text()}\n; e\n####\n#@$#\n####\n")
    (old / "kept.xsb").write_text(ROOM)

    def words(folder: Path) -> list[str]:
        evaluation = ["--evaluation", str(folder / "kept.xsb")]
        output = ["--output", str(folder / "out")]
        return ["label", str(folder / "levels" / levels), *evaluation, *output, "--threads", "1"]

    assert main(words(old)) == 2  # the last level has no goal
    files = {path.name: path.read_bytes() for path in (old / "out").iterdir()}
    assert not [name for name, content in files.items() if bytes(tmp_path) in content]
    old.rename(new)
    capsys.readouterr()
    assert main(words(new)) == 2
    assert "all was there already" in capsys.readouterr().out
    assert {path.name: path.read_bytes() for path in (new / "out").iterdir()} == files


def squares_of(shard: Shard, level: int, word: int) -> set[tuple[int, int]]:
    """The squares of a word in the drawing, as docs/labels.md says."""
    row, column = int(shard.level_row[level]), int(shard.level_column[level])
    return {(row + cell // 8, column + cell % 8) for cell in range(64) if word >> cell & 1}


def drawn(text: str, letters: str) -> set[tuple[int, int]]:
    lines = text.splitlines()
    return {
        (row, column)
        for row, line in enumerate(lines)
        for column, letter in enumerate(line)
        if letter in letters
    }


BOXOBAN = (
    "##########\n##########\n####  ####\n####  ####\n####. ####\n"
    "####$  ###\n###  @ ###\n###    ###\n##########\n##########\n"
)
FAR = "".join(f"{'':>11}{line}\n" for line in ROOM.splitlines())


@pytest.mark.parametrize(
    ("text", "corner"),
    [
        (f"; 0\n{BOXOBAN}\n", (1, 1)),
        (f"; 7\n{BOXOBAN}\n", (1, 1)),
        (BOXOBAN, (1, 1)),
        (f"\n\n  \n{FAR}", (1, 12)),
        (f"a\n\n{ROOM}", (1, 1)),
    ],
    ids=["boxoban", "begins with 7", "no number", "far to the right", "player's"],
)
def test_labels_are_of_the_cells_of_the_file(text: str, corner: tuple[int, int]) -> None:
    Path("levels.xsb").write_text(text)
    assert run("--states", "5") == 0
    shard = read_shard("out/00000.safetensors")
    board = text[text.index("##########") if "##########" in text else 0 :]
    board = "\n".join(line for line in board.splitlines() if "#" in line)
    assert (int(shard.level_row[0]), int(shard.level_column[0])) == corner
    for word, letters in (
        (shard.level_goals, "."),
        (shard.level_boxes, "$"),
        (shard.level_player, "@"),
        (shard.boxes, "$"),
    ):
        assert squares_of(shard, 0, int(word[0])) == drawn(board, letters)
    walls = squares_of(shard, 0, int(shard.level_walls[0]))
    assert walls.isdisjoint(drawn(board, "@$."))
    assert not walls.isdisjoint(drawn(board, "#"))


def test_the_play_of_weights_is_labelled(capsys: pytest.CaptureFixture[str]) -> None:
    Path("levels.xsb").write_text("######\n# @$ #\n#  . #\n######\n")  # lost from the start
    assert run("--played-by", "sokoban-push") == 0
    manifest = json.loads(Path("out/manifest.json").read_bytes())
    used = {name for name, of in manifest["origins"].items() if of["states"]}
    assert used == {"policy", "neighbour"}
    assert run() == 2
    assert "out holds labels of played_by" in capsys.readouterr().err
    Path("levels.xsb").write_text("#####\n#@$.#\n#####\n")
    assert run("--played-by", "sokoban-push") == 2
    assert "out holds labels of other source files" in capsys.readouterr().err


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
