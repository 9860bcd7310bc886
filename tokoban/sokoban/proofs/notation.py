"""Certificates as JSON; ``docs/certificates.md`` describes the format for other checkers."""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from tokoban.sokoban.board import Square
from tokoban.sokoban.formats.legality import find_fault_in_rows
from tokoban.sokoban.formats.xsb import format_board, parse_board
from tokoban.sokoban.proofs.certificate import (
    KINDS,
    BoxState,
    Certificate,
    FrozenGroup,
    Position,
    Trap,
)

Read = TypeVar("Read")
# Squares of boxes in traps, and positions, each times the squares of the board: with so many the
# checker takes a gigabyte, and half of one. Pairs of boxes in one part of the proof, times the
# deadlocks that the part is compared with: with so many it takes hours.
_MOST_TRAPPED, _MOST_LISTED, _MOST_COMPARED = 1 << 24, 1 << 29, 1 << 36
_KEYS = ("board", "kind", "boxes", "without", "traps", "frozen", "positions")


def to_json(certificate: Certificate) -> dict[str, Any]:
    """An object for ``json.dumps``; ``from_json`` returns the same certificate."""
    return {
        "board": format_board(certificate.board).split("\n"),
        "kind": certificate.kind,
        "boxes": [list(box) for box in certificate.boxes],
        "without": list(certificate.without),
        "traps": [
            [[list(box), list(player)] for box, player in trap.states] for trap in certificate.traps
        ],
        "frozen": [
            {
                "boxes": [list(box) for box in group.boxes],
                "blocked_by": [
                    [square and list(square) for square in blocks] for blocks in group.blocked_by
                ],
            }
            for group in certificate.frozen
        ],
        "positions": [
            [[list(box) for box in sorted(boxes)], list(player)]
            for boxes, player in certificate.positions
        ],
    }


def from_json(found: object) -> Certificate:
    """The certificate in an object from ``json.loads``; ``checker.find_fault`` says if it holds.

    Raises ``ValueError`` if the object is no certificate.
    """
    content = _keyed(found, _KEYS, "a certificate")
    rows = "\n".join(_list(content["board"], _text, "the board")).replace("|", "\n")
    if (fault := find_fault_in_rows(rows.split("\n"))) is not None:
        raise ValueError(f"the board: {fault}")
    kind = _text(content["kind"])
    if kind not in KINDS:
        raise ValueError(f"kind {kind!r}: expected one of {', '.join(KINDS)}")
    board, traps = parse_board(rows), _list(content["traps"], _trap, "traps")
    num_boxes = sum(len({box for box, _ in trap.states}) for trap in traps)
    frozen = _list(content["frozen"], _group, "frozen")
    positions = _list(content["positions"], _position, "positions")
    without = _list(content["without"], lambda moves: _unless_none(moves, _text), "without")
    groups = [*(group.boxes for group in frozen), *(boxes for boxes, _ in positions)]
    num_pairs = sum(len(boxes) ** 2 for boxes in groups)
    area = board.height * board.width, f"{board.height}x{board.width} of the board"
    num_deadlocks = len(traps) + len(frozen)
    for number, what, (times, others), most in (
        (num_boxes, "squares of boxes in traps", area, _MOST_TRAPPED),
        (len(positions), "positions", area, _MOST_LISTED),
        (len(without) - without.count(None), "solutions without a box", area, _MOST_LISTED),
        (
            num_pairs,
            "pairs of boxes in one frozen group or position",
            (num_deadlocks, f"{num_deadlocks:,} traps and frozen groups"),
            _MOST_COMPARED,
        ),
    ):
        if number * times > most:
            size = f"{number:,} {what}, {others}"
            raise ValueError(f"too large: {size}; expected a product of at most {most:,}")
    return Certificate(
        board=board,
        kind=kind,
        boxes=_list(content["boxes"], _square, "boxes"),
        without=without,
        traps=traps,
        frozen=frozen,
        positions=positions,
    )


def _trap(found: object) -> Trap:
    return Trap(_list(found, _state, "a trap"))


def _keyed(found: object, keys: Iterable[str], name: str) -> dict[str, Any]:
    if not isinstance(found, dict) or set(found) != set(keys):
        raise ValueError(f"{name}: expected an object with {', '.join(keys)}")
    return found


def _list(found: object, read: Callable[[Any], Read], name: str) -> tuple[Read, ...]:
    if not isinstance(found, list):
        raise ValueError(f"{name}: expected a list, got {type(found).__name__}")
    return tuple(read(entry) for entry in found)


def _text(found: object) -> str:
    if not isinstance(found, str):
        raise ValueError(f"expected text, got {type(found).__name__}")
    return found


def _square(found: object) -> Square:
    if isinstance(found, list) and [*map(type, found)] == [int, int]:  # True is no number
        return Square(*found)
    raise ValueError("a square: expected a list of its row and its column")


def _pair(found: object, name: str) -> tuple[Any, Any]:
    if not isinstance(found, list) or len(found) != 2:
        raise ValueError(f"{name}: expected a list of two entries")
    return found[0], found[1]


def _state(found: object) -> BoxState:
    box, player = _pair(found, "a box state")
    return BoxState(_square(box), _square(player))


def _position(found: object) -> Position:
    boxes, player = _pair(found, "a position")
    return Position(frozenset(_list(boxes, _square, "boxes")), _square(player))


def _group(found: object) -> FrozenGroup:
    content = _keyed(found, ("boxes", "blocked_by"), "a frozen group")
    return FrozenGroup(
        _list(content["boxes"], _square, "boxes"),
        _list(content["blocked_by"], _blocks, "blocked_by"),
    )


def _blocks(found: object) -> tuple[Square | None, Square | None]:
    vertical, horizontal = _pair(found, "blocked_by")
    return _unless_none(vertical, _square), _unless_none(horizontal, _square)


def _unless_none(found: object, read: Callable[[Any], Read]) -> Read | None:
    return None if found is None else read(found)
