"""``tokoban optimise``: shorter solutions for the levels of a file, from those that it has."""

import argparse
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, get_args

from tokoban.cli import level_options, options
from tokoban.cli.exit_codes import ExitCode
from tokoban.cli.output import check_outputs, report_interrupted, write_output
from tokoban.cli.report import entries
from tokoban.sokoban.formats import Level, LevelFile, Solution, write_levels
from tokoban.sokoban.search.answer import Answer, Optimum
from tokoban.sokoban.wording import counted

if TYPE_CHECKING:
    from tokoban.cli.screen import Screen

SUMMARY = "make the solutions in a level file shorter, by moves or by pushes"
UNDECIDED = "some levels were given up, or none has a solution"

_NO_SOLUTION = Answer(status="gave up", solver="", reason="the file has none that can be replayed")
_CTRL_C = "Ctrl-C"  # the reason why a level's search ended


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
    check_outputs(arguments, "json", "jsonl", "output")
    check_outputs(arguments, "json", "jsonl", inputs=["file"])
    level_options.check_whole(arguments)
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
    outcomes: dict[int, _Outcome] = {}
    with entries(arguments) as written:
        try:
            for number, outcome in _outcomes(levels, arguments, screen):
                outcomes[number] = outcome
                _show(screen, number, levels[number], outcome)
                written.add(_described(number, levels[number], outcome))
            statuses = {outcome.status for outcome in outcomes.values()}
            status = int("gave up" in statuses or statuses <= {"no solution"})
        except KeyboardInterrupt:
            are_whole = [outcome.answer.reason != _CTRL_C for outcome in outcomes.values()]
            report_interrupted(sum(are_whole), len(levels))
            status = ExitCode.INTERRUPTED
    if arguments.output:
        write_output(arguments.output, _as_file(file, levels, outcomes, arguments.minimise))
    screen.print(_summarise(outcomes.values(), elapsed_s=compiling.clock() - started_s))
    return chosen.conclude(status)


@dataclass(frozen=True)
class _Outcome:
    """The answer that ``before`` led to, the best solution in the file; None if it has none."""

    before: Solution | None
    answer: Answer
    minimise: Optimum

    @property
    def best(self) -> Solution | None:
        """The shortest solution that is known now."""
        return self.answer.solution

    @property
    def status(self) -> str:
        if self.before is None:
            return "no solution"
        if self.best is None:
            return "gave up"
        is_shorter = _in_order(self.best, self.minimise) < _in_order(self.before, self.minimise)
        return "shorter" if is_shorter else "not shorter"

    @property
    def remark(self) -> str:
        """What is proved, or what ended the search."""
        if self.answer.optimum is not None:
            return f"proved: no solution has fewer {self.minimise}"
        stopped = "" if self.best is None else "stopped at "
        return f"{stopped}{self.answer.reason}"


def _outcomes(
    levels: Mapping[int, Level], arguments: argparse.Namespace, screen: "Screen"
) -> Iterator[tuple[int, _Outcome]]:
    """The outcome of each level in order, also of one at Ctrl-C; a bar shows the best so far."""
    import tokoban
    from tokoban.cli.found import length
    from tokoban.sokoban.search.combine.anytime import InterruptedSearch

    minimise = arguments.minimise
    with screen.counting("", len(levels)) as update:
        for number, level in levels.items():

            def report(answer: Answer, number: int = number) -> None:
                if answer.solution is not None:
                    update(description=f"level {number}: {length(answer.solution)}")

            before = _best_known(level, minimise)
            answer = _NO_SOLUTION
            try:
                if before is not None:
                    answer = tokoban.optimise(
                        level.board,
                        before,
                        minimise=minimise,
                        report=report,
                        **options.limits_of(arguments),
                    )
            except ValueError as error:  # the level is too large
                answer = replace(_NO_SOLUTION, reason=str(error))
            except InterruptedSearch as interrupt:
                if interrupt.answer is not None:
                    answer = replace(interrupt.answer, reason=_CTRL_C)
                    yield number, _Outcome(before, answer, minimise)
                raise
            yield number, _Outcome(before, answer, minimise)
            update(advance=1)


def _best_known(level: Level, minimise: Optimum) -> Solution | None:
    """The best solution of a level; a level that starts solved has that of no moves."""
    if level.board.is_solved:
        return Solution("")
    return min(level.solutions, key=lambda one: _in_order(one, minimise), default=None)


def _in_order(solution: Solution, minimise: Optimum) -> tuple[int, int]:
    """Moves and pushes, the objective first."""
    figures = solution.num_moves, solution.num_pushes
    return figures if minimise == "moves" else figures[::-1]


def _show(screen: "Screen", number: int, level: Level, outcome: _Outcome) -> None:
    """A line of figures, a line of remarks, and shorter moves in a line of their own."""
    from rich.text import Text

    from tokoban.cli.found import entry, length

    best = outcome.best
    figures = ""
    if outcome.before is not None and best is not None:
        after = f" -> {length(best)}" if outcome.status == "shorter" else ""
        figures = f": {length(outcome.before)}{after}, {outcome.answer.elapsed_s:.2f} s"
    moves = [Text(best.lurd)] if best is not None and outcome.status == "shorter" else []
    remark = Text(outcome.remark, "dim")
    screen.print(entry(number, outcome.status, figures, level, remark, *moves))


def _summarise(outcomes: Iterable[_Outcome], *, elapsed_s: float) -> str:
    """The closing line: how many are shorter, and all figures before and after."""
    from tokoban.cli.found import lengths

    outcomes = list(outcomes)
    statuses = Counter(outcome.status for outcome in outcomes)
    tried = [(one.before, one.best) for one in outcomes if one.before and one.best]
    before, after = (
        lengths(sum(one.num_moves for one in column), sum(one.num_pushes for one in column))
        for column in (list(zip(*tried, strict=True)) or [(), ()])
    )
    num_proved = sum(outcome.answer.optimum is not None for outcome in outcomes)
    given_up = f"{statuses['gave up']} given up, " * ("gave up" in statuses)
    return (
        f"{counted(len(outcomes), 'level')} in {elapsed_s:.1f} s: {statuses['shorter']} shorter, "
        f"{num_proved} proved the shortest, {given_up}{statuses['no solution']} without a "
        f"solution; {before} -> {after}"
    )


def _described(number: int, level: Level, outcome: _Outcome) -> dict[str, object]:
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
        "optimum": outcome.answer.optimum,
        "elapsed_s": round(outcome.answer.elapsed_s, 6),
    }


def _as_file(
    file: LevelFile,
    levels: Mapping[int, Level],
    outcomes: Mapping[int, _Outcome],
    minimise: str,
) -> str:
    """The levels as text, each with the solutions it had and the shorter one."""
    from tokoban.cli.found import with_solution

    title = f"Solution/{minimise.capitalize()}"
    best = {number: outcome.best for number, outcome in outcomes.items()}
    written = [
        with_solution(level, solution, title) if (solution := best.get(number)) else level
        for number, level in levels.items()
    ]
    return write_levels(written, notes=file.notes)
