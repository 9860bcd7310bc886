"""The public API: its names, its examples, and what its functions refuse."""

import doctest
import inspect
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

import tokoban
from tokoban import cli
from tokoban.sokoban.instructions import truth
from tokoban.sokoban.puzzles import generate
from tokoban.sokoban.search.combine import solver
from tokoban.sokoban.search.limits import Reason
from tokoban.systems.push_policy.policy import PushPolicy

pytestmark = pytest.mark.usefixtures("shipped_once")

REPOSITORY = Path(__file__).resolve().parents[2]
PUSH = "#####|#@$.#|#####"
UNSOLVABLE = "#####|#@.$#|#####"
# No search finds the fewest moves within a second.
HARD = "------..|-$.$-$--|-$.-----|#$--#-$-|+-------|.##.----|-.-$-$$-|.---#---"
EXAMPLES = {
    name: example
    for name in tokoban.__all__
    for example in doctest.DocTestFinder(recurse=False).find(getattr(tokoban, name), name)
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_example_of_each_docstring_holds(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = doctest.DocTestRunner().run(EXAMPLES[name])
    assert result.failed == 0


@pytest.mark.parametrize("name", tokoban.__all__)
def test_every_public_name_has_a_docstring_and_every_function_an_example(name: str) -> None:
    public = getattr(tokoban, name)
    assert public.__doc__ and public.__doc__[-1] in ".\n "
    assert not inspect.isfunction(public) or EXAMPLES[name].examples


def test_the_names_are_listed_and_others_are_refused() -> None:
    assert {*tokoban.__all__} <= {*dir(tokoban)}
    assert {*tokoban.__all__} == {*tokoban._HOMES}
    with pytest.raises(AttributeError, match="module 'tokoban' has no attribute 'solv'"):
        tokoban.solv  # noqa: B018


def run_python(code: str) -> subprocess.CompletedProcess[str]:
    """Runs the code in a process of its own."""
    environment = os.environ | {"PYTHONPATH": str(REPOSITORY)}
    return subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True
    )


def test_levels_are_a_sequence_of_the_valid_ones_with_the_problems(tmp_path: Path) -> None:
    path = tmp_path / "levels.xsb"
    path.write_text("#####\n#@$.#\n#####\n\n###\n#@#\n###\n\n#####\n#.$@#\n#####\n")
    levels = tokoban.read_levels(path)
    assert [level.number for level in levels] == [1, 3]
    assert levels[-1] is levels.levels[1]
    assert levels[:1] == levels.levels[:1]
    assert [problem.level for problem in levels.problems] == [2]


A_BOARD = tokoban.Board.from_xsb(PUSH)
untyped: Any = tokoban
A_LEVEL = tokoban.Level(A_BOARD)
WRONG_KINDS: dict[str, Callable[[], object]] = {
    "board is 'x'; expected a Board, such as Board.from_xsb(": lambda: untyped.solve("x"),
    "board is None": lambda: untyped.solve_anytime(None),
    "board is 3": lambda: untyped.optimise(3, "R"),
    "board is ()": lambda: untyped.hint(()),
    "board is []": lambda: untyped.explain([]),
    "board is 0": lambda: untyped.rate(0),
    "board is '#@$.#'": lambda: untyped.verify("#@$.#", "R"),
    "board is 'a'": lambda: untyped.generate(avoid=["a"]),
    "board is 'b'": lambda: untyped.solve_all([A_BOARD, "b"]),
    "boards is 'c'; expected a list": lambda: untyped.solve_all("c"),
    "minimise is 'd'; expected one of": lambda: untyped.solve_all([A_BOARD], minimise="d"),
    "num_threads and executor are given; expected one": lambda: untyped.solve_all(
        [A_BOARD], num_threads=2, executor=ThreadPoolExecutor(1)
    ),
    "policy is 'sokoban-push'; expected what tokoban.load returns": lambda: untyped.predict(
        A_BOARD, policy="sokoban-push"
    ),
    "policy is 5; expected what tokoban.load returns (docs/systems/push.md: your own policy)": (
        lambda: untyped.solve(A_BOARD, policy=5)
    ),
    "policy is 'other'": lambda: untyped.hint(A_BOARD, policy="other"),
    "played_by is 'sokoban-push'": lambda: untyped.label([], "o", played_by="sokoban-push"),
    "solution is None; expected a Solution or text": lambda: untyped.verify(A_BOARD, None),
    "solution is 5": lambda: untyped.optimise(A_BOARD, 5),
    "moves is 5; expected text in LURD": lambda: untyped.explain(A_BOARD, moves=5),
    "path is 5; expected a path": lambda: untyped.read_levels(5),
    "path is None": lambda: untyped.write_levels(None, [A_LEVEL]),
    "x.slc: expected a name that ends in .sok": lambda: untyped.write_levels("x.slc", [A_LEVEL]),
    "level is Board.from_xsb(": lambda: untyped.write_levels("o.sok", [A_BOARD]),
    "levels is Level(": lambda: untyped.write_levels("o.sok", A_LEVEL),
    "levels is 'a.sok'; expected a list": lambda: untyped.label("a.sok", "o"),
    "evaluation is 'b.sok'": lambda: untyped.label([], "o", evaluation="b.sok"),
    "path is 7": lambda: untyped.label([7], "o"),
    "a path is empty; expected": lambda: untyped.label([""], "o"),
    "a path is empty; expected that": lambda: untyped.label([], ""),
    "num_levels is '2'; expected a whole number": lambda: untyped.generate("2"),
    "seed is None": lambda: untyped.generate(seed=None),
    "solvable_share is 'half'": lambda: untyped.generate(solvable_share="half"),
    "time_limit_s is True; expected a number": lambda: untyped.rate(A_BOARD, time_limit_s=True),
    "time_limit_s is '9'; expected a number": lambda: untyped.rate(A_BOARD, time_limit_s="9"),
    f"memory_limit_mb is 1{'0' * 59}...; expected a smaller": lambda: untyped.solve(
        A_BOARD, memory_limit_mb=10**400
    ),
    "memory_limit_mb is None": lambda: untyped.solve(A_BOARD, memory_limit_mb=None),
    "stop is True; expected a threading.Event": lambda: untyped.solve(A_BOARD, stop=True),
    "stop is <class 'threading.Event'>": lambda: untyped.solve(A_BOARD, stop=threading.Event),
    "system is ['push']; expected a name": lambda: untyped.load("sokoban-push", system=["push"]),
    "executor is 4; expected one of concurrent.futures": lambda: untyped.generate(executor=4),
    "the weights are 5; expected a name or a path": lambda: untyped.load(5),
    "the drawing is 5; expected text": lambda: untyped.Board.from_xsb(5),
    "a solution is 5; expected text in LURD": lambda: untyped.Solution(5),
    "the board of a level is 'x'; expected a Board": lambda: untyped.Level("x"),
    "the title of a level is 3; expected text": lambda: untyped.Level(A_BOARD, 3),
    "the solutions of a level are 'R'": lambda: untyped.Level(A_BOARD, solutions="R"),
    "the solutions of a level are ('R',); expected a tuple of Solution": lambda: untyped.Level(
        A_BOARD, solutions=("R",)
    ),
    "texts is 'Hallo'; expected a list": lambda: untyped.translate("Hallo"),
    "text 2 is None; expected text": lambda: untyped.translate(["Hallo", None]),
    "the weights are of the system 'gpt'; expected 'translation'": lambda: untyped.translate(
        ["Hallo"], translator=tokoban.load("gpt-everyday")
    ),
    "prompt is ['x']; expected text": lambda: untyped.generate_text(["x"]),
    "num_texts is 0; expected at least 1": lambda: untyped.generate_text("x", num_texts=0),
    "1,000,000,000 texts of up to 200 tokens are asked for": lambda: untyped.generate_text(
        "x", num_texts=10**9
    ),
    "minimise is ['moves']; expected text": lambda: untyped.solve(A_BOARD, minimise=["moves"]),
    "minimise is 'time'; expected one of ['moves": lambda: untyped.solve(A_BOARD, minimise="time"),
    "minimise is 'fewest'; expected one of ['moves": lambda: untyped.solve_anytime(
        A_BOARD, minimise="fewest"
    ),
    "difficulty is ['easy']": lambda: untyped.generate(difficulty=["easy"]),
    "difficulty is 'mad'; expected one of ['easy', ": lambda: untyped.generate(difficulty="mad"),
    "difficulty, avoid, num_threads and executor have no effect with the style two-rooms": (
        lambda: untyped.generate(style="two-rooms", num_threads=2)
    ),
    "avoid is None; expected Boards": lambda: untyped.generate(avoid=None),
    "style is 'zzz'; expected one of two-rooms, tiles": lambda: untyped.generate(style="zzz"),
    "report is 3; expected a function": lambda: untyped.optimise(A_BOARD, "R", report=3),
    "max_expansions is 1.5; expected a whole": lambda: untyped.rate(A_BOARD, max_expansions=1.5),
    "instruction is 3; expected a sentence": lambda: untyped.solve(A_BOARD, instruction=3),
    "question is 3; expected a sentence": lambda: untyped.ask(A_BOARD, 3),
    "minimise has no effect with an instruction": lambda: untyped.solve(
        A_BOARD, instruction="push the left box last", minimise="any"
    ),
    "policy is of the system 'push'; expected 'instructions'": lambda: untyped.solve(
        A_BOARD, instruction="push the left box last", policy=tokoban.load("sokoban-push")
    ),
    "minimise has no effect with a policy": lambda: untyped.solve(
        A_BOARD, policy=tokoban.load("sokoban-push"), minimise="any"
    ),
    "policy is of the system 'gpt'; expected 'push' or 'sokoban'": lambda: untyped.solve(
        A_BOARD, policy=tokoban.load("gpt-everyday")
    ),
}


@pytest.mark.parametrize("message", WRONG_KINDS)
def test_an_argument_of_another_kind_is_refused_in_one_sentence(
    message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=f"^{re.escape(message)}.*$"):
        WRONG_KINDS[message]()
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize(
    ("lurd", "is_solution"), [("R", True), ("r", True), ("", False), ("RR", False), ("x", False)]
)
def test_a_solution_is_verified_by_the_rules(lurd: str, is_solution: bool) -> None:
    assert tokoban.verify(tokoban.Board.from_xsb(PUSH), lurd) == is_solution


def test_moves_of_any_case_are_read_by_their_letters() -> None:
    board = tokoban.Board.from_xsb("#######|#@ $ .#|#######")
    for moves in ("RRR", "rrr", "rRR"):
        assert tokoban.verify(board, moves)
        assert tokoban.explain(board, moves=moves).moves == "rRR"
        assert str(tokoban.optimise(board, moves).solution) == "rRR"


def test_no_answer_is_worse_than_the_one_before() -> None:
    board = tokoban.Board.from_xsb("-#-|.@#|-$-|---|---")
    answers = list(tokoban.solve_anytime(board))
    solutions = [answer.solution for answer in answers]
    assert all(one is not None and tokoban.verify(board, one) for one in solutions)
    lengths = [one.num_moves for one in solutions if one is not None]
    assert lengths == sorted(lengths, reverse=True)
    assert (answers[-1].optimum, answers[-1].at_least_moves, lengths[-1]) == ("moves", 8, 8)


@pytest.mark.parametrize("work", ["solve", "optimise", "explain", "rate", "hint", "generate"])
def test_a_set_stop_flag_ends_every_search_with_what_is_known(work: str) -> None:
    stop = threading.Event()
    stop.set()
    board = tokoban.Board.from_xsb(HARD)
    results: dict[str, Any] = {
        "solve": lambda: tokoban.solve(board, time_limit_s=None, stop=stop).status == "gave up",
        "hint": lambda: tokoban.hint(board, time_limit_s=None, stop=stop).status == "gave up",
        "explain": lambda: tokoban.explain(board, time_limit_s=None, stop=stop).status == "unknown",
        "rate": lambda: tokoban.rate(board, time_limit_s=None, stop=stop).status != "solved",
        "generate": lambda: (
            not any(tokoban.generate(2, style=style, stop=stop) for style in ("two-rooms", "caves"))
        ),
        "optimise": lambda: (
            tokoban.optimise(
                tokoban.Board.from_xsb(PUSH), "R", time_limit_s=None, stop=stop
            ).solution
            == tokoban.Solution("R")
        ),
    }
    assert results[work]()


def test_ctrl_c_is_raised_with_what_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    board = tokoban.Board.from_xsb("-#-|.@#|-$-|---|---")
    search = solver.solve

    def interrupted(board: tokoban.Board, *, minimise: str, **limits: Any) -> tokoban.Answer:
        if minimise == "moves":
            raise KeyboardInterrupt
        return search(board, minimise=minimise, **limits)

    monkeypatch.setattr(solver, "solve", interrupted)
    with pytest.raises(KeyboardInterrupt) as of_a_hint:
        tokoban.hint(board)
    hint = of_a_hint.value.answer  # type: ignore[attr-defined]
    assert (hint.status, hint.pushes_left) == ("solved", 2)
    with pytest.raises(KeyboardInterrupt) as of_a_solution:
        tokoban.solve(board, time_limit_s=None)
    answer = of_a_solution.value.answer  # type: ignore[attr-defined]
    assert answer.solution is not None
    assert tokoban.verify(board, answer.solution)
    assert (answer.solver, answer.optimum) == ("weighted-astar", None)
    assert answer.reason is not None
    assert re.fullmatch(r"stopped after .* s and 0 expansions for fewest moves", answer.reason)


@pytest.mark.parametrize("weights", [None, "sokoban-push"])
def test_ctrl_c_has_an_answer_where_nothing_is_known(
    weights: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*args: object, **options: object) -> None:
        raise KeyboardInterrupt

    board = tokoban.Board.from_xsb("-#-|.@#|-$-|---|---")
    monkeypatch.setattr(truth, "solve", interrupted)
    monkeypatch.setattr(PushPolicy, "solve", interrupted)
    policy = None if weights is None else tokoban.load(weights)
    instruction = "push the left box first" if weights is None else None
    with pytest.raises(KeyboardInterrupt) as of_a_solution:
        tokoban.solve(board, instruction=instruction, policy=policy)
    answer = of_a_solution.value.answer  # type: ignore[attr-defined]
    assert (answer.status, answer.reason) == ("gave up", "stopped")
    if policy is not None:
        with pytest.raises(KeyboardInterrupt) as of_a_hint:
            tokoban.hint(board, policy=policy)
        assert of_a_hint.value.answer.status == "gave up"  # type: ignore[attr-defined]


def test_progress_of_many_boards_comes_with_their_numbers() -> None:
    boards = [tokoban.Board.from_xsb("######|#@ $.#|######")] * 3
    told: set[tuple[int, str]] = set()
    answers = tokoban.solve_all(
        boards, num_threads=2, report=lambda number, sought, progress: told.add((number, sought))
    )
    assert len([*answers]) == 3
    assert told == {(number, sought) for number in range(3) for sought in ("any", "moves")}


def test_stopping_ends_what_a_thread_compiles_and_keeps_what_it_knows() -> None:
    stop = threading.Event()

    def report(number: int, sought: str, progress: object) -> None:
        stop.set()
        while sought == "moves":  # a solution is known by then
            numba.njit(lambda: None)()

    board = tokoban.Board.from_xsb("######|#@ $.#|######")
    ((_, answer),) = tokoban.solve_all([board], stop=stop, report=report)
    assert answer.solution is not None
    assert tokoban.verify(board, answer.solution)
    assert answer.optimum is None
    assert answer.reason is not None
    assert re.fullmatch("stopped after .*", answer.reason)


def test_ctrl_c_while_a_solution_is_made_shorter_keeps_the_best() -> None:
    board = tokoban.Board.from_xsb("######|#@ $.#|######")

    def report(answer: tokoban.Answer) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as interrupt:
        tokoban.optimise(board, "rlrR", report=report)
    best = interrupt.value.answer  # type: ignore[attr-defined]
    assert tokoban.verify(board, best.solution)
    assert best.reason == "stopped"


def test_ctrl_c_ends_a_loop_of_searches() -> None:
    code = """
import signal, threading
import tokoban

board, is_over = tokoban.Board.from_xsb(%r), threading.Event()

def press_until_it_ends():
    while not is_over.wait(0.3):
        signal.raise_signal(signal.SIGINT)

tokoban.solve(board, time_limit_s=0.5)  # a press while compiled code is loaded may crash Python
threading.Thread(target=press_until_it_ends).start()
try:
    for _ in range(1000):
        tokoban.solve(board, time_limit_s=60)
finally:
    is_over.set()
"""
    # Python loses one that comes while the compiler calls back, and says so: press again.
    ended = run_python(code % HARD)
    # Python ends by the signal for its own KeyboardInterrupt, and with 1 for the one of a search.
    assert ended.returncode in {-signal.SIGINT, 1}, ended.stderr
    assert ended.stderr.splitlines()[-1].rpartition(".")[2] in {
        "KeyboardInterrupt",
        "InterruptedSearch",
    }


@pytest.mark.parametrize(
    ("drawing", "deadlock_probability", "words"),
    [
        (
            PUSH,
            0.0,
            "Push the box at row 2, column 3 to row 2, column 4; "
            "1 move and 1 push left in this solution.",
        ),
        (
            "######|#    #|##$# #|#   .#|#    #|# @ ##|######",  # of the fewest moves; 3 pushes do
            0.0,
            "Push the box at row 3, column 3 to row 4, column 5; "
            "19 moves and 5 pushes left in this solution.",
        ),
        (UNSOLVABLE, 1.0, "The position is deadlocked."),
        ("####|#@*#|####", 0.0, "The position is solved."),
    ],
)
def test_a_hint_says_what_is_proved(drawing: str, deadlock_probability: float, words: str) -> None:
    hint = tokoban.hint(tokoban.Board.from_xsb(drawing))
    assert (hint.deadlock_probability, str(hint)) == (deadlock_probability, words)


@pytest.mark.parametrize("name", ["sokoban-push", "sokoban-8x8"])
def test_a_policy_solves_in_place_of_the_search(name: str) -> None:
    answer = tokoban.solve(A_BOARD, policy=tokoban.load(name))
    assert answer.solution is not None
    assert tokoban.verify(A_BOARD, answer.solution)
    assert answer.solver in ("phs", "beam")


def test_a_policy_that_gives_up_says_so_as_the_search_does() -> None:
    board, policy = tokoban.Board.from_xsb(HARD), tokoban.load("sokoban-push")
    reason = tokoban.solve(board, policy=policy, max_expansions=20).reason
    assert reason == "no solution found within 20 expansions"
    assert isinstance(reason, Reason) and reason.values == {"most": 20}


def test_a_set_stop_flag_leaves_the_policy_out() -> None:
    board = tokoban.Board.from_xsb("########|#@ $ . #|#      #|########")
    policy, stop = tokoban.load("sokoban-8x8"), threading.Event()
    assert tokoban.hint(board, policy=policy, stop=stop).solver == "beam"
    stop.set()
    assert tokoban.hint(board, policy=policy, stop=stop).solver != "beam"


def test_where_nothing_is_known_there_is_no_hint() -> None:
    hint = tokoban.hint(tokoban.Board.from_xsb(HARD), max_expansions=1)
    assert (hint.status, hint.box, hint.deadlock_probability) == ("gave up", None, None)
    assert str(hint).startswith("No hint: no solution found within 1 expansion;")


SCRIPT = """\
import tokoban

levels = tokoban.read_levels("levels.xsb")
for level in levels:
    answer: tokoban.Answer = tokoban.solve(level.board, time_limit_s=10)
    if answer.solution is not None and tokoban.verify(level.board, answer.solution):
        print(level.title, answer.solution, answer.solution.num_moves)
hint: tokoban.Hint = tokoban.hint(levels[0].board)
print(hint.box, tokoban.explain(levels[0].board).status, levels.problems)
"""


@pytest.mark.slow
def test_a_script_passes_mypy_strict_and_runs(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    assert (REPOSITORY / "tokoban" / "py.typed").exists()
    (tmp_path / "script.py").write_text(SCRIPT)
    (tmp_path / "levels.xsb").write_text("First\n\n#####\n#@$.#\n#####\n")
    environment = os.environ | {"PYTHONPATH": str(REPOSITORY), "MYPYPATH": str(REPOSITORY)}
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "script.py"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert checked.returncode == 0, checked.stdout
    ran = subprocess.run(
        [sys.executable, "script.py"], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert ran.stdout == "First R 1\nSquare(row=1, column=2) solvable ()\n", ran.stderr


@pytest.mark.parametrize("most", [np.int64(1000), 2**63, 10**30])
def test_any_whole_number_may_limit_expansions(most: Any) -> None:
    board = tokoban.Board.from_xsb(PUSH)
    assert tokoban.solve(board, max_expansions=most).status == "solved"
    assert tokoban.hint(board, max_expansions=most).status == "solved"
    tokoban.rate(board, max_expansions=most)


def test_weights_named_by_a_path_have_the_name_that_they_ship_under() -> None:
    assert untyped.load(Path("sokoban-push")).name == "sokoban-push"


@pytest.mark.parametrize("function", [tokoban.solve, tokoban.hint, tokoban.explain, tokoban.rate])
@pytest.mark.parametrize(
    ("limit", "wrong"),
    [
        ("time_limit_s", -1.0),
        ("time_limit_s", float("nan")),
        ("memory_limit_mb", -1.0),
        ("memory_limit_mb", float("nan")),
        ("max_expansions", -1),
    ],
)
def test_a_limit_below_zero_is_refused(function: Any, limit: str, wrong: float) -> None:
    with pytest.raises(ValueError, match=f"^{limit} is {wrong}; expected 0 or more$"):
        function(tokoban.Board.from_xsb(PUSH), **{limit: wrong})


def test_levels_found_before_there_are_no_more_are_returned_with_a_warning(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(generate, "_MOST_FAILURES_OF_WORDS", 50)
    make = partial(tokoban.generate, style="halls", rows=5, columns=5, num_boxes=1)
    found = make(60)  # 3x3 squares have room for fewer
    assert 0 < len(found) < 60
    told = f"no new level of 5x5 with 1 boxes in 50 attempts; {len(found)} of 60 levels were found"
    assert caplog.messages == [told]
    with pytest.raises(ValueError, match="; 0 of 1 levels were found"):
        make(1, avoid=[level.board for level in found])


@pytest.mark.parametrize("memory_limit_mb", [0.0, 0.0001, 0.0005, 0.002, 0.01])
def test_a_level_is_rated_with_any_memory(memory_limit_mb: float) -> None:
    """With none a search may answer that it gave up; it must not write where there is nothing."""
    board = tokoban.Board.from_xsb("########|#@     #|# $ $  #|# . .  #|########")
    rating = tokoban.rate(board, memory_limit_mb=memory_limit_mb)
    assert rating.status in ("solved", "gave up")


def test_shipped_weights_are_loaded_without_the_compiler_of_torch() -> None:
    """Its import takes two of the five seconds in which a first command is to answer."""
    code = (
        "import sys, tokoban; tokoban.load('sokoban-8x8'); tokoban.load('translation-de-en'); "
        "print('torch._dynamo' in sys.modules)"
    )
    ended = run_python(code)
    assert ended.stdout == "False\n", ended.stderr


def test_the_share_of_solvable_levels_is_of_two_rooms_alone() -> None:
    levels = tokoban.generate(6, style="two-rooms", solvable_share=1.0)
    assert all(tokoban.verify(level.board, level.solutions[0]) for level in levels)
    with pytest.raises(ValueError, match="solvable_share has no effect on puzzles"):
        tokoban.generate(style="caves", solvable_share=1.0)


def test_texts_together_are_translated_as_each_alone_and_as_by_the_command(
    capsys: pytest.CaptureFixture[str],
) -> None:
    texts = ["Wo ist der Bahnhof?", "", "Hast du schon gegessen?", "17:30"]
    in_lines = [texts[0], "\n".join(texts[1:])]
    together = tokoban.translate(texts)
    for text, found in zip(texts, together, strict=True):
        [alone] = tokoban.translate([text])
        assert (found.text, found.confidence is None) == (alone.text, alone.confidence is None)
        assert (found.confidence or 0) == pytest.approx(alone.confidence or 0, rel=1e-4)
    assert [found.confidence is None for found in together] == [False, True, False, True]
    assert cli.main(["translate", *texts]) == 0
    assert capsys.readouterr().out.splitlines() == [found.text for found in together]
    assert cli.main(["translate", *in_lines]) == 0
    assert capsys.readouterr().out.splitlines() == [found.text for found in together]
    assert [found.text.splitlines() for found in tokoban.translate(in_lines)] == [
        [together[0].text],
        [found.text for found in together[1:]],
    ]


def test_lines_are_as_trustworthy_as_the_worst_of_them() -> None:
    lines = ["Wo ist der Bahnhof?", "Sehr geehrte Damen und Herren,", "17:30"]
    together, *each = tokoban.translate(["\n".join(lines), *lines])
    assert together.confidence == pytest.approx(each[1].confidence, rel=1e-4)
    assert (each[1].confidence or 0) < (each[0].confidence or 0)


def test_texts_of_a_seed_are_those_of_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    found = tokoban.generate_text("Tom", seed=3, num_texts=2, temperature=1.0)
    assert len({*found}) == 2
    assert found[:1] == tokoban.generate_text("Tom", seed=3, temperature=1.0)
    options = ["--seed", "3", "--num", "2", "--temperature", "1"]
    assert cli.main(["generate-text", "Tom", *options]) == 0
    out = capsys.readouterr().out
    assert all(f"Tom{text}" in out for text in found)
