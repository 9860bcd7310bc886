"""Moves as text, ``uldr`` for steps and ``ULDR`` for pushes, and a checker by the plain rules."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from tokoban.sokoban.board import Board, Direction, Square
from tokoban.sokoban.formats.run_length import MAX_LENGTH, expand

LETTERS = "uldr"  # in the order of ``Direction``
_DIRECTIONS = {
    letter: direction
    for direction in Direction
    for letter in (LETTERS[direction], LETTERS[direction].upper())
}


@dataclass(frozen=True)
class Replay:
    """The result of playing moves on a board, up to the first illegal one."""

    lurd: str  # the moves made, each in its true case
    moves: int
    pushes: int
    board: Board  # after the moves made
    is_solved: bool  # that board is solved, and every move given was made
    reason: str | None = None  # why the next is illegal, beginning with its number
    wrong_case: str | None = None  # the first move written as a push that is a step


class NotPlayedError(ValueError):
    """These moves belong to a game that is kept as text: reverse mode, or several players."""


def read_game(text: str) -> tuple[str, int]:
    """The letters of ``text`` with counts and groups written out, and blanks left out; and how many
    of them stand before the mark ``*``, at which a saved game was left: without one, all.

    Raises ``ValueError`` at the first letter that is no move, and its ``NotPlayedError`` for
    reverse-mode games (brackets) and changes of player (braces).
    """
    lines: list[str] = []
    position = None
    num_letters = 0
    for line in text.split("\n"):
        marked = expand("".join(line.split()))
        if position is None and "*" in marked:
            position = num_letters + marked.index("*")
        letters = marked.replace("*", "")
        if strange := set(letters) - set("uldrUDLR"):
            raise _strange_letter(letters, strange, num_letters)
        num_letters += len(letters)
        if num_letters > MAX_LENGTH:
            raise ValueError(f"expands to more than {MAX_LENGTH} characters")
        lines.append(letters)
    return "".join(lines), num_letters if position is None else position


def parse(text: str) -> tuple[Direction, ...]:
    """The directions of the moves in ``text``; raises as ``read_game`` does."""
    return tuple(map(_DIRECTIONS.__getitem__, read_game(text)[0]))


def letters_of(directions: Iterable[int]) -> str:
    """The moves as letters, all lower-case."""
    return "".join(map(LETTERS.__getitem__, directions))


def format(board: Board, directions: Iterable[int]) -> str:
    """The moves from ``board`` as letters, upper-case where a box moves.

    Raises ``ValueError`` at the first move that the rules forbid.
    """
    replayed = _replay_letters(board, letters_of(directions))
    if replayed.reason:
        raise ValueError(replayed.reason)
    return replayed.lurd


def replay(board: Board, text: str) -> Replay:
    """Plays the moves in ``text`` by the plain rules, never by a fast version they have to check.

    The letters say where to go; their case is put right. Stops before the first illegal move.
    Raises ``ValueError`` as ``read_game`` does.
    """
    return _replay_letters(board, read_game(text)[0])


def _replay_letters(board: Board, letters: str) -> Replay:
    # The rules of ``rules.step``, which makes and checks a whole board at every move: a game of a
    # million moves on a large board would take hours.
    boxes, player = set(board.boxes), board.player
    made: list[str] = []
    wrong_case = None

    def is_free(square: Square) -> bool:
        return board.contains(square) and square not in board.walls and square not in boxes

    for letter in letters:
        direction = _DIRECTIONS[letter]
        ahead = player.neighbour(direction)
        is_push = ahead in boxes
        beyond = ahead.neighbour(direction)
        if not is_free(beyond if is_push else ahead):
            break
        if letter.isupper() and not is_push and wrong_case is None:
            wrong_case = f"move {len(made) + 1} ({letter}): written as a push but no box moves"
        if is_push:
            boxes.remove(ahead)
            boxes.add(beyond)
        player = ahead
        made.append(LETTERS[direction].upper() if is_push else LETTERS[direction])
    end = replace(board, boxes=frozenset(boxes), player=player)
    lurd = "".join(made)
    reason = None
    if len(made) < len(letters):
        illegal = letters[len(made)]
        reason = f"move {len(made) + 1} ({illegal}): {_explain(end, _DIRECTIONS[illegal])}"
    return Replay(
        lurd=lurd,
        moves=len(lurd),
        pushes=sum(map(str.isupper, lurd)),
        board=end,
        is_solved=reason is None and end.is_solved,
        reason=reason,
        wrong_case=wrong_case,
    )


def _explain(board: Board, direction: int) -> str:
    """Why this move is illegal; rows and columns from 1."""
    ahead = board.player.neighbour(direction)
    where = f"row {ahead.row + 1}, column {ahead.column + 1}"
    if ahead in board.boxes:
        return f"box at {where} cannot be pushed"
    return f"wall at {where}"


def _strange_letter(letters: str, strange: set[str], num_before: int) -> ValueError:
    if strange & set("[]<>"):
        return NotPlayedError("reverse-mode game kept as text, not played")
    if strange & set("{}"):
        return NotPlayedError("pusher change: several players are not supported")
    position = min(letters.index(letter) for letter in strange)
    expected = "u l d r U D L R"
    return ValueError(
        f"move {num_before + position + 1}: {letters[position]!r} is not one of {expected}"
    )
