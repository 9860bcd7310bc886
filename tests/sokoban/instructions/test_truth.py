"""The truth of sentences: drawn plays, and a plain search that counts every move."""

import random
import threading
from collections import Counter
from typing import Any

import pytest

from benchmarks import instructions
from tokoban.sokoban.board import Board, Direction, Square
from tokoban.sokoban.formats import lurd
from tokoban.sokoban.instructions import graph, truth
from tokoban.sokoban.instructions.grammar import fields, parse
from tokoban.sokoban.instructions.machine import Cells, build_machine, obeys
from tokoban.sokoban.instructions.meaning import DEMANDS, Box, Clause, Place
from tokoban.sokoban.instructions.naming import named_boxes
from tokoban.sokoban.instructions.play import Followed, Play, followed
from tokoban.sokoban.instructions.truth import Level, truth_of
from tokoban.sokoban.search.limits import Limits, OutOfTimeError, Watch

ROOM = Board.from_xsb("#######|#  .  #|#@$ $.#|#     #|#######")
NAMES: dict[str, list[Any]] = {
    "box": [*Box], "place": [*Place], "other": [*Box], "other_place": [*Place]
}  # fmt: skip
RIGHT_BOX_FIRST, LEFT_BOX_FIRST = "drruRldlluRdrU", "RdrUR"


@pytest.mark.parametrize(
    ("text", "is_right_first_obedient", "is_left_first_obedient"),
    [
        ("push the left box first", False, True),
        ("push the left box last", True, False),
        ("push the left box to the upper goal", True, True),
        ("push the left box to the right goal", False, False),
        ("push the left box to the upper goal first", False, True),
        ("push the left box to the upper goal last", True, False),
        ("push the right box before the left box", True, False),
        ("push the right box after the left box", False, True),
        ("bring the left box to a goal before you push the right box", False, True),
        ("bring the left box to a goal before the right box is on a goal", False, True),
        ("do not touch the left box", False, False),
        ("do not touch the right box until the left box is on a goal", False, True),
        ("keep the corners free", True, True),
        ("keep the right goal free", False, False),
        ("keep the right goal free until the left box is on the upper goal", False, True),
        ("do not walk through the lower half", False, False),
        ("do not walk through the left half until the left box is on a goal", False, False),
        ("do not walk through the left half until the right box is in the right half", True, True),
        ("avoid the upper half", False, False),
        ("bring the left box to the upper goal, then the right box to the lower goal", False, True),
        ("bring the left box to a goal, then the right box to the upper goal", False, False),
        ("first push the left box then the right box", False, True),
        ("push the left box at some point", True, True),
        ("end in the right half", False, True),
        ("end in the right half and push the left box last", False, False),
        ("end in the right half and push the left box first", False, True),
    ],
)
def test_a_play_obeys_as_it_was_drawn(
    text: str, is_right_first_obedient: bool, is_left_first_obedient: bool
) -> None:
    meaning = parse(text).meaning
    cells = Cells.of(ROOM, named_boxes(ROOM, meaning))
    machine = build_machine(cells, meaning)
    found = [obeys(cells, machine, lurd.parse(play)) for play in (RIGHT_BOX_FIRST, LEFT_BOX_FIRST)]
    assert found == [is_right_first_obedient, is_left_first_obedient]
    assert not obeys(cells, machine, lurd.parse(LEFT_BOX_FIRST[:-1]))
    assert not obeys(cells, machine, lurd.parse("l" + LEFT_BOX_FIRST))  # into the wall


def shortest_plays(board: Board, num_pushes: int) -> list[list[tuple[Square, Direction]]]:
    """All solutions of so many pushes, by trying every push."""
    plays: list[tuple[Play, list[tuple[Square, Direction]]]] = [(Play.of(board), [])]
    for _ in range(num_pushes):
        plays = [
            (play.push(*push), [*made, push]) for play, made in plays for push in play.pushes()
        ]
    return [made for play, made in plays if play.board.is_solved]


@pytest.mark.parametrize(
    "board",
    [
        ROOM,
        Board.from_xsb("#######|# .   #|# $@  #|#  $. #|#######"),
        # The push that is the nearest at first is not the best.
        Board.from_xsb("#######|#@ .  #|#     #|# $$ .#|#     #|#######"),
    ],
)
def test_a_sentence_asks_something_if_a_shortest_solution_disobeys_and_a_plan_has_few_moves(
    board: Board,
) -> None:
    fewest = truth_of(board, ()).fewest_pushes
    assert fewest is not None
    plays, counts = shortest_plays(board, fewest), Counter[bool]()
    assert len(plays) > 1
    chance = random.Random(4)
    clauses = [
        Clause(kind, **{field: chance.choice([*NAMES[field]]) for field in fields(kind)})
        for kind in DEMANDS
        for _ in range(12)
    ]
    for clause in clauses:
        try:
            found = truth_of(board, (clause,))
        except ValueError:
            continue  # the board has no such box
        obedient = []
        for pushes in plays:
            now: Followed | None = Followed(Play.of(board), found.machine.start, ())
            for push in pushes:
                now = now and followed(found.graph.cells, found.machine, now, push)
            if now is not None and found.machine.accepts[now.state]:
                obedient.append(len(now.moves))
        disobeyed = len(obedient) < len(plays)
        assert found.asks_something() == disobeyed, clause
        counts[disobeyed] += 1
        if obedient:
            assert len(found.plan()) == min(obedient), clause
    assert min(counts[True], counts[False]) > 10


def test_what_is_true_at_the_start_counts() -> None:
    solved = Board.from_xsb("#######|#@*  *#|#######")
    fewest = {
        text: truth_of(solved, parse(text).meaning).fewest_pushes
        for text in (
            "push the left box to the left goal first",
            "bring the left box to a goal before the right box is on a goal",
            "do not walk through the right half until the left box is on a goal",
            "end in the left half",
            "push the left box first",
        )
    }
    assert [*fewest.values()] == [0, 0, 0, 0, None]
    half = Board.from_xsb("########|#  *   #|#@   $.#|#      #|########")
    for text, num_pushes in (
        ("first push the left box to the upper goal, then push the right box", 1),
        ("push the left box at some point", 3),
    ):
        assert truth_of(half, parse(text).meaning).fewest_pushes == num_pushes


# The plain search takes most of its time on the few levels with thousands of positions.
@pytest.mark.parametrize(
    ("num_pairs", "most_positions"), [(50, 300), pytest.param(200, 5000, marks=pytest.mark.slow)]
)
def test_the_truth_is_that_of_a_plain_search_move_by_move(
    num_pairs: int, most_positions: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(instructions, "MOST_POSITIONS", most_positions)
    counts: Counter[str] = Counter()
    for board, meaning, found, wrong in instructions.compare(random.Random(11), num_pairs):
        assert not wrong, (board, meaning, wrong)
        counts["possible" if found.fewest_pushes is not None else "impossible"] += 1
        counts.update(clause.kind.name for clause in meaning)
    assert min(counts["possible"], counts["impossible"]) > num_pairs / 10
    assert len(counts) == 2 + 17 or num_pairs < 200  # every kind of clause


def test_a_level_answers_every_sentence_on_the_graph_that_it_built_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    built = []

    def build(*args: Any, **options: Any) -> graph.Graph:
        built.append(args)
        return graph.build_graph(*args, **options)

    monkeypatch.setattr(truth, "build_graph", build)
    texts = ["push the left box first", "push the right box last", "do not enter the corners"]
    level = Level(ROOM, ROOM.boxes)
    for text in texts:
        meaning = parse(text).meaning
        assert level.truth(meaning).fewest_pushes == truth_of(ROOM, meaning).fewest_pushes
    level.truth(())
    assert (
        len(built) == len(texts) + 2
    )  # of each alone; the level with and without forbidden squares


def test_what_is_too_large_is_said_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    wide = Board.from_xsb("###########|#@$      .#|###########")
    with pytest.raises(ValueError, match="too large: a floor of 1x9 squares; expected at most 8x8"):
        truth_of(wide, ())
    monkeypatch.setattr(truth, "MAX_PAIRS", 10)
    meaning = parse("push the left box first").meaning
    with pytest.raises(
        graph.TooLargeError, match=r"too large: \d+ positions times 2 states; .* 10"
    ):
        truth_of(ROOM, meaning)
    monkeypatch.setattr(graph, "MAX_POSITIONS", 4096)
    hall = Board.from_xsb("|".join(["##########", *["#        #"] * 5, "# $$$ .. #", "#.@      #",
                                    "#        #", "##########"]))  # fmt: skip
    with pytest.raises(graph.TooLargeError, match="too large: more than 4,096 positions; expected"):
        truth_of(hall, meaning)


def test_a_sentence_of_too_many_states_is_refused() -> None:
    text = "push the left box after the right box and push the upper box after the lower box"
    board = Board.from_xsb("#########|#@ $    #|#$   .  #|#   . .$#|#  $ .  #|#########")
    with pytest.raises(ValueError, match="of 9 states; expected at most 8: leave out a clause"):
        truth_of(board, parse(text).meaning)


def test_within_limits_the_answer_is_that_without_or_says_which_limit_ended_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    board, meaning = ROOM, parse("push the left box last").meaning
    full = truth.solve(board, meaning)
    monkeypatch.setattr(graph, "_POSITIONS_AT_ONCE", 5)
    monkeypatch.setattr(truth, "_PAIRS_AT_ONCE", 3)
    assert truth.solve(board, meaning).solution == full.solution
    ended = 0
    for most in range(40):
        found = truth.solve(board, meaning, Limits(max_expansions=most))
        if found.status == "gave up":
            assert found.reason == f"{most} expansion{'s' * (most != 1)}" and most == ended
            ended += 1
        else:
            assert (found.solution, found.at_least_pushes) == (full.solution, full.at_least_pushes)
    assert 1 < ended == full.num_expansions < 40
    times = iter(range(99))  # the third look ends it, amid the graph
    watch = Watch(Limits(time_limit_s=2.5, clock=lambda: next(times)))
    with pytest.raises(OutOfTimeError):
        graph.build_graph(Cells.of(board, board.boxes), watch=watch)
    stop = threading.Event()
    stop.set()
    for limits, reason in (
        (Limits(time_limit_s=0), "0 s"),
        (Limits(memory_limit_mb=0.1), "0.1 MB"),
        (Limits(stop=stop), "stopped"),
    ):
        assert truth.solve(board, meaning, limits).reason == reason
