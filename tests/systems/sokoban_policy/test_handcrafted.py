"""The post's entries: detours that are taken back, and then the solution."""

from tokoban.sokoban.board import UNDO
from tokoban.sokoban.rules import play
from tokoban.systems.sokoban_policy.handcrafted import HANDCRAFTED


def test_the_posts_entries_solve_their_start_and_their_detours_are_masked() -> None:
    assert [entry.actions for entry in HANDCRAFTED] == [(1, 1), (UNDO, 1, 1), (0, UNDO, 1, 1)]
    for entry in HANDCRAFTED:
        assert play(entry.start, entry.actions)[-1].is_solved and entry.is_solved
        assert entry.is_bad == (True,) * (len(entry.actions) - 2) + (False, False)
