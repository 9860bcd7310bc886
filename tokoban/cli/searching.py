"""A level to be searched as an item of work, here or by other processes, and its answer."""

import argparse
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import tokoban
from tokoban.cli import policies
from tokoban.cli.found import Found
from tokoban.sokoban.board import Board
from tokoban.sokoban.search.answer import Objective, Progress
from tokoban.sokoban.search.limits import Limits, Watch
from tokoban.sokoban.work import Workers

# Called with the number of a level, what is looked for, and how far that is.
Report = Callable[[int, Objective, Progress], None]


class Asked(NamedTuple):
    """An item of work."""

    number: int
    board: Board
    minimise: Objective | None
    limits: Limits
    weights: tuple[str, policies.Device, str] | None = None  # for ``load_push_policy``


def by_search(
    boards: Mapping[int, Board], arguments: argparse.Namespace, workers: Workers, report: Report
) -> Iterator[tuple[int, Found]]:
    """The answers of the searches without a network, as they come."""
    limits = _limits_of(arguments, num_sharing=1 if workers.executor else arguments.threads)
    minimise = arguments.minimise
    items = [Asked(number, board, minimise, limits) for number, board in boards.items()]
    return _found(_search, items, workers, report, _prepare)


def by_push_policy(
    boards: Mapping[int, Board], arguments: argparse.Namespace, workers: Workers, report: Report
) -> Iterator[tuple[int, Found]]:
    """The answers of the policy of pushes, as they come."""
    from tokoban.sokoban.search.searches.guided import search as guided

    name = arguments.weights or policies.PUSHES
    if Path(name).exists():
        name = str(Path(name).resolve())
    weights = name, arguments.device, policies.digest_of(name)
    policies.load_push_policy(*weights)  # what cannot be loaded is refused before the work
    limits = _limits_of(arguments)
    items = [Asked(number, board, None, limits, weights) for number, board in boards.items()]
    # What the searches without a network need is not even imported.
    return _found(_play, items, workers, report, partial(guided.prepare, is_classical=True))


def _prepare() -> None:
    from tokoban.sokoban.search.combine import solver

    solver.prepare()


def _limits_of(arguments: argparse.Namespace, *, num_sharing: int = 1) -> Limits:
    return Limits(
        time_limit_s=arguments.time_limit,
        memory_limit_mb=arguments.memory_limit / 1e6 / num_sharing,
        max_expansions=arguments.max_expansions,
    )


def _found(
    task: Callable[..., Found],
    items: list[Asked],
    workers: Workers,
    report: Report,
    prepare: Callable[[], None],
) -> Iterator[tuple[int, Found]]:
    if items:
        workers.prepare(prepare)
    if workers.executor is None:
        task = partial(task, report=report)
    for number, found in workers.results(task, items, Watch(Limits())):
        if found is not None:
            yield items[number].number, found


def _search(asked: Asked, stop: threading.Event, report: Report | None = None) -> Found:
    """The answer of the searches."""
    _prepare()
    *_, answer = tokoban.solve_anytime(
        asked.board,
        minimise=asked.minimise,
        time_limit_s=asked.limits.time_limit_s,
        memory_limit_mb=asked.limits.memory_limit_mb,
        max_expansions=asked.limits.max_expansions,
        stop=stop,
        report=None if report is None else partial(report, asked.number),
    )
    return Found(answer)


def _play(asked: Asked, stop: threading.Event, report: Report | None = None) -> Found:
    """The answer of the policy of pushes."""
    assert asked.weights is not None
    policy = policies.load_push_policy(*asked.weights)
    own = None if report is None else partial(report, asked.number, "any")
    return Found(*policy.solve(asked.board, limits=replace(asked.limits, stop=stop), report=own))
