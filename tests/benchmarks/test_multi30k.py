"""The contest of translators, on a handful of words in both spellings."""

import gzip
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import nullcontext, suppress
from pathlib import Path
from types import SimpleNamespace

import pytest

from benchmarks import multi30k
from tokoban.systems.translation import number_words

SIZES = {"train": 60, "val": 5, **dict.fromkeys(multi30k.TESTS, 4)}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Numbers in words where captions would be, and again in lower case."""
    folder = tmp_path_factory.mktemp("data")
    (folder / "tok").mkdir()
    for place, (name, size) in enumerate(SIZES.items()):
        pairs = number_words.examples(size, seed=place)
        for language in ("de", "en"):
            lines = "".join(f"{getattr(pair, language)}\n" for pair in pairs)
            for path, text in (
                (folder / f"{name}.{language}.gz", lines),
                (folder / "tok" / f"{name}.lc.norm.tok.{language}.gz", lines.lower()),
            ):
                path.write_bytes(gzip.compress(text.encode()))
    return folder


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few weights, two tests, and no processes of their own, each of which imports torch."""

    def run_here(*_: object, **__: object) -> nullcontext[SimpleNamespace]:
        def each(work: Callable, jobs: Iterable) -> Iterable:
            return map(work, jobs)

        return nullcontext(SimpleNamespace(map=each))

    monkeypatch.setattr(multi30k, "ProcessPoolExecutor", run_here)
    monkeypatch.setattr(multi30k, "RECIPES", {"small-steps": ("--preset", "toy")})
    monkeypatch.setattr(multi30k, "BEAM", 1)
    monkeypatch.setattr(multi30k, "TESTS", multi30k.TESTS[1:])


@pytest.fixture
def words(data: Path, tmp_path: Path) -> list[str]:
    """Two steps of each training, one seed."""
    common = ["--steps", "2", "--seeds", "7", "--device", "cpu", "--at-once", "1"]
    return [str(data), "--folder", str(tmp_path / "runs"), *common]


def test_new_ones_learn_from_what_both_directions_have_translated(
    data: Path, words: list[str], small: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs, out = tmp_path / "runs", tmp_path / "rows.json"
    words += ["--text", "papers", "--diversified", "--precision", "bf16", "--json", str(out)]
    assert multi30k.main(words) == 0
    rows = json.loads(out.read_text())["rows"]
    ways = [(way, is_second) for is_second in (False, True) for way in ("en-de", "de-en")]
    found = [(row["direction"], row["is_diversified"], row["test"]) for row in rows]
    assert found == [(*way, name) for way in ways for name in multi30k.TESTS]
    assert all("tok:none" in row["signature"] and row["sentences"] == 4 for row in rows)
    printed = capsys.readouterr().out
    assert "en-de, diversified, test_2017_mscoco" in printed

    tok = data / "tok"
    config = json.loads((runs / "papers-small-steps-en-de-7-diversified/config.json").read_text())
    german, english = (str(tok / f"train.lc.norm.tok.{name}.gz") for name in ("de", "en"))
    to_german, to_english = (
        str(runs / f"papers-small-steps-{way}-7" / "found.txt") for way in ("en-de", "de-en")
    )
    assert config["config"]["train_source"] == [english, to_english, english]
    assert config["config"]["train_target"] == [german, german, to_german]
    assert config["config"]["dropout"] == 0.2
    assert [config["run"][name] for name in ("seed", "steps", "precision")] == [7, 2, "bf16"]
    assert len(Path(to_german).read_text().split("\n")) == SIZES["train"] + 1

    written = {path: path.stat().st_mtime_ns for path in runs.glob("*/*.*")}
    assert multi30k.main(words) == 0
    assert {path: path.stat().st_mtime_ns for path in runs.glob("*/*.*")} == written
    assert capsys.readouterr().out == printed
    assert multi30k.main([*words, "--steps", "3"]) == 2
    assert "en-de-7.command: of other options; take another" in capsys.readouterr().err


@pytest.mark.parametrize("num_left", [1, 0])
def test_a_killed_training_goes_on_from_its_checkpoint_if_it_had_one(
    num_left: int, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    words = ["train", "translation", "--preset", "toy", "--device", "cpu", "--output", str(run)]
    words += ["--steps", "3", "--checkpoint-every-s", "0"]
    multi30k.train_once(run, words)
    (run / "result.json").unlink()
    for checkpoint in sorted((run / "checkpoints").iterdir())[num_left:]:
        checkpoint.unlink()
    multi30k.train_once(run, words)
    assert (run / "result.json").exists()
    assert len(json.loads((run / "config.json").read_text())["resumed"]) == num_left


@pytest.mark.slow
def test_the_recipes_run_in_processes_of_their_own(words: list[str], tmp_path: Path) -> None:
    for recipe in multi30k.RECIPES:
        out = tmp_path / f"{recipe}.json"
        chosen = ["--recipe", recipe, "--diversified", "--json", str(out)]
        assert multi30k.main([*words, *chosen]) == 0
        rows = json.loads(out.read_text())["rows"]
        assert len(rows) == 2 * 2 * len(multi30k.TESTS)
        assert all("tok:13a" in row["signature"] for row in rows)


@pytest.mark.slow
def test_a_contest_that_is_killed_leaves_no_training_behind(
    words: list[str], tmp_path: Path
) -> None:
    command = [sys.executable, "-m", "benchmarks.multi30k", *words, "--directions", "en-de"]
    contest = subprocess.Popen([*command, "--steps", "1000000"])
    run = tmp_path / "runs" / "raw-small-steps-en-de-7"
    assert _comes_true(lambda: "train/loss" in (run / "metrics.jsonl").read_text())
    assert not list(run.glob("checkpoints/step-*.pt"))
    contest.kill()
    contest.wait()
    assert _comes_true(lambda: bool(list(run.glob("checkpoints/step-*.pt"))))  # saved as it ended


def _comes_true(is_so: Callable[[], bool]) -> bool:
    """Within two minutes; what is not there yet is not so yet."""
    for _ in range(1200):
        with suppress(FileNotFoundError):
            if is_so():
                return True
        time.sleep(0.1)
    return False


def test_translations_that_are_there_need_no_first_training(
    data: Path, words: list[str], small: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    german, english = tmp_path / "found.de", tmp_path / "found.en"
    german.write_text("Zwei.\n" * SIZES["train"])
    english.write_text("Two.\n" * SIZES["train"])
    words += ["--text", "papers", "--directions", "de-en", "--diversified", "--found"]
    assert multi30k.main([*words, str(tmp_path / "none.de"), str(english)]) == 2
    assert f"{tmp_path / 'none.de'}: No such file or directory\n" == capsys.readouterr().err
    (tmp_path / "short.de").write_text("Zwei.\n")
    assert multi30k.main([*words, str(tmp_path / "short.de"), str(english)]) == 2
    assert "short.de: 1 lines; the training text has 60" in capsys.readouterr().err
    others = tmp_path / "others.de"
    others.write_text("Vier.\n" * SIZES["train"])
    words += [str(german), str(english)]
    assert multi30k.main([*words, "--found", str(others), str(english)]) == 0
    runs = tmp_path / "runs"
    assert [path.name for path in runs.glob("*/")] == ["papers-small-steps-de-en-7-diversified"]
    config = json.loads(next(runs.glob("*/config.json")).read_text())["config"]
    german_text, english_text = (
        str(data / "tok" / f"train.lc.norm.tok.{language}.gz") for language in ("de", "en")
    )
    (german_0, german_1), (english_0, english_1) = (
        [str(runs / f"papers-found-{place}.{language}") for place in (0, 1)]
        for language in ("de", "en")
    )
    assert config["train_source"] == [german_text, german_0, german_1, german_text, german_text]
    assert config["train_target"] == [english_text] * 3 + [english_0, english_1]
    assert Path(german_0).read_text() == "zwei .\n" * SIZES["train"]
    assert Path(german_1).read_text() == "vier .\n" * SIZES["train"]
    assert "de-en, diversified, test_2017_flickr" in capsys.readouterr().out
    german.write_text("Drei.\n" * SIZES["train"])
    assert multi30k.main(words) == 2
    assert "papers-found-0.de: of other translations than" in capsys.readouterr().err


def test_no_folder_of_others_is_removed(
    words: list[str], small: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    theirs = tmp_path / "runs" / "raw-small-steps-en-de-7" / "theirs.txt"
    theirs.parent.mkdir(parents=True)
    theirs.write_text("kept")
    assert multi30k.main([*words, "--directions", "en-de"]) == 2
    assert "en-de-7: no training of this contest; take another" in capsys.readouterr().err
    assert theirs.read_text() == "kept"


def test_an_interrupted_training_is_no_failure(
    words: list[str],
    small: None,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(multi30k.cli, "main", lambda _: 130)
    assert multi30k.main(words) == 130
    assert capsys.readouterr().err == "interrupted; the same command goes on\n"


def test_the_rows_are_all_that_is_printed_where_they_are_requested(
    words: list[str], small: None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert multi30k.main([*words, "--json", "-"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert len(rows) == 2 * len(multi30k.TESTS)


def test_without_sacremoses_nothing_is_trained(
    words: list[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(multi30k, "find_spec", lambda _: None)
    assert multi30k.main(words) == 2
    assert "the papers' scale needs the package sacremoses" in capsys.readouterr().err
    assert not (tmp_path / "runs").exists()


def test_data_that_are_not_there_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert multi30k.main([str(tmp_path), "--device", "cpu"]) == 2
    assert "train.de.gz: no such file; expected Multi30k in" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("more", "complaint"),
    [
        (["--diversified", "--directions", "en-de"], "--diversified needs both directions, or"),
        (["--found", "one", "other"], "--found goes with --diversified"),
    ],
)
def test_what_cannot_be_is_refused(
    more: list[str], complaint: str, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        multi30k.main([*words, *more])
    assert complaint in capsys.readouterr().err
