"""The options of ``tokoban generate`` that ask for puzzles, and what they ask for."""

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING, Final, get_args

from tokoban.api.puzzles import DifficultyName, Style
from tokoban.cli import options

if TYPE_CHECKING:
    from tokoban.sokoban.puzzles.difficulty import Difficulty
    from tokoban.sokoban.puzzles.puzzle import Recipe

# The manner of the post, whose levels are no puzzles.
TWO_ROOMS: Final = "two-rooms"
STYLES: tuple[str, ...] = get_args(Style)
DIFFICULTIES: tuple[str, ...] = get_args(DifficultyName)
_BOUNDS = ("min_pushes", "max_pushes", "min_branching", "min_losing_share")
# What has an effect on puzzles alone.
_OF_PUZZLES = (
    "--difficulty",
    *(f"--{name.replace('_', '-')}" for name in _BOUNDS),
    *("--fewest-moves", "--without-choices", "--avoid", "--threads", "--cluster"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the styles and the difficulty of puzzles."""
    parser.add_argument(
        "--style",
        choices=STYLES,
        help="two-rooms: two rooms with random walls, boxes and goals; many levels are unsolvable; "
        "needs tokoban[networks]. The other styles are puzzles: rooms of tiles, caves carved by"
        " a random walk, halls with corridors, or a mixture; the boxes are pulled back from the"
        " goals, and the fewest pushes are proved (default: two-rooms, or mixed with one of the"
        " options below)",
    )
    puzzles = parser.add_argument_group(
        "puzzles",
        "Each puzzle has notes with measures along a solution with the fewest pushes. No two "
        "puzzles are equal after rotation, reflection, translation, or a walk of the player.",
    )
    puzzles.add_argument(
        "--difficulty",
        choices=DIFFICULTIES,
        help="easy: at most 12 pushes; medium: at least 12, and a losing share of at least 0.3; "
        "hard: 18 and 0.45; expert: 28 and 0.5 (the medians of Boxoban's hard levels are 17 and "
        "0.47). The options below replace these bounds",
    )
    puzzles.add_argument(
        "--min-pushes",
        type=int,
        metavar="N",
        help="every solution has at least N pushes (default: two for each box, or --max-pushes)",
    )
    puzzles.add_argument(
        "--max-pushes", type=int, metavar="N", help="some solution has at most N pushes"
    )
    puzzles.add_argument(
        "--min-branching",
        type=float,
        metavar="X",
        help="at least X legal pushes on average along the solution",
    )
    puzzles.add_argument(
        "--min-losing-share",
        type=float,
        metavar="SHARE",
        help="at least this share of these pushes make the level unsolvable",
    )
    puzzles.add_argument(
        "--fewest-moves",
        action="store_true",
        help="also prove the fewest moves, which takes longer",
    )
    puzzles.add_argument(
        "--without-choices",
        action="store_true",
        help="do not measure branching and losing share, which takes nine tenths of the time for "
        "boards above 8x8 squares of floor",
    )
    puzzles.add_argument(
        "--avoid", nargs="+", metavar="FILE", help="make no puzzle equal to a level in these files"
    )
    options.add(puzzles, "--threads", "any number gives the same bytes")
    options.add(puzzles, "--cluster")


def asks_for_puzzles(arguments: argparse.Namespace) -> bool:
    """Whether puzzles are asked for; raises ``ValueError`` for options that do not go together."""
    if arguments.style == TWO_ROOMS:
        options.refuse(arguments, *_OF_PUZZLES, because=f"with --style {TWO_ROOMS}")
        return False
    if arguments.style is None and arguments.given.isdisjoint(_OF_PUZZLES):
        return False
    options.refuse(arguments, "--solvable-share", because="on puzzles, which are all solvable")
    return True


def recipe_of(arguments: argparse.Namespace) -> "Recipe":
    """The puzzles asked for."""
    from tokoban.sokoban.puzzles.puzzle import Recipe

    asked = {"rows": arguments.rows, "columns": arguments.columns, "num_boxes": arguments.boxes}
    return replace(
        Recipe(style=arguments.style or "mixed"),
        difficulty=_difficulty(arguments),
        proves_moves=arguments.fewest_moves,
        measures_choices=not arguments.without_choices,
        **{name: value for name, value in asked.items() if value is not None},
    )


def _difficulty(arguments: argparse.Namespace) -> "Difficulty":
    from tokoban.sokoban.puzzles import difficulty as known

    named = known.DIFFICULTIES.get(arguments.difficulty, known.Difficulty())
    bounds = {name: getattr(arguments, name) for name in _BOUNDS}
    return replace(named, **{name: value for name, value in bounds.items() if value is not None})
