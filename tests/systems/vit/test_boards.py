"""The embedded set: every label proved again by playing, every picture the renderer's own."""

import pytest
import torch

from tests.sokoban.brute_force import reachable
from tests.sokoban.unpacked import to_board
from tokoban.sokoban.render import render_rgb
from tokoban.sokoban.simulation import bitboards
from tokoban.sokoban.simulation.bitboards import Bitboards
from tokoban.sokoban.symmetry import SYMMETRIES
from tokoban.systems.vit import boards
from tokoban.systems.vit.boards import LOST, OPEN, SOLVED, draw_boards, draw_pictures


def test_labels_are_what_all_possible_play_leads_to() -> None:
    drawn = draw_boards(36, seed=3)
    num_tried = 0
    for row in range(36):
        board = to_board(drawn.boards, (row,))
        standing, num_boxes = int(drawn.standings[row]), int(drawn.num_boxes[row])
        assert len(board.boxes) == len(board.goals) == num_boxes
        assert board.is_solved == (standing == SOLVED)
        if num_boxes == 1 and standing != SOLVED:
            can_be_solved = any(after.is_solved for after in reachable(board))
            assert can_be_solved == (standing == OPEN)
            num_tried += 1
    assert num_tried == 6


def test_all_kinds_are_as_many() -> None:
    drawn = draw_boards(27, seed=1)
    kinds = torch.bincount(drawn.standings * 4 + drawn.num_boxes - 1, minlength=12)
    assert kinds.tolist() == [3, 3, 3] + [2] * 9


def test_no_board_is_the_image_of_another(monkeypatch: pytest.MonkeyPatch) -> None:
    play, played = boards._play, dict[int, Bitboards]()

    def play_again(num_boxes: int, generator: torch.Generator) -> Bitboards:
        """Boards twice over, and every second time those before, turned."""
        if num_boxes in played:
            return bitboards.image(played.pop(num_boxes), SYMMETRIES[3])
        found = play(num_boxes, generator)
        played[num_boxes] = Bitboards(*(torch.cat([word, word]) for word in found))
        return played[num_boxes]

    monkeypatch.setattr(boards, "_DRAWS", 100)
    monkeypatch.setattr(boards, "_play", play_again)
    assert len(bitboards.canonical_keys(draw_boards(60, seed=5).boards).unique()) == 60


def test_pictures_are_those_of_the_renderer() -> None:
    drawn = draw_boards(40, seed=7)
    pictures = draw_pictures(drawn.boards, square_px=5)
    for row, picture in enumerate(pictures):
        board = to_board(drawn.boards, (row,))
        assert picture.permute(1, 2, 0).numpy().tolist() == render_rgb(board, square_px=5).tolist()


def test_a_board_that_the_solver_gives_up_has_no_standing(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = draw_boards(60, seed=2)
    monkeypatch.setattr(boards, "_MAX_EXPANSIONS", 0)
    standings = boards.solver_labels(drawn.boards)
    assert set(standings[drawn.standings == OPEN].tolist()) == {-1}
    assert set(standings[drawn.standings == SOLVED].tolist()) == {SOLVED}
    assert LOST not in standings[drawn.standings != LOST]
