"""How a sentence can be obeyed with the fewest pushes, or that it cannot be.

Breadth first, backwards from all obedient ends, over pairs of a position and a state of the
machine. Axes as in ``graph`` and ``machine``.
"""

from dataclasses import dataclass
from functools import cached_property, partial
from typing import no_type_check

import numpy as np
from jaxtyping import Int8, Int32

from tokoban.compiling import entry
from tokoban.sokoban.board import Board, Direction, Square
from tokoban.sokoban.formats.level import Solution
from tokoban.sokoban.instructions.graph import Graph, build_graph
from tokoban.sokoban.instructions.machine import (
    REJECTED,
    Cells,
    Machine,
    TooLargeError,
    build_machine,
    obeys,
)
from tokoban.sokoban.instructions.meaning import Meaning
from tokoban.sokoban.instructions.naming import named_boxes
from tokoban.sokoban.instructions.play import Followed, Play, followed
from tokoban.sokoban.search.answer import BY_INSTRUCTION, Answer
from tokoban.sokoban.search.limits import (
    DEFAULT_LIMITS,
    UNWATCHED,
    Limits,
    OutOfTimeError,
    Watch,
    out_of_memory,
)
from tokoban.sokoban.search.state.positions import packed_bits
from tokoban.sokoban.wording import counted

MAX_PAIRS = 1 << 24  # of a position and a state: some 16 million
_PAIRS_AT_ONCE = 1 << 16  # gone back from before limits and Ctrl-C are looked at
_BYTES_OF_A_PAIR = 12  # at most, in ``_solve``
_MOST_PLANS = 16  # positions that a plan is continued from; 64 gave no shorter plans
FAR = np.iinfo(np.int32).max  # a distance: the sentence cannot be obeyed from there


@dataclass(frozen=True, eq=False)
class Truth:
    """All that is to know of one sentence on one level."""

    graph: Graph
    machine: Machine
    pushes_left: Int32[np.ndarray, "P Q"]  # of the shortest obedient solution, or FAR

    @property
    def fewest_pushes(self) -> int | None:
        """Of an obedient solution from the start; None if there is none."""
        fewest = int(self.pushes_left[0, self.machine.start])
        return None if fewest == FAR else fewest

    def best_pushes(self, position: int, state: int) -> list[int]:
        """The pushes of the graph that begin a shortest obedient solution."""
        left = self.pushes_left[position, state]
        wanted = left - 1 if 0 < left < FAR else REJECTED
        return [
            push
            for push in self.graph.pushes_from(position)
            if (after := self.after(push, state)) != REJECTED
            and self.pushes_left[self.graph.pushes.target[push], after] == wanted
        ]

    def after(self, push: int, state: int) -> int:
        """The state of the machine after a push; ``REJECTED`` where it is forbidden."""
        if not self.graph.pushes.is_allowed[push] >> self._walls[state] & 1:
            return REJECTED
        return int(self._after[state, self.graph.pushes.event[push]])

    @cached_property
    def _walls(self) -> list[int]:
        """By state, the number of its walls in the graph."""
        return [self.graph.walls.index(int(packed_bits(row)[0])) for row in self.machine.walls]

    @cached_property
    def _after(self) -> Int8[np.ndarray, "Q events"]:
        return self.machine.after.reshape(len(self.machine.accepts), -1)

    @cached_property
    def plain(self) -> "Truth":
        """That of the level without the sentence, over the same graph."""
        return _solve(self.graph, build_machine(self.graph.cells, ()))

    def asks_something(self) -> bool:
        """Whether some solution of the level with the fewest pushes disobeys."""
        plain, free = self.plain, self.plain.machine.start
        waiting = [(0, self.machine.start)]
        known = {*waiting}
        while waiting:
            position, state = waiting.pop()
            if self.pushes_left[position, state] != plain.pushes_left[position, free]:
                return True
            for push in plain.best_pushes(position, free):
                after = self.after(push, state)
                pair = int(self.graph.pushes.target[push]), after
                if after == REJECTED:
                    return True
                if pair not in known:
                    known.add(pair)
                    waiting.append(pair)
        return False

    def plan(self) -> tuple[Direction, ...]:
        """The moves of an obedient solution with the fewest pushes; ``ValueError`` without one.

        Of those solutions it has the fewest moves, if after each push at most ``_MOST_PLANS``
        positions are possible; of more, only those with the fewest moves so far are continued.
        """
        if self.fewest_pushes is None:
            raise ValueError("no solution obeys")
        cells = self.graph.cells
        plans = [(0, Followed(Play.of(cells.board), self.machine.start, ()))]
        for _ in range(self.fewest_pushes):
            after: dict[tuple[int, int, Square], tuple[int, Followed]] = {}
            for position, now in plans:
                for push in self.best_pushes(position, now.state):
                    then = followed(cells, self.machine, now, pushed(self.graph, push))
                    assert then is not None  # the graph has what the rules and the machine allow
                    target = int(self.graph.pushes.target[push])
                    place = target, then.state, then.play.board.player
                    known = after.get(place)
                    if known is None or len(then.moves) < len(known[1].moves):
                        after[place] = target, then
            plans = sorted(after.values(), key=lambda plan: len(plan[1].moves))[:_MOST_PLANS]
        moves = plans[0][1].moves
        if not obeys(cells, self.machine, moves):
            raise RuntimeError(f"the rules and the machine refuse a plan for {cells.board!r}")
        return moves


class Level:
    """A level, whose graph is built once for all sentences that name no boxes but ``named``."""

    def __init__(self, board: Board, named: frozenset[Square]) -> None:
        self.cells = Cells.of(board, named)
        self._graphs: dict[tuple[int, ...], Graph] = {}

    def truth(self, meaning: Meaning, watch: Watch = UNWATCHED) -> Truth:
        """The truth of a sentence; ``()`` demands nothing but a solution.

        ``ValueError`` where names mean nothing on the board, ``TooLargeError`` or
        ``OutOfTimeError`` beyond the limits.
        """
        machine = build_machine(self.cells, meaning)
        walls = tuple(sorted({int(packed_bits(row)[0]) for row in machine.walls} - {0}))
        if walls not in self._graphs:
            # Squares that the player may not enter seldom are those of another sentence. The other
            # graph goes before the new one is made, so that memory holds two at most.
            self._graphs = {(): self._graphs[()]} if () in self._graphs else {}
            self._graphs[walls] = build_graph(self.cells, walls, watch=watch)
        return _solve(self._graphs[walls], machine, watch)


def truth_of(board: Board, meaning: Meaning, watch: Watch = UNWATCHED) -> Truth:
    """``Level.truth`` of a board's only sentence."""
    return Level(board, named_boxes(board, meaning)).truth(meaning, watch)


def solve(board: Board, meaning: Meaning, limits: Limits = DEFAULT_LIMITS) -> Answer:
    """The obedient solution with the fewest pushes, or why there is none.

    ``ValueError`` where a name means nothing on the board.
    """
    watch = Watch(limits)
    answer = partial(Answer, solver=BY_INSTRUCTION)
    try:
        truth = truth_of(board, meaning, watch)
    except (TooLargeError, OutOfTimeError) as error:
        return answer(status="gave up", reason=error.args[0], elapsed_s=watch.elapsed_s())
    answer = partial(answer, num_expansions=truth.graph.num_positions)
    if truth.fewest_pushes is None:
        is_lost = truth.plain.fewest_pushes is None
        why = "the level has no solution" if is_lost else "the level has solutions, but none obeys"
        pairs = counted(truth.pushes_left.size, "pair")
        reason = f"{why}: {pairs} of position and state searched"
        return answer(status="unsolvable", reason=reason, elapsed_s=watch.elapsed_s())
    return answer(
        status="solved",
        solution=Solution.of(board, truth.plan()),
        optimum="pushes",
        at_least_pushes=truth.fewest_pushes,
        elapsed_s=watch.elapsed_s(),
    )


def pushed(graph: Graph, push: int) -> tuple[Square, Direction]:
    """The square of the box before the push, and the direction."""
    cell, direction = divmod(int(graph.pushes.event[push]) % 256, 4)
    back = Direction(direction).opposite
    return graph.cells.square(cell).neighbour(back), Direction(direction)


def _solve(graph: Graph, machine: Machine, watch: Watch = UNWATCHED) -> Truth:
    num_states = len(machine.accepts)
    num_pairs = graph.num_positions * num_states
    watch.check()
    if num_pairs > MAX_PAIRS:
        pairs = f"{graph.num_positions:,} positions times {num_states} states"
        raise TooLargeError(f"too large: {pairs}; expected at most {MAX_PAIRS:,}")
    if num_pairs * _BYTES_OF_A_PAIR > watch.limits.memory_limit_mb * 1e6:
        raise TooLargeError(out_of_memory(watch.limits.memory_limit_mb))
    pushes_left = np.full((graph.num_positions, num_states), FAR, np.int32)
    truth = Truth(graph, machine, pushes_left)
    found = graph.is_solved[:, None] & machine.accepts
    pushes_left[found] = 0
    waiting = np.empty(num_pairs, np.int32)
    progress = np.array([0, found.sum()])  # pairs gone back from, pairs reached
    waiting[: progress[1]] = np.flatnonzero(found)
    bits = np.array([1 << number for number in truth._walls], np.uint8)
    while progress[0] < progress[1]:
        _go_back(
            graph.pushes,
            graph.by_target,
            graph.ends_by_target,
            truth._after,
            bits,
            pushes_left,
            waiting,
            progress,
            _PAIRS_AT_ONCE,
        )
        watch.check()
    return truth


@entry
@no_type_check
def _go_back(pushes, by_target, ends, after, bits, pushes_left, waiting, progress, most):
    """Goes back from the next ``most`` of the ``waiting`` pairs, and fills ``pushes_left``."""
    num_states, (first, count) = len(bits), progress
    last = first + most
    while first < min(count, last):
        position, state = waiting[first] // num_states, waiting[first] % num_states
        first += 1
        for i in range(ends[position], ends[position + 1]):
            push = by_target[i]
            source, event = pushes.source[push], pushes.event[push]
            for before in range(num_states):
                if (
                    after[before, event] == state
                    and pushes.is_allowed[push] & bits[before]
                    and pushes_left[source, before] == FAR
                ):
                    pushes_left[source, before] = pushes_left[position, state] + 1
                    waiting[count] = source * num_states + before
                    count += 1
    progress[0], progress[1] = first, count
