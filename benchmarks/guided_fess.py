"""Tries the push policy beside, above and within bidirectional FESS, on players' levels.

Each arm has so many seconds of processor time for a level:

* without: what ``tokoban solve --minimise any`` runs, without a network.
* worker: the same for half of the time, the guided search of the policy for the other half; as two
  workers of equal processor time do.
* advisor: the network evaluates the positions below which most of the forward search lies. What
  lies below those that it takes for deadlocked waits until nothing else is open.
* ordering: the network evaluates the next position of each cell before it is expanded; those that
  it takes for deadlocked fall behind, the others are ordered by its pushes left.

Every solution is replayed by the plain rules. A network of two threads would take twice the time of
the process, so that it has one.

Axes: P positions, F floor squares.
"""

import argparse
import json
import time
from collections import Counter
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import no_type_check

import numpy as np
import torch
from jaxtyping import Bool, Int64

import tokoban
from tokoban.compiling import entry
from tokoban.sokoban.board import Board
from tokoban.sokoban.search.answer import Answer, Progress
from tokoban.sokoban.search.combine import solver
from tokoban.sokoban.search.combine.portfolio import (
    MEMBERS,
    Portfolio,
    SearchContext,
    context_in_steps,
)
from tokoban.sokoban.search.level.flood import flood
from tokoban.sokoban.search.level.ground import NONE, Squares
from tokoban.sokoban.search.limits import Limits
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.pauses import Budget, Search, Searcher, set_up, underway
from tokoban.sokoban.search.run import find_answer
from tokoban.sokoban.search.searches.bidirectional.heaps import enter, meld, without_root
from tokoban.sokoban.search.searches.bidirectional.sides import (
    EXPANDING,
    NEVER,
    NEXT_CELL,
    NUM_CELLS,
    NUM_EXPANSIONS,
)
from tokoban.sokoban.search.searches.bidirectional.solver import BidirectionalFess
from tokoban.sokoban.search.searches.guided.guide import Guide
from tokoban.sokoban.search.searches.guided.search import GuidedOptions, solve_guided
from tokoban.sokoban.search.state.positions import list_boxes
from tokoban.sokoban.search.steps import Steps
from tokoban.systems.push_policy.guide import NetworkGuide
from tokoban.systems.push_policy.policy import PushPolicy

ARMS = ("without", "worker", "advisor", "ordering")
_BATCH = 16  # positions that are evaluated together
_SURE = 0.995  # a lower probability of a deadlock changes nothing
_LEAST_BELOW = 64  # positions below one that is worth its evaluation
_PENALTY = 8  # moves that no advisor proposed, of a position that is taken for deadlocked


class AdvisedFess:
    """A ``pauses.Searcher``; the guide judges positions of the forward side.

    ``share`` is its time by that of the search. The search stays complete, and only its own rules
    prove that a level is unsolvable.
    """

    name = "advised-fess"

    def __init__(self, fess: BidirectionalFess, guide: Guide, *, share: float = 1.0) -> None:
        self._fess, self._guide, self._share = fess, guide, share
        self._judged: list[int] = []
        self._postponed: list[Int64[np.ndarray, " _"]] = []
        self._spent_s = {"guide": 0.0, "search": 0.0}
        self.num_evaluated = 0
        self.num_postponed = 0

    def pause(self) -> Progress:
        """As ``Searcher`` says."""
        return self._named(self._fess.pause())

    def _named(self, pause: Progress) -> Progress:
        more = sum(waiting.nbytes for waiting in self._postponed)
        growing_bytes = pause.growing_bytes and pause.growing_bytes + more
        return pause._replace(
            working=self.name, num_bytes=pause.num_bytes + more, growing_bytes=growing_bytes
        )

    def search(self, budget: Budget) -> Search:
        """As ``Searcher`` says."""
        going = underway(self._fess)
        while True:
            started_s = time.process_time()
            found = going.go_on(self._before(budget))
            searched_s = time.process_time()
            self._spent_s["search"] += searched_s - started_s
            # If the backward side is exhausted, there is no solution whatever is postponed.
            is_open = self._fess.turn == 0 and self._postponed
            if found is not None and not (found.outcome == Outcome.EXHAUSTED and is_open):
                return found._replace(last=self._named(found.last))
            if found is not None:
                self._reopen()
            elif not going.pause.growing_bytes:
                if self._spent_s["guide"] <= self._share * self._spent_s["search"]:
                    self._advise()
                self._spent_s["guide"] += time.process_time() - searched_s
            budget = yield self._named(going.pause)

    def _before(self, budget: Budget) -> Budget:
        """What it does before it goes on, and how far it may."""
        return budget

    def _advise(self) -> None:
        """Evaluates the positions with most below them, and postpones all below deadlocked ones."""
        side = self._fess.sides[0]
        count = int(side.positions.num_known[0])
        below = _num_below(side.positions.parent[:count], side.is_open[:count])
        below[self._judged] = 0
        chosen = np.flatnonzero(below >= _LEAST_BELOW)
        if not len(chosen):
            return
        chosen = chosen[np.argsort(-below[chosen], kind="stable")[:_BATCH]]
        self._judged += chosen.tolist()
        self.num_evaluated += len(chosen)
        guidance = self._guide.evaluate(*drawn(self._fess, chosen))
        deadlocked = chosen[guidance.deadlocked > _SURE]
        if len(deadlocked):
            is_below = np.zeros(count, np.bool_)
            is_below[deadlocked] = True
            _mark_below(side.positions.parent[:count], is_below)
            waiting = np.flatnonzero(is_below & side.is_open[:count])
            side.is_open[waiting] = False  # the heaps leave out what is not open
            self._postponed.append(waiting)
            self.num_postponed += len(waiting)

    def _reopen(self) -> None:
        """Opens all that was postponed, where nothing else is open."""
        side = self._fess.sides[0]
        side.root[side.root != NEVER] = NONE  # the heaps may still hold what was postponed
        for waiting in self._postponed:
            for position in waiting.tolist():
                enter(side, position)
        self._postponed = []


class OrderedFess(AdvisedFess):
    """The guide judges the next position of each cell before it is expanded."""

    name = "ordered-fess"
    _is_judged = np.zeros(0, np.bool_)

    def _advise(self) -> None:
        """Nothing: all is judged before."""

    def _before(self, budget: Budget) -> Budget:
        fess = self._fess
        if fess.turn == 1:
            return budget
        side = fess.sides[0]
        if side.progress[EXPANDING] == NONE:
            self._order()
        # By turns of the heap of all and of a cell, so that each of these was judged.
        most = int(side.progress[NUM_EXPANSIONS]) + 2 * _BATCH
        most += int(fess.sides[1].progress[NUM_EXPANSIONS])
        return budget._replace(expansions=min(most, budget.expansions))

    def _order(self) -> None:
        side = self._fess.sides[0]
        if (num_new := len(side.cell) - len(self._is_judged)) > 0:
            self._is_judged = np.append(self._is_judged, np.zeros(num_new, np.bool_))
        chosen = np.empty(_BATCH, np.int64)
        chosen = chosen[: _next_of_cells(side, self._is_judged, chosen)]
        if not len(chosen):
            return
        self.num_evaluated += len(chosen)
        guidance = self._guide.evaluate(*drawn(self._fess, chosen))
        weights = side.weight[chosen] + _PENALTY * (guidance.deadlocked > _SURE)
        left = np.rint(np.minimum(guidance.pushes_left, 1 << 16)).astype(np.int64)
        _rank_anew(side, chosen, weights.astype(np.int64), side.num_pushes[chosen] + 4 * left)


def drawn(
    fess: BidirectionalFess, chosen: Int64[np.ndarray, " P"]
) -> tuple[Bool[np.ndarray, "P F"], Bool[np.ndarray, "P F"]]:
    """The boxes of forward positions, and where the player can walk."""
    ground, positions = fess.tables[0].ground, fess.sides[0].positions
    boxes = np.zeros((len(chosen), len(ground.zone)), np.bool_)
    zone = np.zeros_like(boxes)
    words, players = positions.boxes[chosen], positions.player[chosen]
    squares = np.zeros(len(ground.goals), np.int16)
    _fill_drawn(ground.neighbours, words, players, squares, boxes, zone)
    return boxes, zone


@entry
@no_type_check
def _next_of_cells(side, is_judged, chosen):
    """Fills ``chosen`` with the unjudged first positions of the next cells; how many there are."""
    count = 0
    num_cells = side.progress[NUM_CELLS]
    for step in range(num_cells):
        cell = np.int64(side.cells[(side.progress[NEXT_CELL] + step) % num_cells])
        while side.root[cell] != NONE and not side.is_open[side.root[cell]]:
            side.root[cell] = without_root(side.of_cells, side.root[cell])
        first = np.int64(side.root[cell])
        if first != NONE and not is_judged[first]:
            is_judged[first] = True
            chosen[count] = first
            count += 1
            if count == len(chosen):
                break
    return count


@entry
@no_type_check
def _rank_anew(side, chosen, weights, totals):
    """Gives the first positions of cells another rank in their cells."""
    heap = side.of_cells
    for number in range(len(chosen)):
        position = chosen[number]
        cell = np.int64(side.cell[position])
        side.root[cell] = without_root(heap, side.root[cell])
        heap.rank[position] = (weights[number] << 32) + totals[number]
        heap.first_below[position] = heap.next_beside[position] = NONE
        side.root[cell] = meld(heap, side.root[cell], position)


@partial(entry, makes_arrays=True)
@no_type_check
def _num_below(parent, is_open):
    """By position, the open positions that came from it, directly or not."""
    below = np.zeros(len(parent), np.int32)
    for position in range(len(parent) - 1, -1, -1):
        above = parent[position]
        if above != NONE:
            below[above] += below[position] + is_open[position]
    return below


@entry
@no_type_check
def _mark_below(parent, is_below):
    """Marks the positions that came from marked ones."""
    for position in range(len(parent)):
        above = parent[position]
        if above != NONE and is_below[above]:
            is_below[position] = True


@partial(entry, makes_arrays=True)
@no_type_check
def _fill_drawn(neighbours, words, players, squares, boxes, zone):
    num_floor = len(neighbours) - 1
    is_blocked = np.zeros(num_floor + 1, np.bool_)
    marks = np.zeros(num_floor + 1, np.int64)
    waiting = np.empty(num_floor + 1, np.int32)
    for row in range(len(players)):
        list_boxes(words[row], squares)
        is_blocked[:] = False
        is_blocked[num_floor] = True
        for box in squares:
            is_blocked[box] = boxes[row, box] = True
        flood(neighbours, is_blocked, players[row], marks, row + 1, waiting)
        for square in range(num_floor):
            zone[row, square] = marks[square] == row + 1


def with_guide(
    search_type: type[AdvisedFess], policy: PushPolicy, board: Board, limits: Limits
) -> Answer:
    """As ``solver.solve`` for any solution, with the guide in the forward side of FESS."""

    def in_steps() -> Steps[Portfolio]:
        context = yield from context_in_steps(board, Squares(board))
        guide = NetworkGuide(policy.model, context.squares, context.tables[0].ground)

        def guided(context: SearchContext) -> Steps[Searcher]:
            yield
            fess = BidirectionalFess(*context.tables, context.player, context.learned)
            return search_type(fess, guide)

        members = replace(MEMBERS["bidirectional"], start=guided), MEMBERS["astar"]
        return Portfolio(context, members, limits)

    return find_answer(board, partial(set_up, in_steps()), limits, clock=time.process_time)


def run(arm: str, policy: PushPolicy, board: Board, time_limit_s: float) -> Answer:
    """The answer of one arm."""
    limits = Limits(time_limit_s=time_limit_s)
    if arm in ("advisor", "ordering"):
        search_type = AdvisedFess if arm == "advisor" else OrderedFess
        return with_guide(search_type, policy, board, limits)
    if arm == "worker":
        half = Limits(time_limit_s=time_limit_s / 2)
        answer = run("without", policy, board, time_limit_s / 2)
        if answer.status != "gave up":
            return answer
        guide, _ = policy.guide(board)
        options = GuidedOptions(is_classical=True, batch_size=8)
        return solve_guided(board, guide, options=options, limits=half, clock=time.process_time)
    return solver.solve(board, minimise="any", limits=limits, clock=time.process_time)


def numbers(text: str) -> set[int]:
    """The type of ``--levels``: such as 1-4,9."""
    found: set[int] = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        found |= {*range(int(first), int(last or first) + 1)}
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file")
    parser.add_argument("--weights", default="sokoban-push")
    parser.add_argument("--levels", type=numbers, help="such as 1-4,9 (default: all)")
    parser.add_argument("--arms", nargs="+", choices=ARMS, default=ARMS)
    parser.add_argument("--time-limit", type=float, default=60.0)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    solver.prepare()
    policy = PushPolicy(tokoban.load(arguments.weights, system="push").model)
    rows, solved = [], Counter({arm: 0 for arm in arguments.arms})
    for level in tokoban.read_levels(arguments.file):
        if arguments.levels is not None and level.number not in arguments.levels:
            continue
        for arm in arguments.arms:
            answer = run(arm, policy, level.board, arguments.time_limit)
            solved[arm] += answer.status != "gave up"
            row = {
                "file": Path(arguments.file).name,
                "number": level.number,
                "squares": len(level.board.inside()),
                "boxes": len(level.board.boxes),
                "arm": arm,
                "status": answer.status,
                "solver": answer.solver,
                "pushes": answer.solution and answer.solution.num_pushes,
                "expansions": answer.num_expansions,
                "evaluated": answer.num_evaluated,
                "elapsed_s": round(answer.elapsed_s, 2),
            }
            rows.append(row)
            print(*row.values(), flush=True)
    print(", ".join(f"{arm} {count}" for arm, count in solved.items()), "solved")
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
