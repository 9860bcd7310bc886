"""``tokoban demo``: the policy solves the levels that come with the project, before your eyes."""

import argparse
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import resources
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.text import Text

    from tokoban.cli.answers import Answer
    from tokoban.cli.policy import Policy
    from tokoban.cli.screen import Screen
    from tokoban.sokoban.board import Board
    from tokoban.sokoban.formats import Level

SUMMARY = "watch the policy and A* solve the levels that come with the project"
UNDECIDED = "some levels did not come out as their file says"

_WIDTH = 32
_TIME_LIMIT_S = 20.0  # of A*, which needs a fraction of a second
_STYLES = {"solved": "green", "unsolvable": "yellow", "gave up": "yellow"}
_FRAME_S, _LONGEST_SHOW_S = 0.12, 2.5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """There is nothing to choose."""


def run(arguments: argparse.Namespace) -> int:
    """Shows each level and what becomes of it; 0 if all came out as their file promises."""
    from rich.text import Text

    from tokoban import compiling
    from tokoban.cli.screen import Screen
    from tokoban.sokoban import rules
    from tokoban.sokoban.formats import lurd, read_levels

    started_s = compiling.clock()
    screen = Screen()
    levels = read_levels(levels_path(), strict=True).levels
    policy = None
    outcomes: Counter[str | None] = Counter()
    for number, level in enumerate(levels, 1):
        screen.print(Text(f"\n{number} of {len(levels)}: {level.title}", "bold"))
        with _stage(screen, level.board) as show:
            # Torch takes seconds to import; by now there is something to look at.
            policy = policy or _wake_policy()
            answers = _ask(policy, level)
            if moves := answers[-1].lurd:
                show(rules.play(level.board, lurd.parse(moves)))
        for answer in answers:
            screen.print(_tell(level, answer), Text(answer.remark, "dim"), sep="\n")
        outcomes[_outcome(level, answers)] += 1
    elapsed_s = compiling.clock() - started_s
    screen.print(Text(f"\n{_summarise(outcomes)}.", "bold"))
    screen.print(f"Every solution was replayed by the rules; {elapsed_s:.0f} s in all.")
    return int(outcomes[None] > 0)


def levels_path() -> Path:
    """The levels of the demo, each with a shortest solution, or a note that it has none."""
    return Path(str(resources.files("tokoban.cli"))) / "levels" / "demo.xsb"


@contextmanager
def _stage(screen: "Screen", start: "Board") -> "Iterator[Callable[[Sequence[Board]], None]]":
    """Shows ``start`` now, and then the boards it is given: moving on a terminal, else the last."""
    from rich.live import Live

    from tokoban.sokoban.render import Mark, pushed_box

    if not screen.is_terminal or screen.is_dumb_terminal:
        screen.print(screen.picture(start))
        yield lambda boards: screen.print("", screen.picture(boards[-1]), sep="\n")
        return
    with Live(screen.picture(start), console=screen, auto_refresh=False) as live:

        def animate(boards: "Sequence[Board]") -> None:
            for before, after in pairwise(boards):
                time.sleep(min(_FRAME_S, _LONGEST_SHOW_S / len(boards)))
                pushed = pushed_box(before, after)
                picture = screen.picture(after, marks={pushed: Mark.PUSHED} if pushed else {})
                live.update(picture, refresh=True)

        yield animate


def _wake_policy() -> "Policy":
    from tokoban.cli.policy import Policy

    return Policy("sokoban-8x8", device="cpu")


def _ask(policy: "Policy", level: "Level") -> "list[Answer]":
    """The policy's answer; after it A*'s, where the level does not fit or has no solution."""
    from tokoban.cli.answers import by_astar

    answers = policy.answers([level.board], by="beam", width=_WIDTH, max_moves=policy.longest_plan)
    if answers[0].status == "gave up" and (answers[0].judgement is None or not level.solutions):
        answers.append(by_astar(level.board, time_limit_s=_TIME_LIMIT_S))
    return answers


def _tell(level: "Level", answer: "Answer") -> "Text":
    """The moves, and what they amount to."""
    from rich.text import Text

    name = "A*" if answer.solver == "astar" else "beam search"
    style = _STYLES[answer.status]
    if answer.lurd is None:
        return Text(f"{name}: {answer.status}, {answer.elapsed_s:.2f} s", style)
    is_shortest = any(len(known.directions) == len(answer.lurd) for known in level.solutions)
    shortest = " (no solution has fewer moves)" * is_shortest
    figures = f"solved in {answer.length}{shortest}, {answer.elapsed_s:.2f} s"
    return Text.assemble(answer.lurd, "\n", (f"{name}: {figures}", style))


def _outcome(level: "Level", answers: "Sequence[Answer]") -> str | None:
    """How the level came out as promised, or ``None`` if it did not."""
    first, last = answers[0], answers[-1]
    if level.solutions:
        # The policy may leave to A* what does not fit it, and nothing else.
        if last.status != "solved":
            return None
        return "solved by the policy" if last.solver == "beam" else "solved by A*"
    is_said = first.judgement is not None and first.judgement.predicted_unsolvable > 0.5
    if is_said and last.status == "unsolvable":
        return "unsolvable, as the policy said and A* proved"
    return None


def _summarise(outcomes: "Counter[str | None]") -> str:
    told = [f"{count} {outcome}" for outcome, count in outcomes.items() if outcome]
    if outcomes[None]:
        told.append(f"{outcomes[None]} NOT AS PROMISED")
    return f"{outcomes.total()} levels: {', '.join(told)}"
