"""Separates training levels from evaluation levels; axes: B levels.

Two levels are the same as "player" if they are equal after rotation, reflection and translation,
without what no player can reach; as "area" if also the player may stand elsewhere in the area that
it can walk to; as "room" if also the boxes may stand elsewhere, so that play of one can lead into
the other.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Bool, UInt64

from tokoban.sokoban.board import Board
from tokoban.sokoban.canonical import canonical_hash, canonical_keys
from tokoban.sokoban.formats.packed import PackedLevels, flood, name_file
from tokoban.sokoban.labels.sources import Dropped, LargeLevel

SAME = ("player", "area", "room")  # from the narrowest to the widest


@dataclass(frozen=True, eq=False)
class _Keyed:
    """Some levels: where each was read, and by ``SAME`` the keys of all."""

    files: Sequence[str]
    numbers: Sequence[int]
    keys: Mapping[str, UInt64[np.ndarray, " B"]]

    def name(self, row: int) -> str:
        """As ``PackedLevels.name``."""
        return f"{name_file(self.files[row])}#{self.numbers[row]}"


def split(
    levels: PackedLevels, evaluation: PackedLevels
) -> tuple[Bool[np.ndarray, " B"], list[Dropped]]:
    """The levels to keep, and the others.

    Dropped are levels that are the same as "room" as an evaluation level, and all but the first of
    levels that are the same as "area".
    """
    return _split(_words(levels), _words(evaluation))


def split_large(
    levels: Sequence[LargeLevel], evaluation: Sequence[LargeLevel], names: tuple[Sequence[str], ...]
) -> tuple[Bool[np.ndarray, " B"], list[Dropped]]:
    """The same for levels that do not fit one word; ``names`` are the files of either."""
    own, others = (_boards(*pair) for pair in zip((levels, evaluation), names, strict=True))
    return _split(own, others)


def _split(levels: _Keyed, evaluation: _Keyed) -> tuple[Bool[np.ndarray, " B"], list[Dropped]]:
    is_kept = np.ones(len(levels.numbers), np.bool_)
    dropped = []
    for same, own in levels.keys.items():
        keys, firsts = np.unique(evaluation.keys[same], return_index=True)
        rows = np.flatnonzero(is_kept & np.isin(own, keys))
        is_kept[rows] = False
        places = np.searchsorted(keys, own[rows])
        for row, place in zip(rows.tolist(), places.tolist(), strict=True):
            like = evaluation.name(int(firsts[place]))
            dropped.append(_dropped(levels, row, "evaluation", same=same, like=like))
    dropped += _duplicates(levels, is_kept)
    return is_kept, dropped


def _words(levels: PackedLevels) -> _Keyed:
    files = [levels.files[file] for file in levels.file]
    return _Keyed(files, levels.number.tolist(), {same: _keys(levels, same) for same in SAME})


def _boards(levels: Sequence[LargeLevel], names: Sequence[str]) -> _Keyed:
    keys = {
        same: np.array([_key(level.board, same) for level in levels], np.uint64) for same in SAME
    }
    files = [names[level.file] for level in levels]
    return _Keyed(files, [level.number for level in levels], keys)


def _key(board: Board, same: str) -> int:
    """As ``_keys``, of one board."""
    if same == "room":
        board = replace(board, boxes=frozenset(), goals=board.goals & board.inside())
    return int(canonical_hash(board, exact_player=same == "player"), 16)


def _keys(levels: PackedLevels, same: str) -> UInt64[np.ndarray, " B"]:
    """Equal for levels that are the same in this way."""
    if same == "room":
        # Without boxes the player's area is all that is inside; whatever lies outside is left
        # out, for it is the same play.
        inside = flood(levels.player, ~levels.walls)
        nothing = np.zeros_like(levels.boxes)
        levels = replace(levels, boxes=nothing, goals=levels.goals & inside)
    return canonical_keys(levels, exact_player=same == "player")


def _duplicates(levels: _Keyed, is_kept: Bool[np.ndarray, " B"]) -> Iterator[Dropped]:
    """The levels that are the same as an earlier one; they are marked as not kept."""
    own, rows = levels.keys, np.flatnonzero(is_kept)
    _, firsts, place = np.unique(own["area"][rows], return_index=True, return_inverse=True)
    first = rows[firsts[place]]
    is_later = first != rows
    for row, like in zip(rows[is_later].tolist(), first[is_later].tolist(), strict=True):
        is_kept[row] = False
        same = "player" if own["player"][row] == own["player"][like] else "area"
        yield _dropped(levels, row, "duplicate", same=same, like=levels.name(like))


def _dropped(levels: _Keyed, row: int, reason: str, *, same: str, like: str) -> Dropped:
    return Dropped(
        file=levels.files[row], number=levels.numbers[row], reason=reason, same=same, like=like
    )
