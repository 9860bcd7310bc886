"""Which packed rules boards get, what of a board is packed, and what both kinds can do."""

import random
from typing import Any

import pytest
import torch
from torch import Tensor

from benchmarks.random_boards import KINDS, random_board
from tests.sokoban.drawings import DRAWINGS
from tests.sokoban.simulation import test_bitboards, test_wide_bitboards
from tests.sokoban.unpacked import to_board
from tokoban.sokoban import rules
from tokoban.sokoban.board import Board, Direction
from tokoban.sokoban.formats.xsb import format_board, parse_board
from tokoban.sokoban.interior import interior
from tokoban.sokoban.simulation import bitboards, wide_bitboards
from tokoban.sokoban.simulation.simulators import Simulator, simulator_for

BOARDS = {
    bitboards: test_bitboards.random_boards,
    wide_bitboards: test_wide_bitboards.random_boards,
}
BOTH = pytest.mark.parametrize("simulator", [bitboards, wide_bitboards], ids=["one", "wide"])


@pytest.mark.parametrize(
    ("drawn", "expected"),
    [
        ("@-------", bitboards),
        ("@--------", wide_bitboards),
        ("|".join(["-@", *["--"] * 7]), bitboards),
        ("|".join(["-@", *["--"] * 8]), wide_bitboards),
        ("##########|#@------.#|##########", bitboards),
        # Squares that the player can never come to do not count, unless they hold something.
        ("----------|###-------|#@#-------|###-------", bitboards),
        ("---------$|###-------|#@#-------|###-------", wide_bitboards),
        ("---------.|###-------|#@#-------|###-------", wide_bitboards),
    ],
)
def test_one_word_is_taken_where_it_is_enough(drawn: str, expected: Simulator) -> None:
    board = parse_board(drawn)
    assert simulator_for([board]) is expected
    assert simulator_for([parse_board("@"), board]) is expected
    assert wide_bitboards.pack([board]).size == interior(board)[3:]


@pytest.mark.parametrize(
    ("drawn", "place"),
    [
        ("@", (0, 0, 1, 1)),
        ("-@-|---", (0, 0, 2, 3)),
        ("#######|###@-##|###-.##|#######|#######", (1, 3, 2, 2)),
        # Floor around the walls, and a chamber that nobody can enter.
        ("--#####--|--#@--#--|###-$-##-|#.-.#-#--|########-", (1, 1, 3, 5)),
        ("-#####|-#@--#|-###-#|*-----", (0, 0, 4, 6)),
        # A box on a goal in a chamber stays.
        ("######|#@-###|####*#|######", (1, 1, 2, 4)),
    ],
)
def test_the_interior_is_where_the_player_may_come_and_what_holds_something(
    drawn: str, place: tuple[int, int, int, int]
) -> None:
    assert interior(parse_board(drawn))[1:] == place


@BOTH
def test_floor_that_nobody_can_enter_is_packed_as_wall(simulator: Simulator) -> None:
    drawn = "--#####--|--#@--#--|###-$-##-|#.-.#-#--|########-"
    boards = simulator.pack([parse_board(drawn)], margin=0)
    rows = format_board(to_board(boards)).split("\n")
    assert [row[:5] for row in rows[:3]] == ["##@  ", "## $ ", ". .# "]
    assert {letter for row in rows for letter in row[5:]} <= {"#"}
    assert {letter for row in rows[3:] for letter in row} <= {"#"}


@pytest.mark.parametrize("margin", [None, 0])
def test_a_board_that_keeps_its_place_keeps_its_floor(margin: int | None) -> None:
    (word,) = bitboards.pack([parse_board("#@#-|####")], margin=margin).walls.tolist()
    assert ~word == (1 << 0 if margin == 0 else 1 << 1 | 1 << 3)


@BOTH
def test_select_takes_each_row_from_one_of_two_batches(simulator: Simulator) -> None:
    old = simulator.pack([parse_board(text) for text in ("@$.", ".@$", "*@-")], margin=0)
    new = simulator.pack([parse_board(text) for text in ("#@-", "-+-", "@*#")], margin=0)
    mixed = simulator.select(torch.tensor([True, False, True]), new, old)
    for row, source in enumerate((new, old, new)):
        assert to_board(mixed, (row,)) == to_board(source, (row,))


@BOTH
def test_at_takes_the_rows_requested(simulator: Simulator) -> None:
    drawn = ("@$.", ".@$", "*@-", "@*#")
    boards = simulator.pack([parse_board(text) for text in drawn], margin=0)
    for place in (2, slice(1, 3), [3, 3, 0], torch.tensor([True, False, False, True])):
        assert torch.equal(boards.at(place).boxes, boards.boxes[..., place])
        assert torch.equal(boards.at(place).player, boards.player[place])
    folded = boards.at(torch.tensor([[0, 1], [2, 3]]))
    assert to_board(folded, (1, 0)) == to_board(boards, (2,))
    assert torch.equal(folded.at((1, 0)).player, boards.player[2])


@BOTH
def test_cells_are_rows_and_columns_of_the_board(simulator: Simulator) -> None:
    boards = simulator.pack([parse_board("@-$|*--"), parse_board("$-@|---")], margin=0)
    cells = boards.cells(boards.boxes)
    assert cells.shape == (2, *boards.size)
    assert cells.nonzero().tolist() == [[0, 0, 2], [0, 1, 0], [1, 0, 0]]


@BOTH
def test_any_batch_shape_will_do(simulator: Any) -> None:
    flat = simulator.pack(BOARDS[simulator]()[:6])
    actions = torch.tensor([0, 1, 2, 3, 3, 1])
    expected = simulator.step(flat, actions)
    folded = simulator.step(flat.at(torch.arange(6).reshape(2, 3)), actions.reshape(2, 3))
    for number in range(6):
        single = to_board(simulator.step(flat.at(number), actions[number]), ())
        assert single == to_board(expected, (number,))
        assert single == to_board(folded, divmod(number, 3))


@BOTH
def test_legal_moves_are_those_that_change_the_board(simulator: Any) -> None:
    boards = [*BOARDS[simulator](), *(drawing.start for drawing in DRAWINGS.values())]
    expected = [
        [rules.step(board, direction) != board for direction in Direction] for board in boards
    ]
    assert simulator.is_legal(simulator.pack(boards)).tolist() == expected


@BOTH
def test_solved_is_all_boxes_on_goals_and_all_goals_filled(simulator: Any) -> None:
    far = "-" * 130 if simulator is wide_bitboards else ""
    drawn = [f"@{far}*", f"*-{far}|*@-", f"@$.{far}", f"@{far}$*", f"@*{far}.", f"+*{far}-", "@--"]
    found = simulator.is_solved(simulator.pack([parse_board(text) for text in drawn])).tolist()
    assert found == [True, True, False, False, False, False, True]


def answers(simulator: Simulator, boards: Any, zone: Tensor, actions: Tensor) -> tuple[Tensor, ...]:
    """All that the rules say of boards, and of those that they lead to, without asking the host."""
    after = simulator.step(boards, actions)
    pushed = simulator.push(boards, actions + boards.size[1], actions, zone)
    return (
        simulator.is_solved(after),
        simulator.is_legal(after),
        after.player_words,
        simulator.pushes(boards, zone),
        after.boxes,
        pushed.boxes,
        pushed.player,
    )


def random_boards() -> list[Board]:
    chance = random.Random(47)
    kinds = KINDS.values()
    return [random_board(chance, 7, 5, kind=kind, is_bordered=False) for kind in kinds] * 23


@pytest.mark.gpu
@BOTH
def test_a_device_makes_no_difference(simulator: Simulator) -> None:
    boards = simulator.pack(random_boards(), margin=0)
    on_device = boards.map(lambda part: part.cuda())
    draw = torch.Generator().manual_seed(53)
    for _ in range(29):
        actions = torch.randint(4, (69,), generator=draw)
        zone, zone_on_device = simulator.reachable(boards), simulator.reachable(on_device)
        assert torch.equal(zone_on_device.cpu(), zone)
        expected = answers(simulator, boards, zone, actions)
        found = answers(simulator, on_device, zone_on_device, actions.cuda())
        for expected_part, part in zip(expected, found, strict=True):
            assert torch.equal(part.cpu(), expected_part)
        boards = simulator.step(boards, actions)
        on_device = simulator.step(on_device, actions.cuda())


@pytest.mark.gpu
@BOTH
def test_all_answers_can_be_captured_as_one_graph(simulator: Simulator) -> None:
    boards = simulator.pack(random_boards(), device="cuda", margin=0)
    zone = simulator.reachable(boards)
    actions = torch.zeros(69, dtype=torch.long, device="cuda")
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        answers(simulator, boards, zone, actions)
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        captured = answers(simulator, boards, zone, actions)
    for direction in range(4):
        actions.fill_(direction)
        graph.replay()
        expected = answers(simulator, boards, zone, actions)
        for part, expected_part in zip(captured, expected, strict=True):
            assert torch.equal(part, expected_part)
