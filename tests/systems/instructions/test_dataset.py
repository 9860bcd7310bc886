"""What examples are asked, against the exact answers."""

import random

from tokoban.sokoban.instructions import benchmark
from tokoban.sokoban.instructions.meaning import Kind
from tokoban.sokoban.instructions.questions import answer
from tokoban.sokoban.instructions.truth import truth_of
from tokoban.systems.instructions.dataset import planning_question, positions


def test_planning_questions_have_the_answers_that_a_search_from_their_boards_gives() -> None:
    chance, asked = random.Random(7), set()
    for board in benchmark.boards(3, seed=6)[True]:
        for _ in range(4):
            for play, outlook, left in positions(truth_of(board, ()), chance):
                text, question, given = planning_question(chance, play.board, outlook, left)
                assert given == answer(play.board, question), (text, play.board)
                asked.add((question.meaning[0].kind, given.isdigit()))
    assert {(Kind.PUSHES_LEFT, True), (Kind.PUSHES_LEFT, False), (Kind.MOVES_FIRST, False)} == asked
