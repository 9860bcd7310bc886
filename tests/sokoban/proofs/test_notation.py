"""Certificates as JSON: there and back, and one sentence for what is none."""

import json
from typing import Any

import pytest

from tests.sokoban.proofs.by_hand import BY_HAND
from tokoban.sokoban.proofs import notation
from tokoban.sokoban.proofs.notation import from_json, to_json


@pytest.mark.parametrize("name", BY_HAND)
def test_what_is_written_is_read_back_the_same(name: str) -> None:
    written = json.loads(json.dumps(to_json(BY_HAND[name])))
    assert from_json(written) == BY_HAND[name]


def test_a_certificate_is_written_as_promised() -> None:
    assert to_json(BY_HAND["blocked by traps"]) == {
        "board": [" $ ", " @ ", ".  "],
        "kind": "frozen",
        "boxes": [[0, 1]],
        "without": [""],
        "traps": [[[[0, 0], [0, 1]], [[0, 2], [0, 1]]]],
        "frozen": [{"boxes": [[0, 1]], "blocked_by": [[[-1, 1], None]]}],
        "positions": [],
    }
    assert to_json(BY_HAND["search"])["positions"] == [[[[0, 1], [0, 2]], [0, 0]]]


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"kind": "magic"}, "kind 'magic': expected one of count, dead, frozen, bipartite, search"),
        ({"kind": 3}, "expected text, got int"),
        ({"board": "@$"}, "the board: expected a list, got str"),
        ({"board": ["$$"]}, "the board: no player"),
        ({"board": ["@$"] + [" "] * 600}, "the board: board of 601x2 squares, larger than"),
        ({"board": ["@$" + "\n " * 600]}, "the board: board of 601x2 squares, larger than"),
        ({"board": ["@$" + "| " * 600]}, "the board: board of 601x2 squares, larger than"),
        ({"more": 1}, "a certificate: expected an object with board, kind"),
        ({"boxes": [[0]]}, "a square: expected a list of its row and its column"),
        ({"boxes": [[True, 1]]}, "a square: expected a list of its row and its column"),
        ({"boxes": [["0", 1]]}, "a square: expected a list of its row and its column"),
        ({"without": [0]}, "expected text, got int"),
        ({"traps": [[[[0, 1]]]]}, "a box state: expected a list of two entries"),
        ({"frozen": [[]]}, "a frozen group: expected an object with boxes, blocked_by"),
        (
            {"frozen": [{"boxes": [], "blocked_by": [[None]]}]},
            "blocked_by: expected a list of two entries",
        ),
        ({"frozen": [{"boxes": [], "blocked_by": [[[], None]]}]}, "a square: expected a list"),
        ({"positions": {}}, "positions: expected a list, got dict"),
    ],
)
def test_what_is_no_certificate_is_refused(changes: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ValueError) as refused:
        from_json(to_json(BY_HAND["dead"]) | changes)
    assert str(refused.value).startswith(complaint)


def test_traps_and_positions_that_would_fill_the_memory_are_refused() -> None:
    rows = ["@" + " " * 399, *[" " * 400] * 399]
    written = to_json(BY_HAND["dead"]) | {"board": rows}
    states = [[[1, column], [0, 0]] for column in range(200)]
    with pytest.raises(ValueError, match="too large: 200 squares of boxes in traps, 400x400 of"):
        from_json(written | {"traps": [states]})
    from_json(written | {"traps": [states[:20]]})
    positions = [[[[1, 0]], [0, 0]]] * 3356
    with pytest.raises(ValueError, match="too large: 3,356 positions, 400x400 of the board"):
        from_json(written | {"positions": positions})
    from_json(written | {"positions": positions, "board": rows[:200]})


def test_a_check_that_would_take_hours_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = ["@" + " " * 399, *[" " * 400] * 399]
    with pytest.raises(ValueError, match="too large: 3,356 solutions without a box, 400x400 of"):
        from_json(to_json(BY_HAND["dead"]) | {"board": rows, "without": [""] * 3356})
    group = {"boxes": [[0, 1]] * 30, "blocked_by": []}
    written = to_json(BY_HAND["dead"]) | {"frozen": [group] * 30}
    assert from_json(written)
    monkeypatch.setattr(notation, "_MOST_COMPARED", 800_000)
    told = "too large: 27,000 pairs of boxes in one frozen group or position, 31 traps and frozen"
    with pytest.raises(ValueError, match=told):
        from_json(written)


@pytest.mark.parametrize("found", [None, 3, [], {}, "text"])
def test_what_is_no_object_is_refused(found: object) -> None:
    with pytest.raises(ValueError, match="a certificate: expected an object"):
        from_json(found)
