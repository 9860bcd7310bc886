"""Small sets of boxes that deadlock a position; no box of a set can be left out."""

from collections.abc import Sequence

from tokoban.sokoban.board import Board, Direction, Square
from tokoban.sokoban.formats import lurd
from tokoban.sokoban.proofs.certificate import Certificate
from tokoban.sokoban.proofs.numbered_board import NumberedBoard
from tokoban.sokoban.proofs.static import Deadlock, static_deadlock
from tokoban.sokoban.proofs.subsets import search_subset
from tokoban.sokoban.search.limits import Watch

_SHORT_SEARCHES = (500, 10_000)  # positions

Moves = tuple[Direction, ...]


class Subsets:
    """Facts about subsets of a board's boxes, and the searches that prove them."""

    def __init__(self, board: Board, watch: Watch, max_positions: int) -> None:
        """Each search expands at most ``max_positions``; ``watch`` ends them all."""
        self.numbered = NumberedBoard(board, watch.check)
        self.boxes = frozenset(box for box in board.boxes if box in self.numbered.number)
        self.num_expansions = 0
        self.limit: str | None = None  # what ended the last search without a result
        self._watch = watch
        self._max_positions = max_positions
        self._solutions: list[tuple[frozenset[Square], Moves]] = []
        self._deadlocks: list[Deadlock] = []

    def decide(
        self, boxes: frozenset[Square], max_positions: int | None = None
    ) -> Moves | Deadlock | None:
        """A solution for these boxes alone, or why there is none; None if a limit is reached."""
        for known, solution in self._solutions:
            # A solution solves any subset of its boxes: pushes of the others become walks.
            if boxes <= known:
                return solution
        for known_deadlock in self._deadlocks:
            if known_deadlock.boxes <= boxes:
                return known_deadlock
        if (reason := self._watch.reason_to_end()) is not None:
            self.limit = reason
            return None
        deadlock = static_deadlock(self.numbered, boxes)
        if deadlock is None:
            max_positions = self._max_positions if max_positions is None else max_positions
            searched = search_subset(self.numbered, boxes, self._watch, max_positions)
            self.num_expansions += searched.num_expansions
            if searched.solution is not None:
                self._solutions.append((boxes, searched.solution))
                return searched.solution
            if searched.proof is None:
                self.limit = searched.limit
                return None
            deadlock = Deadlock("search", boxes, searched.proof)
        self._deadlocks.append(deadlock)
        return deadlock

    @property
    def solution_of_all(self) -> Moves | None:
        """A solution for all boxes, if one was found meanwhile."""
        return next((found for boxes, found in self._solutions if boxes == self.boxes), None)

    def find_deadlock(self) -> Deadlock | None:
        """A deadlock of few boxes that takes a search; None if a limit is reached before."""
        # Short searches first: on large boards a deadlock of a few boxes may be among many others.
        most = self._max_positions
        for max_positions in sorted({min(size, most) for size in (*_SHORT_SEARCHES, most)}):
            best: Deadlock | None = None
            for start in sorted(self.boxes):
                # Boxes are left out afterwards; from a set much larger than the best, that rarely
                # leads to fewer.
                max_boxes = len(self.boxes) if best is None else len(best.boxes)
                deadlock = self._grow(start, max_boxes, max_positions)
                if deadlock is not None:
                    deadlock = self.shrink(deadlock, max_positions)
                    best = min(best or deadlock, deadlock, key=lambda found: found.cost)
            if best is not None or self._watch.reason_to_end() is not None:
                return best
        return None

    def _grow(self, start: Square, max_boxes: int, max_positions: int) -> Deadlock | None:
        """A deadlock of at most so many boxes, found by adding boxes to the box ``start``.

        While the boxes so far have a solution, the next is one that stands in its way.
        """
        boxes = frozenset({start})
        while len(boxes) <= max_boxes:
            answer = self.decide(boxes, max_positions)
            if answer is None or isinstance(answer, Deadlock):
                return answer
            others = self.boxes - boxes
            if not others:
                return None
            boxes |= {_first_obstacle(self.numbered.board, boxes, others, answer)}
        return None

    def shrink(self, deadlock: Deadlock, max_positions: int | None = None) -> Deadlock:
        """The deadlock without redundant boxes, as far as the limits allow."""
        for box in sorted(deadlock.boxes):
            if box in deadlock.boxes and len(deadlock.boxes) > 1:
                answer = self.decide(deadlock.boxes - {box}, max_positions)
                if isinstance(answer, Deadlock):
                    deadlock = answer
        return deadlock

    def certificate(self, deadlock: Deadlock) -> Certificate:
        """The deadlock as a certificate, with the solutions that show each box to be needed."""
        without: list[str | None] = []
        boxes = tuple(sorted(deadlock.boxes))
        for box in boxes:
            others = deadlock.boxes - {box}
            answer = self.decide(others) if others else ()
            without.append(lurd.letters_of(answer) if isinstance(answer, tuple) else None)
        proof = deadlock.proof
        return Certificate(
            self.numbered.board,
            deadlock.kind,
            boxes,
            tuple(without),
            proof.traps,
            proof.frozen,
            proof.positions,
        )


def _first_obstacle(
    board: Board, boxes: frozenset[Square], others: frozenset[Square], solution: Sequence[Direction]
) -> Square:
    """The first of the other boxes that a solution for these would collide with.

    If there is none, one that is on no goal.
    """
    player, moving = board.player, set(boxes)
    for direction in solution:
        ahead = player.neighbour(direction)
        beyond = ahead.neighbour(direction)
        if ahead in others:
            return ahead
        if ahead in moving:
            if beyond in others:
                return beyond
            moving.remove(ahead)
            moving.add(beyond)
        player = ahead
    return min(others - board.goals or others)
