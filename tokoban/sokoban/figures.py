"""The figures by which players compare solutions, counted as Sokoban YASC counts them."""

from collections.abc import Sequence
from dataclasses import dataclass

from tokoban.sokoban.board import Board
from tokoban.sokoban.formats import lurd


@dataclass(frozen=True)
class Figures:
    """Six measures of the length of a solution; fewer is better in each.

    A box line goes on while the same box is pushed in the same direction, whatever steps lie
    between (JSoko begins a new one at every step, so that the two differ where a player steps back
    from a box and comes again).
    """

    moves: int  # pushes included
    pushes: int
    box_lines: int  # pushes of one box in one direction, one after the other
    box_changes: int  # pushes of another box than the one before, the first included
    pushing_sessions: int  # runs of pushes without a step between them
    player_lines: int  # runs of moves in one direction


def count_figures(board: Board, directions: Sequence[int]) -> Figures:
    """The figures of these moves from ``board``.

    Raises ``ValueError`` at the first move that the rules forbid.
    """
    letters = lurd.format(board, directions)
    player = board.player
    pushed_to = pushed_in = None  # the last push: where its box is now, and its direction
    pushes = box_lines = box_changes = pushing_sessions = player_lines = 0
    before = ""  # the letter before this one
    for letter, direction in zip(letters, directions, strict=True):
        player = player.neighbour(direction)
        player_lines += letter.lower() != before.lower()
        if letter.isupper():
            is_other_box = player != pushed_to
            pushes += 1
            box_changes += is_other_box
            box_lines += is_other_box or direction != pushed_in
            pushing_sessions += not before.isupper()
            pushed_to, pushed_in = player.neighbour(direction), direction
        before = letter
    return Figures(len(letters), pushes, box_lines, box_changes, pushing_sessions, player_lines)
