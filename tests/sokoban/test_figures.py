"""The figures of solutions, counted by hand."""

import pytest

from tokoban.sokoban.figures import Figures, count_figures
from tokoban.sokoban.formats import lurd, parse_board

ROOM = "#######|#@-$-.#|#-$-.-#|#-----#|#######"


@pytest.mark.parametrize(
    ("moves", "figures"),
    [
        # moves, pushes, box lines, box changes, pushing sessions, player lines
        ("", Figures(0, 0, 0, 0, 0, 0)),
        ("rr", Figures(2, 1, 1, 1, 1, 1)),
        ("rRR", Figures(3, 2, 1, 1, 1, 1)),
        ("rRRllldRR", Figures(9, 4, 2, 2, 2, 4)),
        # Away and back to the same box, and on in the same direction: YASC counts one line.
        ("rRlrR", Figures(5, 2, 1, 1, 2, 3)),
        # The second box to the right and then up: two lines, one change.
        ("rRlldRdrU", Figures(9, 3, 3, 2, 3, 7)),
        # From one box to the other without a step between.
        ("dRuRD", Figures(5, 3, 3, 3, 2, 5)),
    ],
)
def test_figures(moves: str, figures: Figures) -> None:
    assert count_figures(parse_board(ROOM), lurd.parse(moves)) == figures


def test_moves_that_the_rules_forbid_have_no_figures() -> None:
    with pytest.raises(ValueError, match=r"^move 1 \(u\): wall at row 1, column 2$"):
        count_figures(parse_board(ROOM), lurd.parse("u"))
