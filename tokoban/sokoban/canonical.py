"""One form for all levels that are the same: turned, mirrored, moved, or drawn otherwise outside.

Axes: B levels, S the eight symmetries.
"""

import hashlib
import re
from collections.abc import Iterator

import numpy as np
from jaxtyping import UInt64

from tokoban.sokoban.board import Board
from tokoban.sokoban.formats.packed import PackedLevels, flood
from tokoban.sokoban.hashing import GOLDEN
from tokoban.sokoban.interior import enclosed

_PLAYER = re.compile("[@+]")
_WITHOUT_PLAYER = str.maketrans("@+", " .")


def canonical_form(board: Board, *, exact_player: bool = False) -> str:
    """A drawing that two levels share if and only if they are the same level.

    Only what the player could reach were there no boxes belongs to a level, and the ring around it.
    Of what lies elsewhere it matters whether it makes the level unsolvable: a row with a lone box
    below the drawing says so. Unless ``exact_player``, neither does it matter where the player
    stands in the area it can walk to: the drawing has it on the first square of that area, row by
    row.
    """
    inside = board.inside()
    players = {board.player} if exact_player else board.area()
    rows, columns = zip(*inside, strict=True)
    top, left = min(rows) - 1, min(columns) - 1  # of the ring of walls around the inside
    height, width = max(rows) - top + 2, max(columns) - left + 2
    drawn = [["#"] * width for _ in range(height)]
    for squares, letter, letter_on_goal in (
        (inside, " ", "."),
        (players, "@", "+"),
        (board.boxes & inside, "$", "*"),
    ):
        for square in squares:
            is_goal = square in board.goals
            drawn[square.row - top][square.column - left] = letter_on_goal if is_goal else letter
    drawing = ["".join(row) for row in drawn]
    form = min(_with_one_player("\n".join(image)) for image in _images(drawing))
    return f"{form}\n$" if enclosed(board) else form


def canonical_hash(board: Board, *, exact_player: bool = False) -> str:
    """A hash of ``canonical_form``: sixteen hexadecimal digits, the same on every machine."""
    form = canonical_form(board, exact_player=exact_player)
    return hashlib.blake2b(form.encode("ascii"), digest_size=8).hexdigest()


def canonical_keys(levels: PackedLevels, *, exact_player: bool = False) -> UInt64[np.ndarray, "B"]:
    """A number for each level: equal where ``canonical_form`` is, else different but for chance.

    The chance is 2^-64 for two levels. The numbers are those of this version of the program.
    """
    inside = flood(levels.player, ~levels.walls)
    boxes, goals = levels.boxes & inside, levels.goals & inside
    player = levels.player if exact_player else flood(levels.player, inside & ~boxes)
    words = np.stack([inside, goals, boxes, player])
    keys = np.min([_mix(_to_corner(image)) for image in _word_images(words)], axis=0)
    is_enclosed = ((levels.boxes ^ levels.goals) & ~inside) != 0
    return np.where(is_enclosed, ~keys, keys)


def _images(drawing: list[str]) -> Iterator[list[str]]:
    """The eight images of a rectangle of letters."""
    for _ in range(4):
        drawing = ["".join(column) for column in zip(*drawing[::-1], strict=True)]
        yield drawing
        yield drawing[::-1]


def _with_one_player(drawing: str) -> str:
    first = _PLAYER.search(drawing)
    assert first is not None
    return drawing[: first.end()] + drawing[first.end() :].translate(_WITHOUT_PLAYER)


def _word_images(words: np.ndarray) -> Iterator[np.ndarray]:
    """The eight images of words of 8x8 cells."""
    for transposed in (words, _transpose(words)):
        for mirrored in (transposed, _mirror(transposed)):
            yield mirrored
            yield mirrored.byteswap()  # the rows from last to first


def _mirror(words: np.ndarray) -> np.ndarray:
    """Each row from last to first: neighbours change places, then pairs, then halves."""
    for shift, mask in ((1, 0x5555555555555555), (2, 0x3333333333333333), (4, 0x0F0F0F0F0F0F0F0F)):
        kept = np.uint64(mask)
        words = (words >> np.uint64(shift)) & kept | (words & kept) << np.uint64(shift)
    return words


def _transpose(words: np.ndarray) -> np.ndarray:
    """Rows for columns: what lies beside the diagonal of each 2x2, 4x4 and 8x8 changes places."""
    for shift, mask in ((7, 0x00AA00AA00AA00AA), (14, 0x0000CCCC0000CCCC), (28, 0xF0F0F0F0)):
        moved = (words ^ (words >> np.uint64(shift))) & np.uint64(mask)
        words = words ^ moved ^ (moved << np.uint64(shift))
    return words


def _to_corner(words: UInt64[np.ndarray, "4 B"]) -> UInt64[np.ndarray, "4 B"]:
    """The words moved up and left until the first of them has a cell in both edges."""
    for edge, shift in ((0x00000000000000FF, 8), (0x0101010101010101, 1)):
        while (is_apart := (words[0] & np.uint64(edge)) == 0).any():
            words = np.where(is_apart, words >> np.uint64(shift), words)
    return words


def _mix(words: UInt64[np.ndarray, "4 B"]) -> UInt64[np.ndarray, "B"]:
    key = np.zeros_like(words[0])
    for word in words:
        # Multiplication alone never carries a high bit down; the shift mixes it in.
        key = (key ^ word) * GOLDEN
        key = key ^ (key >> np.uint64(29))
    return key * np.uint64(0xBF58476D1CE4E5B9)
