"""Separates training levels from evaluation levels; axes: B levels.

Two levels are the same as "player" if they are but for being turned, mirrored or moved and for what
no player can reach; as "area" if besides the player may stand elsewhere in the area that it can
walk to; as "room" if besides the boxes may stand elsewhere, so that play of the one can lead into
the other.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from jaxtyping import Bool, UInt64

from tokoban.sokoban.canonical import canonical_keys
from tokoban.sokoban.formats.packed import PackedLevels, flood
from tokoban.sokoban.labels.sources import Dropped

SAME = ("player", "area", "room")  # from the narrowest to the widest


def split(
    levels: PackedLevels, evaluation: PackedLevels
) -> tuple[Bool[np.ndarray, " B"], list[Dropped]]:
    """The levels to keep, and the others.

    Dropped are those in the room of an evaluation level, and of those that are the same as "area"
    all but the first.
    """
    own = {same: _keys(levels, same) for same in SAME}
    is_kept = np.ones(len(levels), np.bool_)
    dropped = []
    for same in SAME:
        keys, firsts = np.unique(_keys(evaluation, same), return_index=True)
        rows = np.flatnonzero(is_kept & np.isin(own[same], keys))
        is_kept[rows] = False
        places = np.searchsorted(keys, own[same][rows])
        for row, place in zip(rows.tolist(), places.tolist(), strict=True):
            like = evaluation.name(int(firsts[place]))
            dropped.append(_dropped(levels, row, "evaluation", same=same, like=like))
    dropped += _duplicates(levels, own, is_kept)
    return is_kept, dropped


def _keys(levels: PackedLevels, same: str) -> UInt64[np.ndarray, " B"]:
    """Equal for levels that are the same in this way."""
    if same == "room":
        # Without boxes the player's area is all that is inside; whatever lies elsewhere is left
        # out, for it is the same play.
        inside = flood(levels.player, ~levels.walls)
        nothing = np.zeros_like(levels.boxes)
        levels = replace(levels, boxes=nothing, goals=levels.goals & inside)
    return canonical_keys(levels, exact_player=same == "player")


def _duplicates(
    levels: PackedLevels,
    own: dict[str, UInt64[np.ndarray, " B"]],
    is_kept: Bool[np.ndarray, " B"],
) -> Iterator[Dropped]:
    """The levels that are the same as an earlier one; they are marked as not kept."""
    rows = np.flatnonzero(is_kept)
    _, firsts, place = np.unique(own["area"][rows], return_index=True, return_inverse=True)
    first = rows[firsts[place]]
    is_later = first != rows
    for row, like in zip(rows[is_later].tolist(), first[is_later].tolist(), strict=True):
        is_kept[row] = False
        same = "player" if own["player"][row] == own["player"][like] else "area"
        yield _dropped(levels, row, "duplicate", same=same, like=levels.name(like))


def _dropped(levels: PackedLevels, row: int, reason: str, *, same: str, like: str) -> Dropped:
    file, number = levels.files[levels.file[row]], int(levels.number[row])
    return Dropped(file=file, number=number, reason=reason, same=same, like=like)
