"""The tasks: right answers, problems that are never trained on, and that a small net learns one."""

from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import get_args

import pytest

from tokoban.cli import main
from tokoban.systems.gpt import tasks
from tokoban.systems.gpt.dataset import IGNORED
from tokoban.systems.gpt.spec import SPEC
from tokoban.systems.gpt.tasks import Task, is_held_out, num_problems, problem, task_batches
from tokoban.systems.gpt.train import make_system
from tokoban.training.config import to_dict
from tokoban.training.loop import fit
from tokoban.training.run_directory import RunDirectory


def test_the_729_problems_of_sort_are_all_texts_of_six_digits_with_their_order() -> None:
    problems = [problem("sort", number, num_digits=6) for number in range(729)]
    assert num_problems("sort", 6) == 729
    assert len({each.question for each in problems}) == 729
    for question, answer in problems:
        assert question[-1] == "="
        assert set(question[:-1]) <= set("012")
        assert list(answer) == sorted(question[:-1])


@pytest.mark.parametrize(
    ("number", "expected"),
    [(2715, ("27+15=", "240")), (9999, ("99+99=", "891")), (0, ("00+00=", "000"))],
)
def test_sums_stand_backwards(number: int, expected: tuple[str, str]) -> None:
    assert problem("addition", number, num_digits=2) == expected


@pytest.mark.parametrize("task", get_args(Task))
def test_batches_ask_only_what_is_not_held_out_and_count_only_the_answer(task: Task) -> None:
    tokenizer = tasks.tokenizer_of(task)
    numbers = {
        problem(task, number, num_digits=2).question: number
        for number in range(num_problems(task, 2))
    }
    for batch in islice(task_batches(task, num_digits=2, batch_size=13, seed=3), 5):
        for tokens, targets in zip(batch.tokens.tolist(), batch.targets.tolist(), strict=True):
            question = tokenizer.decode(tokens).partition("=")[0] + "="
            number = numbers[question]
            assert not is_held_out(number)
            answer = tokenizer.encode(problem(task, number, num_digits=2).answer)
            assert targets == [IGNORED] * (len(question) - 1) + answer


def test_a_quarter_is_held_out_here_and_there() -> None:
    held_out = [is_held_out(number) for number in range(10_000)]
    assert sum(held_out) == pytest.approx(2500, abs=50)
    for start in range(0, 10_000, 1000):
        assert sum(held_out[start : start + 1000]) == pytest.approx(250, abs=30)


def test_batches_go_on_from_any_step_and_differ_by_rank() -> None:
    def first(start_step: int, rank: int = 0) -> list[list[int]]:
        batches = task_batches(
            "sort", num_digits=5, batch_size=7, seed=1, start_step=start_step, rank=rank
        )
        return next(batches).tokens.tolist()

    straight = task_batches("sort", num_digits=5, batch_size=7, seed=1)
    assert [batch.tokens.tolist() for batch in islice(straight, 3)] == [first(n) for n in range(3)]
    assert first(0) != first(0, rank=1)


def test_evaluating_a_task_succeeds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = SPEC.presets["sort"].config()
    directory = RunDirectory(tmp_path / "sort", system="gpt", config=to_dict(config))
    fit(make_system(config), replace(SPEC.presets["sort"].run, steps=1), directory)
    assert main(["evaluate", "gpt", "--weights", str(directory.path)]) == 0
    assert "729" in capsys.readouterr().out


@pytest.mark.slow
def test_sort_is_learned_and_all_729_are_right(tmp_path: Path) -> None:
    config = SPEC.presets["sort"].config()
    directory = RunDirectory(tmp_path / "sort", system="gpt", config=to_dict(config))
    metrics = fit(make_system(config), SPEC.presets["sort"].run, directory)
    assert (metrics["right"], metrics["problems"]) == (729, 729)
