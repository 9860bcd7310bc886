"""Boards drawn by hand with moves and what they lead to.

Rows are parted by ``|`` and bare floor is ``-``; the edge of a drawing is the edge of the board.
The moves are letters of ``uldr``. All three rules answer to these drawings.
"""

from dataclasses import dataclass

from tokoban.sokoban.board import Board
from tokoban.sokoban.formats.xsb import parse_board


@dataclass(frozen=True)
class Drawing:
    """A board, the actions played on it, and the board they lead to."""

    start: Board
    actions: tuple[int, ...]
    end: Board


# A row as wide as the packed word has columns.
ROW = "--------"


def _top(*rows: str) -> str:
    """An open 8x8 board that begins with these rows."""
    return "|".join([*rows, *[ROW] * (8 - len(rows))])


def _bottom(*rows: str) -> str:
    """An open 8x8 board that ends with these rows."""
    return "|".join([*[ROW] * (8 - len(rows)), *rows])


_DRAWN = {
    # Steps.
    "step up": ("---|-@-", "u", "-@-|---"),
    "step left": ("-@-|---", "l", "@--|---"),
    "step down": ("-@-|---", "d", "---|-@-"),
    "step right": ("-@-|---", "r", "--@|---"),
    "there and back again": ("--@|---|---", "ldru", "--@|---|---"),
    "a walk around a wall": ("@--|-#-|---", "ddrruul", "-@-|-#-|---"),
    "step onto a goal": ("@.-", "r", "-+-"),
    "step off a goal": ("-+-", "l", "@.-"),
    "a box behind is not pulled": ("-$@-", "r", "-$-@"),
    "boxes beside stay where they are": ("$-$|$@-|$-$", "r", "$-$|$-@|$-$"),
    # Bumps.
    "wall above": ("-#-|-@-", "u", "-#-|-@-"),
    "wall to the left": ("#@-", "l", "#@-"),
    "wall below": ("-@-|-#-", "d", "-@-|-#-"),
    "wall to the right": ("-@#", "r", "-@#"),
    "no way at all": ("#|@|#", "uldr", "#|@|#"),
    "edge above": ("-@-|---", "u", "-@-|---"),
    "edge to the left": ("@--|---", "l", "@--|---"),
    "edge below": ("---|-@-", "d", "---|-@-"),
    "edge to the right": ("--@|---", "r", "--@|---"),
    "a bump, then a step": ("@--", "lur", "-@-"),
    "a board of one square": ("@", "uldr", "@"),
    # Pushes.
    "push up": ("---|-$-|-@-", "u", "-$-|-@-|---"),
    "push left": ("-$@|---", "l", "$@-|---"),
    "push down": ("-@-|-$-|---", "d", "---|-@-|-$-"),
    "push right": ("@$-|---", "r", "-@$|---"),
    "push onto a goal": ("#####|#@$.#|#####", "r", "#####|#-@*#|#####"),
    "push off a goal": ("@*-", "r", "-+$"),
    "push from goal to goal": ("@*.", "r", "-+*"),
    "push again and again": ("@$---", "rrr", "---@$"),
    "push around a corner": ("----|-$--|@---|----", "urdru", "--$-|--@-|----|----"),
    "push one of many": ("$-$|@$-|$-$", "r", "$-$|-@$|$-$"),
    # Pushes that fail.
    "a wall behind the box": ("@$#", "r", "@$#"),
    "a box behind the box": ("@$$-", "r", "@$$-"),
    "a box on a goal behind the box": ("@$*-", "r", "@$*-"),
    "two boxes in line, from below": ("---|-$-|-$-|-@-", "u", "---|-$-|-$-|-@-"),
    "edge behind the box above": ("-$-|-@-", "u", "-$-|-@-"),
    "edge behind the box to the left": ("$@-|---", "l", "$@-|---"),
    "edge behind the box below": ("-@-|-$-", "d", "-@-|-$-"),
    "edge behind the box to the right": ("-@$|---", "r", "-@$|---"),
    # Eight columns fill a row of the packed word: what leaves it must not enter the next row.
    "no wrap to the right": (f"-------@|{ROW}|{ROW}", "r", f"-------@|{ROW}|{ROW}"),
    "no wrap to the left": (f"{ROW}|@-------|{ROW}", "l", f"{ROW}|@-------|{ROW}"),
    "no push around the right edge": (f"------@$|{ROW}", "r", f"------@$|{ROW}"),
    "no push around the left edge": (f"{ROW}|$@------", "l", f"{ROW}|$@------"),
    "the box of the next row is not pushed": (
        f"-------@|$-------|{ROW}", "r", f"-------@|$-------|{ROW}",
    ),
    "along the right edge": (f"------@-|{ROW}", "rd", f"{ROW}|-------@"),
    "along the left edge": (f"{ROW}|-@------", "lu", f"@-------|{ROW}"),
    "push along the right edge": (
        f"-------@|-------$|{ROW}", "d", f"{ROW}|-------@|-------$",
    ),
    # Eight rows fill the word, whose last bit is the sign.
    "step right into the last cell": (_bottom("------@-"), "r", _bottom("-------@")),
    "step down into the last cell": (_bottom("-------@", ROW), "d", _bottom("-------@")),
    "step up from the last cell": (_bottom("-------@"), "u", _bottom("-------@", ROW)),
    "step left from the last cell": (_bottom("-------@"), "l", _bottom("------@-")),
    "edges of the last cell": (_bottom("-------@"), "drdr", _bottom("-------@")),
    "edges of the first cell": (_top("@-------"), "ulul", _top("@-------")),
    "push right into the last cell": (_bottom("-----@$-"), "r", _bottom("------@$")),
    "push down into the last cell": (
        _bottom("-------@", "-------$", ROW), "d", _bottom("-------@", "-------$"),
    ),
    "push up from the last cell": (
        _bottom("-------$", "-------@"), "u", _bottom("-------$", "-------@", ROW),
    ),
    "push left from the last cell": (_bottom("------$@"), "l", _bottom("-----$@-")),
    "push left into the first cell": (_top("-$@-----"), "l", _top("$@------")),
    "push up into the first cell": (
        _top(ROW, "$-------", "@-------"), "u", _top("$-------", "@-------"),
    ),
    "push right from the first cell": (_top("@$------"), "r", _top("-@$-----")),
    "a wall in the last cell": (_bottom("-----@$#"), "r", _bottom("-----@$#")),
    "no push off the last cell, right": (_bottom("------@$"), "r", _bottom("------@$")),
    "no push off the last cell, down": (
        _bottom("-------@", "-------$"), "d", _bottom("-------@", "-------$"),
    ),
    "no push off the first cell, left": (_top("$@------"), "l", _top("$@------")),
    "no push off the first cell, up": (
        _top("$-------", "@-------"), "u", _top("$-------", "@-------"),
    ),
    # A whole level.
    "a level solved in four pushes": (
        "#######|#@-$-.#|#-$-.-#|#######", "rrr" "llld" "rr", "#######|#----*#|#--@*-#|#######",
    ),
}  # fmt: skip

DRAWINGS = {
    name: Drawing(parse_board(start), tuple(map("uldr".index, moves)), parse_board(end))
    for name, (start, moves, end) in _DRAWN.items()
}
