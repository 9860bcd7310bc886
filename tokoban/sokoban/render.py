"""A board as text for people: coloured for a terminal, or plain XSB."""

from tokoban.sokoban.board import Board, Square
from tokoban.sokoban.formats.xsb import format_board

# Two characters a square, since letters are twice as high as wide.
_DRAWN = {"#": "  ", " ": "  ", ".": "()", "$": "[]", "*": "[]", "@": "@@", "+": "@@"}
# The parameters of SGR, the terminal's "select graphic rendition".
_COLOURS = {
    "#": "100",  # walls are grey ground
    " ": "",
    ".": "33",  # yellow
    "$": "1;31",  # red while the box has no goal
    "*": "1;32",  # green when it has one
    "@": "1;36",  # cyan
    "+": "1;36;4",  # underlined, since the player hides the goal
}
_HIGHLIGHT = "7"  # inverse


def render(board: Board, *, has_colour: bool, highlight: Square | None = None) -> str:
    """The rows of ``board``, without a newline at the end.

    With colour, every square is two columns wide and ``highlight`` (the box pushed last, say) is
    inverse. Without, it is XSB, which tells everything by its letters. Whether the terminal has
    colours, and whether the user wants them (``NO_COLOR``), the caller knows.
    """
    text = format_board(board)
    if not has_colour:
        return text
    rows = []
    for row, letters in enumerate(text.split("\n")):
        squares = []
        for column, letter in enumerate(letters):
            colour = _COLOURS[letter]
            if highlight == (row, column):
                colour = f"{colour};{_HIGHLIGHT}".lstrip(";")
            drawn = _DRAWN[letter]
            squares.append(f"\x1b[{colour}m{drawn}\x1b[0m" if colour else drawn)
        rows.append("".join(squares))
    return "\n".join(rows)


def pushed_box(before: Board, after: Board) -> Square | None:
    """Where the box is that one move from ``before`` to ``after`` pushed; ``None`` after a step."""
    return next(iter(after.boxes - before.boxes), None)
