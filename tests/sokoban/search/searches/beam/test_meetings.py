"""Meetings of pushes from the start and pulls from the end: none is missed, and each solves."""

from tests.sokoban.search.searches.beam.test_pull_beam import PUZZLES, boards
from tests.sokoban.search.searches.beam.test_push_beam import child_position, end_layer
from tokoban.sokoban import rules
from tokoban.sokoban.board import Board
from tokoban.sokoban.search.combine.portfolio import MEMBERS, SearchContext, context_in_steps
from tokoban.sokoban.search.level.ground import Squares
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.pauses import Budget, Found, Underway, underway
from tokoban.sokoban.search.searches.beam.meetings import FromTheEnd, Meetings
from tokoban.sokoban.search.searches.beam.push_beam import PushBeam
from tokoban.sokoban.search.searches.fess.tree import NUM_CHILDREN
from tokoban.sokoban.search.state.positions import packed_bits
from tokoban.sokoban.search.steps import completed


def setting_of(board: Board) -> SearchContext:
    return completed(context_in_steps(board, Squares(board)))


def pulled_keys(search: FromTheEnd, context: SearchContext, first: int) -> set[tuple[bytes, int]]:
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
        words = packed_bits(squares.is_among(boxes))
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
        context = setting_of(board)
        pushes, pulls = (
            completed(MEMBERS[name].start(context)) for name in ("push-beam", "pull-beam")
        )
        assert isinstance(pushes, PushBeam) and isinstance(pulls, FromTheEnd)
        meetings, keys = Meetings([pulls]), context.ground.keys
        pulling = underway(pulls)
        for turn in range(12):
            # By turns a layer of pushes and a few pulls, until both have the same position.
            if turn % 2 == 0 and not end_layer(pushes):
                break
            if turn % 2 == 1:
                go_on_to_others(pulling, pulls, 5)
            both = child_keys(pushes, board, 1) & pulled_keys(pulls, context, 0)
            meeting = completed(meetings.find_in_steps(keys, pushes._tree))
            assert (meeting is not None) == bool(both)
            if meeting is not None:
                num_met_by_pushes += turn % 2 == 0
                num_met_by_pulls += turn % 2 == 1
                break
    assert num_met_by_pushes > 0 and num_met_by_pulls > 0


def test_a_meeting_is_a_solution() -> None:
    num_met = 0
    for board in PUZZLES:
        context = setting_of(board)
        pulls = completed(MEMBERS["pull-beam"].start(context))
        assert isinstance(pulls, FromTheEnd)
        context.pulls.append(pulls)
        pushes = completed(MEMBERS["push-beam"].start(context))
        pulling, pushing, found = underway(pulls), underway(pushes), None
        for _ in range(9):
            if found is None:
                go_on_to_others(pulling, pulls, 31)
                found = go_on_working(pushing, 1 << 8)
        if found is not None and found.outcome == Outcome.SOLVED:
            assert isinstance(pushes, PushBeam)
            num_met += pushes._meeting is not None
            assert rules.play(board, found.directions)[-1].is_solved
    assert num_met >= 3
