"""Random levels in the manner of the post: all walls, two rooms, goal, box, player, speckled walls.

Levels are sampled many at a time as boolean planes, on any device. The post leaves the rooms' sizes
and the share of speckled walls open; here a room's sides are uniform between 2 and the whole
interior, and each other floor square becomes wall with probability ``WALL_SHARE``. The post also
keeps levels with a box or goal that the player could not reach even without boxes; here they are
rejected, since they are unsolvable at sight, and floor out of reach becomes wall. Axes: B levels, H
rows, W columns.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
from jaxtyping import Bool
from torch import Tensor

from tokoban.sokoban.board import Board, Direction
from tokoban.sokoban.search.combine.solver import solve
from tokoban.sokoban.search.limits import DEFAULT_LIMITS, Limits, Watch
from tokoban.sokoban.simulation.bitboards import Bitboards, from_planes
from tokoban.sokoban.simulation.tensor_boards import TensorBoards, to_board
from tokoban.sokoban.sizes import MAX_SIDE, check_num_levels, check_seed

WALL_SHARE = 0.15
MIN_ROOM_SIDE = 2

# Levels sampled at a time by ``generate``; part of what a seed means.
_CHUNK = 256
# ``generate`` gives up after so many samples in a row that are not of the kind it needs.
_MOST_FAILURES = 20_000
# Of the search for one level; a count and not a time, so that a seed means the same everywhere.
_MAX_EXPANSIONS = 100_000


@dataclass(frozen=True)
class GeneratedLevel:
    """A level and a solution with the fewest moves, or ``None`` where it is proved to have none."""

    board: Board
    solution: tuple[Direction, ...] | None


def sample(
    num_levels: int,
    *,
    rows: int = 8,
    columns: int = 8,
    num_boxes: int = 1,
    generator: torch.Generator,
) -> TensorBoards:
    """Samples ``num_levels`` times and returns the legal levels among them, so usually fewer.

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

    # The squares of the highest random numbers are a uniform sample without replacement.
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


def sample_one_box(num_levels: int, *, generator: torch.Generator) -> Bitboards:
    """Exactly ``num_levels`` one-box 8x8 levels as bitboards, solvable or not."""
    sampled: list[Bitboards] = []
    while sum(len(boards.walls) for boards in sampled) < num_levels:
        sampled.append(from_planes(sample(num_levels, generator=generator)))
    return Bitboards(*(torch.cat(words)[:num_levels] for words in zip(*sampled, strict=True)))


def generate(
    num_levels: int,
    *,
    seed: int,
    rows: int = 8,
    columns: int = 8,
    num_boxes: int = 1,
    solvable_share: float = 0.5,
    limits: Limits = DEFAULT_LIMITS,
    report: Callable[[int], None] | None = None,
) -> Iterator[GeneratedLevel]:
    """``num_levels`` levels, round(share * levels) of them solvable, in the order of sampling.

    The same arguments give the same levels. The time limit and the stop flag end it early, with the
    first of these levels; the other limits hold for each search. ``report`` is called with the
    number of samples so far. Raises ``ValueError`` for arguments that no level can meet, and when
    levels of one kind do not turn up.
    """
    check_num_levels(num_levels)
    check_seed(seed)
    if not 0.0 <= solvable_share <= 1.0:
        raise ValueError(f"the solvable share is {solvable_share}; expected 0 to 1")
    wanted = {True: round(num_levels * solvable_share)}
    wanted[False] = num_levels - wanted[True]
    watch = Watch(limits)
    samples = _solved_samples(seed, rows, columns, num_boxes, watch)
    num_failures = 0
    for num_samples, level in enumerate(samples, 1):
        if watch.reason_to_end() is not None:
            return
        if report:
            report(num_samples)
        num_failures += 1
        if level is not None and wanted[level.solution is not None]:
            wanted[level.solution is not None] -= 1
            num_failures = 0
            yield level
            if not any(wanted.values()):
                return
        if num_failures == _MOST_FAILURES:
            kind = "solvable" if wanted[True] else "unsolvable"
            num_found = num_levels - sum(wanted.values())
            raise ValueError(
                f"no {kind} level of {rows}x{columns} with {num_boxes} boxes among "
                f"{num_failures} samples; {num_found} of {num_levels} levels were found"
            )


def _solved_samples(
    seed: int, rows: int, columns: int, num_boxes: int, watch: Watch
) -> Iterator[GeneratedLevel | None]:
    """Endless samples, solved; ``None`` for one that is illegal or that the search gives up."""
    generator = torch.Generator().manual_seed(seed)
    limits = watch.as_stop_flag().at_most(_MAX_EXPANSIONS)
    while True:
        planes = sample(
            _CHUNK, rows=rows, columns=columns, num_boxes=num_boxes, generator=generator
        )
        for level in range(len(planes.walls)):
            board = to_board(planes, (level,))
            answer = solve(board, limits=limits)
            if answer.solution is not None:
                yield GeneratedLevel(board, answer.solution.directions)
            else:
                yield GeneratedLevel(board, None) if answer.status == "unsolvable" else None
        yield from [None] * (_CHUNK - len(planes.walls))


def _span(length: int, uniform: Tensor) -> Bool[Tensor, "B S"]:
    """A random run of at least ``MIN_ROOM_SIDE`` places inside a line whose two ends are wall."""
    inside = length - 2
    sizes = MIN_ROOM_SIDE + (uniform[:, 0] * (inside - MIN_ROOM_SIDE + 1)).long()
    starts = 1 + (uniform[:, 1] * (inside - sizes + 1)).long()
    place = torch.arange(length, device=uniform.device)
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
