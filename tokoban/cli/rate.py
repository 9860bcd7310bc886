"""``tokoban rate``: what the levels of a file ask of their player, as measured."""

import argparse
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING

from tokoban.cli import level_options, options
from tokoban.cli.exit_codes import ExitCode
from tokoban.cli.output import check_outputs, report_interrupted
from tokoban.cli.report import choices_described, entries
from tokoban.sokoban.formats import Level, quoted

if TYPE_CHECKING:
    from tokoban.cli.screen import Screen
    from tokoban.sokoban.puzzles.rating import Best, Rating
    from tokoban.sokoban.puzzles.state_space import Choices

SUMMARY = "measure the levels of a file: solution lengths, branching, losing pushes"
UNDECIDED = "some figures are not known within the limits"

_UNKNOWN = "?"
_LEGEND = "? is not known within the limits, <= and >= is the best known; all else is exact."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the file, the limit, and where the measures go besides."""
    parser.add_argument("file", metavar="FILE", help=level_options.FILE_HELP)
    options.add(parser, "--level")
    options.add(parser, "--time-limit", "for each level, shared by all measures")
    options.add(parser, "--memory-limit")
    options.add(parser, "--max-expansions", usual="none")
    options.add(parser, "--json")
    options.add(parser, "--jsonl")
    parser.epilog = (
        "Along a solution with the fewest pushes, branching is the mean number of legal pushes, "
        "and losing the share of these pushes that make the level unsolvable. Anywhere, the same "
        "means are over all reachable positions that are solvable; a position is a set of boxes "
        "and the player's zone. Positions that are reached only through a solved one, or that the "
        "searches' rules for dead squares and frozen boxes prove lost, are not counted. Large "
        "levels are not explored; their columns show ?. How hard a level feels to a person is not "
        "measured."
    )


def run(arguments: argparse.Namespace) -> int:
    """Prints a table of all levels, and writes the measures if that is asked for."""
    import tokoban
    from tokoban import compiling
    from tokoban.cli.screen import Screen

    check_outputs(arguments, "json", "jsonl", inputs=["file"])
    chosen = level_options.read(arguments.file, number=arguments.level)
    levels = chosen.levels
    if not levels:
        return chosen.conclude(0)
    ratings: dict[int, Rating] = {}
    status = 0
    bar = Screen(stderr=True).counting("rating", len(levels), is_shown=len(levels) > 1)
    with entries(arguments) as written, bar as update:
        try:
            for number, level in levels.items():
                started_s = compiling.clock()
                ratings[number] = rating = tokoban.rate(level.board, **options.limits_of(arguments))
                elapsed_s = compiling.clock() - started_s
                written.add(_described(number, level, rating, elapsed_s))
                status |= not _is_complete(rating)
                update(advance=1)
        except KeyboardInterrupt:
            report_interrupted(len(ratings), len(levels))
            status = ExitCode.INTERRUPTED
    if "-" not in (arguments.json, arguments.jsonl):
        screen = Screen()
        _show(screen, levels, ratings)
        screen.print(_LEGEND)
    return chosen.conclude(status)


def _is_complete(rating: "Rating") -> bool:
    """Whether nothing was left open by the limits."""
    if rating.status != "solved":
        return rating.status == "unsolvable"
    return (
        rating.pushes is not None
        and rating.pushes.is_proved
        and rating.moves is not None
        and rating.moves.is_proved
        and rating.along_solution is not None
        and rating.along_solution.unknown == 0
        and rating.reachable is not None
    )


def _show(screen: "Screen", levels: Mapping[int, Level], ratings: "Mapping[int, Rating]") -> None:
    """A row for each level that was rated, as wide as need be."""
    from rich import box
    from rich.measure import Measurement
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    for name in (
        *("level", "boxes", "floor", "pushes", "moves", "box\nchanges"),
        *("along it:\nbranching", "\nlosing", "positions", "of them\nsolvable"),
        *("anywhere:\nbranching", "\nlosing"),
    ):
        table.add_column(name, justify="right")
    table.add_column("title")
    for number, rating in ratings.items():
        table.add_row(str(number), *_cells(rating), quoted(levels[number].title))
    # A narrow terminal may wrap the rows, but nothing is left out.
    roomy = screen.options.update(max_width=1000)
    screen.width = max(screen.width, Measurement.get(screen, roomy, table).maximum)
    screen.print(table)


def _cells(rating: "Rating") -> list[str]:
    size = [str(rating.boxes), str(rating.floor)]
    if rating.status == "unsolvable":
        return [*size, "none", *[""] * 8]
    figures, reachable = rating.figures, rating.reachable
    return [
        *size,
        _in_words(rating.pushes, rating.at_least_pushes),
        _in_words(rating.moves, rating.at_least_moves),
        str(figures.box_changes) if figures else _UNKNOWN,
        *_in_words_choices(rating.along_solution),
        str(reachable.positions) if reachable else _UNKNOWN,
        str(reachable.solvable) if reachable else _UNKNOWN,
        *_in_words_choices(reachable.choices if reachable else None),
    ]


def _in_words(best: "Best | None", at_least: int | None) -> str:
    if best is None:
        return f">={at_least}" if at_least else _UNKNOWN
    return str(best.value) if best.is_proved else f"<={best.value}"


def _in_words_choices(choices: "Choices | None") -> list[str]:
    if choices is None:
        return [_UNKNOWN] * 2
    at_least = ">=" * (choices.unknown > 0)
    return [f"{choices.branching:.2f}", f"{at_least}{choices.losing_share:.2f}"]


def _described(number: int, level: Level, rating: "Rating", elapsed_s: float) -> dict[str, object]:
    """The object of a level in ``--json``; what is not known is null."""
    pushes, moves, reachable = rating.pushes, rating.moves, rating.reachable
    return {
        "index": number,
        "title": level.title,
        "status": rating.status,
        "boxes": rating.boxes,
        "floor": rating.floor,
        "moves": moves and moves.value,
        "moves_at_least": rating.at_least_moves,
        "pushes": pushes and pushes.value,
        "pushes_at_least": rating.at_least_pushes,
        "figures": rating.figures and asdict(rating.figures),
        "along_solution": choices_described(rating.along_solution)
        if rating.along_solution
        else None,
        "reachable": None
        if reachable is None
        else {
            "positions": reachable.positions,
            "solvable": reachable.solvable,
            **choices_described(reachable.choices),
        },
        "elapsed_s": round(elapsed_s, 6),
    }
