"""Numbers and squares in words, for messages and explanations."""

from tokoban.sokoban.board import Square


def counted(number: int, noun: str) -> str:
    """``1 move``, ``2 moves``, ``2 boxes``."""
    plural = "es" if noun.endswith(("sh", "x")) else "s"
    return f"{number:,} {noun}{plural * (number != 1)}"


def placed(square: Square) -> str:
    """The row and the column, counted from 1."""
    return f"row {square.row + 1}, column {square.column + 1}"
