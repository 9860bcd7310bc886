"""Random levels in the manner of the post: all walls, two rooms, goal, box, player, speckled walls.

Levels are drawn many at a time as boolean planes, on any device. The post leaves the rooms' sizes
and the share of speckled walls open; here a room's sides are uniform between 2 and the whole
interior, and each other floor square becomes wall with ``WALL_SHARE``. The post also keeps draws
with a box or goal that the player could not reach even without boxes; here only the others are
kept, for those are seen to be unsolvable, and floor out of reach is made wall. Axes: B levels, H
rows, W columns.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from jaxtyping import Bool
from torch import Tensor

from tokoban.sokoban.board import Board, Direction
from tokoban.sokoban.search.solver import solve
from tokoban.sokoban.simulation.bitboards import Bitboards, from_planes
from tokoban.sokoban.simulation.tensor_boards import TensorBoards, to_board
from tokoban.sokoban.sizes import MAX_SIDE, check_num_levels

WALL_SHARE = 0.15
MIN_ROOM_SIDE = 2

# Draws at a time where a number of levels is wanted; part of what a seed means.
_CHUNK = 256
# A kind that is wanted is given up when it has not turned up in so many draws.
_MAX_BARREN_DRAWS = 20_000
# What A* may spend on one level; a count and not a time, so that a seed means the same everywhere.
_MAX_EXPANSIONS = 100_000


@dataclass(frozen=True)
class GeneratedLevel:
    """A level and A*'s shortest solution in moves, or ``None`` where it is proved to have none."""

    board: Board
    solution: tuple[Direction, ...] | None


def draw(
    num_levels: int,
    *,
    rows: int = 8,
    columns: int = 8,
    num_boxes: int = 1,
    generator: torch.Generator,
) -> TensorBoards:
    """Draws ``num_levels`` times and returns the legal levels among them, so usually fewer.

    Runs on the generator's device. Boxes, goals and player start on different squares. Raises
    ``ValueError`` where the interior has no room for them, and above ``MAX_SIDE``.
    """
    if max(rows, columns) > MAX_SIDE:
        raise ValueError(f"a level of {rows}x{columns}; expected at most {MAX_SIDE}x{MAX_SIDE}")
    interior = (rows - 2) * (columns - 2)
    if min(rows, columns) < 2 + MIN_ROOM_SIDE or num_boxes < 1 or interior < 2 * num_boxes + 1:
        raise ValueError(
            f"a level of {rows}x{columns} has no room for {num_boxes} boxes, as many goals and the "
            f"player; expected at least {2 + MIN_ROOM_SIDE} rows and columns, at least 1 box and a "
            "larger interior"
        )
    device = generator.device

    def uniform(*shape: int) -> Tensor:
        return torch.rand(*shape, generator=generator, device=device)

    rooms = [
        _span(rows, uniform(num_levels, 2)).unsqueeze(2)
        & _span(columns, uniform(num_levels, 2)).unsqueeze(1)
        for _ in range(2)
    ]
    floor = rooms[0] | rooms[1]

    # The highest of random numbers on the floor are different squares drawn without preference.
    order = (
        torch.where(floor, uniform(num_levels, rows, columns), -1.0)
        .flatten(1)
        .argsort(dim=1, descending=True, stable=True)
    )
    picked = torch.zeros(3, num_levels, rows * columns, dtype=torch.bool, device=device)
    for plane, part in enumerate(order[:, : 2 * num_boxes + 1].split([num_boxes, num_boxes, 1], 1)):
        picked[plane].scatter_(1, part, True)
    goals, boxes, player = picked.unflatten(-1, (rows, columns))

    is_speckled = uniform(num_levels, rows, columns) < WALL_SHARE
    has_room = floor.sum((1, 2)) > 2 * num_boxes
    floor = floor & (~is_speckled | goals | boxes | player)
    floor = _reachable(player, floor)
    is_legal = has_room & ~((goals | boxes) & ~floor).any((1, 2))
    return TensorBoards(*(plane[is_legal] for plane in (~floor, goals, boxes, player)))


def draw_one_box(num_levels: int, *, generator: torch.Generator) -> Bitboards:
    """Exactly ``num_levels`` one-box 8x8 levels as bitboards, solvable or not, as they come."""
    drawn: list[Bitboards] = []
    while sum(len(boards.walls) for boards in drawn) < num_levels:
        drawn.append(from_planes(draw(num_levels, generator=generator)))
    return Bitboards(*(torch.cat(words)[:num_levels] for words in zip(*drawn, strict=True)))


def generate(
    num_levels: int,
    *,
    seed: int,
    rows: int = 8,
    columns: int = 8,
    num_boxes: int = 1,
    solvable_share: float = 0.5,
) -> list[GeneratedLevel]:
    """``num_levels`` levels, round(share * levels) of them solvable, in the order of drawing.

    The same arguments give the same levels. Raises ``ValueError`` for arguments that no level can
    meet, and when a kind that is wanted does not turn up.
    """
    check_num_levels(num_levels)
    if not 0 <= seed < 2**63:
        raise ValueError(f"the seed is {seed}; expected 0 to 2^63 - 1")
    if not 0.0 <= solvable_share <= 1.0:
        raise ValueError(f"the solvable share is {solvable_share}; expected 0 to 1")
    wanted = {True: round(num_levels * solvable_share)}
    wanted[False] = num_levels - wanted[True]
    levels: list[GeneratedLevel] = []
    draws = _solved_draws(seed, rows, columns, num_boxes)
    num_barren = 0
    while len(levels) < num_levels:
        level, num_barren = next(draws), num_barren + 1
        if level is not None and wanted[level.solution is not None]:
            wanted[level.solution is not None] -= 1
            levels.append(level)
            num_barren = 0
        if num_barren == _MAX_BARREN_DRAWS:
            kind = "solvable" if wanted[True] else "unsolvable"
            raise ValueError(
                f"no {kind} level of {rows}x{columns} with {num_boxes} boxes among "
                f"{num_barren} draws; {len(levels)} of {num_levels} levels were found"
            )
    return levels


def _solved_draws(
    seed: int, rows: int, columns: int, num_boxes: int
) -> Iterator[GeneratedLevel | None]:
    """Endless draws, solved; ``None`` for one that is no legal level or that A* gives up."""
    generator = torch.Generator().manual_seed(seed)
    while True:
        planes = draw(_CHUNK, rows=rows, columns=columns, num_boxes=num_boxes, generator=generator)
        for level in range(len(planes.walls)):
            board = to_board(planes, (level,))
            answer = solve(board, max_expansions=_MAX_EXPANSIONS)
            if answer.solution is not None:
                yield GeneratedLevel(board, answer.solution.directions)
            else:
                yield GeneratedLevel(board, None) if answer.status == "unsolvable" else None
        yield from [None] * (_CHUNK - len(planes.walls))


def _span(length: int, draws: Tensor) -> Bool[Tensor, "B S"]:
    """A random run of at least ``MIN_ROOM_SIDE`` places inside a line whose two ends are wall."""
    inside = length - 2
    sizes = MIN_ROOM_SIDE + (draws[:, 0] * (inside - MIN_ROOM_SIDE + 1)).long()
    starts = 1 + (draws[:, 1] * (inside - sizes + 1)).long()
    place = torch.arange(length, device=draws.device)
    return (place >= starts[:, None]) & (place < (starts + sizes)[:, None])


def _reachable(start: Bool[Tensor, "B H W"], floor: Bool[Tensor, "B H W"]) -> Bool[Tensor, "B H W"]:
    """The floor connected with ``start``; the outermost ring must be wall."""
    reached = start
    while True:
        spread = reached.clone()
        spread[:, 1:] |= reached[:, :-1]
        spread[:, :-1] |= reached[:, 1:]
        spread[:, :, 1:] |= reached[:, :, :-1]
        spread[:, :, :-1] |= reached[:, :, 1:]
        spread &= floor
        if torch.equal(spread, reached):
            return reached
        reached = spread
