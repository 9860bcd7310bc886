"""The squares of XSB: one board as text and back. Levels and files are ``levels``' business."""

from tokoban.sokoban.board import Board, Square

# What stands on a floor square, by its letter; a wall and a bare floor are apart.
_BOX, _GOAL, _PLAYER = 1, 2, 4
_CONTENTS = {
    " ": 0, "-": 0, "_": 0,
    "$": _BOX, "b": _BOX,
    "*": _BOX | _GOAL, "B": _BOX | _GOAL,
    ".": _GOAL,
    "@": _PLAYER, "p": _PLAYER,
    "+": _PLAYER | _GOAL, "P": _PLAYER | _GOAL,
}  # fmt: skip
_LETTERS = {0: " ", _BOX: "$", _BOX | _GOAL: "*", _GOAL: ".", _PLAYER: "@", _PLAYER | _GOAL: "+"}
SQUARES = frozenset("#") | frozenset(_CONTENTS)


def parse_board(text: str) -> Board:
    """The board drawn in ``text``: newlines or ``|`` part its rows, floor fills the short ones.

    A board may be open at its edge and have any number of boxes and goals, but it has one player.
    Raises ``ValueError`` naming the row and column of what is wrong, both counted from 1.
    """
    rows = text.replace("|", "\n").strip("\n").split("\n")
    found: dict[int, set[Square]] = {_BOX: set(), _GOAL: set(), _PLAYER: set()}
    walls: set[Square] = set()
    for row, line in enumerate(rows):
        for column, letter in enumerate(line):
            square = Square(row, column)
            if letter == "#":
                walls.add(square)
                continue
            if letter not in _CONTENTS:
                raise ValueError(f"row {row + 1}, column {column + 1}: {letter!r} is not a square")
            for kind, squares in found.items():
                if _CONTENTS[letter] & kind:
                    squares.add(square)
    players = sorted(found[_PLAYER])
    if len(players) != 1:
        raise ValueError("no player" if not players else f"{len(players)} players")
    return Board(
        height=len(rows),
        width=max(map(len, rows)),
        walls=frozenset(walls),
        goals=frozenset(found[_GOAL]),
        boxes=frozenset(found[_BOX]),
        player=players[0],
    )


def format_board(board: Board) -> str:
    """The board as XSB rows parted by newlines, every row as wide as the board."""

    def letter(square: Square) -> str:
        if square in board.walls:
            return "#"
        contents = _BOX * (square in board.boxes) | _GOAL * (square in board.goals)
        return _LETTERS[contents | _PLAYER * (square == board.player)]

    return "\n".join(
        "".join(letter(Square(row, column)) for column in range(board.width))
        for row in range(board.height)
    )
