"""Level files, and the check of a solution."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path

from tokoban.api.arguments import check, checked
from tokoban.files.atomic import atomically
from tokoban.files.endings import LEVEL_ENDINGS, check_ending
from tokoban.sokoban import formats
from tokoban.sokoban.board import Board
from tokoban.sokoban.formats import Level, LevelFile, Solution, lurd


@checked
def read_levels(path: str | Path) -> LevelFile:
    """The valid levels of a file, as a sequence; ``problems`` has the faults of the others.

    Reads XSB, SOK, RLE, SLC and Boxoban files; ``-`` is standard input. Raises ``OSError`` if the
    file cannot be read, and ``ValueError`` if it is too large.

    >>> import tokoban
    >>> board = tokoban.Board.from_xsb("#####|#@$.#|#####")
    >>> tokoban.write_levels("levels.sok", [tokoban.Level(board, "First")])
    >>> levels = tokoban.read_levels("levels.sok")
    >>> len(levels), levels[0].title, levels.problems
    (1, 'First', ())
    >>> print(levels[0].board)
    #####
    #@$.#
    #####
    """
    return formats.read_levels(path)


@checked
def write_levels(path: str | Path, levels: Sequence[Level]) -> None:
    """Writes levels with their titles, notes and solutions as a SOK file, completely or not at all.

    Raises ``ValueError`` for a file name with the ending of another format, and for a level that
    would be read back differently, such as one with a wrong solution; it names the first of these.

    >>> import tokoban
    >>> board = tokoban.Board.from_xsb("#####|#@$.#|#####")
    >>> solved = tokoban.Level(board, "First", solutions=(tokoban.Solution("R"),))
    >>> tokoban.write_levels("solved.sok", [solved])
    >>> str(tokoban.read_levels("solved.sok")[0].solutions[0])
    'R'
    """
    check_ending(path, LEVEL_ENDINGS)
    for level in levels:
        check("level", level)
    text = formats.write_levels(levels)
    with atomically(Path(path)) as unfinished:
        unfinished.write_bytes(text.encode())


@checked
def verify(board: Board, solution: Solution | str, *, instruction: str | None = None) -> bool:
    """Whether the moves solve the board by the plain rules; ``solution`` may be text in LURD.

    The case of the letters does not matter. The result is False if the rules forbid a move or the
    text is no LURD. With an ``instruction``, as for ``solve``, the moves must also obey it. Raises
    ``ValueError`` if it was not understood or means nothing on the board, or if the floor is larger
    than 8x8 squares.

    >>> import tokoban
    >>> board = tokoban.Board.from_xsb("#####|#@$.#|#####")
    >>> tokoban.verify(board, "R"), tokoban.verify(board, "L")
    (True, False)
    >>> tokoban.verify(board, "R", instruction="do not push the left box")
    False
    """
    obeys = None if instruction is None else _machine(board, instruction)
    try:
        is_solved = lurd.replay(board, str(solution)).is_solved
    except ValueError:
        return False
    return is_solved and (obeys is None or obeys(lurd.parse(str(solution))))


def _machine(board: Board, instruction: str) -> Callable[[Iterable[int]], bool]:
    from tokoban.sokoban.instructions import grammar
    from tokoban.sokoban.instructions.machine import Cells, build_machine, obeys
    from tokoban.sokoban.instructions.naming import named_boxes

    meaning = grammar.instruction(instruction).meaning
    cells = Cells.of(board, named_boxes(board, meaning))
    return partial(obeys, cells, build_machine(cells, meaning))
