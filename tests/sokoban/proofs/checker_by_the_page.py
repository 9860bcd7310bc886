"""A checker of certificates written from docs/certificates.md alone; it imports nothing of ours.

Rows and columns are from 0. ``holds`` answers for an object that was read from JSON.
"""

from typing import Any

STEPS = {"u": (-1, 0), "l": (0, -1), "d": (1, 0), "r": (0, 1)}


class Refused(Exception):  # noqa: N818 (an answer)
    """The certificate does not hold."""


def holds(certificate: dict[str, Any]) -> bool:
    try:
        Checker(certificate).check()
    except Refused:
        return False
    return True


def demand(condition: bool) -> None:
    if not condition:
        raise Refused


def square(found: Any) -> tuple[int, int]:
    row, column = found
    return row, column


def moved(place: tuple[int, int], step: tuple[int, int]) -> tuple[int, int]:
    return place[0] + step[0], place[1] + step[1]


class Checker:
    def __init__(self, certificate: dict[str, Any]) -> None:
        self.given = certificate
        rows = certificate["board"]
        self.height, self.width = len(rows), max(map(len, rows))
        drawn = {(r, c): letter for r, row in enumerate(rows) for c, letter in enumerate(row)}
        self.walls = {place for place, letter in drawn.items() if letter == "#"}
        self.boxes = {place for place, letter in drawn.items() if letter in "$*"}
        self.goals = {place for place, letter in drawn.items() if letter in ".*+"}
        (self.player,) = (place for place, letter in drawn.items() if letter in "@+")

    def check(self) -> None:
        chosen = [square(each) for each in self.given["boxes"]]
        demand(set(chosen) <= self.boxes)  # 1
        if self.given["kind"] == "count":  # 2
            demand(len(self.boxes) < len(self.goals) and not chosen)
            return
        self.traps = [self.read_trap(trap) for trap in self.given["traps"]]  # 3
        self.positions = []
        for boxes, player in self.given["positions"]:
            around = frozenset(map(square, boxes))
            self.positions.append((around, self.zone(square(player), around)))
        for trap in self.traps:  # 4
            self.check_trap(trap)
        for group in self.given["frozen"]:  # 5
            self.check_group(group)
        for boxes, zone in self.positions:  # 6
            demand(not boxes <= self.goals)
            for after, player in self.pushes(boxes, zone):
                demand(self.deadlock_of(after, player) is not None)
        demand(self.deadlock_of(set(chosen), self.player) == self.given["kind"])  # 7
        self.check_without(chosen)  # 8

    def is_wall(self, place: tuple[int, int]) -> bool:
        row, column = place
        return not (0 <= row < self.height and 0 <= column < self.width) or place in self.walls

    def zone(self, player: tuple[int, int], boxes: Any) -> set[tuple[int, int]]:
        demand(player not in boxes and not any(map(self.is_wall, [player, *boxes])))
        found, waiting = {player}, [player]
        while waiting:
            here = waiting.pop()
            for step in STEPS.values():
                ahead = moved(here, step)
                if not (self.is_wall(ahead) or ahead in boxes or ahead in found):
                    found.add(ahead)
                    waiting.append(ahead)
        return found

    def pushes(self, boxes: Any, zone: set[tuple[int, int]]) -> Any:
        for box in boxes:
            for step in STEPS.values():
                behind, ahead = moved(box, (-step[0], -step[1])), moved(box, step)
                if behind in zone and not self.is_wall(ahead) and ahead not in boxes:
                    yield {*boxes} - {box} | {ahead}, box

    def read_trap(self, trap: Any) -> dict[tuple[int, int], set[tuple[int, int]]]:
        zones: dict[tuple[int, int], set[tuple[int, int]]] = {}
        for box, player in trap:
            zones.setdefault(square(box), set()).update(self.zone(square(player), {square(box)}))
        return zones

    def check_trap(self, trap: dict[tuple[int, int], set[tuple[int, int]]]) -> None:
        for box, zone in trap.items():
            for (after,), player in self.pushes({box}, zone):
                demand(player in trap.get(after, ()))

    def check_group(self, group: Any) -> None:
        boxes = [square(box) for box in group["boxes"]]
        demand(not set(boxes) <= self.goals)
        demand(len(boxes) == len(group["blocked_by"]) and not any(map(self.is_wall, boxes)))
        for box, pair in zip(boxes, group["blocked_by"], strict=True):
            for axis, block in zip(("ud", "lr"), pair, strict=True):
                beside = [moved(box, STEPS[letter]) for letter in axis]
                if block is None:
                    demand(all(self.is_in_dead_trap(place, box) for place in beside))
                else:
                    by = square(block)
                    demand(by in beside and (self.is_wall(by) or by in boxes))

    def is_in_dead_trap(self, box: tuple[int, int], player: tuple[int, int]) -> bool:
        return any(
            not self.goals & trap.keys() and player in trap.get(box, ()) for trap in self.traps
        )

    def deadlock_of(self, boxes: Any, player: tuple[int, int]) -> str | None:
        for group in self.given["frozen"]:
            if {square(box) for box in group["boxes"]} <= boxes:
                return "frozen"
        for trap in self.traps:
            num_goals = len(self.goals & trap.keys())
            if sum(player in trap.get(box, ()) for box in boxes) > num_goals:
                return "bipartite" if num_goals else "dead"
        if any(boxes == listed and player in zone for listed, zone in self.positions):
            return "search"
        return None

    def check_without(self, chosen: list[tuple[int, int]]) -> None:
        demand(len(set(chosen)) == len(chosen) == len(self.given["without"]))
        for box, moves in zip(chosen, self.given["without"], strict=True):
            if moves is None:
                continue
            boxes, player = {*chosen} - {box}, self.player
            for letter in moves:
                demand(letter.lower() in STEPS)
                step = STEPS[letter.lower()]
                player = moved(player, step)
                demand(not self.is_wall(player))
                if player in boxes:
                    ahead = moved(player, step)
                    demand(not self.is_wall(ahead) and ahead not in boxes)
                    boxes = boxes - {player} | {ahead}
            demand(boxes <= self.goals)
