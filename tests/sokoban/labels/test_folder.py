"""Folders of labels: the same bytes however the work is shared out, broken off and resumed."""

import itertools
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
from pathlib import Path

import pytest

from tokoban.files.locks import alone_in
from tokoban.sokoban.formats import Level, write_levels
from tokoban.sokoban.labels.folder import LabelFolder
from tokoban.sokoban.labels.job import Job, LabelConfig, read_job
from tokoban.sokoban.labels.samples import Origin
from tokoban.sokoban.labels.shards import read_shard
from tokoban.sokoban.puzzles.random_levels import generate
from tokoban.sokoban.search.limits import Limits
from tokoban.sokoban.work import Workers

REPOSITORY = Path(__file__).resolve().parents[3]
CONFIG = LabelConfig(num_states=13, levels_per_shard=3, seed=5)
NAMES = [*(f"{shard:05d}.safetensors" for shard in range(6)), "dropped.jsonl", "job.json"]

# A process that is killed in the moment when its second shard is about to get its name.
KILLED = """
import os, sys
from tokoban.cli import main
replace = os.replace
left = [2]
def replace_or_die(old, new):
    left[0] -= str(new).endswith(".safetensors")
    if not left[0]:
        os.kill(os.getpid(), 9)
    replace(old, new)
os.replace = replace_or_die
main(sys.argv[1:])
"""


@pytest.fixture(scope="module")
def levels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Seventeen levels and the first one again."""
    boards = [level.board for level in generate(17, seed=3, num_boxes=2)]
    path = tmp_path_factory.mktemp("levels") / "levels.xsb"
    path.write_text(write_levels([Level(board) for board in [*boards, boards[0]]]))
    return path


@pytest.fixture(scope="module")
def job(levels: Path) -> Job:
    return read_job([levels], CONFIG)


@pytest.fixture(scope="module")
def expected(job: Job, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The bytes of each file, made by one thread at once."""
    folder = LabelFolder(tmp_path_factory.mktemp("labels"), job)
    folder.complete(Workers(1))
    assert folder.conclude() is not None
    return contents(folder.path)


def contents(path: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in path.iterdir()}


def test_a_folder_holds_what_its_manifest_says(
    expected: dict[str, bytes], levels: Path, tmp_path: Path
) -> None:
    assert sorted(expected) == sorted([*NAMES, "manifest.json"])
    manifest = json.loads(expected["manifest.json"])
    assert manifest["levels"]["labelled"] == 17
    assert manifest["levels"]["solvable"] + manifest["levels"]["unsolvable"] == 17
    assert manifest["dropped"] == {"duplicate, same player": 1}
    (dropped,) = expected["dropped.jsonl"].splitlines()
    assert json.loads(dropped)["like"] == f"{levels.name}#0"
    assert manifest["job"] == json.loads(expected["job.json"])
    assert manifest["job"]["sources"][0]["num_levels"] == 18
    assert [shard["bytes"] for shard in manifest["shards"]] == [
        len(expected[name]) for name in NAMES[:6]
    ]
    by_origin = manifest["origins"]
    assert list(by_origin) == [origin.name.lower() for origin in Origin]
    for figure in ("states", "solvable_states"):
        assert manifest[figure] == sum(counts[figure] for counts in by_origin.values())
    for name in NAMES[:6]:
        (tmp_path / name).write_bytes(expected[name])
    shards = [read_shard(tmp_path / name) for name in NAMES[:6]]
    assert manifest["states"] == sum(map(len, shards))
    assert manifest["solvable_states"] == sum(int(shard.is_solvable.sum()) for shard in shards)
    assert 0 < manifest["solvable_states"] < manifest["states"]


def finish(path: Path, job: Job, expected: dict[str, bytes], workers: Workers) -> None:
    """Goes on with what is missing, and looks at every byte."""
    folder = LabelFolder(path, job)
    assert folder.complete(workers) is None
    folder.conclude()
    assert contents(path) == expected


def check_unfinished(path: Path, expected: dict[str, bytes]) -> None:
    """That all files are whole but those without a name."""
    found = contents(path)
    assert "manifest.json" not in found
    for name, content in found.items():
        assert name.startswith(".") or content == expected[name]


def test_an_interrupted_run_keeps_whole_shards_and_goes_on(
    job: Job, expected: dict[str, bytes], tmp_path: Path
) -> None:
    def interrupt(done: int) -> None:
        if done > 3:
            raise KeyboardInterrupt

    folder = LabelFolder(tmp_path, job)
    with pytest.raises(KeyboardInterrupt):
        folder.complete(Workers(1), report=interrupt)
    check_unfinished(tmp_path, expected)
    assert 0 < LabelFolder(tmp_path, job).num_missing_levels < 17
    finish(tmp_path, job, expected, Workers(1))


def test_limits_keep_whole_shards_and_the_rest_is_made_later(
    job: Job, expected: dict[str, bytes], tmp_path: Path
) -> None:
    stop = threading.Event()
    stop.set()
    told = LabelFolder(tmp_path, job).complete(Workers(2), limits=Limits(stop=stop))
    assert told == "stopped"
    assert not list(tmp_path.glob("*.safetensors"))
    # A second passes between two looks at the clock.
    limits = Limits(time_limit_s=2.0, clock=itertools.count(0.0).__next__)
    folder = LabelFolder(tmp_path, job)
    told = folder.complete(Workers(1), limits=limits)
    assert told == "2 s"
    assert folder.conclude() is None
    check_unfinished(tmp_path, expected)
    finish(tmp_path, job, expected, Workers(1))


def test_only_shards_that_are_not_as_written_are_made_again(
    job: Job, expected: dict[str, bytes], tmp_path: Path
) -> None:
    for name, content in expected.items():
        (tmp_path / name).write_bytes(content)
    assert LabelFolder(tmp_path, job).missing == []
    (tmp_path / NAMES[1]).write_bytes(expected[NAMES[1]][:-1])
    (tmp_path / NAMES[2]).write_bytes(expected[NAMES[3]])
    (tmp_path / NAMES[4]).unlink()
    changed = bytearray(expected[NAMES[5]])
    changed[-1] ^= 1
    (tmp_path / NAMES[5]).write_bytes(changed)
    assert LabelFolder(tmp_path, job).missing == [1, 2, 4, 5]
    finish(tmp_path, job, expected, Workers(2))


@pytest.mark.parametrize(
    ("config", "told"),
    [
        (LabelConfig(num_states=13, levels_per_shard=3, seed=6), "labels of seed 5, not 6"),
        (LabelConfig(num_states=11, levels_per_shard=3, seed=5), "num_states 13, not 11"),
        (LabelConfig(num_states=13, levels_per_shard=3, seed=5, max_levels=9), "None, not 9"),
    ],
)
def test_other_arguments_are_refused(
    config: LabelConfig, told: str, levels: Path, expected: dict[str, bytes], tmp_path: Path
) -> None:
    (tmp_path / "job.json").write_bytes(expected["job.json"])
    with pytest.raises(ValueError, match=f"{told}; expected the same arguments or another folder"):
        LabelFolder(tmp_path, read_job([levels], config))
    assert contents(tmp_path) == {"job.json": expected["job.json"]}


def test_other_levels_are_refused(
    job: Job, levels: Path, expected: dict[str, bytes], tmp_path: Path
) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "job.json").write_bytes(expected["job.json"])
    evaluation = tmp_path / "evaluation.xsb"
    evaluation.write_text("#####\n#@$.#\n#####\n")
    with pytest.raises(ValueError, match="labels of other evaluation files; expected the same"):
        LabelFolder(out, read_job([levels], CONFIG, evaluation=[evaluation]))
    (out / "job.json").write_text("{}")
    with pytest.raises(ValueError, match=r"job\.json: not the record of a job of labels"):
        LabelFolder(out, job)


def test_a_full_disk_ends_the_run(
    job: Job, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = LabelFolder(tmp_path, job)

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="No space left"):
        folder.complete(Workers(2))


def test_a_killed_run_is_resumed(
    job: Job, levels: Path, expected: dict[str, bytes], tmp_path: Path
) -> None:
    words = ["label", str(levels), "--output", str(tmp_path), "--threads", "1"]
    words += ["--states", "13", "--levels-per-shard", "3", "--seed", "5"]
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, *words],
        env=os.environ | {"PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
    )
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    # What was whole but had no name yet is left behind, and removed when its shard is written.
    left = contents(tmp_path)
    assert left.pop(".lock") == b""
    temporary, *whole = sorted(left)
    assert temporary.startswith(f".{NAMES[1]}.") and whole == [NAMES[0], *NAMES[-2:]]
    assert left[NAMES[0]] == expected[NAMES[0]]
    with alone_in(tmp_path):  # whoever was killed holds no lock
        assert LabelFolder(tmp_path, job).num_missing_levels == 14
    finish(tmp_path, job, expected, Workers(1))


def test_processes_change_no_byte_and_a_broken_pool_is_a_sentence(
    job: Job, expected: dict[str, bytes], tmp_path: Path
) -> None:
    spawn = multiprocessing.get_context("spawn")
    folder, left = (LabelFolder(tmp_path / name, job) for name in ("whole", "left"))
    with ProcessPoolExecutor(1, mp_context=spawn) as executor:
        folder.complete(Workers(executor=executor))
        # Ctrl-C in a terminal goes to the children too.
        assert executor.submit(signal.getsignal, signal.SIGINT).result() == signal.SIG_IGN
        os.kill(executor.submit(os.getpid).result(), signal.SIGKILL)
        with pytest.raises(BrokenExecutor, match=r"the workers are gone.*the same call goes on"):
            left.complete(Workers(executor=executor))
    folder.conclude()
    assert contents(folder.path) == expected
