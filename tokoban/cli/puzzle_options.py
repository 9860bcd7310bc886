"""The options of ``tokoban generate`` that ask for puzzles, and what they ask for."""

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tokoban.sokoban.puzzles.puzzle import Recipe
    from tokoban.sokoban.puzzles.wanted import Wanted

# The manner of the post, whose levels are no puzzles.
TWO_ROOMS = "two-rooms"
STYLES = (TWO_ROOMS, "tiles", "caves", "halls", "mixed")
DIFFICULTIES = ("easy", "medium", "hard", "expert")
_BOUNDS = ("min_pushes", "max_pushes", "min_branching", "min_lost_share")
# What only puzzles have, by name in the arguments.
_OF_PUZZLES = ("difficulty", *_BOUNDS, "fewest_moves", "avoid", "threads")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the styles, and what puzzles are to be like."""
    parser.add_argument(
        "--style",
        choices=STYLES,
        help="two-rooms: two rectangles with speckled walls, all things anywhere, so that many "
        "levels have no solution. The others are puzzles: rooms of tiles, caves that a walk "
        "carves, halls with corridors, or a mixture, with boxes pulled back from their goals and "
        "the fewest pushes proved (default: two-rooms, or mixed with one of the options below)",
    )
    puzzles = parser.add_argument_group(
        "puzzles",
        "What is measured along a solution with the fewest pushes is noted with each puzzle. No "
        "two puzzles are the same, turned, mirrored or moved, or with the player elsewhere in its "
        "area.",
    )
    puzzles.add_argument(
        "--difficulty",
        choices=DIFFICULTIES,
        help="easy: at most 12 pushes; medium: at least 12, and a lost share of at least 0.3; "
        "hard: 18 and 0.45; expert: 28 and 0.5. (Half of Boxoban's hard levels have 17 and 0.47 "
        "or more.) The options below replace its bounds",
    )
    puzzles.add_argument(
        "--min-pushes", type=int, metavar="N", help="(default: two a box, or what the most allows)"
    )
    puzzles.add_argument("--max-pushes", type=int, metavar="N")
    puzzles.add_argument(
        "--min-branching", type=float, metavar="X", help="mean pushes to choose from at each push"
    )
    puzzles.add_argument(
        "--min-lost-share",
        type=float,
        metavar="SHARE",
        help="of these pushes, after which there is no solution any more",
    )
    puzzles.add_argument(
        "--fewest-moves", action="store_true", help="prove the fewest moves too, which takes longer"
    )
    puzzles.add_argument(
        "--avoid", nargs="+", metavar="FILE", help="levels that no puzzle may be the same as"
    )
    puzzles.add_argument(
        "--threads", type=int, metavar="N", help="any number gives the same bytes (default: 1)"
    )


def asks_for_puzzles(arguments: argparse.Namespace) -> bool:
    """Whether puzzles are asked for; raises ``ValueError`` for options that do not go together."""
    # Not by equality, for 0 is something that was given.
    unset = (None, False)
    given = [
        name
        for name in _OF_PUZZLES
        if not any(getattr(arguments, name) is value for value in unset)
    ]
    if arguments.style == TWO_ROOMS and given:
        option = given[0].replace("_", "-")
        raise ValueError(f"--{option}: for puzzles; expected another --style than {TWO_ROOMS}")
    is_asked = arguments.style not in (None, TWO_ROOMS) or bool(given)
    if is_asked and arguments.solvable_share is not None:
        raise ValueError(f"--solvable-share: for --style {TWO_ROOMS}; every puzzle has a solution")
    return is_asked


def recipe_of(arguments: argparse.Namespace) -> "Recipe":
    """The puzzles asked for."""
    from tokoban.sokoban.puzzles.puzzle import Recipe

    asked = {"rows": arguments.rows, "columns": arguments.columns, "num_boxes": arguments.boxes}
    return replace(
        Recipe(style=arguments.style or "mixed"),
        wanted=_wanted(arguments),
        proves_moves=arguments.fewest_moves,
        **{name: value for name, value in asked.items() if value is not None},
    )


def _wanted(arguments: argparse.Namespace) -> "Wanted":
    from tokoban.sokoban.puzzles import wanted as known

    named = known.DIFFICULTIES.get(arguments.difficulty, known.Wanted())
    bounds = {name: getattr(arguments, name) for name in _BOUNDS}
    return replace(named, **{name: value for name, value in bounds.items() if value is not None})
