"""``tokoban solve``: plans for the levels of a file, by the policy, by A*, or by both in turn."""

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tokoban.cli import BAD_INPUT, INTERRUPTED, policy_options
from tokoban.cli.output import check_destination, write_output

if TYPE_CHECKING:
    from tokoban.cli.answers import Answer
    from tokoban.cli.screen import Screen
    from tokoban.sokoban.formats import Level, LevelFile

SUMMARY = "solve the levels of a file, by the policy and by A*"

# Levels that the policy plays together: it is quickest with many, and Ctrl-C loses one such batch.
_BATCH_LEVELS = 32
_NAMES = {"beam": "beam", "rollout": "rollout", "astar": "A*"}
_STYLES = {"solved": "green", "unsolvable": "yellow", "gave up": "red"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the file, the way, its limits, and where the answers go."""
    parser.add_argument("file", metavar="FILE", help="levels; - for standard input")
    parser.add_argument("--level", type=int, metavar="N", help="only this one, from 1")
    parser.add_argument(
        "--by",
        choices=("beam", "rollout", "astar"),
        help="only the policy's beam search, only its greedy play, or only A*. If not given: beam "
        "search where a level fits the policy, and A* where it does not or where no beam solves "
        "it. Only A* can prove that a level is unsolvable",
    )
    policy_options.add_arguments(parser)
    parser.add_argument(
        "--time-limit",
        type=float,
        default=10.0,
        metavar="SECONDS",
        help="of A*, a level: half of it goes to a solution with the fewest moves, and then, if "
        "there is none yet, the other half to one with the fewest pushes (default: 10)",
    )
    parser.add_argument(
        "--json",
        metavar="OUT",
        help="write an object for each level, - to print them. The policy plays many levels "
        "together; the seconds of each are its share, and predicted_steps_left is a mean over bins "
        "that grow like the exponential",
    )
    parser.add_argument(
        "--output", metavar="OUT", help="write the levels with their solutions, - to print them"
    )
    parser.epilog = (
        "Exit status: 0 if every level is solved or proved unsolvable, 1 if some were given up, "
        "2 for bad input, 130 after Ctrl-C, when what is known by then is still written."
    )


def run(arguments: argparse.Namespace) -> int:
    """Prints the answer to each level as it comes, then writes the files asked for."""
    from tokoban.sokoban.formats import read_levels

    _check(arguments)
    file = read_levels(arguments.file)
    for problem in file.problems:
        print(problem, file=sys.stderr)
    if file.problems:
        return BAD_INPUT
    levels = _chosen(file, arguments.level)
    if arguments.output:
        _as_file(file, levels, {})  # what cannot be written is refused before the work

    from tokoban.cli.screen import Screen

    screen = Screen(stderr="-" in (arguments.json, arguments.output))
    started_s = time.perf_counter()
    answers: dict[int, Answer] = {}
    status = 0
    try:
        for number, answer in _with_bar(_answers(levels, arguments), len(levels), screen):
            answers[number] = answer
            _show(screen, number, levels[number], answer)
            status |= answer.status == "gave up"
    except KeyboardInterrupt:
        told = f"interrupted after {len(answers)} of {len(levels)} levels"
        print(f"tokoban: {told}; what is known is kept", file=sys.stderr)
        status = INTERRUPTED
    if arguments.json:
        objects = [_describe(number, levels[number], answers[number]) for number in answers]
        write_output(arguments.json, json.dumps(objects, indent=2) + "\n")
    if arguments.output:
        write_output(arguments.output, _as_file(file, levels, answers))
    screen.print(_summarise(answers.values(), elapsed_s=time.perf_counter() - started_s))
    return status


def _check(arguments: argparse.Namespace) -> None:
    """Refuses at once what would come to light after the work."""
    policy_options.check(arguments)
    if not arguments.time_limit > 0:
        raise ValueError(f"--time-limit {arguments.time_limit:g}: expected more than 0 seconds")
    outputs = [path for path in (arguments.json, arguments.output) if path]
    if len(set(outputs)) < len(outputs):
        raise ValueError(f"--json and --output are both {outputs[0]}; expected two places")
    for path in outputs:
        check_destination(path)
    if arguments.level is not None and arguments.output and arguments.output != "-":
        source, target = Path(arguments.file).resolve(), Path(arguments.output).resolve()
        if source == target:
            raise ValueError(f"--level and --output would leave one level in {arguments.file}")


def _chosen(file: "LevelFile", number: int | None) -> "dict[int, Level]":
    """The levels to be solved by their numbers, from 1."""
    levels = dict(enumerate(file.levels, 1))
    if number is None:
        return levels
    if number not in levels:
        raise ValueError(f"--level {number}: expected 1 to {len(levels)}")
    return {number: levels[number]}


def _answers(
    levels: "Mapping[int, Level]", arguments: argparse.Namespace
) -> "Iterator[tuple[int, Answer]]":
    """An answer to each level, in order; the policy's come in batches."""
    from tokoban.cli.answers import by_astar

    if arguments.by == "astar":
        for number, level in levels.items():
            yield number, by_astar(level.board, time_limit_s=arguments.time_limit)
        return

    from tokoban.cli.policy import Policy

    policy = Policy(
        arguments.weights,
        device=arguments.device,
        precision=arguments.precision,
        memory_limit=policy_options.memory_limit_bytes(arguments),
    )
    max_moves = arguments.max_moves or policy.longest_plan
    if max_moves > policy.longest_plan:
        told = f"--max-moves {max_moves}: the policy has room for {policy.longest_plan}"
        print(f"tokoban: {told}, which are used", file=sys.stderr)
        max_moves = policy.longest_plan
    numbers = list(levels)
    for start in range(0, len(numbers), _BATCH_LEVELS):
        batch = numbers[start : start + _BATCH_LEVELS]
        answers = policy.answers(
            [levels[number].board for number in batch],
            by=arguments.by or "beam",
            width=arguments.width,
            max_moves=max_moves,
            score=arguments.score,
            max_unsolvable=arguments.max_unsolvable,
        )
        for number, answer in zip(batch, answers, strict=True):
            if answer.status == "gave up" and arguments.by is None:
                second = by_astar(levels[number].board, time_limit_s=arguments.time_limit)
                answer = replace(
                    second,
                    elapsed_s=answer.elapsed_s + second.elapsed_s,
                    remark=f"{second.remark}; {answer.remark}",
                )
            yield number, answer


def _with_bar(
    answers: "Iterator[tuple[int, Answer]]", num_levels: int, screen: "Screen"
) -> "Iterator[tuple[int, Answer]]":
    """The same answers, with a bar below what is printed, if there are many and eyes to see it."""
    from rich.progress import track

    from tokoban.cli.screen import Screen

    # Where the answers go to a file, the terminal is left to the bar.
    place = screen if screen.is_terminal else Screen(stderr=True)
    yield from track(
        answers,
        description="solving",
        total=num_levels,
        console=place,
        transient=True,
        disable=num_levels == 1 or not place.is_terminal,
    )


def _show(screen: "Screen", number: int, level: "Level", answer: "Answer") -> None:
    """A line of figures, a line of remarks, and the moves in a line of their own."""
    from rich.text import Text

    from tokoban.sokoban.formats import printable

    by = f" by {_NAMES[answer.solver]}" if answer.status == "solved" else ""
    length = "" if answer.lurd is None else f"{answer.length}, "
    lines = [
        Text.assemble(
            (f"{number:>4}  ", "dim"),
            (answer.status, f"bold {_STYLES[answer.status]}"),
            f"{by}: {length}{answer.elapsed_s:.2f} s",
            (f"  {printable(level.title)}".rstrip(), "bold"),
        ),
        Text(f"      {answer.remark}", "dim"),
    ]
    if answer.lurd:
        lines.append(Text(f"      {answer.lurd}"))
    screen.print(Text("\n").join(lines))


def _summarise(answers: "Iterable[Answer]", *, elapsed_s: float) -> str:
    """The closing line: how many of each kind, and who solved them."""
    from tokoban.cli.answers import counted

    answers = list(answers)
    statuses = Counter(answer.status for answer in answers)
    solvers = Counter(_NAMES[answer.solver] for answer in answers if answer.status == "solved")
    by = ", ".join(f"{count} by {name}" for name, count in solvers.items())
    return (
        f"{counted(len(answers), 'level')} in {elapsed_s:.1f} s: "
        f"{statuses['solved']} solved{f' ({by})' * bool(by)}, "
        f"{statuses['unsolvable']} proved unsolvable, {statuses['gave up']} given up"
    )


def _describe(number: int, level: "Level", answer: "Answer") -> dict[str, object]:
    """The object of a level in ``--json``; what is not known is null."""
    is_solved = answer.lurd is not None
    described: dict[str, object] = {
        "index": number,
        "title": level.title,
        "status": answer.status,
        "lurd": answer.lurd,
        "moves": len(answer.lurd or "") if is_solved else None,
        "pushes": answer.pushes if is_solved else None,
        "seconds": round(answer.elapsed_s, 6),
        "solver": answer.solver,
    }
    if answer.solver != "astar":
        thought = answer.judgement
        described["predicted_steps_left"] = thought and thought.predicted_steps_left
        described["predicted_unsolvable"] = thought and thought.predicted_unsolvable
    return described


def _as_file(
    file: "LevelFile", levels: "Mapping[int, Level]", answers: "Mapping[int, Answer]"
) -> str:
    """The levels as text, each with the solutions it had and the one it got."""
    from tokoban.sokoban.formats import write_levels

    written = [_with_answer(level, answers.get(number)) for number, level in levels.items()]
    return write_levels(written, notes=file.notes)


def _with_answer(level: "Level", answer: "Answer | None") -> "Level":
    from tokoban.sokoban.formats import NO_SOLUTION, Solution, lurd

    if answer is None or answer.status == "gave up":
        return level
    if answer.lurd is None:
        is_noted = NO_SOLUTION in level.notes
        return level if is_noted else replace(level, notes=(*level.notes, NO_SOLUTION))
    directions = lurd.parse(answer.lurd)
    if not directions or any(known.directions == directions for known in level.solutions):
        return level
    # The optimum is named as YASC names it; a policy promises none.
    title = f"Solution/{answer.optimum.capitalize()}" if answer.optimum else "Solution"
    return replace(level, solutions=(*level.solutions, Solution(directions, title)))
