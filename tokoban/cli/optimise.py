"""``tokoban optimise``: shorter solutions for the levels of a file, from those that it has."""

import argparse
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, get_args

from tokoban.cli import level_options, options
from tokoban.cli.exit_codes import ExitCode
from tokoban.cli.output import check_outputs, report_interrupted, write_output
from tokoban.cli.report import entries
from tokoban.sokoban.search.answer import Optimum
from tokoban.sokoban.wording import counted

if TYPE_CHECKING:
    from tokoban.cli.screen import Screen
    from tokoban.cli.shortening import Outcome
    from tokoban.sokoban.formats import Level, LevelFile
    from tokoban.sokoban.search.answer import Answer

SUMMARY = "make the solutions in a level file shorter, by moves or by pushes"
UNDECIDED = "some levels were given up, or none has a solution"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the file, the objective, the limits, and the outputs."""
    parser.add_argument(
        "file",
        metavar="FILE",
        help="level file with solutions; - for standard input. Levels without a solution are not "
        "solved (see `tokoban solve`)",
    )
    options.add(parser, "--level")
    parser.add_argument(
        "--minimise",
        choices=get_args(Optimum),
        default="moves",
        help="minimise moves, then pushes, or the other way round; of several solutions the best "
        "one is shortened (default: moves)",
    )
    options.add(parser, "--time-limit", "for each level")
    options.add(parser, "--memory-limit")
    options.add(parser, "--json")
    options.add(parser, "--jsonl")
    options.add(parser, "--output", "it has everything in FILE and the shorter solutions")


def run(arguments: argparse.Namespace) -> int:
    """Prints what became of each level as it comes, then writes the files asked for."""
    _check(arguments)
    chosen = level_options.read(arguments.file, number=arguments.level, output=arguments.output)
    file, levels = chosen.file, chosen.levels
    if not levels:
        return chosen.conclude(0)
    if arguments.output:
        _as_file(file, levels, {}, arguments.minimise)  # refused before the work, not after it

    from tokoban import compiling
    from tokoban.cli.screen import Screen

    screen = Screen(stderr="-" in (arguments.json, arguments.jsonl, arguments.output))
    started_s = compiling.clock()
    outcomes: dict[int, Outcome] = {}
    with entries(arguments) as written:
        try:
            for number, outcome in _outcomes(levels, arguments, screen):
                outcomes[number] = outcome
                _show(screen, number, levels[number], outcome)
                written.add(_described(number, levels[number], outcome, arguments.minimise))
            statuses = {outcome.status for outcome in outcomes.values()}
            status = int("gave up" in statuses or statuses <= {"no solution"})
        except KeyboardInterrupt:
            report_interrupted(len(outcomes), len(levels))
            status = ExitCode.INTERRUPTED
    if arguments.output:
        write_output(arguments.output, _as_file(file, levels, outcomes, arguments.minimise))
    screen.print(_summarise(outcomes.values(), elapsed_s=compiling.clock() - started_s))
    return chosen.conclude(status)


def _check(arguments: argparse.Namespace) -> None:
    """Refuses at once what would come to light after the work."""
    check_outputs(arguments, "json", "jsonl", "output")
    check_outputs(arguments, "json", "jsonl", inputs=["file"])
    level_options.check_whole(arguments)


def _outcomes(
    levels: "Mapping[int, Level]", arguments: argparse.Namespace, screen: "Screen"
) -> "Iterator[tuple[int, Outcome]]":
    """The outcome of each level in order; a bar shows the best solution so far."""
    from tokoban.cli.found import length
    from tokoban.cli.shortening import shorten
    from tokoban.sokoban.search.combine.anytime import InterruptedSearch

    with screen.counting("", len(levels)) as update:
        for number, level in levels.items():

            def report(answer: "Answer", number: int = number) -> None:
                if answer.solution is not None:
                    update(description=f"level {number}: {length(answer.solution)}")

            try:
                outcome = shorten(
                    level,
                    minimise=arguments.minimise,
                    time_limit_s=arguments.time_limit,
                    memory_limit_mb=arguments.memory_limit / 1e6,
                    report=report,
                )
            except InterruptedSearch as interrupt:
                if interrupt.answer is not None:
                    yield number, interrupt.answer
                raise
            yield number, outcome
            update(advance=1)


def _show(screen: "Screen", number: int, level: "Level", outcome: "Outcome") -> None:
    """A line of figures, a line of remarks, and shorter moves in a line of their own."""
    from rich.text import Text

    from tokoban.cli.found import entry, length

    best = outcome.best
    figures = ""
    if outcome.before is not None and best is not None:
        after = f" -> {length(best)}" if outcome.status == "shorter" else ""
        figures = f": {length(outcome.before)}{after}, {outcome.elapsed_s:.2f} s"
    moves = [Text(best.lurd)] if best is not None and outcome.status == "shorter" else []
    remark = Text(outcome.remark, "dim")
    screen.print(entry(number, outcome.status, figures, level, remark, *moves))


def _summarise(outcomes: "Iterable[Outcome]", *, elapsed_s: float) -> str:
    """The closing line: how many are shorter, and all figures before and after."""
    from tokoban.cli.found import lengths

    outcomes = list(outcomes)
    statuses = Counter(outcome.status for outcome in outcomes)
    tried = [(one.before, one.best) for one in outcomes if one.before and one.best]
    before, after = (
        lengths(sum(one.num_moves for one in column), sum(one.num_pushes for one in column))
        for column in (list(zip(*tried, strict=True)) or [(), ()])
    )
    num_proved = sum(outcome.is_proved_optimal for outcome in outcomes)
    return (
        f"{counted(len(outcomes), 'level')} in {elapsed_s:.1f} s: {statuses['shorter']} shorter, "
        f"{num_proved} proved the shortest, {len(outcomes) - len(tried)} without a solution; "
        f"{before} -> {after}"
    )


def _described(number: int, level: "Level", outcome: "Outcome", minimise: str) -> dict[str, object]:
    """The object of a level in ``--json``; what is not known is null."""
    best = outcome.best
    return {
        "index": number,
        "title": level.title,
        "status": outcome.status,
        "lurd": best and best.lurd,
        "moves": best and best.num_moves,
        "pushes": best and best.num_pushes,
        "moves_before": outcome.before and outcome.before.num_moves,
        "pushes_before": outcome.before and outcome.before.num_pushes,
        "optimum": minimise if best and outcome.is_proved_optimal else None,
        "elapsed_s": round(outcome.elapsed_s, 6),
    }


def _as_file(
    file: "LevelFile",
    levels: "Mapping[int, Level]",
    outcomes: "Mapping[int, Outcome]",
    minimise: str,
) -> str:
    """The levels as text, each with the solutions it had and the shorter one."""
    from tokoban.cli.found import with_solution
    from tokoban.sokoban.formats import write_levels

    title = f"Solution/{minimise.capitalize()}"
    best = {number: outcome.best for number, outcome in outcomes.items()}
    written = [
        with_solution(level, solution, title) if (solution := best.get(number)) else level
        for number, level in levels.items()
    ]
    return write_levels(written, notes=file.notes)
