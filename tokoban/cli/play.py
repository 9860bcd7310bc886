"""``tokoban play``: a game in the terminal, with the policy looking over the player's shoulder."""

import argparse
import sys
from typing import TYPE_CHECKING

from tokoban.cli import level_options
from tokoban.sokoban.board import Direction

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.text import Text

    from tokoban.cli.advice import Adviser
    from tokoban.cli.game import Game
    from tokoban.cli.screen import Screen

SUMMARY = "play the levels of a file in the terminal, with hints from the policy"

_DIRECTIONS = {
    "up": Direction.UP,
    "left": Direction.LEFT,
    "down": Direction.DOWN,
    "right": Direction.RIGHT,
    "w": Direction.UP,
    "a": Direction.LEFT,
    "s": Direction.DOWN,
    "d": Direction.RIGHT,
}
_KEYS = "arrows or wasd move · u undo · r restart · h hint · n, p next, previous · q quit"
_NUM_LINES = 9  # of text around the board


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the file, the level to begin with and the policy that gives the hints."""
    parser.add_argument("file", metavar="FILE", help="levels")
    parser.add_argument(
        "--level",
        type=int,
        metavar="N",
        help="to begin with (default: the first); boards are counted from 1, invalid ones too",
    )
    parser.add_argument(
        "--weights",
        default="sokoban-8x8",
        metavar="NAME_OR_PATH",
        help="of the policy (default: sokoban-8x8)",
    )
    parser.epilog = f"Keys: {_KEYS}"


def run(arguments: argparse.Namespace) -> int:
    """Plays until q is pressed; then prints the moves of the levels that were solved."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise ValueError("play needs a terminal for its keys and its picture")

    from tokoban.cli.game import Game

    chosen = level_options.read(arguments.file)
    if not chosen.levels:
        return chosen.conclude(0)
    chosen.check(arguments.level)
    game = Game(chosen.levels, number=arguments.level)

    from tokoban.cli.advice import Adviser
    from tokoban.cli.keyboard import read_keys, single_keys
    from tokoban.cli.policy import Policy
    from tokoban.cli.screen import Screen

    adviser = Adviser(Policy(arguments.weights, device="cpu"))
    screen = Screen()
    keyboard = sys.stdin.fileno()
    try:
        with single_keys(keyboard), screen.full():
            play(game, adviser, screen, read_keys(keyboard))
    finally:
        for number, moves in game.solutions.items():
            screen.print(f"Level {number}. {_solved(moves)}")
    return chosen.conclude(0)


def play(game: "Game", adviser: "Adviser", screen: "Screen", keys: "Iterable[str]") -> None:
    """Obeys the keys until "q" or until there are no more."""
    message = ""
    screen.show(*_page(game, adviser, screen, message))
    for key in keys:
        message = ""
        if key in _DIRECTIONS:
            game.move(_DIRECTIONS[key])
        elif key in ("u", "backspace"):
            game.undo()
        elif key == "r":
            game.restart()
        elif key in ("n", "p"):
            game.turn_to(1 if key == "n" else -1)
        elif key == "h" and not game.board.is_solved:
            screen.show(*_page(game, adviser, screen, "thinking …"))
            message = adviser.hint(game.board)
        elif key == "q":
            return
        screen.show(*_page(game, adviser, screen, message))


def _page(game: "Game", adviser: "Adviser", screen: "Screen", message: str) -> "list[Text]":
    """All that is on the screen."""
    from rich.text import Text

    from tokoban.sokoban.formats import printable
    from tokoban.sokoban.render import pushed_box

    moves = game.lurd
    lines = [
        Text(f"Level {game.number} of {game.num_levels}  {printable(game.level.title)}", "bold"),
        Text(),
        *screen.view(game.board, highlight=pushed_box(game.before, game.board), spare=_NUM_LINES),
        Text(),
        Text(f"moves {len(moves)}, pushes {_count_pushes(moves)}"),
    ]
    if game.board.is_solved:
        lines.append(Text(_solved(moves), "bold green"))
    elif warning := adviser.warn(game.board):
        way_out = " Take moves back with u." if moves else ""
        lines.append(Text(warning + way_out, "bold red"))
    return [*lines, Text(message, "cyan"), Text(), Text(_KEYS, "dim")]


def _solved(moves: str) -> str:
    return f"Solved in {len(moves)} moves, {_count_pushes(moves)} pushes: {moves}"


def _count_pushes(moves: str) -> int:
    return sum(map(str.isupper, moves))
