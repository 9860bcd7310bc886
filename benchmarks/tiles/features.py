"""Compiled: the contexts of each push and each box, and a few numbers of each position.

Axes: B positions, T tokens, K squares of all tiles of a kind, N legal pushes, M boxes seen in each
of four directions, C contexts of a push, X contexts of a box, Z numbers.
"""

from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Float32, Int16, Int32, Int64, UInt8

from benchmarks.tiles.shapes import (
    BOX,
    BOX_ON_GOAL,
    FLOOR,
    GOAL,
    HASHES_KIND,
    MARGIN,
    REACHED_FLOOR,
    REACHED_GOAL,
    WALL,
    box_tiles,
    push_tiles,
)
from tokoban.compiling import entry, inner
from tokoban.sokoban.board import OFFSETS
from tokoban.sokoban.encoding.features import (
    BOUND_FALLS,
    CAN_PUSH,
    HAS_BOX,
    IS_FLOOR,
    IS_GOAL,
    IS_REACHED,
    IS_UNBOUNDED,
)

# The numbers of a position: 1, the boxes on no goal, the legal pushes, those after which the lower
# bound falls, those after which it is infinite, whether all of them are of these, and the share of
# the floor that the player reaches.
ONE, BOXES_LEFT, PUSHES, FALLING, UNBOUNDED, IS_STUCK, REACHED = range(7)
NUM_NUMBERS = 7

_NEVER, _FALLS, _STAYS = range(3)  # what becomes of the lower bound
_DOWN, _RIGHT = (tuple(offset[axis] for offset in OFFSETS) for axis in (0, 1))


class Described(NamedTuple):
    """Positions as rows of tables and numbers."""

    push: Int64[np.ndarray, " N"]  # (position * T + token) * 4 + direction, ascending
    push_rows: Int32[np.ndarray, "N C"]
    box_position: Int64[np.ndarray, " M"]
    box_rows: Int32[np.ndarray, "M X"]
    numbers: Float32[np.ndarray, "B Z"]


def describe(
    features: UInt8[np.ndarray, "B T 17"],
    coordinates: Int16[np.ndarray, "B T 2"],
    *,
    num_push_rows: int,
    num_box_rows: int,
) -> Described:
    """The contexts in tables of so many rows, powers of two; pushes only those that are legal."""
    num_pushes = int(np.count_nonzero(features[:, :, CAN_PUSH : CAN_PUSH + 4]))
    num_boxes = 4 * int(np.count_nonzero(features[:, :, HAS_BOX]))
    of_push, of_box = push_tiles(), box_tiles()
    described = Described(
        push=np.empty(num_pushes, np.int64),
        push_rows=np.empty((num_pushes, of_push.num_contexts), np.int32),
        box_position=np.empty(num_boxes, np.int64),
        box_rows=np.empty((num_boxes, of_box.num_contexts), np.int32),
        numbers=np.empty((len(features), NUM_NUMBERS), np.float32),
    )
    height, width = (coordinates.max((0, 1), initial=0).astype(int) + 1 + 2 * MARGIN).tolist()
    _describe(
        features,
        coordinates,
        width,
        np.empty(height * width, np.uint8),
        of_push.offsets(width),
        of_box.offsets(width),
        of_push,
        of_box,
        np.uint64(num_push_rows - 1),
        np.uint64(num_box_rows - 1),
        described,
    )
    return described


@entry
@no_type_check
def _describe(
    features, coordinates, width, codes, push_offsets, box_offsets, push_tiles, box_tiles,
    push_mask, box_mask, out,
):  # fmt: skip
    """Fills ``out``; ``codes`` is room for a board with its margin, in rows of ``width``."""
    push, box = 0, 0
    num_tokens = features.shape[1]
    for position in range(len(features)):
        own = features[position]
        _fill_codes(own, coordinates[position], width, codes)
        first_push, boxes_left, num_falling, num_unbounded = push, 0, 0, 0
        for token in range(num_tokens):
            if own[token, HAS_BOX] == 0:
                continue
            boxes_left += own[token, IS_GOAL] == 0
            place = _place(coordinates[position, token], width)
            for direction in range(4):
                out.box_position[box] = position
                _fill_rows(
                    box_tiles, box_offsets, codes, place, direction, 0, box_mask, out.box_rows[box]
                )
                box += 1
                if own[token, CAN_PUSH + direction] == 0:
                    continue
                change = _STAYS
                if own[token, IS_UNBOUNDED + direction]:
                    change = _NEVER
                    num_unbounded += 1
                elif own[token, BOUND_FALLS + direction]:
                    change = _FALLS
                    num_falling += 1
                out.push[push] = (position * num_tokens + token) * 4 + direction
                _fill_rows(
                    push_tiles,
                    push_offsets,
                    codes,
                    place + width * _DOWN[direction] + _RIGHT[direction],
                    direction,
                    2 * change + own[token, IS_GOAL],
                    push_mask,
                    out.push_rows[push],
                )
                push += 1
        num_pushes = push - first_push
        numbers = out.numbers[position]
        numbers[ONE] = 1
        numbers[BOXES_LEFT] = boxes_left / 4
        numbers[PUSHES] = min(num_pushes, 16) / 8
        numbers[FALLING] = min(num_falling, 8) / 4
        numbers[UNBOUNDED] = min(num_unbounded, 8) / 4
        numbers[IS_STUCK] = num_unbounded == num_pushes
        numbers[REACHED] = own[:, IS_REACHED].sum() / max(own[:, IS_FLOOR].sum(), 1)


@inner
@no_type_check
def _place(coordinates, width):
    return (np.int64(coordinates[0]) + MARGIN) * width + coordinates[1] + MARGIN


@inner
@no_type_check
def _fill_codes(own, coordinates, width, codes):
    """The content of each square of the board and its margin."""
    codes[:] = WALL
    for token in range(len(own)):
        if own[token, IS_FLOOR] == 0:
            continue
        is_goal = own[token, IS_GOAL] != 0
        if own[token, HAS_BOX]:
            code = BOX_ON_GOAL if is_goal else BOX
        elif own[token, IS_REACHED]:
            code = REACHED_GOAL if is_goal else REACHED_FLOOR
        else:
            code = GOAL if is_goal else FLOOR
        codes[_place(coordinates[token], width)] = code


@inner
@no_type_check
def _fill_rows(tiles, offsets, codes, middle, direction, kind, mask, rows):
    """The row of each context of one push or box."""
    count = 0
    own, mirrored = np.uint64(0), np.uint64(0)
    for k in range(len(tiles.ends)):
        if tiles.starts[k]:
            own = tiles.kind_keys[kind] if tiles.starts[k] == HASHES_KIND else np.uint64(0)
            mirrored = own
        own ^= tiles.keys[k, codes[middle + offsets[direction, 0, k]]]
        mirrored ^= tiles.keys[k, codes[middle + offsets[direction, 1, k]]]
        if tiles.ends[k] == 1:
            rows[count] = np.int32(min(own, mirrored) & mask)
            count += 1
        elif tiles.ends[k] == 2:
            rows[count] = np.int32(own & mask)
            rows[count + 1] = np.int32(mirrored & mask)
            count += 2
