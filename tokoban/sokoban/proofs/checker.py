"""Does a certificate hold? Slowly and plainly, by the board and the rules alone.

This shares nothing with what finds certificates, so that neither can excuse the other.
"""

from collections.abc import Callable, Iterable, Mapping, Set

from tokoban.sokoban import rules
from tokoban.sokoban.board import Board, Direction, Square
from tokoban.sokoban.proofs.certificate import Certificate, FrozenGroup, Trap

_AXES = ((Direction.UP, Direction.DOWN), (Direction.LEFT, Direction.RIGHT))
_LETTERS = {direction.name[0]: direction for direction in Direction}


def find_fault(
    certificate: Certificate, each_position: Callable[[], object] = lambda: None
) -> str | None:
    """Why the certificate does not prove its board lost, in one sentence; None if it does.

    What it says in ``without`` is checked too. Squares are counted from 1 in the sentence. The time
    is in proportion to the positions listed, some 0.1 ms each on a small board; ``each_position``
    is called at each of them, and may end the check by an exception.
    """
    try:
        _Proof(certificate).check(each_position)
    except _FaultError as fault:
        return str(fault)
    return None


class _FaultError(Exception):
    """The certificate does not hold."""


def _demand(condition: bool, otherwise: str) -> None:
    if not condition:
        raise _FaultError(otherwise)


class _Proof:
    """A certificate, and where the player may be for its places and positions to apply."""

    def __init__(self, certificate: Certificate) -> None:
        self.certificate = certificate
        self.board = certificate.board
        # Of each trap, by the square of the box: all squares of the player.
        self.trapped = [self._areas(trap) for trap in certificate.traps]
        self.num_goals = [len(self.board.goals & areas.keys()) for areas in self.trapped]
        self.listed: dict[Set[Square], set[Square]] = {}

    def check(self, each_position: Callable[[], object]) -> None:
        certificate, board = self.certificate, self.board
        blamed = frozenset(certificate.blamed)
        _demand(blamed <= board.boxes, "a blamed box is not on the board")
        if certificate.kind == "count":
            _demand(len(board.boxes) < len(board.goals), "there are as many boxes as goals")
            _demand(not blamed, "no box is to blame where there are too few")
            return
        for areas in self.trapped:
            self._check_trap(areas)
        for group in certificate.frozen:
            self._check_group(group)
        for boxes, player in certificate.positions:
            each_position()
            area = self._area(player, boxes)
            self.listed.setdefault(boxes, set()).update(area)
        for boxes, player in certificate.positions:
            each_position()
            self._check_position(boxes, player)
        reason = self._lost_by(blamed, board.player)
        _demand(reason is not None, "it does not speak of the blamed boxes where they stand")
        _demand(reason == certificate.kind, f"it is of the kind {reason}")
        self._check_without()

    def _area(self, player: Square, boxes: Set[Square]) -> frozenset[Square]:
        """Where the player can walk; every obstacle must be where one can be."""
        board = self.board
        if (
            player in boxes
            or not board.walls.isdisjoint({player, *boxes})
            or not all(board.contains(square) for square in {player, *boxes})
        ):
            told = f"no box or player can be {_place(player)} with boxes {_places(boxes)}"
            raise _FaultError(told)
        return frozenset(board.flood(player, board.walls | boxes))

    def _areas(self, trap: Trap) -> dict[Square, set[Square]]:
        areas: dict[Square, set[Square]] = {}
        for box, player in trap.places:
            areas.setdefault(box, set()).update(self._area(player, {box}))
        return areas

    def _is_wall(self, square: Square) -> bool:
        return not self.board.contains(square) or square in self.board.walls

    def _check_trap(self, areas: Mapping[Square, Set[Square]]) -> None:
        """No push of a box alone leaves the trap."""
        for box, players in areas.items():
            for direction in Direction:
                ahead = box.neighbour(direction)
                if box.neighbour(direction.opposite) not in players:
                    continue
                if self._is_wall(ahead):
                    continue
                _demand(
                    box in areas.get(ahead, ()),
                    f"a push {direction.name.lower()} of the box {_place(box)} leaves its trap",
                )

    def _is_dead(self, box: Square, player: Square) -> bool:
        """Whether a box alone is in a trap without a goal."""
        return any(
            player in areas.get(box, ())
            for areas, num_goals in zip(self.trapped, self.num_goals, strict=True)
            if num_goals == 0
        )

    def _check_group(self, group: FrozenGroup) -> None:
        """One box is on no goal, and every box is held on both axes by what the group says."""
        _demand(not self.board.goals.issuperset(group.boxes), "the frozen boxes are all on goals")
        _demand(len(group.holds) == len(group.boxes), "some frozen boxes have no holds")
        for box, holds in zip(group.boxes, group.holds, strict=True):
            _demand(not self._is_wall(box), f"a frozen box {_place(box)} is in a wall")
            for axis, hold in zip(_AXES, holds, strict=True):
                beside = [box.neighbour(direction) for direction in axis]
                if hold is None:
                    is_held = all(self._is_dead(square, box) for square in beside)
                else:
                    is_held = hold in beside and (self._is_wall(hold) or hold in group.boxes)
                _demand(is_held, f"the frozen box {_place(box)} is not held as it says")

    def _lost_by(self, boxes: frozenset[Square], player: Square) -> str | None:
        """The kind of proof that there is of these boxes being lost; None if there is none."""
        for group in self.certificate.frozen:
            if boxes.issuperset(group.boxes):
                return "frozen"
        for areas, num_goals in zip(self.trapped, self.num_goals, strict=True):
            if sum(player in areas.get(box, ()) for box in boxes) > num_goals:
                return "matching" if num_goals else "dead"
        return "search" if player in self.listed.get(boxes, ()) else None

    def _check_position(self, boxes: frozenset[Square], player: Square) -> None:
        """It is not solved, and every push leads to what is lost."""
        # There may be many positions, so sentences are made only if they are needed.
        if boxes <= self.board.goals:
            raise _FaultError(f"the boxes {_places(boxes)} are all on goals")
        area = self._area(player, boxes)
        for box in boxes:
            for direction in Direction:
                ahead = box.neighbour(direction)
                if box.neighbour(direction.opposite) not in area:
                    continue
                if self._is_wall(ahead) or ahead in boxes:
                    continue
                if self._lost_by(boxes - {box} | {ahead}, box) is None:
                    told = f"a push {direction.name.lower()} of the one {_place(box)}"
                    raise _FaultError(
                        f"with boxes {_places(boxes)}, {told} leads out of what is proved"
                    )

    def _check_without(self) -> None:
        """Without each blamed box, the moves given bring the others to goals."""
        certificate, board = self.certificate, self.board
        blamed = frozenset(certificate.blamed)
        _demand(
            len(certificate.blamed) == len(blamed) == len(certificate.without),
            "there is not one entry of moves for each blamed box",
        )
        for box, moves in zip(certificate.blamed, certificate.without, strict=True):
            if moves is None:
                continue
            alone = _only(board, blamed - {box})
            for letter in moves:
                _demand(letter.upper() in _LETTERS, f"{letter!r} is no move")
                after = rules.step(alone, _LETTERS[letter.upper()])
                _demand(after != alone, f"{moves} cannot be played without the box {_place(box)}")
                alone = after
            _demand(
                alone.boxes <= board.goals, f"{moves} solves nothing without the box {_place(box)}"
            )


def _only(board: Board, boxes: frozenset[Square]) -> Board:
    return Board(board.height, board.width, board.walls, board.goals, boxes, board.player)


def _place(square: Square) -> str:
    return f"at row {square.row + 1}, column {square.column + 1}"


def _places(squares: Iterable[Square]) -> str:
    return "; ".join(map(_place, sorted(squares)))
