"""``tokoban play``: a game in the terminal, with hints from the policy and warnings by proof."""

import argparse
import logging
import sys
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from tokoban.cli import level_options, notices_to, options, policies
from tokoban.cli.exit_codes import ExitCode
from tokoban.sokoban.play import Game

if TYPE_CHECKING:
    from tokoban.api.learning import Pretrained
    from tokoban.cli.keyboard import Keyboard
    from tokoban.cli.screen import Screen
    from tokoban.cli.table import Table

SUMMARY = "play levels in the terminal, with hints from the policy"
UNDECIDED = ""
KEYS = (
    ("arrows or w a s d", "move"),
    ("u or backspace", "take a move back"),
    ("y", "redo it"),
    ("r", "back to the start; y redoes the moves"),
    ("h", "a hint: which box; again: where it should go; again: which push"),
    ("n, p", "next and previous level"),
    ("l", "list of levels"),
    ("?", "these keys"),
    ("q", "save and quit"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the file, the level to begin with, where games are kept, and the policy."""
    parser.add_argument(
        "file", nargs="?", metavar="FILE", help="level file (default: the levels of the project)"
    )
    options.add(
        parser,
        "--level",
        usual="the one played last, or the first",
        help="start with level N; boards are counted from 1, invalid ones too",
    )
    parser.add_argument(
        "--save",
        metavar="SOK",
        help="file for solutions and unfinished games (default: one for each FILE, in tokoban/play "
        "of $XDG_STATE_HOME or ~/.local/state)",
    )
    options.add(parser, "--weights", "of the policy that gives hints", usual=policies.PUSHES)
    keys = "; ".join(f"{names}: {meaning}" for names, meaning in KEYS)
    parser.epilog = (
        f"Keys: {keys}. The game is saved however it ends, and continues from there next time. "
        "A warning of a deadlock is proved and shows the boxes; many deadlocks are not found. "
        "Hints come from the policy, or from a search if it has none; large levels may get none."
    )


def run(arguments: argparse.Namespace) -> int:
    """Plays until q is pressed; then prints the moves of the levels that were solved."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise ValueError("play needs a terminal for its keys and its picture")

    from tokoban.cli import saved_games
    from tokoban.cli.output import check_outputs

    if arguments.save == "-":
        raise ValueError("--save is -; expected a file")
    check_outputs(arguments, "save", inputs=["file"])
    chosen = level_options.read(arguments.file or str(shipped_levels()))
    levels = chosen.levels
    if not levels:
        return chosen.conclude(0)
    chosen.check(arguments.level)
    place = Path(arguments.save) if arguments.save else saved_games.usual_place(arguments.file)
    saved = saved_games.read(place)
    last = saved.current if saved.current in levels else None
    game = Game(
        levels,
        number=last if arguments.level is None else arguments.level,
        progress={
            number: saved.progress[level.board]
            for number, level in levels.items()
            if level.board in saved.progress
        },
    )
    return chosen.conclude(_play(game, place, arguments.weights))


def shipped_levels() -> Path:
    """The levels to play where no file is named, from easy to hard."""
    return Path(str(resources.files("tokoban.cli"))) / "levels" / "play.sok"


def _play(game: Game, place: Path, weights: str | None) -> int:
    """Plays on the terminal and saves in the end, however that comes."""
    from tokoban.cli.advice import Adviser, Background
    from tokoban.cli.keyboard import Keyboard
    from tokoban.cli.pages import describe_solution
    from tokoban.cli.screen import Screen
    from tokoban.cli.table import Table

    # Errors of the weights that were asked for are reported before the game. Those that ship are
    # loaded in the background, which takes a second or two.
    chosen = None if weights is None else _load_policy(weights)
    screen, keeper = Screen(), _Keeper(game, place)
    keyboard = Keyboard(sys.stdin.fileno())
    adviser = Adviser(lambda: chosen or _load_policy(policies.PUSHES))
    background = Background(adviser, on_answer=keyboard.wake)
    table = Table(game, background.look, screen, save=keeper.save)
    try:
        with keyboard, screen.full(), notices_to(_OnTable(table, keyboard)):
            follow(keyboard, table, screen)
    finally:
        background.close()
        complaint = keeper.save()
        for number, moves in game.solutions.items():
            screen.print(f"Level {number}. {describe_solution(moves)}")
        if keeper.has_saved:
            screen.print(f"The game is saved in {place}.")
        if complaint:
            print(f"tokoban: {complaint}", file=sys.stderr)
    return ExitCode.INVALID_INPUT if complaint else 0


def follow(keyboard: "Keyboard", table: "Table", screen: "Screen") -> None:
    """Obeys the keys until "q" or the end of the input; Ctrl-Z stops the program as usual."""
    from tokoban.cli.keyboard import CONTINUED, RESIZED, STOPPED, WOKEN

    table.show()
    for event in keyboard.events():
        if event == STOPPED:
            table.save()
            screen.cover(False)
            keyboard.give_back()
            keyboard.stop()
        if event in (STOPPED, CONTINUED):
            keyboard.take()
            screen.cover(True)
        elif event not in (WOKEN, RESIZED) and not table.press(event):
            return
        table.show()


def _load_policy(weights: str) -> "Pretrained":
    import tokoban

    return tokoban.load(weights, system=policies.system_of(weights))


class _Keeper:
    """Saves a game in a file, once there is something to save."""

    def __init__(self, game: Game, place: Path) -> None:
        self._game, self._place = game, place
        self._known = self._played()
        self._begun_at = game.number
        self.has_saved = False

    def _played(self) -> dict:
        return {number: self._game.progress(number) for number in self._game.levels}

    def save(self) -> str | None:
        """Saves what has changed; answers why it could not, in a sentence."""
        from tokoban.cli import in_one_line, saved_games

        played = self._played()
        changed = {n: made for n, made in played.items() if made != self._known[n]}
        if not changed and self._game.number == self._begun_at:
            return None
        try:
            saved_games.write(
                self._place, changed, levels=self._game.levels, current=self._game.number
            )
        except (OSError, ValueError) as error:
            return f"the game is not saved: {in_one_line(error)}"
        self._known, self._begun_at = played, self._game.number
        self.has_saved = True
        return None


class _OnTable(logging.Handler):
    """Shows on the page what would otherwise be printed across it."""

    def __init__(self, table: "Table", keyboard: "Keyboard") -> None:
        super().__init__()
        self._table, self._keyboard = table, keyboard

    def emit(self, record: logging.LogRecord) -> None:
        self._table.message = self._table.notice = record.getMessage()
        self._keyboard.wake()
