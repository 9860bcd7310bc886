"""The states sampled and their labels, against every possible play by the plain rules."""

from functools import cache

import numpy as np
import pytest

from tests.sokoban.brute_force import Shape, best_pushes, pushes_of, random_boards, reachable, to_go
from tests.sokoban.labels.play_of import label_all, parts
from tests.sokoban.search.bitboard.swept import LARGE, words_of
from tokoban.sokoban.board import Board, Direction
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.labels.driver import Labelled
from tokoban.sokoban.labels.samples import Origin, PlayedStates
from tokoban.sokoban.search.bitboard.driver import Verdict
from tokoban.sokoban.search.bitboard.labels import DEADLOCKED, Labels
from tokoban.sokoban.search.bitboard.sweep import workspace_for

SHAPES = [
    Shape(4, 5, 1, is_closed=False),
    Shape(3, 5, 2, is_closed=False),
    Shape(3, 4, 3, is_closed=True),
]
BOARDS = [board for shape in SHAPES for board in random_boards(shape, 6, seed=29)]
SMALL = parse_board("@$.")


class Play:
    """All boards that play can reach from a start, by their words."""

    def __init__(self, start: Board) -> None:
        self.after = reachable(start)
        self.start = start
        self.to_go = {unit: to_go(self.after, unit) for unit in ("moves", "pushes")}
        boards = list(self.after)
        words = words_of(boards)
        keys = zip(words.boxes.tolist(), words.player.tolist(), strict=True)
        self.board = dict(zip(keys, boards, strict=True))
        self.key = {board: key for key, board in self.board.items()}

    def neighbours(self, board: Board) -> set[Board]:
        """What a push or a move makes of a board."""
        return {*pushes_of(board).values(), *self.after[board]} - {board}

    def steps(self) -> dict[Board, int]:
        """The moves from the start to each board."""
        steps, waiting = {self.start: 0}, [self.start]
        for board in waiting:
            for later in self.after[board]:
                if later not in steps:
                    steps[later] = steps[board] + 1
                    waiting.append(later)
        return steps


@cache
def plays() -> list[Play]:
    return [Play(board) for board in BOARDS]


def states_of(found: Labelled, part: slice) -> list[tuple[tuple[int, int], Origin]]:
    samples = found.samples
    keys = zip(samples.boxes[part].tolist(), samples.player[part].tolist(), strict=True)
    return list(zip(keys, map(Origin, samples.origin[part].tolist()), strict=True))


@pytest.fixture(scope="module")
def found() -> Labelled:
    return label_all(BOARDS)


def check_labels(play: Play, keys: list[tuple[int, int]], labels: Labels, unit: str) -> int:
    """Compares the labels of a level's states, and counts the deadlocked ones."""
    total = play.to_go[unit]
    for state, key in enumerate(keys):
        board = play.board[key]
        assert labels.distance[state] == total.get(board, DEADLOCKED)
        moves, pushes = 0, set()
        if total.get(board, 0) > 0:
            pushes = best_pushes(board, play.after, total, unit)
            if unit == "moves":
                is_best = [total.get(later) == total[board] - 1 for later in play.after[board]]
                moves = sum(1 << direction for direction in Direction if is_best[direction])
        assert labels.best_moves[state] == moves
        assert pushes == {
            (cell, direction)
            for direction in Direction
            for cell in range(64)
            if int(labels.best_pushes[state, direction]) >> cell & 1
        }
    return sum(play.board[key] not in total for key in keys)


@pytest.fixture(scope="module")
def played() -> Labelled:
    """Every third board that play can reach, twice, in place of sampled ones; none of level 1."""
    chosen = [[*play.key.values()][::3] * 2 for play in plays()]
    chosen[1] = []
    states = np.array([key for keys in chosen for key in keys], np.uint64).reshape(-1, 2)
    ends = np.cumsum([len(keys) for keys in chosen], dtype=np.int64)
    boxes, player = states.T.copy()
    return label_all(BOARDS, played=PlayedStates(boxes, player, ends))


@pytest.mark.parametrize("unit", ["moves", "pushes"])
@pytest.mark.parametrize("states", ["found", "played"])
def test_labels_are_what_every_possible_play_shows(
    request: pytest.FixtureRequest, states: str, unit: str
) -> None:
    found: Labelled = request.getfixturevalue(states)
    labels = found.by_moves if unit == "moves" else found.by_pushes
    num_lost = 0
    for level, (play, part) in enumerate(zip(plays(), parts(found), strict=True)):
        is_solvable = play.start in play.to_go[unit]
        assert labels.verdict[level] == (Verdict.SOLVED if is_solvable else Verdict.UNSOLVABLE)
        keys = [key for key, _ in states_of(found, part)]
        own = Labels(*labels[:2], *(states[part] for states in labels[2:]))
        num_lost += check_labels(play, keys, own, unit)
    assert 0 < num_lost < len(labels.distance)


def test_each_state_is_there_once_and_its_neighbours_are_there_too(found: Labelled) -> None:
    for play, part in zip(plays(), parts(found), strict=True):
        states = dict(states_of(found, part))
        assert len(states) == part.stop - part.start
        assert states[play.key[play.start]] == Origin.BEST
        expected = set()
        for key, origin in states.items():
            if origin != Origin.NEIGHBOUR and not play.board[key].is_solved:
                expected |= play.neighbours(play.board[key])
        kept = {play.board[key] for key, origin in states.items() if origin != Origin.NEIGHBOUR}
        assert {play.board[key] for key in states} == kept | expected


def test_played_states_take_the_place_of_sampled_ones(played: Labelled) -> None:
    for level, (play, part) in enumerate(zip(plays(), parts(played), strict=True)):
        states = dict(states_of(played, part))
        assert len(states) == part.stop - part.start
        given = [*play.key.values()][::3] if level != 1 else []
        assert {key for key, origin in states.items() if origin == Origin.POLICY} == {*given}
        kept = {play.board[key] for key in given}
        expected = {
            later for board in kept if not board.is_solved for later in play.neighbours(board)
        }
        assert {play.board[key] for key in states} == kept | expected


def test_the_best_play_is_on_shortest_ways_and_slips_are_at_the_border(found: Labelled) -> None:
    numbers: dict[Origin, int] = {origin: 0 for origin in Origin if origin != Origin.POLICY}
    for play, part in zip(plays(), parts(found), strict=True):
        total, steps = play.to_go["moves"], play.steps()
        for key, origin in states_of(found, part):
            board = play.board[key]
            numbers[origin] += 1
            if origin == Origin.BEST and play.start in total:
                assert steps[board] + total[board] == total[play.start]
            if origin == Origin.BORDER and board in total:
                assert any(later not in total for later in pushes_of(board).values())
            if origin == Origin.BORDER and board not in total:
                assert any(board in pushes_of(earlier).values() for earlier in total)
    assert all(numbers.values()), numbers


def test_every_kind_of_play_has_its_share() -> None:
    level = parse_board("--------|--$-----|----$---|--@-----|--------|---.----|-----.--")
    found = label_all([level], num_states=60)
    counts = np.bincount(found.samples.origin, minlength=len(Origin))
    # A slip may add one state more than are wanted, and the next kind has one less to add.
    assert all(abs(int(count) - 12) <= 1 for count in counts[: Origin.NEIGHBOUR])
    assert sum(counts[: Origin.NEIGHBOUR]) in (60, 61)


def test_losing_pushes_that_no_static_check_shows_come_first() -> None:
    # In the last row a box can only go on along it, and there is one goal. So long as the other box
    # is in the row above, pushing it down is a deadlock that no dead square or frozen box shows;
    # pushing the box of the last row into the corner is the other losing push.
    found = label_all([parse_board("--------|-----.--|@-$-----|.-----$-")], num_states=101)
    must_lose = (found.samples.origin == Origin.BORDER) & (found.by_moves.distance == DEADLOCKED)
    boxes = found.samples.boxes[must_lose]
    in_row_3 = np.bitwise_count(boxes >> np.uint64(8 * 3))
    in_row_2 = np.bitwise_count(boxes >> np.uint64(8 * 2)) - in_row_3
    is_in_corner = (boxes >> np.uint64(8 * 3 + 7)) == 1
    assert (in_row_3 == 2).any()
    assert not (is_in_corner & (in_row_2 == 1)).any()


def test_chance_is_of_the_seed_and_the_levels_number_alone() -> None:
    together = label_all(BOARDS, numbers=range(100, 100 + len(BOARDS)))
    workspace = workspace_for(words_of([LARGE, *BOARDS]))
    for level in reversed(range(len(BOARDS))):
        alone = label_all([BOARDS[level]], numbers=[100 + level], workspace=workspace)
        part = parts(together)[level]
        assert np.array_equal(alone.samples.boxes, together.samples.boxes[part])
        assert np.array_equal(alone.samples.origin, together.samples.origin[part])
        assert np.array_equal(alone.by_moves.distance, together.by_moves.distance[part])
        assert np.array_equal(alone.by_pushes.best_pushes, together.by_pushes.best_pushes[part])
    samples = {
        tuple(label_all(BOARDS[6:7], seed=seed, numbers=[number]).samples.player.tolist())
        for seed, number in [(7, 0), (8, 0), (7, 1), (-1, 0)]
    }
    assert len(samples) == 4


def test_room_for_states_grows() -> None:
    level = parse_board("@-------|--$--$--|--------|--------|----.---|--#-----|-----.--")
    found = label_all([level] * 5, num_states=101)
    # Four states for each that is sampled are the capacity at first.
    assert len(found.samples.boxes) == found.samples.ends[-1] > 4 * 101 * 5
    assert all(len(states) == len(found.samples.boxes) for states in found.by_pushes[2:])
    last = label_all([level], num_states=101, numbers=[4])
    part = parts(found)[4]
    assert np.array_equal(last.by_pushes.distance, found.by_pushes.distance[part])
    assert np.array_equal(last.by_moves.best_moves, found.by_moves.best_moves[part])


def test_a_level_of_too_many_sets_is_given_up_and_the_others_are_not() -> None:
    boards = [SMALL, LARGE, SMALL]
    found = label_all(boards, max_sets=1000)
    assert found.by_moves.verdict.tolist() == [
        Verdict.SOLVED,
        Verdict.OUT_OF_MEMORY,
        Verdict.SOLVED,
    ]
    assert np.diff(found.samples.ends, prepend=0).tolist() == [2, 0, 2]
    # The three states of the smallest level: solved with the player beside the box or not.
    assert label_all([SMALL], max_sets=2).by_moves.verdict[0] == Verdict.SOLVED
    assert label_all([SMALL], max_sets=1).by_moves.verdict[0] == Verdict.OUT_OF_MEMORY
