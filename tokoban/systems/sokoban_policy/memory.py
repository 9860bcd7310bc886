"""Estimates the memory that playing many levels takes."""

import math
from typing import TYPE_CHECKING

from tokoban.systems.sokoban_policy.fitting import INTERIOR

if TYPE_CHECKING:
    from tokoban.systems.sokoban_policy.model import SokobanPolicy

DEFAULT_LIMIT_BYTES = 2 * 10**9

# What libraries set aside once, whatever the number of rows: workspaces, scratch.
FIXED_BYTES = 64 * 10**6

_WORD_BYTES, _FLOAT_BYTES = 8, 4
# The first pass reads two boards of each row, its goal and its start; later ones read one.
_BOARDS_OF_FIRST_PASS = 2
# Hidden boards of a convolution that are alive at once: what it reads, its output, and that with
# its negative part cut off. On a GPU it may ask for a workspace several times as large.
_HIDDEN_BOARDS = {"cpu": 3, "cuda": 3 + 8}
# A row's candidates before the cut: boards, keys, scores, and what sorting and looking up takes.
_CHOOSING_BYTES = 4096


def row_bytes(model: "SokobanPolicy") -> int:
    """The most that one game needs while a stepper plays it, copies and passing values included."""
    encoder, positions = model.board_encoder, model.max_positions
    width = model.position_vectors.shape[1]
    cache = 2 * len(model.transformer.blocks) * positions * width * _FLOAT_BYTES
    state = cache + 3 * positions * _WORD_BYTES  # boxes, player, where an undo goes back to
    planes = 3 * 5 * (INTERIOR + 2) ** 2 * _FLOAT_BYTES  # bits, numbers, and with a rim
    hidden = encoder.first.out_channels * INTERIOR**2 * _FLOAT_BYTES
    mixing = (2 * positions + 16) * width * _FLOAT_BYTES  # a layer's keys, values and vectors
    a_board = (
        planes
        + _HIDDEN_BOARDS.get(model.mask.device.type, _HIDDEN_BOARDS["cuda"]) * hidden
        + mixing
    )
    # At the start there are more boards to read; later what is kept is copied, to change rows.
    return state + max(_BOARDS_OF_FIRST_PASS * a_board, a_board + state) + _CHOOSING_BYTES


def levels_at_a_time(
    model: "SokobanPolicy", *, rows_a_level: int, limit_bytes: int, table_bytes: int = 0
) -> int:
    """The number of levels that may be played together.

    ``table_bytes`` are those that each needs besides its rows. Raises ``ValueError`` where the
    limit is too small for one.
    """
    a_level = rows_a_level * row_bytes(model) + table_bytes
    num_levels = (limit_bytes - FIXED_BYTES) // a_level
    if num_levels < 1:
        needed_mb = math.ceil((FIXED_BYTES + a_level) / 10**6)
        raise ValueError(
            f"a memory limit of {limit_bytes / 10**6:g} MB; one level at a time needs"
            f" {needed_mb} MB"
        )
    return num_levels
