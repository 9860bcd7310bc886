"""How answers are shown to a person, and written for programs and into level files."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace

from rich.text import Text

from tokoban.cli.answers import Answer
from tokoban.cli.output import counted
from tokoban.cli.screen import Screen
from tokoban.sokoban.formats import (
    NO_SOLUTION,
    Level,
    LevelFile,
    Solution,
    printable,
    write_levels,
)

_NAMES = {"beam": "beam", "rollout": "rollout", "astar": "A*"}
_STYLES = {"solved": "green", "unsolvable": "yellow", "gave up": "red"}


def show(screen: Screen, number: int, level: Level, answer: Answer) -> None:
    """A line of figures, a line of remarks, and the moves in a line of their own."""
    by = f" by {_NAMES[answer.solver]}" if answer.status == "solved" else ""
    length = "" if answer.lurd is None else f"{answer.length}, "
    lines = [
        Text.assemble(
            (f"{number:>4}  ", "dim"),
            (answer.status, f"bold {_STYLES[answer.status]}"),
            f"{by}: {length}{answer.elapsed_s:.2f} s",
            (f"  {printable(level.title)}".rstrip(), "bold"),
        ),
        Text(f"      {answer.remark}", "dim"),
    ]
    if answer.lurd:
        lines.append(Text(f"      {answer.lurd}"))
    screen.print(Text("\n").join(lines))


def summarise(answers: Iterable[Answer], *, elapsed_s: float) -> str:
    """The closing line: how many of each kind, and who solved them."""
    answers = list(answers)
    statuses = Counter(answer.status for answer in answers)
    solvers = Counter(_NAMES[answer.solver] for answer in answers if answer.status == "solved")
    by = ", ".join(f"{count} by {name}" for name, count in solvers.items())
    return (
        f"{counted(len(answers), 'level')} in {elapsed_s:.1f} s: "
        f"{statuses['solved']} solved{f' ({by})' * bool(by)}, "
        f"{statuses['unsolvable']} proved unsolvable, {statuses['gave up']} given up"
    )


def describe(number: int, level: Level, answer: Answer) -> dict[str, object]:
    """The object of a level in ``--json``; what is not known is null."""
    is_solved = answer.lurd is not None
    described: dict[str, object] = {
        "index": number,
        "title": level.title,
        "status": answer.status,
        "lurd": answer.lurd,
        "moves": len(answer.lurd or "") if is_solved else None,
        "pushes": answer.pushes if is_solved else None,
        "seconds": round(answer.elapsed_s, 6),
        "solver": answer.solver,
        "optimum": answer.optimum,
        "expansions": answer.expansions,
        "moves_at_least": answer.at_least.get("moves"),
        "pushes_at_least": answer.at_least.get("pushes"),
    }
    if answer.solver != "astar":
        thought = answer.judgement
        described["predicted_steps_left"] = thought and thought.predicted_steps_left
        described["predicted_unsolvable"] = thought and thought.predicted_unsolvable
    return described


def as_file(file: LevelFile, levels: Mapping[int, Level], answers: Mapping[int, Answer]) -> str:
    """The levels as text, each with the solutions it had and the one it got."""
    written = [_with_answer(level, answers.get(number)) for number, level in levels.items()]
    return write_levels(written, notes=file.notes)


def _with_answer(level: Level, answer: Answer | None) -> Level:
    if answer is None or answer.status == "gave up":
        return level
    if answer.lurd is None:
        is_noted = NO_SOLUTION in level.notes
        return level if is_noted else replace(level, notes=(*level.notes, NO_SOLUTION))
    if not answer.lurd or any(known.lurd == answer.lurd for known in level.solutions):
        return level
    # The optimum is named as YASC names it; a policy promises none.
    title = f"Solution/{answer.optimum.capitalize()}" if answer.optimum else "Solution"
    return replace(level, solutions=(*level.solutions, Solution(answer.lurd, title)))
