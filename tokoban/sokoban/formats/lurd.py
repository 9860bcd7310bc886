"""Moves as text, ``uldr`` for steps and ``ULDR`` for pushes, and a checker by the plain rules."""

from collections.abc import Iterable
from dataclasses import dataclass

from tokoban.sokoban.board import Board, Direction
from tokoban.sokoban.formats.run_length import MAX_LENGTH, expand
from tokoban.sokoban.rules import step

LETTERS = "uldr"  # in the order of ``Direction``


@dataclass(frozen=True)
class Replay:
    """What came of playing moves on a board, up to the first one that the rules forbid."""

    lurd: str  # the moves made, each in its true case
    moves: int
    pushes: int
    board: Board  # after the moves made
    is_solved: bool  # that board is solved, and every move given was made
    illegal_move: int | None = None  # its number, from 1
    reason: str | None = None  # why it is illegal, beginning with its number


def read_letters(text: str) -> str:
    """The letters of ``text`` with counts and groups written out, and blanks left out.

    The mark ``*``, at which a saved game was left, is dropped: what follows it was played too.
    Raises ``ValueError`` at the first letter that is no move, and for reverse-mode games (brackets)
    and changes of player (braces), which are not played.
    """
    letters: list[str] = []
    num_letters = 0
    for line in text.split("\n"):
        moves = expand("".join(line.split())).replace("*", "")
        if strange := set(moves) - set("uldrUDLR"):
            raise ValueError(_strange_letter(moves, strange, num_letters))
        num_letters += len(moves)
        if num_letters > MAX_LENGTH:
            raise ValueError(f"expands to more than {MAX_LENGTH} characters")
        letters.append(moves)
    return "".join(letters)


def parse(text: str) -> tuple[Direction, ...]:
    """The directions of the moves in ``text``; raises as ``read_letters`` does."""
    return tuple(Direction(LETTERS.index(letter)) for letter in read_letters(text).lower())


def format(board: Board, directions: Iterable[int]) -> str:
    """The moves from ``board`` as letters, upper-case where a box moves.

    Raises ``ValueError`` at the first move that the rules forbid.
    """
    replayed = _replay_letters(board, "".join(LETTERS[direction] for direction in directions))
    if replayed.reason:
        raise ValueError(replayed.reason)
    return replayed.lurd


def replay(board: Board, text: str) -> Replay:
    """Plays the moves in ``text`` by the plain rules, never by a fast version they have to check.

    A lower-case letter may push; an upper-case one must. Stops before the first illegal move.
    Raises ``ValueError`` as ``read_letters`` does.
    """
    return _replay_letters(board, read_letters(text))


def _replay_letters(board: Board, letters: str) -> Replay:
    made: list[str] = []
    reason = None
    for letter in letters:
        direction = LETTERS.index(letter.lower())
        after = step(board, direction)
        is_push = after.boxes != board.boxes
        if after == board or (letter.isupper() and not is_push):
            reason = f"move {len(made) + 1} ({letter}): {_explain(board, direction)}"
            break
        board = after
        made.append(LETTERS[direction].upper() if is_push else LETTERS[direction])
    lurd = "".join(made)
    return Replay(
        lurd=lurd,
        moves=len(lurd),
        pushes=sum(map(str.isupper, lurd)),
        board=board,
        is_solved=reason is None and board.is_solved,
        illegal_move=len(made) + 1 if reason else None,
        reason=reason,
    )


def _explain(board: Board, direction: int) -> str:
    """Why this move is not what its letter says; rows and columns from 1."""
    ahead = board.player.neighbour(direction)
    where = f"row {ahead.row + 1}, column {ahead.column + 1}"
    if ahead in board.boxes:
        return f"box at {where} cannot be pushed"
    if board.is_free(ahead):
        return "written as a push but no box moves"
    return f"wall at {where}"


def _strange_letter(moves: str, strange: set[str], num_before: int) -> str:
    if strange & set("[]<>"):
        return "reverse-mode game kept as text, not played"
    if strange & set("{}"):
        return "pusher change: several players are not supported"
    position = min(moves.index(letter) for letter in strange)
    expected = "u l d r U D L R"
    return f"move {num_before + position + 1}: {moves[position]!r} is not one of {expected}"
