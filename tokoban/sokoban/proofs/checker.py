"""Checks a certificate slowly and plainly, by the board and the rules alone.

The checker shares no search with the explainer, only boards and the replay of moves by the rules,
so that no bug of a search can hide in both.
"""

from collections.abc import Callable, Mapping, Set
from dataclasses import replace

from tokoban.sokoban.board import Direction, Square
from tokoban.sokoban.formats import lurd
from tokoban.sokoban.formats.run_length import MAX_LENGTH
from tokoban.sokoban.proofs.certificate import Certificate, FrozenGroup, Trap

_AXES = ((Direction.UP, Direction.DOWN), (Direction.LEFT, Direction.RIGHT))
_LETTERS = frozenset("uldrULDR")


def find_fault(
    certificate: Certificate, each_position: Callable[[], object] = lambda: None
) -> str | None:
    """Why the certificate does not prove its board deadlocked, in one sentence; None if it does.

    The solutions in ``without`` are checked too. Rows and columns are counted from 1 in the
    sentence. The positions take the most time, some 0.1 ms each on a small board;
    ``each_position`` is called for each of them, twice, and may end the check by an exception.
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
    """A certificate, with the zones of the player to which its states and positions apply."""

    def __init__(self, certificate: Certificate) -> None:
        self.certificate = certificate
        self.board = certificate.board
        # For each trap, by the square of the box: all squares of the player.
        self.trapped = [self._zones(trap) for trap in certificate.traps]
        self.num_goals = [len(self.board.goals & zones.keys()) for zones in self.trapped]
        # For the boxes of each position, by square of the board: whether the player may be there.
        self.listed: dict[Set[Square], bytearray] = {}

    def check(self, each_position: Callable[[], object]) -> None:
        certificate, board = self.certificate, self.board
        boxes = frozenset(certificate.boxes)
        _demand(boxes <= board.boxes, "one of its boxes is not on the board")
        if certificate.kind == "count":
            _demand(len(board.boxes) < len(board.goals), "there are as many boxes as goals")
            _demand(not boxes, "it lists boxes though the board has too few")
            return
        for zones in self.trapped:
            self._check_trap(zones)
        for group in certificate.frozen:
            self._check_group(group)
        for position in certificate.positions:
            each_position()
            empty = bytearray(board.height * board.width)
            listed = self.listed.setdefault(position.boxes, empty)
            for row, column in self._zone(position.player, position.boxes):
                listed[row * board.width + column] = True
        for position in certificate.positions:
            each_position()
            self._check_position(*position)
        reason = self._deadlock_of(boxes, board.player)
        _demand(reason is not None, "it proves nothing about its boxes where they stand")
        _demand(reason == certificate.kind, f"it is of the kind {reason}")
        self._check_without()

    def _zone(self, player: Square, boxes: Set[Square]) -> frozenset[Square]:
        """Where the player can walk; raises if the player or a box is on an impossible square."""
        board = self.board
        if (
            player in boxes
            or not board.walls.isdisjoint({player, *boxes})
            or not all(board.contains(square) for square in {player, *boxes})
        ):
            message = f"the player {_at(player)} with boxes {_at(*boxes)} is no legal position"
            raise _FaultError(message)
        return frozenset(board.flood(player, board.walls | boxes))

    def _zones(self, trap: Trap) -> dict[Square, set[Square]]:
        zones: dict[Square, set[Square]] = {}
        for box, player in trap.states:
            if player not in zones.setdefault(box, set()):
                zones[box] |= self._zone(player, {box})
        return zones

    def _is_wall(self, square: Square) -> bool:
        return not self.board.contains(square) or square in self.board.walls

    def _check_trap(self, zones: Mapping[Square, Set[Square]]) -> None:
        """No push of a box alone leaves the trap."""
        for box, players in zones.items():
            for direction in Direction:
                ahead = box.neighbour(direction)
                if box.neighbour(direction.opposite) not in players:
                    continue
                if self._is_wall(ahead):
                    continue
                _demand(
                    box in zones.get(ahead, ()),
                    f"a push {direction.name.lower()} of the box {_at(box)} leaves its trap",
                )

    def _is_dead(self, box: Square, player: Square) -> bool:
        """Whether a box alone is in a trap without a goal."""
        return any(
            player in zones.get(box, ())
            for zones, num_goals in zip(self.trapped, self.num_goals, strict=True)
            if num_goals == 0
        )

    def _check_group(self, group: FrozenGroup) -> None:
        """One box is on no goal, and every box is blocked on both axes as the group says."""
        _demand(not self.board.goals.issuperset(group.boxes), "the frozen boxes are all on goals")
        is_complete = len(group.blocked_by) == len(group.boxes)
        _demand(is_complete, "a frozen group does not say what blocks each box")
        for box, blocks in zip(group.boxes, group.blocked_by, strict=True):
            _demand(not self._is_wall(box), f"a frozen box {_at(box)} is in a wall")
            for axis, block in zip(_AXES, blocks, strict=True):
                beside = [box.neighbour(direction) for direction in axis]
                if block is None:
                    is_blocked = all(self._is_dead(square, box) for square in beside)
                else:
                    is_blocked = block in beside and (self._is_wall(block) or block in group.boxes)
                _demand(is_blocked, f"the frozen box {_at(box)} is not blocked as the group says")

    def _deadlock_of(self, boxes: frozenset[Square], player: Square) -> str | None:
        """The kind of deadlock that is proved of these boxes; None if none is."""
        for group in self.certificate.frozen:
            if boxes.issuperset(group.boxes):
                return "frozen"
        for zones, num_goals in zip(self.trapped, self.num_goals, strict=True):
            if sum(player in zones.get(box, ()) for box in boxes) > num_goals:
                return "bipartite" if num_goals else "dead"
        listed = self.listed.get(boxes)
        is_listed = listed is not None and listed[player.row * self.board.width + player.column]
        return "search" if is_listed else None

    def _check_position(self, boxes: frozenset[Square], player: Square) -> None:
        """It is not solved, and every push leads into a deadlock."""
        # There may be many positions, so messages are formatted only if they are needed.
        if boxes <= self.board.goals:
            raise _FaultError(f"the boxes {_at(*boxes)} are all on goals")
        zone = self._zone(player, boxes)
        for box in boxes:
            for direction in Direction:
                ahead = box.neighbour(direction)
                if box.neighbour(direction.opposite) not in zone:
                    continue
                if self._is_wall(ahead) or ahead in boxes:
                    continue
                if self._deadlock_of(boxes - {box} | {ahead}, box) is None:
                    message = f"a push {direction.name.lower()} of the one {_at(box)}"
                    raise _FaultError(
                        f"with boxes {_at(*boxes)}, {message} leads out of what is proved"
                    )

    def _check_without(self) -> None:
        """Without each of the boxes, the moves given bring the others to goals."""
        certificate, board = self.certificate, self.board
        boxes = frozenset(certificate.boxes)
        _demand(
            len(certificate.boxes) == len(boxes) == len(certificate.without),
            "there is not one entry of moves for each of its boxes",
        )
        for box, moves in zip(certificate.boxes, certificate.without, strict=True):
            if moves is None:
                continue
            strange = next((letter for letter in moves if letter not in _LETTERS), None)
            _demand(strange is None, f"{strange!r} is no move")
            _demand(len(moves) <= MAX_LENGTH, f"{len(moves):,} moves, over {MAX_LENGTH:,}")
            played = lurd.replay(replace(board, boxes=boxes - {box}), moves)
            without = f"without the box {_at(box)}"
            _demand(played.reason is None, f"{moves} cannot be played {without}")
            _demand(played.board.boxes <= board.goals, f"{moves} solves nothing {without}")


def _at(*squares: Square) -> str:
    return "; ".join(f"at row {row + 1}, column {column + 1}" for row, column in sorted(squares))
