"""What the checker accepts and refuses: certificates written by hand, others mutated by chance."""

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from tests.sokoban.brute_force import Shape, random_boards
from tests.sokoban.proofs.by_hand import BY_HAND, row, trap
from tests.sokoban.proofs.plays import can_all_come_to_goals
from tokoban.sokoban.board import Board, Square
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.proofs.certificate import Certificate, FrozenGroup, Place, Position, Trap
from tokoban.sokoban.proofs.checker import find_fault
from tokoban.sokoban.proofs.explainer import Lost, explain


@pytest.mark.parametrize("name", BY_HAND)
def test_what_is_written_by_hand_holds_and_is_true(name: str) -> None:
    certificate = BY_HAND[name]
    assert find_fault(certificate) is None
    if certificate.kind != "count":
        assert not can_all_come_to_goals(certificate.board, certificate.blamed)


def group(boxes: tuple[Square, ...], *holds: tuple[Square | None, Square | None]) -> Any:
    return {"frozen": (FrozenGroup(boxes, holds),)}


UP2, UP3 = Square(-1, 2), Square(-1, 3)
CORRIDOR = trap((0, 2, 0, 1), (0, 3, 0, 2))
FAULTS = {
    "a box that is not there": ("dead", {"blamed": row(0)}, "a blamed box is not on the board"),
    "boxes enough": ("count", {"board": parse_board("@$.")}, "there are as many boxes as goals"),
    "a box to blame for too few": ("count", {"blamed": row(1)}, "no box is to blame where"),
    "a box beyond the edge": ("dead", {"traps": (trap((0, 4, 0, 2)),)}, "no box or player can be"),
    "a box in a wall": (
        "no way round",
        {"traps": (trap((1, 0, 0, 0)),)},
        "no box or player can be",
    ),
    "a player in the box": ("dead", {"traps": (trap((0, 3, 0, 3)),)}, "no box or player can be"),
    "a push leaves the trap": (
        "dead soon",
        {"traps": (trap((0, 2, 0, 1)),)},
        "a push right of the box at row 1, column 3 leaves its trap",
    ),
    "a push leaves it for another side": (
        "dead soon",
        {"board": parse_board(".@$--"), "traps": (trap((0, 2, 0, 1), (0, 3, 0, 4)),)},
        "leaves its trap",
    ),
    "a goal in the trap": (
        "dead soon",
        {"board": parse_board(".@$.")},
        "it does not speak of the blamed boxes where they stand",
    ),
    "as many goals as boxes": (
        "matching",
        {"board": parse_board("-$.$.|--@--|.----")},
        "not speak",
    ),
    "fewer boxes to blame": ("matching", {"blamed": row(1), "without": ("",)}, "does not speak"),
    "the player elsewhere": ("dead soon", {"board": parse_board(".-$@")}, "does not speak"),
    "the box elsewhere": ("dead soon", {"traps": (trap((0, 3, 0, 2)),)}, "does not speak"),
    "frozen on goals": ("frozen", {"board": parse_board("-.**.-|--@---")}, "are all on goals"),
    "a box too few for the holds": (
        "frozen",
        group(row(2, 3), (UP2, Square(0, 3))),
        "some frozen boxes have no holds",
    ),
    "frozen in a wall": (
        "frozen",
        {"board": parse_board("-.$#.-|--@---")} | {"blamed": row(2), "without": ("",)},
        "a frozen box at row 1, column 4 is in a wall",
    ),
    "one of a frozen group": ("frozen", {"blamed": row(2), "without": ("",)}, "does not speak"),
    "held by floor": (
        "frozen",
        group(row(2, 3), (UP2, Square(0, 1)), (UP3, Square(0, 2))),
        "the frozen box at row 1, column 3 is not held as it says",
    ),
    "held from afar": (
        "frozen",
        group(row(2, 3), (UP3, Square(0, 3)), (UP3, Square(0, 2))),
        "is not held as it says",
    ),
    "held on one axis only": (
        "frozen",
        group(row(2, 3), (UP2, UP2), (UP3, Square(0, 2))),
        "is not held as it says",
    ),
    "held by a box of no group": ("frozen", group(row(2), (UP2, Square(0, 3))), "is not held"),
    "held by one trap": ("held by traps", {"traps": (trap((0, 0, 0, 1)),)}, "is not held"),
    "held by traps with a goal": (
        "held by traps",
        {"board": parse_board(".$-|-@-|---")},
        "is not held",
    ),
    "all on goals": ("search", {"board": parse_board("@**-")}, "are all on goals"),
    "a push out of the positions": (
        "search",
        {"board": parse_board("@$-$.."), "blamed": row(1, 3)}
        | {"positions": (Position(frozenset(row(1, 3)), Square(0, 0)),)},
        "a push right of the one at row 1, column 2 leads out of what is proved",
    ),
    "no such position": ("search", {"positions": ()}, "it does not speak of the blamed boxes"),
    "another kind": ("dead", {"kind": "matching"}, "it is of the kind dead"),
    "no entry of moves": ("dead", {"without": ()}, "not one entry of moves for each blamed box"),
    "a box to blame twice": ("dead", {"blamed": row(3, 3), "without": ("", "")}, "not one entry"),
    "no move": ("frozen", {"without": ("uX", "ruL")}, "'X' is no move"),
    "a move into a wall": (
        "frozen",
        {"without": ("uuR", "ruL")},
        "uuR cannot be played without the box at row 1, column 3",
    ),
    "moves that solve nothing": ("frozen", {"without": ("u", None)}, "u solves nothing without"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_each_fault_is_told(name: str) -> None:
    hand, changes, told = FAULTS[name]
    fault = find_fault(replace(BY_HAND[hand], **changes))
    assert fault is not None
    assert told in fault


def test_moves_that_are_not_known_are_no_fault_but_prove_nothing() -> None:
    certificate = replace(BY_HAND["frozen"], without=(None, "ruL"))
    assert find_fault(certificate) is None
    assert not certificate.is_minimal
    assert BY_HAND["frozen"].is_minimal


def mutants(certificate: Certificate, draw: random.Random) -> Iterator[Certificate]:
    """The certificate with one thing left out or moved, or of another board."""
    board = certificate.board
    near = [box.neighbour(draw.randrange(4)) for box in certificate.blamed]
    for name in ("traps", "frozen", "positions"):
        parts: list[Any] = list(getattr(certificate, name))
        if parts:
            del parts[draw.randrange(len(parts))]
            changed_part: dict[str, Any] = {name: tuple(parts)}
            yield replace(certificate, **changed_part)
    for i, one in enumerate(certificate.traps):
        places = list(one.places)
        del places[draw.randrange(len(places))]
        traps = list(certificate.traps)
        traps[i] = Trap(tuple(places))
        yield replace(certificate, traps=tuple(traps))
        places.append(Place(draw.choice(near), board.player))
        traps[i] = Trap(tuple(places))
        yield replace(certificate, traps=tuple(traps))
    for square in [*near, *draw.sample(list(board.squares()), 4)]:
        if not board.contains(square):
            continue
        changed = [
            {"goals": board.goals ^ {square}},
            {"walls": board.walls ^ {square}},
            {"boxes": board.boxes ^ {square}},
            {"player": square},
        ]
        for change in changed:
            try:
                other: Board = replace(board, **change)  # type: ignore[arg-type]
            except ValueError:
                continue
            blamed = tuple(box for box in certificate.blamed if box in other.boxes)
            without = (None,) * len(blamed)
            yield replace(certificate, board=other, blamed=blamed, without=without)


def test_whatever_the_checker_accepts_is_lost() -> None:
    draw = random.Random(5)
    num_accepted = num_refused = 0
    for shape in (Shape(3, 5, 2, is_closed=False), Shape(4, 4, 3, is_closed=True)):
        for board in random_boards(shape, 10, seed=11):
            answer = explain(board)
            if not isinstance(answer, Lost):
                continue
            for mutant in mutants(answer.certificate, draw):
                if find_fault(mutant) is None:
                    num_accepted += 1
                    assert not can_all_come_to_goals(mutant.board, mutant.blamed), mutant
                else:
                    num_refused += 1
    assert num_accepted > 50
    assert num_refused > 30
