"""Which of the boxes lose a position: as few as are found, none of which can be left out."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tokoban.sokoban.board import Board, Direction, Square
from tokoban.sokoban.formats import lurd
from tokoban.sokoban.proofs.certificate import Certificate, Trap
from tokoban.sokoban.proofs.standing import frozen_group, smallest_crowd, smallest_frozen
from tokoban.sokoban.proofs.subsets import Budget, Proof, search_subset
from tokoban.sokoban.proofs.world import Ground

_SHORT_SEARCHES = (500, 10_000)  # positions


@dataclass(frozen=True)
class Loss:
    """Boxes that are lost even where no others are, and why."""

    kind: str
    boxes: frozenset[Square]
    proof: Proof

    @property
    def cost(self) -> tuple[int, int]:
        """What is to be small: the boxes, and then the proof."""
        return len(self.boxes), len(self.proof.positions)


class Subsets:
    """What is known of subsets of the boxes of one board, and the searches that find it out."""

    def __init__(self, board: Board, budget: Budget) -> None:
        self.ground = Ground(board, budget.check)
        self.boxes = frozenset(box for box in board.boxes if box in self.ground.number)
        self.budget = budget  # of each search, and the end of all
        self.expansions = 0
        self._plans: list[tuple[frozenset[Square], tuple[Direction, ...]]] = []
        self._losses: list[Loss] = []

    def decide(self, boxes: frozenset[Square]) -> tuple[Direction, ...] | Loss | None:
        """A plan for these boxes alone, or why there is none; None if the budget is spent."""
        for known, plan in self._plans:
            # Without some of its boxes a plan still stands: what was a push is a walk then.
            if boxes <= known:
                return plan
        for known_loss in self._losses:
            if known_loss.boxes <= boxes:
                return known_loss
        if self.budget.is_spent:
            return None
        loss = standing_loss(self.ground, boxes)
        if loss is None:
            searched = search_subset(self.ground, boxes, self.budget)
            self.expansions += searched.expansions
            if searched.plan is not None:
                self._plans.append((boxes, searched.plan))
                return searched.plan
            if searched.proof is None:
                return None
            loss = Loss("search", boxes, searched.proof)
        self._losses.append(loss)
        return loss

    @property
    def plan_of_all(self) -> tuple[Direction, ...] | None:
        """A plan for all boxes, if one was found on the way."""
        return next((plan for boxes, plan in self._plans if boxes == self.boxes), None)

    def grown(self, start: Square, max_boxes: int) -> Loss | None:
        """A loss that has to do with the box ``start``, if one of so many boxes is found.

        While the boxes taken so far have a plan, one that would be in its way is added.
        """
        boxes = frozenset({start})
        while len(boxes) <= max_boxes:
            answer = self.decide(boxes)
            if answer is None or isinstance(answer, Loss):
                return answer
            others = self.boxes - boxes
            if not others:
                return None
            boxes |= {_in_the_way(self.ground.board, boxes, others, answer)}
        return None

    def shrunk(self, loss: Loss) -> Loss:
        """The loss without boxes that it can do without, as far as the budget goes."""
        for box in sorted(loss.boxes):
            if box in loss.boxes and len(loss.boxes) > 1:
                answer = self.decide(loss.boxes - {box})
                if isinstance(answer, Loss):
                    loss = answer
        return loss

    def certificate(self, loss: Loss) -> Certificate:
        """The loss as a certificate, with the plans that show its boxes to be needed."""
        board = self.ground.board
        without: list[str | None] = []
        blamed = tuple(sorted(loss.boxes))
        for box in blamed:
            others = loss.boxes - {box}
            plan = self.decide(others) if others else ()
            without.append(None if plan is None or isinstance(plan, Loss) else _moves(plan))
        proof = loss.proof
        return Certificate(
            board, loss.kind, blamed, tuple(without), proof.traps, proof.frozen, proof.positions
        )


def standing_loss(ground: Ground, boxes: frozenset[Square]) -> Loss | None:
    """Why boxes are lost without any search; None if that is not seen."""
    crowd = smallest_crowd(ground, boxes)
    if crowd is not None and len(crowd) == 1:
        return _crowded(ground, crowd)
    frozen = smallest_frozen(ground, boxes)
    if frozen is not None and (crowd is None or len(frozen) <= len(crowd)):
        group, places = frozen_group(ground, frozen)
        traps = [Trap(tuple(map(ground.named, ground.closure(places))))] if places else []
        return Loss("frozen", frozen, Proof(tuple(traps), (group,), ()))
    return None if crowd is None else _crowded(ground, crowd)


def _crowded(ground: Ground, crowd: Sequence[Square]) -> Loss:
    places = ground.closure(ground.place(box, ground.board.player) for box in crowd)
    trap = Trap(tuple(map(ground.named, places)))
    kind = "dead" if len(crowd) == 1 else "bipartite"
    return Loss(kind, frozenset(crowd), Proof((trap,), (), ()))


def find_loss(subsets: Subsets) -> Loss | None:
    """A loss of few boxes that only a search shows; None if the budget is spent before."""
    budget = subsets.budget
    # Short searches first: on large boards a few boxes may be lost that others hide.
    for max_positions in sorted({*_SHORT_SEARCHES, budget.max_positions}):
        subsets.budget = replace(budget, max_positions=min(max_positions, budget.max_positions))
        best: Loss | None = None
        for start in sorted(subsets.boxes):
            # Boxes are left out afterwards; with many more than the best has, few would get there.
            max_boxes = len(subsets.boxes) if best is None else len(best.boxes)
            loss = subsets.grown(start, max_boxes)
            if loss is not None:
                loss = subsets.shrunk(loss)
                best = min(best or loss, loss, key=lambda loss: loss.cost)
        subsets.budget = budget
        if best is not None or budget.is_spent:
            return best
    return None


def _in_the_way(
    board: Board, boxes: frozenset[Square], others: frozenset[Square], plan: Sequence[Direction]
) -> Square:
    """The first of the others that a plan for the boxes comes upon.

    One that is on no goal if it comes upon none.
    """
    player, moving = board.player, set(boxes)
    for direction in plan:
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


def _moves(plan: Sequence[Direction]) -> str:
    return "".join(lurd.LETTERS[direction] for direction in plan)
