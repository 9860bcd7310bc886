"""The store of positions and the heaps that say which one is next."""

import numpy as np

from tests.sokoban.search.fess.laid_out import for_python, lay_out_board
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.search import bit_slots
from tokoban.sokoban.search.astar import NONE
from tokoban.sokoban.search.fess import features, heaps
from tokoban.sokoban.search.fess.features import CELLS_PER_GOAL
from tokoban.sokoban.search.fess.heaps import enter
from tokoban.sokoban.search.fess.positions import (
    ALL,
    NUM_POSITIONS,
    Positions,
    empty_positions,
    grown,
    packed_bits,
    unpacked_bits,
)

take_from = for_python(heaps.take_from)
take_next = for_python(heaps.take_next)
badness = for_python(features.badness)
cell_of = for_python(features.cell_of)
weigh = for_python(features.weigh)
slot_of = for_python(bit_slots.slot_of)

LEVEL = parse_board("########|#-$.$.-#|#--@-#-#|#----#-#|########")


def drawn_positions(count: int, seed: int) -> Positions:
    """Positions with random prices in a few cells, none open."""
    draw = np.random.default_rng(seed)
    positions = empty_positions(256, 64, 5)
    positions.num_pushes[:count] = draw.integers(30, size=count)
    positions.pushes_left[:count] = draw.integers(30, size=count)
    positions.weight[:count] = draw.integers(3, size=count)
    positions.cell[:count] = draw.choice([0, 7, CELLS_PER_GOAL + 3], size=count)
    positions.progress[NUM_POSITIONS] = count
    return positions


def test_the_heap_of_all_gives_the_least_price_first_while_others_are_entered() -> None:
    positions = drawn_positions(200, seed=1)
    price = positions.num_pushes[:200] + 4 * positions.pushes_left[:200]
    everything = len(positions.root) - 1
    is_in = np.zeros(200, np.bool_)
    for position in range(200):
        enter(positions, position)
        is_in[position] = True
        if position % 3 == 2:
            taken = take_from(positions, ALL, everything)
            assert is_in[taken] and price[taken] == price[is_in.nonzero()].min()
            is_in[taken] = False
    while (taken := take_from(positions, ALL, everything)) != NONE:
        assert price[taken] == price[is_in.nonzero()].min()
        is_in[taken] = False
    assert not is_in.any()


def test_cells_take_turns_and_give_the_least_weight_first() -> None:
    positions = drawn_positions(100, seed=2)
    for position in range(100):
        enter(positions, position)
    taken = [int(take_next(positions)) for _ in range(30)][::2]  # every other one is of all
    cells = positions.cell[taken].tolist()
    assert all(cells[i] == cells[i % 3] for i in range(15)) and len(set(cells)) == 3
    for cell in set(cells):
        weights = [positions.weight[i] for i in taken if positions.cell[i] == cell]
        assert weights == sorted(weights)


def test_every_position_is_taken_once() -> None:
    positions = drawn_positions(100, seed=3)
    for position in range(100):
        enter(positions, position)
    assert sorted(int(take_next(positions)) for _ in range(100)) == list(range(100))
    assert take_next(positions) == NONE


def test_a_grown_store_holds_and_finds_the_same() -> None:
    laid = lay_out_board(LEVEL)
    enter(laid.positions, 0)
    larger = grown(laid.positions, laid.tables)
    assert len(larger.player) == 2 * len(laid.positions.player)
    assert (larger.progress == laid.positions.progress).all()
    player = larger.player[0]
    slot = slot_of(
        larger,
        laid.positions.boxes[0],
        laid.positions.mixed_boxes[0],
        player,
        laid.tables.keys[1, player],
    )
    assert larger.slots[slot] == 0
    assert take_next(larger) == 0


def test_positions_differ_by_boxes_and_by_the_area_of_the_player() -> None:
    boards = [LEVEL, parse_board("########|#-$.-$-#|#--@-#-#|#----#-#|########")]
    boards.append(parse_board("########|#-$.$.@#|#----#-#|#----#-#|########"))
    positions, tables = lay_out_board(LEVEL).positions, lay_out_board(LEVEL).tables
    for board in boards:
        other = lay_out_board(board).positions
        player = other.player[0]
        key = tables.keys[1, player]
        mixed = np.bitwise_xor.reduce(tables.keys[0, lay_out_board(board).scratch.boxes])
        slot = slot_of(positions, other.boxes[0], mixed, player, key)
        assert (positions.slots[slot] == 0) == (board == LEVEL)


def test_squares_survive_packing_into_words() -> None:
    is_in = np.random.default_rng(5).random(131) < 0.5
    words = packed_bits(is_in)
    assert words.shape == (3,)
    assert (unpacked_bits(words, 131) == is_in).all()
    assert all(int(words[i // 64]) >> i % 64 & 1 == is_in[i] for i in range(131))


def test_the_cell_counts_packed_goals_regions_boxes_shut_off_and_boxes_in_doors() -> None:
    # Packed from the far end of the lane: one of three. One box stands in
    # the lane, and makes a region of its inner end.
    laid = lay_out_board(parse_board("##########|#*..$----#|#####-$@##|#####--###|##########"))
    words = laid.positions.boxes[0]
    cell = cell_of(laid.tables, laid.scratch.is_blocked, words, laid.num_regions)
    assert [badness(cell, feature) for feature in range(4)] == [-1, 1, 0, 1]
    # Backwards the squares where boxes start are the goals, and no order is asked for.
    cell = cell_of(laid.backward, laid.scratch.is_blocked, words, laid.num_regions)
    assert badness(cell, 0) == -3


def test_goals_beyond_a_gap_of_their_room_are_not_packed() -> None:
    laid = lay_out_board(parse_board("##########|#..*$----#|#####-$@##|#####--###|##########"))
    words = laid.positions.boxes[0]
    cell = cell_of(laid.tables, laid.scratch.is_blocked, words, laid.num_regions)
    assert badness(cell, 0) == 0


def test_the_best_by_each_feature_are_advised_and_others_weigh_one_more() -> None:
    positions = drawn_positions(5, seed=4)
    positions.weight[0] = 6
    base = 2 * CELLS_PER_GOAL + 17  # two packed; one more region, outside and in doors than least
    positions.cell[1:5] = [base, base, base + CELLS_PER_GOAL, base - 16]
    positions.pushes_left[1:5] = [9, 8, 30, 31]
    weigh(positions, 0, 1, 5)
    # 2 is nearest and best in doors and outside, 3 packs most, 4 has the fewest regions.
    assert positions.weight[:5].tolist() == [6, 7, 6, 6, 6]
