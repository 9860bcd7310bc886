"""Certificates written by hand, one of each kind and some that end differently."""

from tokoban.sokoban.board import Square
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.proofs.certificate import BoxState, Certificate, FrozenGroup, Position, Trap


def trap(*states: tuple[int, int, int, int]) -> Trap:
    """States as row and column of the box, then of the player."""
    return Trap(tuple(BoxState(Square(a, b), Square(c, d)) for a, b, c, d in states))


def row(*columns: int) -> tuple[Square, ...]:
    """Squares of the first row."""
    return tuple(Square(0, column) for column in columns)


_EDGE = Square(-1, 2), Square(-1, 3)

BY_HAND = {
    # A box at the end of a corridor.
    "dead": Certificate(parse_board(".-@$"), "dead", row(3), ("",), traps=(trap((0, 3, 0, 2)),)),
    # One push before that, and the player cannot come to the other side.
    "dead soon": Certificate(
        parse_board(".@$-"), "dead", row(2), ("",), traps=(trap((0, 2, 0, 1), (0, 3, 0, 2)),)
    ),
    # Two boxes side by side at the edge, between their goals.
    "frozen": Certificate(
        parse_board("-.$$.-|--@---"),
        "frozen",
        row(2, 3),
        ("uR", "ruL"),
        frozen=(FrozenGroup(row(2, 3), ((_EDGE[0], Square(0, 3)), (_EDGE[1], Square(0, 2)))),),
    ),
    # A box that only a push into a corner moves, and a wall blocks it on the other axis.
    "blocked by traps": Certificate(
        parse_board("-$-|-@-|.--"),
        "frozen",
        row(1),
        ("",),
        traps=(trap((0, 0, 0, 1), (0, 2, 0, 1)),),
        frozen=(FrozenGroup(row(1), ((Square(-1, 1), None),)),),
    ),
    # Two boxes that do not leave the first row, which has one goal.
    "bipartite": Certificate(
        parse_board("-$.$-|--@--|.----"),
        "bipartite",
        row(1, 3),
        ("rruL", "lluR"),
        traps=(trap(*((0, column, 1, column) for column in range(5))),),
    ),
    # The player cannot push at all.
    "search": Certificate(
        parse_board("@$$-.."),
        "search",
        row(1, 2),
        ("rRR", "RRR"),
        positions=(Position(frozenset(row(1, 2)), Square(0, 0)),),
    ),
    # Two boxes in a corridor with a wall below; one push is left, and then none.
    "no way round": Certificate(
        parse_board("@$-$..|######"),
        "search",
        row(1, 3),
        ("rrRR", "RRR"),
        positions=(
            Position(frozenset(row(1, 3)), Square(0, 0)),
            Position(frozenset(row(2, 3)), Square(0, 0)),
        ),
    ),
    "count": Certificate(parse_board("@$.."), "count", (), ()),
}
