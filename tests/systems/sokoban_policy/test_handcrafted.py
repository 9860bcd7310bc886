"""The post's entries: detours that are taken back, and then the solution."""

from tokoban.sokoban.board import UNDO
from tokoban.sokoban.rules import play
from tokoban.systems.sokoban_policy.handcrafted import HANDCRAFTED


def test_the_posts_entries_solve_their_start_and_their_detours_are_masked() -> None:
    assert any(UNDO in entry.actions for entry in HANDCRAFTED)
    for entry in HANDCRAFTED:
        assert play(entry.start, entry.actions)[-1].is_solved and entry.is_solved
        assert entry.is_bad == (True,) * (len(entry.actions) - 2) + (False, False)
