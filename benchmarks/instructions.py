"""Compares the truth of instructions with a plain search, move by move, and counts.

Random levels of 2 and 3 boxes and random sentences. The search has the player's square in its
state, tells all boxes apart, and judges each clause by what happened so far, without a machine. In
the start and in states along random obedient play it compares the fewest pushes that are left and
the set of best pushes. Prints counts as it goes on; exits with 1 if anything is wrong.
"""

import argparse
import random
import sys
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

from benchmarks.random_boards import Kind as BoardKind
from benchmarks.random_boards import random_board
from tokoban.sokoban import rules
from tokoban.sokoban.board import Board, Direction, Square
from tokoban.sokoban.instructions import grammar
from tokoban.sokoban.instructions.meaning import DEMANDS, Box, Clause, Kind, Meaning, Place
from tokoban.sokoban.instructions.naming import find_box, find_place, named_boxes
from tokoban.sokoban.instructions.truth import FAR, Level, Truth, pushed

MOST_POSITIONS = 5000
STATES_EACH = 6  # along a play
BOARDS = BoardKind(borders=(True,), max_box_share=0.0)
OPTIONS: dict[str, list[Any]] = {
    "box": [*Box],
    "other": [*Box],
    "place": [*Place],
    "other_place": [*Place],
}


class Push(NamedTuple):
    """A box by its number, from where to where."""

    box: int
    start: Square
    end: Square


class Watcher:
    """Judges one clause; its memory is what it has to know of the play so far."""

    def __init__(self, board: Board, boxes: Sequence[Square], clause: Clause) -> None:
        self.kind = clause.kind
        self.box, self.other = (
            None if name is None else boxes.index(find_box(board, name))
            for name in (clause.box, clause.other)
        )
        self.place, self.other_place = (
            None if name is None else find_place(board, name)
            for name in (clause.place, clause.other_place)
        )
        self.start: Any = None
        box_is_there = self.place and self.box is not None and boxes[self.box] in self.place
        other_is_there = self.other_place and boxes[self.other or 0] in self.other_place
        if self.kind in (Kind.BRING_FIRST, Kind.BRING_BEFORE):
            self.start = "came" if box_is_there else "not yet"
        elif self.kind == Kind.ARRIVE_BEFORE:
            self.start = "came" if box_is_there else "too late" if other_is_there else "not yet"
        elif self.kind.name.endswith("UNTIL"):
            self.start = "free" if other_is_there else "forbidden"
        elif self.kind in (Kind.LEAVE, Kind.KEEP_FREE, Kind.STAY_OUT, Kind.AVOID):
            self.start = "forbidden"
        elif self.kind in (Kind.BEFORE, Kind.AFTER):
            self.start = ()  # which of the two were pushed
        elif self.kind == Kind.PLAYER_ENDS:
            self.start = board.player in (self.place or ())

    def enters(self, memory: Any, square: Square) -> bool:
        """Whether the player may."""
        forbids = self.kind in (Kind.STAY_OUT, Kind.STAY_OUT_UNTIL, Kind.AVOID)
        return not (forbids and memory == "forbidden" and square in (self.place or ()))

    def after(self, memory: Any, push: Push) -> tuple[bool, Any]:
        """Whether the push obeys, and the memory after it."""
        is_box, is_other = push.box == self.box, push.box == self.other
        kind, place, other_place = self.kind, self.place or (), self.other_place or ()
        if kind == Kind.FIRST:
            return True, push.box if memory is None else memory
        if kind in (Kind.LAST, Kind.BRING_LAST):
            return True, push.box
        if kind == Kind.PLAYER_ENDS:
            return True, push.start in place
        if kind in (Kind.BEFORE, Kind.AFTER):
            early = (is_other, self.box) if kind == Kind.BEFORE else (is_box, self.other)
            is_late = early[0] and early[1] not in memory
            return not is_late, tuple(sorted({*memory, push.box}))
        if kind in (Kind.BRING_FIRST, Kind.BRING_BEFORE, Kind.ARRIVE_BEFORE):
            stops = {
                Kind.BRING_FIRST: not is_box,
                Kind.BRING_BEFORE: is_other,
                Kind.ARRIVE_BEFORE: is_other and push.end in other_place,
            }[kind]
            comes = is_box and push.end in place
            later = "came" if comes and memory != "too late" else memory
            return memory == "came" or not stops, later
        if memory == "forbidden":
            disobeys = is_box or (
                kind in (Kind.KEEP_FREE, Kind.KEEP_FREE_UNTIL, Kind.AVOID) and push.end in place
            )
            return not disobeys, "free" if is_other and push.end in other_place else memory
        return True, memory

    def may_end(self, memory: Any, boxes: Sequence[Square]) -> bool:
        """Whether a solution may end with the boxes there."""
        there = boxes[self.box or 0] in (self.place or ())
        if self.kind == Kind.BRING:
            return there
        if self.kind in (Kind.FIRST, Kind.LAST):
            return memory == self.box
        if self.kind == Kind.BRING_LAST:
            return memory == self.box and there
        if self.kind == Kind.BRING_FIRST:
            return memory == "came" and there
        if self.kind in (Kind.BRING_BEFORE, Kind.ARRIVE_BEFORE):
            return memory == "came"
        if self.kind in (Kind.BEFORE, Kind.AFTER):
            return self.box in memory
        return memory if self.kind == Kind.PLAYER_ENDS else True


State = tuple[tuple[Square, ...], Square, tuple[Any, ...]]  # boxes, player, memories


class PlainSearch:
    """Every state of the obedient play of one sentence, and the pushes left from each."""

    def __init__(self, board: Board, meaning: Meaning) -> None:
        self._board = board
        boxes = tuple(sorted(board.boxes))
        self._watchers = [Watcher(board, boxes, clause) for clause in meaning]
        self.start: State = (boxes, board.player, tuple(w.start for w in self._watchers))

    def moves(self, state: State) -> Iterator[tuple[State, Push | None]]:
        """The obedient moves, and what they push."""
        boxes, player, memories = state
        for direction in Direction:
            ahead = player.neighbour(direction)
            if ahead in self._board.walls or not all(
                w.enters(m, ahead) for w, m in zip(self._watchers, memories, strict=True)
            ):
                continue
            if ahead not in boxes:
                yield (boxes, ahead, memories), None
                continue
            beyond = ahead.neighbour(direction)
            if beyond in boxes or beyond in self._board.walls:
                continue
            push = Push(boxes.index(ahead), ahead, beyond)
            judged = [w.after(m, push) for w, m in zip(self._watchers, memories, strict=True)]
            if all(obeys for obeys, _ in judged):
                later = tuple(beyond if box == ahead else box for box in boxes)
                yield (later, ahead, tuple(memory for _, memory in judged)), push

    @cached_property
    def pushes_left(self) -> dict[State, int]:
        """Of the shortest obedient solution; states without one are left out."""
        before: dict[State, list[tuple[State, bool]]] = {self.start: []}
        for state in (waiting := [self.start]):  # grows while it is read
            for later, push in self.moves(state):
                if later not in before:
                    before[later] = []
                    waiting.append(later)
                before[later].append((state, push is not None))
        left = {
            state: 0
            for state in before
            if {*state[0]} == self._board.goals
            and all(w.may_end(m, state[0]) for w, m in zip(self._watchers, state[2], strict=True))
        }
        queue = deque(left)
        while queue:
            state = queue.popleft()
            for earlier, is_push in before[state]:
                if left.get(earlier, FAR) > left[state] + is_push:
                    left[earlier] = left[state] + is_push
                    (queue.append if is_push else queue.appendleft)(earlier)
        return left

    def pushes(self, state: State) -> dict[tuple[Square, Direction], State]:
        """The obedient pushes, by the square of the box and the direction, after any walk."""
        found: dict[tuple[Square, Direction], State] = {}
        met = {state}
        for here in (waiting := [state]):
            for later, push in self.moves(here):
                if push is not None:
                    way = (push.end.row - push.start.row, push.end.column - push.start.column)
                    [direction] = [d for d in Direction if Square(0, 0).neighbour(d) == way]
                    found[push.start, direction] = later
                elif later not in met:
                    met.add(later)
                    waiting.append(later)
        return found


def difference(chance: random.Random, truth: Truth, search: PlainSearch) -> str:
    """What the two disagree in, in the start or along a random obedient play; empty if nothing."""
    position, memory, state = 0, truth.machine.start, search.start
    for _ in range(STATES_EACH):
        left = int(truth.pushes_left[position, memory])
        expected = search.pushes_left.get(state, FAR)
        if left != expected:
            return f"pushes left: {left} and {expected} in {state}"
        pushes = search.pushes(state)
        best = {
            push
            for push, later in pushes.items()
            if 0 < expected < FAR and search.pushes_left.get(later) == expected - 1
        }
        found = {pushed(truth.graph, push) for push in truth.best_pushes(position, memory)}
        if found != best:
            return f"best pushes: {found} and {best} in {state}"
        known = {
            pushed(truth.graph, push): (int(truth.graph.pushes.target[push]), after)
            for push in truth.graph.pushes_from(position)
            if (after := truth.after(push, memory)) >= 0
        }
        missing = {push for push, later in pushes.items() if later in search.pushes_left}
        if odd := (missing - {*known}) | ({*known} - {*pushes}):
            return f"pushes {odd} are missing, or forbidden, in {state}"
        if not known:
            break
        chosen = chance.choice(sorted(known))
        (position, memory), state = known[chosen], pushes[chosen]
    return ""


def random_level(chance: random.Random) -> Board:
    """A bordered board of 2 or 3 boxes; the goals are where random play brings the boxes, or
    anywhere."""
    while True:
        height, width = chance.randint(3, 5), chance.randint(3, 6)
        board = random_board(chance, height, width, kind=BOARDS, is_bordered=True)
        inside, num_boxes = sorted(board.inside() - {board.player}), chance.choice((2, 2, 3))
        if len(inside) <= 2 * num_boxes:
            continue
        boxes = frozenset(chance.sample(inside, num_boxes))
        board = replace(board, boxes=boxes, goals=boxes)
        played = rules.play(board, chance.choices([*Direction], k=chance.choice((0, 60, 200))))
        anywhere = frozenset(chance.sample(inside, num_boxes))
        return replace(board, goals=played[-1].boxes if chance.random() < 0.8 else anywhere)


def random_meaning(chance: random.Random, num_clauses: int) -> Meaning:
    """Clauses of random kinds with random names."""
    kinds = chance.choices(DEMANDS, k=num_clauses)
    return tuple(
        Clause(kind, **{field: chance.choice(OPTIONS[field]) for field in grammar.fields(kind)})
        for kind in kinds
    )


def compare(chance: random.Random, num_pairs: int) -> Iterator[tuple[Board, Meaning, Truth, str]]:
    """Random levels and sentences with their truth, and what is wrong with it."""
    count = 0
    while count < num_pairs:
        board = random_level(chance)
        plain = Level(board, board.boxes).truth(())
        if plain.graph.num_positions > MOST_POSITIONS:
            continue
        for _ in range(4 * (count < num_pairs)):
            meaning = random_meaning(chance, chance.choice((1, 1, 2, 2, 3)))
            try:
                truth = Level(board, named_boxes(board, meaning)).truth(meaning)
            except ValueError:
                continue  # a name that means nothing there, or too many states
            count += 1
            wrong = difference(chance, truth, PlainSearch(board, meaning))
            if not wrong and truth.fewest_pushes is not None:
                truth.plan()  # replayed by the rules and the machine
            yield board, meaning, truth, wrong


def main(argv: Sequence[str] | None = None) -> int:
    """Prints what is wrong, and counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=20_000, help="levels with a sentence")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args(argv)
    counts: Counter[str] = Counter()
    for board, meaning, truth, wrong in compare(random.Random(arguments.seed), arguments.pairs):
        counts["impossible" if truth.fewest_pushes is None else "possible"] += 1
        counts["wrong"] += bool(wrong)
        if wrong:
            print(f"{board!r}: {grammar.sentence(meaning)}: {wrong}")
        num_pairs = counts.total() - counts["wrong"]
        if num_pairs % 500 == 0 or num_pairs == arguments.pairs:
            print(f"{num_pairs:,} pairs: {dict(counts)}", flush=True)
    return int(counts["wrong"] > 0)


if __name__ == "__main__":
    sys.exit(main())
