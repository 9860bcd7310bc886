"""Tries readers, rules, solvers and commands on random and mutated input for some minutes.

The kinds of cases take turns. A case follows from the seed, its kind and its number alone, so that
``--case solver:123`` runs it again. The cases run in a process of their own: one that crashes it or
never ends is a failure like any other. Prints one JSON object of counts; exits with 1 after any
failure.
"""

import argparse
import contextlib
import io
import json
import multiprocessing
import operator
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from itertools import count, pairwise
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np

from benchmarks.agreement import play
from benchmarks.damaged_files import check, mutate
from benchmarks.process_memory import peak_growth
from benchmarks.random_boards import KINDS, random_board
from tests.sokoban.brute_force import Shape, fewest, is_push, random_boards, reachable
from tokoban import cli
from tokoban.sokoban import rules
from tokoban.sokoban.board import Board
from tokoban.sokoban.formats import format_board
from tokoban.sokoban.search.answer import Answer
from tokoban.sokoban.search.combine.solver import prepare, solve
from tokoban.sokoban.search.limits import Limits

MAX_FILE_S = 10.0  # of the processor, for one file of a few hundred bytes
MAX_CASE_S = 300.0  # on the clock, before a case counts as one that never ends
NUM_GAMES, NUM_MOVES = 40, 30  # of one case of the rules
MAX_EXPANSIONS, TIME_LIMIT_S = 20_000, 5.0  # of one answer of a solver
# What a process holds beside what a solver counts: the first tables, the solution, Python's own.
ALLOWANCE_BYTES = 60e6
MAX_KNOWN_SQUARES = 14  # all play from boards of so few squares is looked through


def try_file(chance: random.Random) -> Counter[str]:
    """A damaged file: read or told, and what was read is written and read back the same."""
    started_s = time.process_time()
    read = check(mutate(chance))
    assert time.process_time() - started_s < MAX_FILE_S
    return Counter(
        {"levels read": len(read.levels), "problems told": len(read.problems), "files": 1}
    )


def try_rules(chance: random.Random) -> Counter[str]:
    """Random games by all the rules at once."""
    height, width = chance.randint(1, 12), chance.randint(2, 12)
    kind = KINDS[chance.choice(sorted(KINDS))]
    is_bordered = chance.choice(kind.borders)
    boards = [
        random_board(chance, height, width, kind=kind, is_bordered=is_bordered)
        for _ in range(NUM_GAMES)
    ]
    actions = np.array([chance.choices(range(4), k=NUM_GAMES) for _ in range(NUM_MOVES)])
    counts = play(boards, actions)
    assert not counts.num_disagreements, counts
    return Counter({"moves": counts.moves, "pushes": counts.pushes})


def random_level(chance: random.Random) -> Board:
    """A board with goals where play can bring the boxes, or goals anywhere; closed or open."""
    height, width = chance.randint(2, 11), chance.randint(3, 11)
    num_boxes = chance.randint(1, max(1, min(8, height * width // 5)))
    shape = Shape(height, width, num_boxes, is_closed=chance.random() < 0.5)
    *_, board = random_boards(shape, chance.randint(1, 2), seed=chance.randrange(2**32))
    return board


def try_solver(chance: random.Random) -> Counter[str]:
    """One board in all modes: answers that agree, solutions that solve, limits that hold."""
    prepare()  # no limit of time or memory counts a first compilation
    board = random_level(chance)
    memory_limit_mb = chance.choice([1.0, 20.0, 200.0])
    answers: dict[str, Answer] = {}
    told: Counter[str] = Counter(boards=1)
    for mode in ("moves", "pushes", "any"):
        started_s = time.process_time()
        with peak_growth() as growth:
            answer = solve(
                board,
                minimise=mode,
                limits=Limits(
                    max_expansions=MAX_EXPANSIONS,
                    time_limit_s=TIME_LIMIT_S,
                    memory_limit_mb=memory_limit_mb,
                ),
            )
        assert growth[0] < memory_limit_mb * 1e6 + ALLOWANCE_BYTES, (mode, growth)
        assert time.process_time() - started_s < TIME_LIMIT_S + 2
        answers[mode] = answer
        told[f"{mode}: {answer.status}"] += 1
        if (solution := answer.solution) is not None:
            played = rules.play(board, solution.directions)
            num_pushes = sum(before.boxes != after.boxes for before, after in pairwise(played))
            assert played[-1].is_solved
            assert (solution.num_moves, solution.num_pushes) == (len(played) - 1, num_pushes)
    statuses = {answer.status for answer in answers.values()} - {"gave up"}
    assert len(statuses) < 2, answers
    solutions = [answer.solution for answer in answers.values() if answer.solution is not None]
    for figure in ("moves", "pushes"):
        if (best := answers[figure].solution) is not None:
            name = f"num_{figure}"
            assert getattr(best, name) == min(getattr(other, name) for other in solutions)
    if len(board.inside()) <= MAX_KNOWN_SQUARES and len(board.boxes) <= 3:
        told["boards looked through whole"] += 1
        compare_with_all_play(board, answers)
    return told


def compare_with_all_play(board: Board, answers: dict[str, Answer]) -> None:
    """Holds the answers against a plain search through all that play can lead to."""
    after = reachable(board)
    for mode, price in (("moves", operator.ne), ("pushes", is_push)):
        expected = fewest(after, board, price)
        found = {answer.status for answer in answers.values()}
        status = "unsolvable" if expected is None else "solved"
        assert found <= {"gave up", status}, (expected, answers)
        if (best := answers[mode].solution) is not None:
            assert getattr(best, f"num_{mode}") == expected


def try_command(chance: random.Random) -> Counter[str]:
    """A command on a damaged file or a strange level: a status it documents, and no traceback."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / chance.choice(["levels.xsb", "levels.sok", "levels.slc", "000.txt"])
        if chance.random() < 0.5:
            file.write_bytes(mutate(chance))
        else:
            file.write_text(format_board(random_level(chance)))  # open ones are to be refused
        words = chance.choice(COMMANDS).format(file=file, out=Path(folder) / "out.sok").split()
        with (
            contextlib.redirect_stdout(io.StringIO()),
            contextlib.redirect_stderr(io.StringIO()) as errors,
        ):
            status = cli.main(words)
        assert status in (0, 1, 2), status
        assert status != 2 or errors.getvalue().strip(), "nothing was said"
        return Counter({f"{words[0]}, status {status}": 1})


COMMANDS = (
    "check {file}",
    "check {file} --duplicates",
    "convert {file} {out}",
    "solve {file} --by search --time-limit 0.5 --output {out}",
    "solve {file} --by search --time-limit 0.5 --json -",
)
CASES: dict[str, Callable[[random.Random], Counter[str]]] = {
    "files": try_file,
    "rules": try_rules,
    "solver": try_solver,
    "command": try_command,
}


def run_case(seed: int, kind: str, number: int) -> Counter[str]:
    """The counts of one case; raises what the case raises."""
    return CASES[kind](random.Random(f"{seed} {kind} {number}"))


def run_cases(seed: int, first: int, deadline_s: float, pipe: Connection) -> None:
    """Runs cases in turn, telling of each when it begins and ends; all that the process does."""
    for number in count(first):
        for kind in CASES:
            if time.time() > deadline_s:
                return
            pipe.send(("begun", kind, number, None))
            try:
                pipe.send(("ended", kind, number, run_case(seed, kind, number)))
            except Exception as error:
                pipe.send(("failed", kind, number, repr(error)))


def fuzz(seed: int, minutes: float) -> dict:
    """Counts of cases and what they met, and every failure."""
    deadline_s = time.time() + 60 * minutes
    counts: dict[str, Counter[str]] = {kind: Counter() for kind in CASES}
    failures: list[str] = []
    first = 0
    while time.time() < deadline_s:
        receiver, sender = multiprocessing.Pipe(duplex=False)
        process = multiprocessing.get_context("fork").Process(
            target=run_cases, args=(seed, first, deadline_s, sender)
        )
        process.start()
        sender.close()
        begun: str | None = None
        try:
            while receiver.poll(MAX_CASE_S):
                event, kind, number, more = receiver.recv()
                begun = f"{kind}:{number}" if event == "begun" else None
                if event == "ended":
                    counts[kind] += Counter(cases=1) + more
                if event == "failed":
                    failures.append(f"{kind}:{number}: {more}")
                first = number + 1
            failures.append(f"{begun} was not over after {MAX_CASE_S:g} s")
            process.kill()
        except EOFError:
            process.join()
            if begun is not None:
                failures.append(f"{begun} ended its process with {process.exitcode}")
        process.join()
    return {"seed": seed, "minutes": minutes, "counts": counts, "failures": failures}


def main() -> int:
    """Answers 0 if nothing failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--case", metavar="KIND:NUMBER", help="this one alone, with its traceback")
    arguments = parser.parse_args()
    if arguments.case:
        kind, _, number = arguments.case.partition(":")
        if kind not in CASES or not number.isdecimal():
            parser.error(
                f"no case {arguments.case}; expected one of {', '.join(CASES)}, as files:3"
            )
        print(run_case(arguments.seed, kind, int(number)))
        return 0
    found = fuzz(arguments.seed, arguments.minutes)
    print(json.dumps(found, indent=2))
    return 1 if found["failures"] else 0


if __name__ == "__main__":
    sys.exit(main())
