"""The rooms of drawn boards, and their links against a plain search of walks."""

import numpy as np

from tests.sokoban.search.laid_out import for_python
from tests.sokoban.search.level.floors import neighbours_of, random_floors
from tokoban.sokoban.search.level.ground import NONE
from tokoban.sokoban.search.measures import rooms as module
from tokoban.sokoban.search.measures.rooms import Rooms, build_rooms

num_broken_links = for_python(module.num_broken_links)

Floor = list[tuple[int, int]]


def drawn(drawing: str) -> tuple[Floor, str]:
    """The squares of floor, and what is drawn on them."""
    rows = drawing.split("|")
    floor = [(i, j) for i, row in enumerate(rows) for j, char in enumerate(row) if char != "#"]
    return floor, "".join(rows[i][j] for i, j in floor)


def rooms_drawn(drawing: str) -> str:
    """The rooms found where the drawing has any floor, by letters; corridors are '-'."""
    floor, _ = drawn(drawing)
    room = build_rooms(neighbours_of(floor)).room.tolist()
    letters = {square: "-" if room[i] == NONE else "abc"[room[i]] for i, square in enumerate(floor)}
    rows = drawing.split("|")
    return "|".join(
        "".join(letters.get((i, j), "#") for j in range(len(row))) for i, row in enumerate(rows)
    )


def test_rooms_are_unions_of_two_squares_by_two() -> None:
    for rooms in (
        "aaa##bb|aaa--bb|aaa##bb",
        "aa##--|aa----|aa####",  # two by two alone are no room
    ):
        assert rooms_drawn(rooms) == rooms


def test_a_square_that_two_rooms_share_belongs_to_neither() -> None:
    assert rooms_drawn("aaa##|aa-bb|##bbb") == "aaa##|aa-bb|##bbb"


def links_by_walks(rooms: Rooms, floor: Floor, free: set[int]) -> set[tuple[int, int]]:
    """The links between rooms of which each free part sees the other room."""
    neighbours = neighbours_of(floor).tolist()
    room = rooms.room.tolist()
    num_rooms = len(rooms.links)

    def sees(start: int, other: int) -> bool:
        waiting, seen = [start], {start}
        while waiting:
            for ahead in neighbours[waiting.pop()]:
                if ahead in free and room[ahead] == other:
                    return True
                if ahead in free - seen and room[ahead] in (NONE, room[start]):
                    seen.add(ahead)
                    waiting.append(ahead)
        return False

    def all_see(one: int, other: int) -> bool:
        squares = [square for square in free if room[square] == one]
        return bool(squares) and all(sees(square, other) for square in squares)

    return {
        (one, other)
        for one in range(num_rooms)
        for other in range(one)
        if all_see(one, other) and all_see(other, one)
    }


def test_broken_links_are_those_that_walks_have_lost() -> None:
    num_broken = num_links = 0
    draw = np.random.default_rng(6)
    for floor in map(sorted, random_floors(250, seed=4, most=12)):
        rooms = build_rooms(neighbours_of(floor))
        links = links_by_walks(rooms, floor, set(range(len(floor))))
        found = [int(bits) for bits in rooms.links]
        assert links == {(i, j) for i in range(len(found)) for j in range(i) if found[i] >> j & 1}
        for share in (0.15, 0.15, 0.3, 1.0) if links else (0.15,):
            is_blocked = draw.random(len(floor) + 1) < share
            is_blocked[-1] = True
            free = set(np.flatnonzero(~is_blocked).tolist())
            lost = links - links_by_walks(rooms, floor, free)
            assert num_broken_links(rooms, neighbours_of(floor), is_blocked) == len(lost)
            num_broken += len(lost)
            num_links += len(links)
    assert 100 < num_broken < num_links - 100
