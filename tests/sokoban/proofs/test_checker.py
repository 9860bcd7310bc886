"""What the checker accepts and refuses: certificates written by hand, others mutated by chance."""

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from tests.sokoban.brute_force import Shape, random_boards
from tests.sokoban.proofs.by_hand import BY_HAND, row, trap
from tests.sokoban.search.push_graph import can_all_come_to_goals
from tokoban.sokoban.board import Board, Square
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.proofs.certificate import BoxState, Certificate, FrozenGroup, Position, Trap
from tokoban.sokoban.proofs.checker import find_fault
from tokoban.sokoban.proofs.explainer import Deadlocked, explain


@pytest.mark.parametrize("name", BY_HAND)
def test_what_is_written_by_hand_holds_and_is_true(name: str) -> None:
    certificate = BY_HAND[name]
    assert find_fault(certificate) is None
    if certificate.kind != "count":
        assert not can_all_come_to_goals(certificate.board, certificate.boxes)


def group(boxes: tuple[Square, ...], *blocked_by: tuple[Square | None, Square | None]) -> Any:
    return {"frozen": (FrozenGroup(boxes, blocked_by),)}


UP2, UP3 = Square(-1, 2), Square(-1, 3)
CORRIDOR = trap((0, 2, 0, 1), (0, 3, 0, 2))
FAULTS = {
    "a box that is not there": ("dead", {"boxes": row(0)}, "one of its boxes is not on the board"),
    "boxes enough": ("count", {"board": parse_board("@$.")}, "there are as many boxes as goals"),
    "a box listed for too few": ("count", {"boxes": row(1)}, "it lists boxes though"),
    "a box beyond the edge": ("dead", {"traps": (trap((0, 4, 0, 2)),)}, "is no legal position"),
    "a box in a wall": ("no way round", {"traps": (trap((1, 0, 0, 0)),)}, "is no legal position"),
    "a player in the box": ("dead", {"traps": (trap((0, 3, 0, 3)),)}, "is no legal position"),
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
        "it proves nothing about its boxes where they stand",
    ),
    "as many goals as boxes": (
        "bipartite",
        {"board": parse_board("-$.$.|--@--|.----")},
        "proves nothing",
    ),
    "fewer boxes": ("bipartite", {"boxes": row(1), "without": ("",)}, "proves nothing"),
    "the player elsewhere": ("dead soon", {"board": parse_board(".-$@")}, "proves nothing"),
    "the box elsewhere": ("dead soon", {"traps": (trap((0, 3, 0, 2)),)}, "proves nothing"),
    "frozen on goals": ("frozen", {"board": parse_board("-.**.-|--@---")}, "are all on goals"),
    "a box without its blocks": (
        "frozen",
        group(row(2, 3), (UP2, Square(0, 3))),
        "a frozen group does not say what blocks each box",
    ),
    "frozen in a wall": (
        "frozen",
        {"board": parse_board("-.$#.-|--@---")} | {"boxes": row(2), "without": ("",)},
        "a frozen box at row 1, column 4 is in a wall",
    ),
    "one of a frozen group": ("frozen", {"boxes": row(2), "without": ("",)}, "proves nothing"),
    "blocked by floor": (
        "frozen",
        group(row(2, 3), (UP2, Square(0, 1)), (UP3, Square(0, 2))),
        "the frozen box at row 1, column 3 is not blocked as the group says",
    ),
    "blocked from afar": (
        "frozen",
        group(row(2, 3), (UP3, Square(0, 3)), (UP3, Square(0, 2))),
        "is not blocked as the group says",
    ),
    "blocked on one axis only": (
        "frozen",
        group(row(2, 3), (UP2, UP2), (UP3, Square(0, 2))),
        "is not blocked as the group says",
    ),
    "blocked by a box of no group": (
        "frozen",
        group(row(2), (UP2, Square(0, 3))),
        "is not blocked",
    ),
    "blocked by one trap": ("blocked by traps", {"traps": (trap((0, 0, 0, 1)),)}, "is not blocked"),
    "blocked by traps with a goal": (
        "blocked by traps",
        {"board": parse_board(".$-|-@-|---")},
        "is not blocked",
    ),
    "all on goals": ("search", {"board": parse_board("@**-")}, "are all on goals"),
    "a push out of the positions": (
        "search",
        {"board": parse_board("@$-$.."), "boxes": row(1, 3)}
        | {"positions": (Position(frozenset(row(1, 3)), Square(0, 0)),)},
        "a push right of the one at row 1, column 2 leads out of what is proved",
    ),
    "no such position": ("search", {"positions": ()}, "it proves nothing about its boxes"),
    "another kind": ("dead", {"kind": "bipartite"}, "it is of the kind dead"),
    "no entry of moves": ("dead", {"without": ()}, "not one entry of moves for each of its boxes"),
    "a box twice": ("dead", {"boxes": row(3, 3), "without": ("", "")}, "not one entry"),
    "no move": ("frozen", {"without": ("uX", "ruL")}, "'X' is no move"),
    "too many moves": (
        "frozen",
        {"without": ("u" * 1_000_001, None)},
        "1,000,001 moves, over 1,000,000",
    ),
    "a move into a wall": (
        "frozen",
        {"without": ("uuR", "ruL")},
        "uuR cannot be played without the box at row 1, column 3",
    ),
    "moves that solve nothing": ("frozen", {"without": ("u", None)}, "u solves nothing without"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_each_fault_is_reported(name: str) -> None:
    hand, changes, told = FAULTS[name]
    fault = find_fault(replace(BY_HAND[hand], **changes))
    assert fault is not None
    assert told in fault


def test_moves_that_are_not_known_are_no_fault_but_prove_nothing() -> None:
    certificate = replace(BY_HAND["frozen"], without=(None, "ruL"))
    assert find_fault(certificate) is None
    assert not certificate.is_minimal
    assert BY_HAND["frozen"].is_minimal


def test_no_board_is_made_for_each_move(monkeypatch: pytest.MonkeyPatch) -> None:
    # Of a large board that takes longer than the move: a megabyte of moves took hours.
    made: list[Board] = []
    monkeypatch.setattr(Board, "__post_init__", lambda board: made.append(board))
    certificate = replace(BY_HAND["frozen"], without=("ud" * 50, None))
    fault = find_fault(certificate)
    assert fault is not None and "solves nothing" in fault
    assert len(made) < 10


def mutants(certificate: Certificate, draw: random.Random) -> Iterator[Certificate]:
    """The certificate with one thing left out or moved, or of another board."""
    board = certificate.board
    near = [box.neighbour(draw.randrange(4)) for box in certificate.boxes]
    for name in ("traps", "frozen", "positions"):
        parts: list[Any] = list(getattr(certificate, name))
        if parts:
            del parts[draw.randrange(len(parts))]
            changed_part: dict[str, Any] = {name: tuple(parts)}
            yield replace(certificate, **changed_part)
    for i, one in enumerate(certificate.traps):
        states = list(one.states)
        del states[draw.randrange(len(states))]
        traps = list(certificate.traps)
        traps[i] = Trap(tuple(states))
        yield replace(certificate, traps=tuple(traps))
        states.append(BoxState(draw.choice(near), board.player))
        traps[i] = Trap(tuple(states))
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
            boxes = tuple(box for box in certificate.boxes if box in other.boxes)
            without = (None,) * len(boxes)
            yield replace(certificate, board=other, boxes=boxes, without=without)


def test_whatever_the_checker_accepts_is_deadlocked() -> None:
    draw = random.Random(5)
    num_accepted = num_refused = 0
    for shape in (Shape(3, 5, 2, is_closed=False), Shape(4, 4, 3, is_closed=True)):
        for board in random_boards(shape, 10, seed=11):
            answer = explain(board)
            if not isinstance(answer, Deadlocked):
                continue
            for mutant in mutants(answer.certificate, draw):
                if find_fault(mutant) is None:
                    num_accepted += 1
                    assert not can_all_come_to_goals(mutant.board, mutant.boxes), mutant
                else:
                    num_refused += 1
    assert num_accepted > 50
    assert num_refused > 30
