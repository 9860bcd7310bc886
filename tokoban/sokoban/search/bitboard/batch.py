"""Many levels solved at once: arrays in, arrays out."""

from collections.abc import Iterator
from functools import cache

import numpy as np

from tokoban.sokoban.board import Direction
from tokoban.sokoban.search.answer import HASTE, Optimum, Progress
from tokoban.sokoban.search.bitboard import driver, push_search
from tokoban.sokoban.search.bitboard.driver import EXPANSIONS, Answers, Verdict
from tokoban.sokoban.search.bitboard.layers import LAYER, NUM_SETS
from tokoban.sokoban.search.bitboard.levels import Levels
from tokoban.sokoban.search.bitboard.worker import complete
from tokoban.sokoban.search.bitboard.workspace import Workspace, empty_workspace, grown
from tokoban.sokoban.search.limits import DEFAULT_LIMITS, UNLIMITED, Limits
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.pauses import Budget, found_by, run_compiled
from tokoban.sokoban.search.state.columns import enlarge, zeroed

_FIRST_MOVES = 1 << 12

_OUTCOMES = {
    Verdict.SOLVED: Outcome.SOLVED,
    Verdict.UNSOLVABLE: Outcome.EXHAUSTED,
    Verdict.OUT_OF_EXPANSIONS: Outcome.BUDGET_SPENT,
    Verdict.TOO_LONG: Outcome.TOO_LONG,
}


def solve_many(levels: Levels, objective: str, *, limits: Limits = DEFAULT_LIMITS) -> Answers:
    """Solves each level with the fewest moves or pushes, or with the first solution found.

    ``limits`` hold for each level; levels after their stop flag have no verdict. Every solution has
    been replayed by the rules on words.
    """
    work = Solving(levels, objective, limits)
    complete(work, workspace_for(levels), limits)
    return work.answers()


class OneWord:
    """A search for a board of one word; an expansion counts as one unit of work."""

    def __init__(self, level: Levels, objective: str) -> None:
        self._work = Solving(level, objective, DEFAULT_LIMITS)
        self._workspace = workspace_for(level)
        self._objective = objective
        self._stop = Outcome.BUDGET_SPENT

    def pause(self) -> Progress:
        """As ``Searcher`` says; for the fewest moves, A* over pushes comes first."""
        names = {"moves": "bidirectional-bfs", "pushes": "astar", "any": "weighted-astar"}
        store, layers = self._workspace.store.progress, self._workspace.layers
        expansions = int(self._work.progress[EXPANSIONS] + self._work.answers().expansions[0])
        positions = store[push_search.NUM_POSITIONS] + layers.progress[NUM_SETS]
        at_least = None
        if self._objective != "any":
            # The two sides would have met if they had gone as far together as a solution is long.
            layer = layers.forwards.progress[LAYER] + layers.backwards.progress[LAYER]
            at_least = int(max(store[push_search.LOWEST_BUCKET], layer))
        return Progress(
            names[self._objective],
            expansions,
            int(positions),
            at_least,
            work=expansions,
            num_bytes=self._workspace.num_bytes,
        )

    search = run_compiled

    def advance(self, budget: Budget) -> Outcome:
        """As ``Compiled`` says."""
        self._work.max_expansions = budget.expansions
        while (stop := self._work.run(self._workspace, budget.work)) == Outcome.OUTPUT_FULL:
            self._work.grow_output()
        self._stop = stop
        if stop == Outcome.EXHAUSTED:
            return _OUTCOMES[Verdict(self._work.answers().verdict[0])]
        return Outcome.BUDGET_SPENT if stop == Outcome.BUDGET_SPENT else Outcome.STORE_FULL

    def bytes_to_grow(self) -> int:
        """As ``Compiled`` says: the larger part is twice the old one, which may be copied."""
        return 2 * self._workspace.num_bytes

    def grow(self) -> Iterator[bool]:
        """As ``Compiled`` says."""
        self._workspace = grown(self._workspace, self._stop)
        yield from ()

    def directions(self) -> tuple[Direction, ...]:
        """As ``Compiled`` says."""
        return self._work.answers().directions(0)

    @property
    def optimum(self) -> Optimum | None:
        """As ``Compiled`` says."""
        optima: dict[str, Optimum] = {"moves": "moves", "pushes": "pushes"}
        return optima.get(self._objective)


@cache
def prepare() -> None:
    """Solves a level of one push, so that no clock counts the seconds of a first compilation."""
    player, box, goal, walls = (np.array([word], np.uint64) for word in (1, 2, 4, ~7 & 2**64 - 1))
    found_by(OneWord(Levels(walls, goal, box, player), "moves"))


def workspace_for(levels: Levels) -> Workspace:
    """Room to solve any of the levels."""
    return empty_workspace(levels.max_boxes, is_one_sided=False)


class Solving:
    """Work on some levels, one after the other; see ``worker.Work``."""

    def __init__(self, levels: Levels, objective: str, limits: Limits) -> None:
        self.progress = np.zeros(3, np.int64)
        self._levels = levels
        self._objective = objective
        limit = limits.max_expansions
        self.max_expansions = UNLIMITED if limit is None else limit  # for each level
        self._output = zeroed(Answers, N=levels.num_levels, M=_FIRST_MOVES)

    def run(self, workspace: Workspace, budget: int) -> Outcome:
        """Goes on for about ``budget`` expansions; returns why it came back."""
        outcome: Outcome = driver.solve_levels(
            self._levels,
            workspace,
            self._output,
            HASTE if self._objective == "any" else 1,
            self._objective == "moves",
            self.max_expansions,
            budget,
            self.progress,
        )
        return outcome

    def grow_output(self) -> None:
        """Makes room for twice as many moves."""
        enlarge(self._output.moves, 2 * len(self._output.moves))

    def give_up(self, verdict: Verdict) -> None:
        """Ends the search for the level at hand."""
        driver.give_up(self._output, verdict, self.progress)

    def answers(self) -> Answers:
        """The answers; raises ``RuntimeError`` if the search contradicts itself."""
        output = self._output
        if (output.verdict == driver.FAULT).any():
            level = int((output.verdict == driver.FAULT).argmax())
            words = [f"{int(word[level]):#x}" for word in self._levels]
            raise RuntimeError(f"the solver contradicts itself about {words}")
        return output._replace(moves=output.moves[: output.ends.max(initial=0)])
