"""Answers to questions: by hand, and by every possible play of small boards."""

import random

import pytest

from benchmarks.instructions import PlainSearch, random_level
from tokoban.sokoban.board import Board
from tokoban.sokoban.instructions.grammar import parse
from tokoban.sokoban.instructions.questions import answer

LOST = Board.from_xsb("########|#    $ #|# $@*  #|# . .  #|########")
EITHER = Board.from_xsb("#######|#  .  #|#@$ $.#|#     #|#######")
CORRIDOR = Board.from_xsb("#####|#@$.#|#####")


@pytest.mark.parametrize(
    ("board", "question", "expected"),
    [
        (LOST, "How many boxes stand on goals?", "1"),
        (LOST, "where is the northern box", "row 2 column 6"),
        (LOST, "In welcher Zeile und Spalte ist die linke Kiste?", "zeile 3 spalte 3"),
        (LOST, "does the left box stand on a goal", "no"),
        (LOST, "is the northern box deadlocked", "yes"),
        (LOST, "ist die linke Kiste verloren", "nein"),
        (LOST, "can the left box reach the upper goal", "yes"),
        (LOST, "can the upper box reach the upper goal", "no"),
        (LOST, "can you push the upper box into a corner", "yes"),
        (LOST, "which box must move first in every solution", "no solution"),
        (LOST, "wie viele Schübe fehlen", "keine lösung"),
        (EITHER, "which box must move first in every solution", "none"),
        (EITHER, "how many pushes are left", "3"),
        (EITHER, "Can the level still be solved?", "yes"),
        (LOST, "Is there a solution?", "no"),
        (EITHER, "Kann man das noch lösen?", "ja"),
        (LOST, "Ist das Level noch lösbar?", "nein"),
        (LOST, "Is the position lost?", "yes"),
        (EITHER, "Can it be solved with the left box first?", "yes"),
        (EITHER, "Is it lost if I do not touch the left box?", "yes"),
        (EITHER, "Kann ich es lösen, ohne die linke Kiste zu bewegen?", "nein"),
        (CORRIDOR, "welche Kiste muss zuerst geschoben werden", "die linke kiste"),
    ],
)
def test_a_question_is_answered(board: Board, question: str, expected: str) -> None:
    assert answer(board, parse(question)) == expected


def test_answers_are_those_of_every_possible_play() -> None:
    chance = random.Random(3)
    answers: dict[str, set[str]] = {}

    def check(board: Board, question: str, expected: str) -> None:
        assert answer(board, parse(question)) == expected, (board, question)
        answers.setdefault(question, set()).add(expected)

    for _ in range(30):
        board = random_level(chance)
        search = PlainSearch(board, ())
        states = [search.start]
        met = {search.start}
        for state in states:  # grows while it is read
            new = {later for later, _ in search.moves(state)} - met
            met |= new
            states += new
            if len(states) > 5000:
                break
        if len(states) > 5000:  # a few boards with more would take most of the time
            continue
        left = sorted(board.boxes, key=lambda box: box.column)[:2]
        if left[0].column < left[1].column:
            been = {boxes[search.start[0].index(left[0])] for boxes, _, _ in met}
            check(board, "is the left box deadlocked", "no" if been & board.goals else "yes")
        fewest = search.pushes_left.get(search.start)
        check(board, "how many pushes are left", "no solution" if fewest is None else str(fewest))
        check(board, "is it solvable", "no" if fewest is None else "yes")
        check(board, "is it lost", "yes" if fewest is None else "no")
        if left[0].column < left[1].column:
            last = PlainSearch(board, parse("push the left box last").meaning)
            pushes_left = f"{last.pushes_left.get(last.start, 'no solution')}"
            check(board, "how many pushes are left if I push the left box last", pushes_left)
        pushes = search.pushes(search.start).items()
        first = {box for (box, _), later in pushes if later in search.pushes_left}
        named = answer(board, parse("which box must be pushed first"))
        is_one = bool(fewest) and len(first) == 1
        assert (named not in ("none", "no solution")) == is_one
    assert min(map(len, answers.values())) > 1
