"""``tokoban demo``: two policies solve the levels that come with the project, shown as they do.

The Sokoban policy plays levels of one box, the push policy those of several, and all of them
where torch is not installed.
"""

import argparse
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from importlib import resources
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from tokoban.cli import policies
from tokoban.sokoban.board import Board
from tokoban.sokoban.formats import Level, read_levels

if TYPE_CHECKING:
    from tokoban.cli.found import Found
    from tokoban.cli.screen import Screen
    from tokoban.systems.sokoban_policy.policy import Policy

SUMMARY = "watch the policies solve the levels that come with the project"
UNDECIDED = "some results differ from what the level file says"

_TIME_LIMIT_S = 20.0  # of a search, which needs a fraction of a second
_POLICIES = ("beam", "phs")  # the searches of the policies
_FRAME_S, _LONGEST_SHOW_S = 0.12, 2.5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares nothing: there is nothing to choose."""


def run(arguments: argparse.Namespace) -> int:
    """Shows each level and what becomes of it; 0 if all came out as their file promises."""
    from rich.text import Text

    from tokoban import compiling
    from tokoban.cli.found import show as show_answer
    from tokoban.cli.screen import Screen
    from tokoban.sokoban import rules

    started_s = compiling.clock()
    screen = Screen()
    levels = read_levels(levels_path(), strict=True).levels
    outcomes: Counter[str | None] = Counter()
    for number, level in enumerate(levels, 1):
        screen.print(Text(f"\n{number} of {len(levels)}: {level.title}", "bold"))
        with _stage(screen, level.board) as show:
            # Torch takes seconds to import; by now there is something to look at.
            found = _ask(level)
            if solution := found[-1].answer.solution:
                show(rules.play(level.board, solution.directions))
        for one in found:
            show_answer(screen, number, replace(level, title=""), one)
        outcomes[_outcome(level, found)] += 1
    elapsed_s = compiling.clock() - started_s
    screen.print(Text(f"\n{_summarise(outcomes)}.", "bold"))
    screen.print(f"Every solution was replayed by the rules; {elapsed_s:.0f} s in all.")
    return int(outcomes[None] > 0)


def levels_path() -> Path:
    """The levels of the demo, each with a shortest solution, or a note that it has none."""
    return Path(str(resources.files("tokoban.cli"))) / "levels" / "demo.xsb"


@contextmanager
def _stage(screen: "Screen", start: Board) -> Iterator[Callable[[Sequence[Board]], None]]:
    """Shows ``start`` now, and then the boards it is given: moving on a terminal, else the last."""
    from rich.live import Live

    from tokoban.sokoban.render import Mark, pushed_box

    if not screen.is_terminal or screen.is_dumb_terminal:
        screen.print(screen.picture(start))
        yield lambda boards: screen.print("", screen.picture(boards[-1]), sep="\n")
        return
    with Live(screen.picture(start), console=screen, auto_refresh=False) as live:

        def animate(boards: Sequence[Board]) -> None:
            for before, after in pairwise(boards):
                time.sleep(min(_FRAME_S, _LONGEST_SHOW_S / len(boards)))
                pushed = pushed_box(before, after)
                picture = screen.picture(after, marks={pushed: Mark.PUSHED} if pushed else {})
                live.update(picture, refresh=True)

        yield animate


def _ask(level: Level) -> "list[Found]":
    """The answer of the policy for such levels, then a search's if there is no solution."""
    import tokoban
    from tokoban.api import extras
    from tokoban.cli.found import Found
    from tokoban.sokoban.search.limits import Limits

    if len(level.board.boxes) == 1 and extras.is_installed("networks"):
        first = Found(*_policy_of_moves().solve([level.board])[0])
    else:
        limits = Limits(time_limit_s=_TIME_LIMIT_S)
        policy = policies.load_push_policy(policies.PUSHES, "cpu")
        first = Found(*policy.solve(level.board, limits=limits))
    if first.answer.status == "solved" or level.solutions:
        return [first]
    return [first, Found(tokoban.solve(level.board, time_limit_s=_TIME_LIMIT_S))]


@cache
def _policy_of_moves() -> "Policy":
    import tokoban
    from tokoban.systems.sokoban_policy.policy import Policy

    return Policy(tokoban.load(policies.MOVES, system="sokoban").model)


def _outcome(level: Level, found: "Sequence[Found]") -> str | None:
    """The promised outcome of the level, in words; None if the outcome is another."""
    prediction, last = found[0].prediction, found[-1].answer
    if level.solutions:
        by_policy = last.status == "solved" and last.solver in _POLICIES
        return "solved by a policy" if by_policy else None
    is_predicted = prediction is not None and prediction.predicted_unsolvable > 0.5
    if is_predicted and last.status == "unsolvable":
        return "unsolvable, as a policy predicted and a search proved"
    return None


def _summarise(outcomes: Counter[str | None]) -> str:
    parts = [f"{count} {outcome}" for outcome, count in outcomes.items() if outcome]
    if outcomes[None]:
        parts.append(f"{outcomes[None]} NOT AS PROMISED")
    return f"{outcomes.total()} levels: {', '.join(parts)}"
