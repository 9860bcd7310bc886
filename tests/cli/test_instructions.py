"""``tokoban instructions`` and its scorer: right answers score 1, and bad lines are named."""

import contextlib
import io
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_json_docs import documented
from tokoban import cli
from tokoban.sokoban.instructions import benchmark


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The folder of a benchmark, and what was said when it was made."""
    folder, told = tmp_path_factory.mktemp("benchmark") / "new", io.StringIO()
    words = ["instructions", "--output", str(folder), "--levels", "2", "--seed", "3"]
    with contextlib.redirect_stdout(told):
        assert cli.main(words) == 0
    return folder, told.getvalue()


@pytest.fixture(scope="module")
def folder(made: tuple[Path, str]) -> Path:
    return made[0]


def items_of(folder: Path) -> list[dict[str, Any]]:
    lines = [line for file in folder.glob("*.jsonl") for line in file.read_text().splitlines()]
    return [json.loads(line) for line in lines]


def scored(folder: Path, lines: list[Any], *more: str) -> tuple[int, dict[str, float]]:
    answers, out = folder.parent / "answers.jsonl", folder.parent / "scores.json"
    answers.write_text("".join(json.dumps(line) + "\n" for line in lines))
    words = ["evaluate", "instructions", "--answers", str(answers), "--json", str(out), *more]
    return cli.main(words), json.loads(out.read_text())


def test_the_files_have_the_documented_fields(folder: Path) -> None:
    names = {"clauses", "combinations", "levels", "names", "paraphrases", "train"}
    assert {path.name for path in folder.iterdir()} == {*(f"{n}.jsonl" for n in names), "README.md"}
    fields = {name for item in items_of(folder) for name in item} - {"schema_version"}
    assert fields == documented("instructions")


def test_right_answers_score_one_and_others_zero(folder: Path) -> None:
    items = items_of(folder)
    status, scores = scored(folder, [item | {"response": item["answer"]} for item in items])
    assert status == 0
    shares = {name: value for name, value in scores.items() if isinstance(value, float)}
    assert {*shares.values()} == {0.0, 1.0}
    assert {name for name, value in shares.items() if value == 0} == {
        name for name in scores if name.endswith("_extra_pushes")
    }
    assert scores["train_questions"] == sum(
        item["split"] == "train" and item["kind"] == "question" for item in items
    )
    status, scores = scored(folder, [item | {"response": None} for item in items])
    assert status == 0
    assert {value for value in scores.values() if isinstance(value, float)} == {0.0}


def test_a_benchmark_without_answers_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["evaluate", "instructions", "--benchmark", "x", "--levels", "1"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("tokoban: the following arguments are required: --answers")


def test_beside_its_benchmark_missing_items_are_wrong_and_others_refused(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    right = [item | {"response": item["answer"]} for item in items_of(folder)]
    beside = "--benchmark", str(folder)
    assert scored(folder, right, *beside) == scored(folder, right)
    first, *others = [item for item in right if item["split"] == "levels"]
    _, scores = scored(folder, others, *beside)
    _, wrong = scored(folder, [first | {"response": "?"}, *others])
    assert scores == wrong != scored(folder, others)[1]
    easier = first | {"text": "push the nearest box first"}
    assert scored(folder, [easier, *others], *beside) == (2, scores)
    assert "jsonl:1: no item of the benchmark; " in capsys.readouterr().err
    damaged = folder.parent / "damaged"
    damaged.mkdir()
    for file in folder.glob("*.jsonl"):
        (damaged / file.name).write_text('{"split": "levels", "board": 3, "text": "x"}\n')
    words = ["evaluate", "instructions", "--answers", str(folder / "names.jsonl")]
    assert cli.main([*words, "--benchmark", str(damaged)]) == 2
    assert "train.jsonl:1: board is 3; expected rows of text" in capsys.readouterr().err
    (folder / "names.jsonl").rename(folder / "other.jsonl")
    words = ["evaluate", "instructions", "--answers", str(folder / "other.jsonl"), *beside]
    assert cli.main(words) == 2
    assert "names.jsonl: No such file" in capsys.readouterr().err
    (folder / "other.jsonl").rename(folder / "names.jsonl")


def test_the_numbers_of_items_are_told(made: tuple[Path, str]) -> None:
    folder, told = made
    _, scores = scored(folder, items_of(folder))
    for split in ("train", "levels", "clauses"):
        counts = [scores.get(f"{split}_{k}", 0) for k in ("possible", "impossible", "questions")]
        possible, impossible, questions = counts
        all_of = f"{possible} possible, {impossible} impossible, {questions} questions"
        assert f"{split}: {sum(counts)} items ({all_of})\n" in told


def test_an_item_that_comes_again_counts_once(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, *_ = items_of(folder)
    once = scored(folder, [first])[1]
    assert scored(folder, [first, first | {"response": first["answer"]}]) == (2, once)
    assert "jsonl:2: the item of line 1 again; expected each once" in capsys.readouterr().err


def test_a_solution_that_disobeys_or_takes_longer_is_counted_so(folder: Path) -> None:
    room = {"board": ["#######", "#  .  #", "#@$ $.#", "#     #", "#######"], "split": "x"}
    room["text"] = "push the left box first"
    right, long, disobedient = "RdrUR", "RurDldlluRdrURR", "drruRldlluRdrU"
    texts = room["text"], f"please {room['text']}"
    plays = zip(texts, (right, disobedient), strict=True)
    status, scores = scored(folder, [room | {"text": x, "response": moves} for x, moves in plays])
    assert (status, scores["x_obeyed"], scores["x_extra_pushes"]) == (0, 0.5, 0.0)
    assert scored(folder, [room | {"response": long}])[1]["x_obeyed"] == 0.0


@pytest.mark.parametrize("response", [None, 7, 0, [], ["R"]])
def test_a_response_that_is_no_text_is_wrong(
    response: Any, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    solved = {"board": ["####", "#@*#", "####"], "split": "x", "text": "end in a corner"}
    lines = [solved | {"response": ""}, solved | {"text": "End in a corner", "response": response}]
    is_bad = response is not None
    status, scores = scored(folder, lines)
    assert (status, scores["x_possible"], scores["x_obeyed"]) == (2 * is_bad, 2, 0.5)
    assert ("jsonl:2: response is " in capsys.readouterr().err) == is_bad


@pytest.mark.parametrize(
    ("language", "response", "is_right"),
    [
        ("en", "the leftmost box", True),
        ("en", "“The western box.”", True),
        ("en", "row 2, column 3", True),
        ("en", "the right box", False),
        ("en", "die linke Kiste", False),
        ("de", "die linke Kiste", True),
    ],
)
def test_a_box_may_be_answered_by_each_of_its_names(
    language: str, response: str, is_right: bool, folder: Path
) -> None:
    texts = {"en": "which box must be pushed first"}
    texts["de"] = "welche Kiste muss zuerst geschoben werden"
    room = {"board": ["######", "#@$.##", "## $.#", "##   #", "######"], "split": "x"}
    room |= {"text": texts[language], "response": response}
    assert scored(folder, [room])[1]["x_answered"] == is_right


def test_the_name_of_a_split_does_not_steer_the_terminal(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scored(folder, [items_of(folder)[0] | {"split": "a\x1b[31m"}])
    assert "\x1b" not in capsys.readouterr().out


def test_a_line_that_is_no_item_is_named_and_the_others_are_scored(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = items_of(folder)[0]
    good |= {"response": good["answer"]}
    status, scores = scored(
        folder,
        [
            *(3, good | {"board": "#"}, good | {"text": "push it"}, {"split": "names"}, good),
            *({"split": "clauses"}, 3, {"split": "names", "text": "x"}, {"split": "levels"}),
        ],
    )
    assert status == 2
    kinds = ("possible", "impossible", "questions")
    assert sum(scores.get(f"{good['split']}_{kind}", 0) for kind in kinds) == 1
    said = capsys.readouterr().err.replace(str(folder.parent / "answers.jsonl"), "").splitlines()
    assert said == [
        ":1: the line is 3; expected an object (and 1 other line)",
        ':2: board is "#"; expected rows of text',
        ':3: word 2, "it", does not fit here; expected the, left, leftmost, right, rightmost, '
        "upper or others",
        ':4: the field "text" is missing (and 2 other lines)',
        ':8: the field "board" is missing',
    ]


def test_lines_with_responses_are_not_written_over(
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def same_items(split: str, boards: object, *, seed: int) -> list[dict[str, Any]]:
        lines = (folder / f"{split}.jsonl").read_text().splitlines()
        return [json.loads(line) for line in lines]

    monkeypatch.setattr(benchmark, "items", same_items)  # to make them again would take seconds
    file = tmp_path / "names.jsonl"
    answered = (folder / file.name).read_text().replace("}", ', "response": "impossible"}')
    file.write_text(answered)
    words = ["instructions", "--output", str(tmp_path), "--levels", "2", "--seed", "3"]
    assert cli.main(words) == 2
    said = f"tokoban: {file} exists and has other lines; expected another --output\n"
    assert (capsys.readouterr().err, file.read_text()) == (said, answered)
    assert not (tmp_path / "train.jsonl").exists()  # nothing was written
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    assert cli.main(words) == 0  # the same lines once more
