"""The positions of one side, their cells and the heaps that say which one is next."""

import numpy as np

from tests.sokoban.search.laid_out import for_python, lay_out_board
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.search.level.ground import NONE
from tokoban.sokoban.search.searches.bidirectional import features, heaps
from tokoban.sokoban.search.searches.bidirectional.features import CELLS_PER_GOAL
from tokoban.sokoban.search.searches.bidirectional.heaps import enter
from tokoban.sokoban.search.searches.bidirectional.sides import Side, empty_side, grown
from tokoban.sokoban.search.state import positions as stores
from tokoban.sokoban.search.state.positions import refill_slots

take_from = for_python(heaps.take_from)
take_next = for_python(heaps.take_next)
feature_of = for_python(features.feature_of)
cell_of = for_python(features.cell_of)
add_weights = for_python(features.add_weights)
slot_of = for_python(stores.slot_of)

LEVEL = parse_board("########|#-$.$.-#|#--@-#-#|#----#-#|########")


def drawn_positions(count: int, seed: int) -> Side:
    """Positions with random prices in a few cells, none open."""
    draw = np.random.default_rng(seed)
    side = empty_side(256, 64, 5)
    side.num_pushes[:count] = draw.integers(30, size=count)
    side.lower_bound[:count] = draw.integers(30, size=count)
    side.weight[:count] = draw.integers(3, size=count)
    side.cell[:count] = draw.choice([0, 7, CELLS_PER_GOAL + 3], size=count)
    side.positions.num_known[0] = count
    return side


def test_the_heap_of_all_gives_the_least_price_first_while_others_are_entered() -> None:
    side = drawn_positions(200, seed=1)
    price = side.num_pushes[:200] + 4 * side.lower_bound[:200]
    everything = len(side.root) - 1
    is_in = np.zeros(200, np.bool_)
    for position in range(200):
        enter(side, position)
        is_in[position] = True
        if position % 3 == 2:
            taken = take_from(side, side.of_all, everything)
            assert is_in[taken] and price[taken] == price[is_in.nonzero()].min()
            is_in[taken] = False
    while (taken := take_from(side, side.of_all, everything)) != NONE:
        assert price[taken] == price[is_in.nonzero()].min()
        is_in[taken] = False
    assert not is_in.any()


def test_cells_take_turns_and_give_the_least_weight_first() -> None:
    side = drawn_positions(100, seed=2)
    for position in range(100):
        enter(side, position)
    taken = [int(take_next(side)) for _ in range(30)][::2]  # every other one is of all
    cells = side.cell[taken].tolist()
    assert all(cells[i] == cells[i % 3] for i in range(15)) and len(set(cells)) == 3
    for cell in set(cells):
        weights = [side.weight[i] for i in taken if side.cell[i] == cell]
        assert weights == sorted(weights)


def test_every_position_is_taken_once() -> None:
    side = drawn_positions(100, seed=3)
    for position in range(100):
        enter(side, position)
    assert sorted(int(take_next(side)) for _ in range(100)) == list(range(100))
    assert take_next(side) == NONE


def test_a_grown_store_holds_and_finds_the_same() -> None:
    laid = lay_out_board(LEVEL)
    enter(laid.side, 0)
    capacity = len(laid.positions.player)
    larger = grown(laid.side)
    refill_slots(larger.positions, laid.ground.keys, 0, 1)
    assert len(larger.positions.player) == len(larger.cell) == capacity * 3 // 2
    assert (larger.progress == laid.side.progress).all()
    player = larger.positions.player[0]
    slot = slot_of(
        larger.positions,
        laid.positions.boxes[0],
        laid.positions.boxes_key[0],
        player,
        laid.ground.keys[1, player],
    )
    assert larger.positions.slots[slot] == 0
    assert take_next(larger) == 0


def test_the_features_are_packing_connectivity_out_of_plan_and_articulation() -> None:
    # Packed from the far end of the lane: one of three. One box stands in
    # the lane, and makes a region of its inner end.
    laid = lay_out_board(parse_board("##########|#*..$----#|#####-$@##|#####--###|##########"))
    words = laid.positions.boxes[0]
    cell = cell_of(laid.tables, laid.scratch.is_blocked, words, laid.num_regions)
    assert [feature_of(cell, feature) for feature in range(4)] == [-1, 1, 0, 1]
    # Backwards the squares where boxes start are the goals, and no order is asked for.
    cell = cell_of(laid.backward, laid.scratch.is_blocked, words, laid.num_regions)
    assert feature_of(cell, 0) == -3


def test_goals_beyond_a_gap_of_their_room_are_not_packed() -> None:
    laid = lay_out_board(parse_board("##########|#..*$----#|#####-$@##|#####--###|##########"))
    words = laid.positions.boxes[0]
    cell = cell_of(laid.tables, laid.scratch.is_blocked, words, laid.num_regions)
    assert feature_of(cell, 0) == 0


def test_the_advisors_propose_the_best_by_each_feature_and_others_weigh_one_more() -> None:
    side = drawn_positions(5, seed=4)
    side.weight[0] = 6
    base = 2 * CELLS_PER_GOAL + 17  # two packed; of the others one more than the least
    side.cell[1:5] = [base, base, base + CELLS_PER_GOAL, base - 16]
    side.lower_bound[1:5] = [9, 8, 30, 31]
    add_weights(side, 0, 1, 5)
    # 2 has the least bound and is best by two features, 3 packs most, 4 has the fewest regions.
    assert side.weight[:5].tolist() == [6, 7, 6, 6, 6]
