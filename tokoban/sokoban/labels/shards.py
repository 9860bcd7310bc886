"""Files of labels: one per shard, in the safetensors format, the same bytes for the same arrays.

Axes: N levels, Q states, S some of them, P bytes of packed pushes. Cell (row, column) of a level's
8x8 interior is bit 8 * row + column of a word; in the drawing of the level's file it is the square
(level_row + row, level_column + column), from 0. Directions are those of ``board``, numbers are
little-endian. The states of level n end at ``level_ends[n]``, where the next level's start.

A file is eight bytes with the length of a header, the header (JSON: name, type, shape and place of
each array) and the arrays. ``docs/labels.md`` lists them, and how the packed ones are packed.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np
from jaxtyping import Bool, Int32, Int64, UInt8, UInt16, UInt64

from tokoban.sokoban.board import Board
from tokoban.sokoban.formats.packed import PackedLevels
from tokoban.sokoban.labels.driver import Labelled
from tokoban.sokoban.search.bitboard.labels import DEADLOCKED, Labels

_TYPES = {"<u8": "U64", "<i8": "I64", "<i4": "I32", "<u2": "U16", "|u1": "U8"}
_DTYPES = {name: np.dtype(dtype) for dtype, name in _TYPES.items()}
_LENGTH = 8  # bytes of the header's length; the arrays start at a multiple of it
_FOUR_BITS = np.uint8(15)

_Arrays = TypeVar("_Arrays")


@dataclass(frozen=True, eq=False)
class Shard:
    """The arrays of one file; what is packed in them has methods that unpack it."""

    level_walls: UInt64[np.ndarray, " N"]
    level_goals: UInt64[np.ndarray, " N"]
    level_boxes: UInt64[np.ndarray, " N"]  # at the start
    level_player: UInt64[np.ndarray, " N"]
    level_ends: Int64[np.ndarray, " N"]
    level_solvable_states: Int64[np.ndarray, " N"]  # of all states, sampled or not
    boxes: UInt64[np.ndarray, " Q"]
    level_file: Int32[np.ndarray, " N"]  # which of the job's ``sources``
    level_number: Int32[np.ndarray, " N"]  # in its file, from 0
    level_row: Int32[np.ndarray, " N"]  # of cell 0 in the drawing of the level, from 0
    level_column: Int32[np.ndarray, " N"]
    moves_left: UInt16[np.ndarray, " Q"]  # ``DEADLOCKED`` for states that cannot be solved
    pushes_left: UInt16[np.ndarray, " Q"]
    level_verdict: UInt8[np.ndarray, " N"]  # a ``Verdict``; a level that was given up has no states
    player: UInt8[np.ndarray, " Q"]  # its cell
    moves_and_origin: UInt8[np.ndarray, " Q"]
    pushes_by_moves: UInt8[np.ndarray, "Q P"]
    pushes_by_pushes: UInt8[np.ndarray, "Q P"]

    def __len__(self) -> int:
        """The number of states."""
        return len(self.boxes)

    @property
    def is_consistent(self) -> bool:
        """Whether its arrays are consistent: compiled code takes their numbers for indices."""
        states = ("boxes", "player", "moves_", "pushes_")
        if not have_rows(self, "level_", self.level_ends.size):
            return False
        if not have_rows(self, states, self.boxes.size) or not are_ends(self.level_ends, len(self)):
            return False
        num_boxes = np.bitwise_count(self.level_boxes)
        of_states = np.repeat(num_boxes, np.diff(self.level_ends, prepend=0))
        return bool(
            (np.bitwise_count(self.level_goals) == num_boxes).all()
            and (np.bitwise_count(self.level_player) == 1).all()
            and (np.bitwise_count(self.boxes) == of_states).all()
            and (self.player < 64).all()
        )

    @property
    def is_solvable(self) -> Bool[np.ndarray, " Q"]:
        """Whether each state can still be solved."""
        return self.moves_left != DEADLOCKED

    @property
    def best_moves(self) -> UInt8[np.ndarray, " Q"]:
        """Bit a: move a begins a shortest solution by moves."""
        return self.moves_and_origin & _FOUR_BITS

    @property
    def origin(self) -> UInt8[np.ndarray, " Q"]:
        """The ``Origin`` of each state."""
        return self.moves_and_origin >> np.uint8(4)

    def level_of(self, states: Int64[np.ndarray, " S"]) -> Int64[np.ndarray, " S"]:
        """The level of each of the states with these indices."""
        return np.searchsorted(self.level_ends, states, side="right")

    def best_pushes(self, states: Int64[np.ndarray, " S"], unit: str) -> UInt64[np.ndarray, "S 4"]:
        """For some states and each direction, the boxes whose push in that direction is optimal.

        The push follows a shortest walk to the box, and begins a solution of the fewest moves or
        pushes, as ``unit`` says.
        """
        if unit not in ("moves", "pushes"):
            raise ValueError(f"unit is {unit!r}; expected 'moves' or 'pushes'")
        packed = self.pushes_by_moves if unit == "moves" else self.pushes_by_pushes
        return _unpack_pushes(self.boxes[states], packed[states])

    def board(self, state: int) -> Board:
        """One state as a board of 10 by 10 squares, with a border of walls."""
        (level,) = self.level_of(np.array([state]))
        one = slice(level, level + 1)
        player = np.uint64(1) << self.player[state : state + 1].astype(np.uint64)
        boxes = self.boxes[state : state + 1]
        planes = self.level_walls[one], self.level_goals[one], boxes, player
        return PackedLevels.of(*planes).board(0)


def pack(levels: PackedLevels, labelled: Labelled) -> Shard:
    """The shard of some levels and of their sampled states, each of which has all boxes."""
    samples, by_moves, by_pushes = labelled
    width = -(-int(np.bitwise_count(levels.boxes).max(initial=0)) // 2)
    return Shard(
        level_walls=levels.walls,
        level_goals=levels.goals,
        level_boxes=levels.boxes,
        level_player=levels.player,
        level_ends=samples.ends,
        level_solvable_states=by_moves.num_states,
        boxes=samples.boxes,
        level_file=levels.file,
        level_number=levels.number,
        level_row=levels.corner[:, 0],
        level_column=levels.corner[:, 1],
        moves_left=by_moves.distance,
        pushes_left=by_pushes.distance,
        level_verdict=by_moves.verdict,
        player=np.bitwise_count(samples.player - np.uint64(1)),
        moves_and_origin=by_moves.best_moves | samples.origin << np.uint8(4),
        pushes_by_moves=_pack_pushes(samples.boxes, by_moves, width),
        pushes_by_pushes=_pack_pushes(samples.boxes, by_pushes, width),
    )


def to_bytes(shard: Any, about: Mapping[str, str]) -> bytes:
    """The file of a shard, a dataclass of arrays, with the description ``about`` in its header."""
    arrays = {field.name: getattr(shard, field.name) for field in fields(shard)}
    header: dict[str, Any] = {}
    parts = []
    end = 0
    for name, array in arrays.items():
        own = array.astype(array.dtype.newbyteorder("<"), copy=False)
        start, end = end, end + own.nbytes
        kind = _TYPES[own.dtype.newbyteorder("<").str]
        header[name] = {"dtype": kind, "shape": own.shape, "data_offsets": [start, end]}
        parts.append(own.tobytes())
    data = b"".join(parts)
    header["__metadata__"] = {**about, "blake2b": _digest(data)}
    text = json.dumps(header, separators=(",", ":")).encode("ascii")
    text += b" " * (-len(text) % _LENGTH)
    return len(text).to_bytes(_LENGTH, "little") + text + data


def read_shard(path: str | Path) -> Shard:
    """The arrays of a file, memory-mapped, so that only what is used is read.

    Raises ``OSError`` if it cannot be read and ``ValueError`` if it is no such file, is cut off, or
    was written by a version with other arrays.
    """
    return read_arrays(Path(path), Shard)[0]


def are_ends(ends: Int64[np.ndarray, " N"], count: int) -> bool:
    """Whether these are the ends of consecutive parts of so many things."""
    sizes = np.diff(ends, prepend=0)
    return bool((sizes >= 0).all() and sizes.sum() == count)


def have_rows(shard: Any, prefix: str | tuple[str, ...], count: int) -> bool:
    """Whether the arrays with this prefix have their types and this many rows."""
    for field in fields(shard):
        if field.name.startswith(prefix):
            array, kind = getattr(shard, field.name), cast(type, field.type)
            is_of_kind = isinstance(array, kind)
            if not is_of_kind or len(array) != count:
                return False
    return True


def read_about(path: str | Path, kind: type = Shard) -> dict[str, str]:
    """The description of a shard of this ``kind``, once its bytes are verified.

    Raises as ``read_shard``, and ``ValueError`` if any byte of the arrays has changed.
    """
    _, about, data = read_arrays(Path(path), kind)
    if about.get("blake2b") != _digest(data.data):
        raise ValueError(f"{path}: the arrays have another checksum")
    return about


def read_arrays(path: Path, kind: type[_Arrays]) -> tuple[_Arrays, dict[str, str], np.ndarray]:
    """The arrays of a file as a dataclass, its description, and the bytes of all arrays."""
    size = path.stat().st_size
    content = np.memmap(path, np.uint8, "r") if size else np.empty(0, np.uint8)
    start = _LENGTH + int.from_bytes(content[:_LENGTH].tobytes(), "little")
    data = content[start:]
    try:
        header = json.loads(content[_LENGTH:start].tobytes())
        about = header.pop("__metadata__")
        arrays = {name: _array(data, **described) for name, described in header.items()}
        end = max(described["data_offsets"][1] for described in header.values())
        is_whole = end == len(data) and isinstance(about, dict)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        is_whole = False
    if not is_whole:
        raise ValueError(f"{path}: not a whole file of labels")
    expected = {field.name for field in fields(kind)}  # type: ignore[arg-type]  # a dataclass
    if arrays.keys() != expected:
        name = min(arrays.keys() ^ expected)
        difference = "without" if name in expected else "with"
        raise ValueError(
            f"{path}: labels of another version, {difference} {name}; label the levels anew"
        )
    return kind(**arrays), about, data


def _array(
    data: np.ndarray, *, dtype: str, shape: list[int], data_offsets: list[int]
) -> np.ndarray:
    start, end = data_offsets
    return data[start:end].view(_DTYPES[dtype]).reshape(shape)


def _digest(data: bytes | memoryview) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def _pack_pushes(
    boxes: UInt64[np.ndarray, " Q"], labels: Labels, width: int
) -> UInt8[np.ndarray, "Q P"]:
    """Four bits per box, in the order of the cells: two boxes to a byte, the first in its low half.

    Bit a of the four: a push of the box in direction a is optimal.
    """
    packed = np.zeros((len(boxes), width), np.uint8)
    for box, cell in _each_box(boxes, 2 * width):
        four = np.zeros(len(boxes), np.uint8)
        for direction in range(4):
            is_best = (labels.best_pushes[:, direction] & cell) != 0
            four |= is_best.astype(np.uint8) << np.uint8(direction)
        packed[:, box // 2] |= four << np.uint8(4 * (box % 2))
    return packed


def _unpack_pushes(
    boxes: UInt64[np.ndarray, " Q"], packed: UInt8[np.ndarray, "Q P"]
) -> UInt64[np.ndarray, "Q 4"]:
    """The inverse of ``_pack_pushes``."""
    best = np.zeros((len(boxes), 4), np.uint64)
    for box, cell in _each_box(boxes, 2 * packed.shape[1]):
        four = packed[:, box // 2] >> np.uint8(4 * (box % 2))
        for direction in range(4):
            is_best = (four >> np.uint8(direction) & np.uint8(1)) != 0
            best[:, direction] |= np.where(is_best, cell, np.uint64(0))
    return best


def _each_box(
    boxes: UInt64[np.ndarray, " Q"], num_boxes: int
) -> Iterator[tuple[int, UInt64[np.ndarray, " Q"]]]:
    """The number of each box, from 0, with its cell in each state; empty where there are fewer."""
    rest = boxes
    for box in range(num_boxes):
        cell = rest & (~rest + np.uint64(1))
        yield box, cell
        rest = rest ^ cell
