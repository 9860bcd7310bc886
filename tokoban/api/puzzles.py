"""How hard levels are, new levels, and exact labels for training."""

import logging
import os
import threading
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from tokoban.api.arguments import check, checked
from tokoban.sokoban.board import Board
from tokoban.sokoban.formats import Level

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from tokoban.api.learning import Pretrained
    from tokoban.sokoban.puzzles.rating import Rating

Style = Literal["two-rooms", "tiles", "caves", "halls", "mixed"]
DifficultyName = Literal["easy", "medium", "hard", "expert"]


@checked
def rate(
    board: Board,
    *,
    time_limit_s: float | None = 10.0,
    memory_limit_mb: float = 2000.0,
    max_expansions: int | None = None,
    stop: threading.Event | None = None,
) -> "Rating":
    """Measures a level: fewest pushes and moves, choices along a solution, all its positions.

    Figures that the limits leave unknown are None; all others are exact, or marked as bounds.

    >>> import tokoban
    >>> board = tokoban.Board.from_xsb("######|#@ $.#|######")
    >>> rating = tokoban.rate(board)
    >>> rating.status, rating.moves.value, rating.pushes.value, rating.moves.is_proved
    ('solved', 2, 1, True)
    """
    from tokoban.sokoban.puzzles import rating
    from tokoban.sokoban.search.limits import Limits

    limits = Limits(
        time_limit_s=time_limit_s,
        memory_limit_mb=memory_limit_mb,
        max_expansions=max_expansions,
        stop=stop,
    )
    return rating.rate(board, limits=limits)


@checked
def generate(
    num_levels: int = 1,
    *,
    seed: int = 0,
    style: Style = "mixed",
    rows: int | None = None,
    columns: int | None = None,
    num_boxes: int | None = None,
    difficulty: DifficultyName | None = None,
    solvable_share: float | None = None,
    avoid: Iterable[Board] = (),
    num_threads: int | None = None,
    executor: "Executor | None" = None,
    time_limit_s: float | None = None,
    memory_limit_mb: float = 2000.0,
    stop: threading.Event | None = None,
) -> list[Level]:
    """New levels, with their solutions; the same arguments give the same levels.

    Puzzles are made in one thread, in ``num_threads``, or on the workers of an ``executor`` of
    ``concurrent.futures`` (docs/guide/cluster.md).

    ``rows`` and ``columns`` include walls; None means the style's default size. In puzzles the
    boxes were pulled back from their goals, and the solution has the fewest pushes, proved. No two
    are equal by rotation or reflection, or equal to one of ``avoid``. ``difficulty`` bounds the
    pushes and the share of pushes that deadlock. Only levels of the style "two-rooms", on which the
    Sokoban policy was trained, may have no solution, since walls, boxes and goals are placed at
    random: a share ``solvable_share``, by default half, have one, and a note says that the others
    have none. This style imports torch. The levels found so far are
    returned at the time limit, once ``stop`` is set, and, with a warning of the logger ``tokoban``,
    where many attempts find no more. The memory limit applies to each search. Ctrl-C raises
    ``KeyboardInterrupt``, whose ``answer`` is the levels so far. Raises ``ValueError`` for
    arguments that no level can meet.

    >>> import tokoban
    >>> [level] = tokoban.generate(seed=7, num_boxes=2, difficulty="easy")
    >>> tokoban.verify(level.board, level.solutions[0])
    True
    """
    avoid = tuple(avoid)
    for board in avoid:
        check("board", board)
    from tokoban.sokoban.puzzles.as_levels import level_of_board, level_of_puzzle, title_of
    from tokoban.sokoban.puzzles.difficulty import DIFFICULTIES, Difficulty
    from tokoban.sokoban.puzzles.generate import generate_puzzles
    from tokoban.sokoban.puzzles.puzzle import Recipe
    from tokoban.sokoban.search.limits import Limits
    from tokoban.sokoban.work import Workers

    sizes = {"rows": rows, "columns": columns, "num_boxes": num_boxes}
    given: dict[str, Any] = {name: size for name, size in sizes.items() if size is not None}
    limits = Limits(time_limit_s=time_limit_s, memory_limit_mb=memory_limit_mb, stop=stop)
    if style not in get_args(Style):
        raise ValueError(f"style is {style!r}; expected one of {', '.join(get_args(Style))}")
    if style == "two-rooms":
        is_one = num_threads in (None, 1) and executor is None
        if difficulty is not None or avoid or not is_one:
            raise ValueError(
                "difficulty, avoid, num_threads and executor have no effect with the style "
                "two-rooms"
            )
        from tokoban.sokoban.puzzles import random_levels

        if solvable_share is not None:
            given["solvable_share"] = solvable_share
        drawn = random_levels.generate(num_levels, seed=seed, limits=limits, **given)
        return _levels_before_error(
            level_of_board(level.board, level.solution, title_of(number, seed))
            for number, level in enumerate(drawn, 1)
        )
    if solvable_share is not None:
        raise ValueError("solvable_share has no effect on puzzles, which are all solvable")
    if difficulty is not None and difficulty not in DIFFICULTIES:
        raise ValueError(f"difficulty is {difficulty!r}; expected one of {[*DIFFICULTIES]} or None")
    bounds = Difficulty() if difficulty is None else DIFFICULTIES[difficulty]
    puzzles = generate_puzzles(
        num_levels,
        Recipe(style=style, difficulty=bounds, **given),
        seed=seed,
        avoid=avoid,
        workers=Workers(num_threads, executor),
        limits=limits,
    )
    return _levels_before_error(
        level_of_puzzle(puzzle, title_of(number, seed)) for number, puzzle in enumerate(puzzles, 1)
    )


def _levels_before_error(levels: Iterator[Level]) -> list[Level]:
    """The levels found before an error, which becomes a warning; raised if there are none."""
    from tokoban.sokoban.search.combine.anytime import InterruptedSearch

    found: list[Level] = []
    try:
        for level in levels:
            found.append(level)
    except KeyboardInterrupt:
        raise InterruptedSearch(found) from None
    except ValueError as error:
        if not found:
            raise
        logging.getLogger("tokoban").warning(error)
    return found


@checked
def label(
    levels: Sequence[str | Path],
    output: str | Path,
    *,
    evaluation: Sequence[str | Path] = (),
    seed: int = 0,
    num_states: int = 64,
    max_levels: int | None = None,
    played_by: "Pretrained | None" = None,
    num_threads: int | None = None,
    executor: "Executor | None" = None,
    time_limit_s: float | None = None,
    stop: threading.Event | None = None,
) -> dict[str, Any] | None:
    """Labels states of levels, for training, as files in the folder ``output``.

    Samples ``num_states`` states of each level in the files ``levels`` from play of mixed quality,
    and writes for each whether it is solvable, the moves and the pushes left, and all optimal
    actions. This is exact where the inside fits 8x8 squares. For larger levels, up to 1,024
    squares, it labels positions along a short solution and one push off it, as far as searches
    prove them; solutions in the files are used. Levels with the walls and goals of one in
    ``evaluation`` are left out. With ``played_by``, a push policy, the states of levels that fit
    8x8 squares come from its greedy play. The work runs in threads, one for each processor, or on
    the workers of an ``executor`` of ``concurrent.futures`` (docs/guide/cluster.md). The same call
    continues an unfinished folder. Returns the manifest, or None if some level has no labels
    because the time limit or ``stop`` ended the work, or workers died on it.

    >>> import tokoban
    >>> board = tokoban.Board.from_xsb("#####|#@$.#|#   #|#####")
    >>> tokoban.write_levels("levels.sok", [tokoban.Level(board)])
    >>> manifest = tokoban.label(["levels.sok"], "labels", num_states=4)
    >>> manifest["levels"]["labelled"], manifest["states"] >= 4
    (1, True)
    """
    from tokoban.api.own_play import play_of
    from tokoban.files.locks import alone_in
    from tokoban.sokoban.labels import driver
    from tokoban.sokoban.labels.folder import LabelFolder
    from tokoban.sokoban.labels.job import LabelConfig, read_job
    from tokoban.sokoban.search.limits import Limits
    from tokoban.sokoban.work import Workers

    for path in (*levels, *evaluation, output):
        check("path", path)
        if path == "":  # it would mean the current folder
            raise ValueError("a path is empty; expected that of a file or folder")
    if num_threads is None and executor is None:
        num_threads = os.cpu_count()
    workers = Workers(num_threads, executor)
    config = LabelConfig(seed=seed, num_states=num_states, max_levels=max_levels)
    play = None
    if played_by is not None:
        config, play = play_of(played_by, config, is_elsewhere=executor is not None)
    job = read_job(levels, config, evaluation=evaluation, play=play)
    with alone_in(output):
        folder = LabelFolder(output, job)
        workers.prepare(driver.prepare)
        folder.complete(workers, limits=Limits(time_limit_s=time_limit_s, stop=stop))
        return folder.conclude()
