"""The screens of ``tokoban play``: the game, its keys, and the list of levels."""

from collections.abc import Mapping

from rich.text import Text

from tokoban.cli.advice import Advice
from tokoban.cli.found import SOLVER_NAMES, length, lengths
from tokoban.cli.play import KEYS
from tokoban.cli.screen import Screen
from tokoban.sokoban.board import Board, Square
from tokoban.sokoban.explanation import Explanation
from tokoban.sokoban.formats import Solution, printable, quoted
from tokoban.sokoban.hints import Hint
from tokoban.sokoban.play import Game, Progress
from tokoban.sokoban.render import Mark
from tokoban.sokoban.wording import counted, placed

_SHORT_KEYS = "? keys · u undo · y redo · h hint · l levels · q quit"
_TITLE_WIDTH = 30  # characters that titles are padded to at most
NUM_GRADES = 3  # of hints


def game_page(screen: Screen, game: Game, marks: Mapping[Square, Mark], *notes: Text) -> list[Text]:
    """The board between the level's title and what there is to say about the game."""
    title = f"Level {game.number} of {game.num_levels}  {printable(game.level.title)}"
    above = [Text(title, "bold"), Text()]
    counts = f"moves {len(game.lurd)}, pushes {Solution(game.lurd).num_pushes}"
    below = [Text(), Text(counts), *notes, Text(), Text(_SHORT_KEYS, "dim")]
    board = screen.view(game.board, marks=marks, spare=screen.num_lines(*above, *below))
    return [*above, *board, *below]


def keys_page() -> list[Text]:
    """The page of all keys and their meanings."""
    width = max(len(names) for names, _ in KEYS)
    lines = [Text(f"  {names:<{width}}  {meaning}") for names, meaning in KEYS]
    return [Text("Keys", "bold"), Text(), *lines, Text(), Text("any key: back", "dim")]


def levels_page(screen: Screen, game: Game, cursor: int, typed: str) -> list[Text]:
    """The levels around the one at the cursor, and what was made of each."""
    above = [Text("Levels", "bold"), Text()]
    help_line = "up, down or a number, then enter; l: back"
    below = [Text(), Text(typed and f"level {typed}", "cyan"), Text(help_line, "dim")]
    numbers = list(game.levels)
    spare = screen.num_lines(*above, *below)
    shown = screen.window(numbers, numbers.index(cursor), spare=spare)
    titles = {number: quoted(game.levels[number].title) for number in shown}
    width = min(_TITLE_WIDTH, max(map(len, titles.values())))
    rows = []
    for number in shown:
        level = game.levels[number]
        row = Text.assemble(
            f"{'>' if number == cursor else ' '}{number:>5}  ",
            f"{titles[number]:<{width}}  ",
            (describe(level.board, game.progress(number)), "green"),
            style="reverse" if number == cursor else "",
        )
        rows.append(row[: screen.width])
    return [*above, *rows, *below]


def describe(start: Board, progress: Progress) -> str:
    """The progress in a level in words; empty if it was not started."""
    solutions = [Solution.of(start, directions) for directions in progress.solutions]
    parts = [f"solved in {length(solution)}" for solution in solutions]
    if progress.position:
        parts.append(f"begun, {counted(progress.position, 'move')}")
    return "; ".join(parts)


def describe_solution(moves: str) -> str:
    """A solution and its figures."""
    return f"Solved in {length(Solution(moves))}" + (f": {moves}" if moves else ".")


def describe_hint(hint: Hint, grade: int) -> str:
    """The part of a hint that a grade shows; grades begin with 1."""
    if hint.box is None or hint.destination is None or hint.push is None:
        return str(hint)
    text = f"Hint: the box at {placed(hint.box)}"
    if grade > 1:
        text += f" goes to {placed(hint.destination)}"
    if grade == NUM_GRADES:
        walk = f"go {hint.moves[:-1]}, then " if len(hint.moves) > 1 else ""
        return f"{text}: {walk}push {hint.push.name.lower()}\n{_remark(hint)}"
    return f"{text} (h: more)\n{_remark(hint)}"


def _remark(hint: Hint) -> str:
    """How long the solution behind a hint is, and which search found it."""
    left = lengths(hint.moves_left or 0, hint.pushes_left or 0)
    proved = "" if hint.optimum is None else f"; no solution has fewer {hint.optimum}"
    found = f"; found by {SOLVER_NAMES[hint.solver]}" if hint.solver else ""
    return f"{left} left{proved}{found}"


def describe_prospects(advice: Advice) -> Text:
    """The pushes left where a solution is known."""
    if advice.proof is not None and advice.proof.solution is not None:
        return Text(f"at most {counted(advice.proof.solution.num_pushes, 'push')} left", "dim")
    return Text()


def describe_deadlock(deadlock: Explanation | None, *, is_start: bool) -> str:
    """A proof, or that there was one of an earlier position."""
    reason = "" if deadlock is None else f" {deadlock.sentences[0]}"
    if is_start:
        return f"Proved: this level cannot be solved.{reason}"
    return f"Proved: deadlocked.{reason} Take moves back with u."
