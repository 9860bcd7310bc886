"""Meetings of pushes from the start and pulls from the end: none is missed, and each solves."""

import numpy as np
import pytest

from tests.sokoban.search.searches.beam.test_pull_beam import PUZZLES, boards
from tests.sokoban.search.searches.beam.test_push_beam import child_position, end_layer
from tokoban.sokoban import rules
from tokoban.sokoban.board import Board
from tokoban.sokoban.search.combine import portfolio
from tokoban.sokoban.search.combine.portfolio import SLICES, Portfolio, Setting, setting_in_steps
from tokoban.sokoban.search.level.ground import NONE, Squares
from tokoban.sokoban.search.level.one_box import Step
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.pauses import Budget, Found, Underway, underway
from tokoban.sokoban.search.searches.beam import meetings as meetings_module
from tokoban.sokoban.search.searches.beam.meetings import FromTheEnd, Meetings, find_position
from tokoban.sokoban.search.searches.beam.push_beam import PushBeam
from tokoban.sokoban.search.searches.fess.tree import NUM_CHILDREN
from tokoban.sokoban.search.state.positions import Positions, empty_positions, refill_slots
from tokoban.sokoban.search.steps import completed


def setting_of(board: Board) -> Setting:
    return completed(setting_in_steps(board, Squares(board)))


def pulled_keys(search: FromTheEnd, setting: Setting, first: int) -> set[tuple[bytes, int]]:
    """Boxes and player of the positions of a search from ``first`` on."""
    positions = search.pulled
    assert positions is not None
    last = int(positions.num_known[0])
    return {(positions.boxes[i].tobytes(), int(positions.player[i])) for i in range(first, last)}


def child_keys(search: PushBeam, board: Board, first: int) -> set[tuple[bytes, int]]:
    """The same of the children of the tree."""
    squares = Squares(board)
    found = set()
    for child in range(first, int(search._tree.progress[NUM_CHILDREN])):
        boxes, player = child_position(search, child, board)
        words = np.zeros(-(-len(squares.squares) // 64), np.uint64)
        for box in boxes:
            number = squares.number[box]
            words[number >> 6] |= np.uint64(1 << (number & 63))
        found.add((words.tobytes(), squares.number[player]))
    return found


def go_on_to_others(search: Underway, pulls: FromTheEnd, budget: int) -> None:
    """Goes on until new positions are met; tables may be set up before, as the clock has it."""
    before = num_pulled(pulls)
    for _ in range(50):
        search.go_on(Budget(budget))
        if num_pulled(pulls) > before:
            return


def num_pulled(pulls: FromTheEnd) -> int:
    assert pulls.pulled is not None
    return int(pulls.pulled.num_known[0])


def go_on_working(search: Underway, budget: int) -> Found | None:
    """Goes on until some work is done, or the search is."""
    before, found = search.pause.work, None
    while found is None and search.pause.work == before:
        found = search.go_on(Budget(budget))
    return found


def test_a_meeting_is_found_as_soon_as_there_is_one() -> None:
    num_met_by_pushes = num_met_by_pulls = 0
    for board in [*PUZZLES, *boards()]:
        setting = setting_of(board)
        pushes, pulls = (
            completed(SLICES[name].start(setting)) for name in ("push-beam", "targets")
        )
        assert isinstance(pushes, PushBeam) and isinstance(pulls, FromTheEnd)
        meetings, keys = Meetings([pulls]), setting.tables[0].ground.keys
        pulling = underway(pulls)
        for turn in range(12):
            # By turns a layer of pushes and a few pulls, until both have the same position.
            if turn % 2 == 0 and not end_layer(pushes):
                break
            if turn % 2 == 1:
                go_on_to_others(pulling, pulls, 5)
            both = child_keys(pushes, board, 1) & pulled_keys(pulls, setting, 0)
            meeting = completed(meetings.find_in_steps(keys, pushes._tree))
            assert (meeting is not None) == bool(both)
            if meeting is not None:
                num_met_by_pushes += turn % 2 == 0
                num_met_by_pulls += turn % 2 == 1
                tree, positions = pushes._tree, pulls.pulled
                assert positions is not None
                words = np.empty(tree.boxes.shape[1], np.uint64)
                alone = [
                    find_position(tree, keys, positions, words, number, number + 1)[1]
                    for number in range(int(positions.num_known[0]))
                ]
                assert len(alone) - alone.count(NONE) == len(both)
                break
    assert num_met_by_pushes > 0 and num_met_by_pulls > 0


def test_a_meeting_is_a_solution() -> None:
    num_met = 0
    for name in ("bidirectional", "targets", "pull-beam"):
        for board in PUZZLES:
            setting = setting_of(board)
            pulls = completed(SLICES[name].start(setting))
            assert isinstance(pulls, FromTheEnd)
            setting.pulls.append(pulls)
            pushes = completed(SLICES["push-beam"].start(setting))
            pulling, pushing, found = underway(pulls), underway(pushes), None
            for _ in range(9):
                if found is None:
                    go_on_to_others(pulling, pulls, 31)
                    found = go_on_working(pushing, 1 << 8)
            if found is not None and found.outcome == Outcome.SOLVED:
                assert isinstance(pushes, PushBeam)
                num_met += pushes._meeting is not None
                assert rules.play(board, found.directions)[-1].is_solved
    assert num_met >= 6


class Pulls:
    """A search by pulls whose store is what the test says."""

    def __init__(self, pulled: Positions | None) -> None:
        self.pulled = pulled

    def steps_to_end(self, position: int) -> list[Step]:
        raise AssertionError(position)


def test_what_could_not_be_compared_is_compared_later(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table that is refilled, then a store with nothing known, then another with a child."""
    monkeypatch.setattr(meetings_module, "_AT_ONCE", 1)
    board = PUZZLES[0]
    setting = setting_of(board)
    keys = setting.tables[0].ground.keys
    pushes = completed(SLICES["push-beam"].start(setting))
    assert isinstance(pushes, PushBeam) and end_layer(pushes)
    tree = pushes._tree
    empty, store = (empty_positions(4, keys.shape[1]) for _ in range(2))
    child = int(tree.progress[NUM_CHILDREN]) - 1
    ((boxes, player),) = child_keys(pushes, board, child)
    store.boxes[0], store.player[0] = np.frombuffer(boxes, np.uint64), player
    store.boxes_key[0] = tree.key[child] ^ keys[1, player]
    store.num_known[0] = 1
    refill_slots(store, keys, 0, 1)

    pulls = Pulls(None)
    meetings = Meetings([pulls])
    for pulled in (None, empty, None, empty):
        pulls.pulled = pulled
        assert completed(meetings.find_in_steps(keys, tree)) is None
    pulls.pulled = store
    meeting = completed(meetings.find_in_steps(keys, tree))
    assert meeting is not None and (meeting.child, meeting.position) == (child, 0)

    # The store changes between two steps.
    pulls.pulled = empty
    meetings = Meetings([pulls])
    steps = meetings.find_in_steps(keys, tree)
    next(steps)
    pulls.pulled = store
    assert completed(steps) is None
    assert completed(meetings.find_in_steps(keys, tree)) == meeting


def test_the_setting_lists_searches_by_pulls_until_they_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(portfolio, "_TURN", 1)
    setting = setting_of(PUZZLES[0])
    plans = [SLICES[name] for name in ("pull-beam", "fess", "targets")]
    search = Portfolio(setting, plans, memory_limit_mb=2000.0)
    going = underway(search)
    while len(setting.pulls) < 2:
        assert going.go_on(Budget(1)) is None
    assert [type(one).__name__ for one in setting.pulls] == ["Midway", "Targets"]
    ended = next(one for one in search._members if one.plan.name == "pull-beam")
    search._end(ended)
    assert [type(one).__name__ for one in setting.pulls] == ["Targets"]
