"""Answers, as text for people, as JSON for programs, and in level files."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple, Protocol, runtime_checkable

from rich.text import Text

from tokoban.cli.screen import Screen
from tokoban.sokoban.formats import NO_SOLUTION, Level, LevelFile, Solution, printable, write_levels
from tokoban.sokoban.search.answer import BY_INSTRUCTION, Answer, Objective, Progress
from tokoban.sokoban.wording import counted

SOLVER_NAMES = {
    "beam": "beam search",
    "rollout": "rollout",
    "astar": "A*",
    "weighted-astar": "weighted A*",
    "bidirectional-bfs": "bidirectional BFS",
    "fess": "FESS",
    "pull-beam": "beam search by pulls",
    "push-beam": "beam search by moves of one box",
    "rules": "the rules",
    "instruction": "exact search",
    "network": "the network that reads",
    "policy": "the policy",
    "phs": "PHS",
}
# By search of a policy, the fields of its predictions.
_BY_MOVES = ("predicted_steps_left", "predicted_unsolvable")
_BY_PUSHES = ("predicted_pushes_left", "predicted_unsolvable")
_PREDICTED: dict[str, tuple[str, ...]] = dict.fromkeys(("beam", "rollout"), _BY_MOVES)
_PREDICTED |= dict.fromkeys(("policy", "phs"), _BY_PUSHES)
_PREDICTED["network"] = ("predicted_unsolvable",)
# The style of each status that a command reports of a level.
_STYLES = {
    **dict.fromkeys(("solved", "shorter", "solvable"), "green"),
    **dict.fromkeys(("unsolvable", "not shorter", "deadlocked"), "yellow"),
    **dict.fromkeys(("gave up", "no solution", "unknown"), "red"),
}


@runtime_checkable
class Prediction(Protocol):
    """The prediction of any policy; ``str`` puts it into words."""

    @property
    def predicted_unsolvable(self) -> float:
        """The probability that the level has no solution."""


class Found(NamedTuple):
    """An answer, and what the policy predicted if it was asked and the board fits it."""

    answer: Answer
    prediction: Prediction | None = None

    @property
    def remark(self) -> str:
        """The proof, what was not found and, where nothing is known, the policy's prediction."""
        answer = self.answer
        parts = [answer.reason]
        if answer.status == "unsolvable":
            parts.insert(0, f"proved by {SOLVER_NAMES[answer.solver]}")
        elif answer.solution is not None and answer.solver not in _PREDICTED:
            parts.insert(0, f"fewest {answer.optimum}" if answer.optimum else "some solution")
        if self.prediction is not None and answer.status == "gave up":
            parts.append(str(self.prediction))
        return "; ".join(part for part in parts if part)


def length(solution: Solution) -> str:
    """Moves and pushes in words."""
    return lengths(solution.num_moves, solution.num_pushes)


def lengths(num_moves: int, num_pushes: int) -> str:
    """Both numbers in words."""
    return f"{counted(num_moves, 'move')}, {counted(num_pushes, 'push')}"


def entry(number: int, status: str, figures: str, level: Level, *below: Text) -> Text:
    """The report on a level: a line with its status and figures, and lines below."""
    head = Text.assemble(
        (f"{number:>4}  ", "dim"),
        (status, f"bold {_STYLES[status]}"),
        figures,
        (f"  {printable(level.title)}".rstrip(), "bold"),
    )
    return Text("\n").join([head, *(Text("      ") + line for line in below if line)])


def show(screen: Screen, number: int, level: Level, found: Found) -> None:
    """A line of figures, a line of remarks if there are any, and a line of the moves."""
    answer = found.answer
    by = f" by {SOLVER_NAMES[answer.solver]}" if answer.status == "solved" else ""
    figures = "" if answer.solution is None else f"{length(answer.solution)}, "
    figures = f"{by}: {figures}{answer.elapsed_s:.2f} s"
    moves = [Text(answer.solution.lurd)] if answer.solution and answer.solution.lurd else []
    screen.print(entry(number, answer.status, figures, level, Text(found.remark, "dim"), *moves))


def describe_search(number: int, sought: Objective, progress: Progress) -> str:
    """The progress of the search of a level, in a line."""
    from tokoban.sokoban.search.combine.anytime import OBJECTIVE_NAMES  # imports all searches

    least = f", at least {progress.at_least:,}" if progress.at_least else ""
    best = f", so far {length(progress.best)}" if progress.best else ""
    working = progress.working
    by = f", {SOLVER_NAMES.get(working, working)}" if working else ""
    return (
        f"level {number}: {OBJECTIVE_NAMES[sought]}{least}{best}; {progress.expansions:,} "
        f"expansions, {progress.positions:,} positions, {progress.elapsed_s:.0f} s{by}"
    )


def summarise(answers: Iterable[Answer], *, elapsed_s: float, has_instruction: bool = False) -> str:
    """The closing line: how many of each kind, and which search solved them.

    With an instruction a level may be solvable and only the instruction impossible to obey.
    """
    answers = list(answers)
    statuses = Counter(answer.status for answer in answers)
    solvers = Counter(SOLVER_NAMES[one.solver] for one in answers if one.status == "solved")
    by = ", ".join(f"{count} by {name}" for name, count in solvers.items())
    return (
        f"{counted(len(answers), 'level')} in {elapsed_s:.1f} s: "
        f"{statuses['solved']} solved{f' ({by})' * bool(by)}, "
        f"{statuses['unsolvable']} proved {'impossible' if has_instruction else 'unsolvable'}, "
        f"{statuses['gave up']} given up"
    )


def describe(number: int, level: Level, found: Found) -> dict[str, object]:
    """The object of a level in ``--json``; what is not known is null."""
    answer, solution = found.answer, found.answer.solution
    described: dict[str, object] = {
        "index": number,
        "title": level.title,
        "status": answer.status,
        "lurd": solution and solution.lurd,
        "moves": solution and solution.num_moves,
        "pushes": solution and solution.num_pushes,
        "seconds": round(answer.elapsed_s, 6),
        "elapsed_s": round(answer.elapsed_s, 6),
        "solver": answer.solver,
        "optimum": answer.optimum,
        "expansions": None if answer.solver in ("beam", "rollout") else answer.num_expansions,
        "moves_at_least": answer.at_least_moves,
        "pushes_at_least": answer.at_least_pushes,
        "reason": answer.reason,
    }
    if _PREDICTED.get(answer.solver, _BY_MOVES) != _BY_MOVES:
        described["evaluated"] = answer.num_evaluated
    for name in _PREDICTED.get(answer.solver, ()):
        described[name] = found.prediction and getattr(found.prediction, name)
    return described


def as_file(file: LevelFile, levels: Mapping[int, Level], answers: Mapping[int, Answer]) -> str:
    """The levels as text, each with the solutions it had and the one it got."""
    written = [_with_answer(level, answers.get(number)) for number, level in levels.items()]
    return write_levels(written, notes=file.notes)


def _with_answer(level: Level, answer: Answer | None) -> Level:
    if answer is None or answer.status == "gave up":
        return level
    # What is impossible or the fewest as a sentence says is not so of the level.
    is_of_level = answer.solver != BY_INSTRUCTION
    if answer.solution is None:
        is_noted = NO_SOLUTION in level.notes or not is_of_level
        return level if is_noted else replace(level, notes=(*level.notes, NO_SOLUTION))
    # The optimum is named as YASC names it; a policy promises none.
    optimum = answer.optimum if is_of_level else None
    title = f"Solution/{optimum.capitalize()}" if optimum else "Solution"
    return with_solution(level, answer.solution, title)


def with_solution(level: Level, solution: Solution, title: str) -> Level:
    """The level with one more solution, so titled, unless it has that or needs none."""
    lurd = solution.lurd
    if not lurd or any(known.lurd == lurd for known in level.solutions):
        return level
    return replace(level, solutions=(*level.solutions, replace(solution, title=title)))
