"""The answers of the searches and of the push policy, found here or by other processes."""

import argparse
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import tokoban
from tokoban.cli import options, policies
from tokoban.cli.found import Found
from tokoban.sokoban.board import Board
from tokoban.sokoban.search.answer import Objective, Progress
from tokoban.sokoban.search.limits import UNWATCHED, Limits
from tokoban.sokoban.work import Workers

# Called with the number of a level, and the objective and the progress of its search.
Report = Callable[[int, Objective, Progress], None]


class Asked(NamedTuple):
    """A level for the push policy, as an item of work."""

    number: int
    board: Board
    limits: Limits
    weights: tuple[str, policies.Device, str]  # for ``load_push_policy``


def by_search(
    boards: Mapping[int, Board], arguments: argparse.Namespace, workers: Workers, report: Report
) -> Iterator[tuple[int, Found]]:
    """The answers of the searches without a network, as they come."""
    numbers = [*boards]
    limits = options.limits_of(arguments)
    if workers.executor is None:
        limits["memory_limit_mb"] /= arguments.threads
    answers = tokoban.solve_all(
        [*boards.values()],
        minimise=arguments.minimise,
        num_threads=workers.num_threads,
        executor=workers.executor,
        report=lambda place, *told: report(numbers[place], *told),
        **limits,
    )
    for place, answer in answers:
        yield numbers[place], Found(answer)


def by_push_policy(
    boards: Mapping[int, Board], arguments: argparse.Namespace, workers: Workers, report: Report
) -> Iterator[tuple[int, Found]]:
    """The answers of the push policy, as they come."""
    from tokoban.sokoban.search.searches.guided import search as guided

    name = arguments.weights or policies.PUSHES
    if Path(name).exists():
        name = os.path.realpath(name)
    weights = name, arguments.device, policies.digest_of(name)
    policies.load_push_policy(*weights)  # what cannot be loaded is refused before the work
    limits = Limits(**options.limits_of(arguments))
    items = [Asked(number, board, limits, weights) for number, board in boards.items()]
    if items:
        # What the searches without a network need is not even imported.
        workers.prepare(partial(guided.prepare, is_classical=True))
    task = _play if workers.executor else partial(_play, report=report)
    for number, found in workers.results(task, items, UNWATCHED):
        if found is not None:
            yield items[number].number, found


def _play(asked: Asked, stop: threading.Event, report: Report | None = None) -> Found:
    """The answer of the push policy."""
    policy = policies.load_push_policy(*asked.weights)
    own = None if report is None else partial(report, asked.number, "any")
    return Found(*policy.solve(asked.board, limits=replace(asked.limits, stop=stop), report=own))
