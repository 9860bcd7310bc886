"""The embedded data set: pictures of Sokoban boards, labelled by the exact solver.

A board is reached from a random level of 8x8 squares, walls included, by part or all of a solution
and then possibly random pushes. The player is placed at random in its zone. Axes: N boards, H rows
and W columns, of squares or of pixels.
"""

from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Bool, Int, Int64, UInt8
from torch import Tensor

from tokoban.sokoban.puzzles.random_levels import sample
from tokoban.sokoban.render import tiles_rgb
from tokoban.sokoban.search.bitboard.batch import solve_many
from tokoban.sokoban.search.bitboard.driver import Verdict
from tokoban.sokoban.search.bitboard.levels import from_bitboards
from tokoban.sokoban.search.limits import Limits
from tokoban.sokoban.simulation import bitboards
from tokoban.sokoban.simulation.bitboards import SIDE, Bitboards
from tokoban.systems.vit.config import STANDINGS

SOLVED, OPEN, LOST = range(len(STANDINGS))
_UNKNOWN = -1  # the solver gave up

_MOST_BOXES = 4
_DRAWS = 2048  # levels at a time with one number of boxes; changes what a seed draws
_MAX_EXPANSIONS = 20_000  # of a board; a time limit would make the data depend on the machine
_WHOLE_SHARE = 0.6  # of games that play the whole solution
_QUIET_SHARE = 0.5  # of games without random pushes
_MOST_PUSHES = 3  # random ones


class LabelledBoards(NamedTuple):
    """Boards, their status and their number of boxes."""

    boards: Bitboards
    standings: Int64[Tensor, "N"]  # indices into ``STANDINGS``
    num_boxes: Int64[Tensor, "N"]


def draw_boards(num_boards: int, *, seed: int) -> LabelledBoards:
    """Boards in random order, balanced over the statuses and numbers of boxes.

    No board is another one rotated, reflected or translated. The same arguments give the same
    boards.
    """
    generator = torch.Generator().manual_seed(seed)
    num_kinds = len(STANDINGS) * _MOST_BOXES
    missing = [
        num_boards // num_kinds + (kind < num_boards % num_kinds) for kind in range(num_kinds)
    ]
    found: list[LabelledBoards] = []
    seen = torch.empty(0, dtype=torch.int64)
    while any(missing):
        for num_boxes in range(1, _MOST_BOXES + 1):
            kinds = [standing * _MOST_BOXES + num_boxes - 1 for standing in range(len(STANDINGS))]
            if not any(missing[kind] for kind in kinds):
                continue
            boards = _play(num_boxes, generator)
            keys = bitboards.canonical_keys(boards)
            is_new = ~torch.isin(keys, seen) & _is_first(keys)
            boards, keys = boards.at(is_new), keys[is_new]
            standings = solver_labels(boards)
            for standing, kind in enumerate(kinds):
                chosen = (standings == standing).nonzero()[: missing[kind], 0]
                missing[kind] -= len(chosen)
                seen = torch.cat([seen, keys[chosen]])
                numbers = torch.full_like(chosen, num_boxes)
                found.append(LabelledBoards(boards.at(chosen), standings[chosen], numbers))
    order = torch.randperm(num_boards, generator=generator)
    words = zip(*(part.boards for part in found), strict=True)
    return LabelledBoards(
        Bitboards(*(torch.cat(parts)[order] for parts in words)),
        torch.cat([part.standings for part in found])[order],
        torch.cat([part.num_boxes for part in found])[order],
    )


def solver_labels(boards: Bitboards) -> Int64[Tensor, "N"]:
    """The status of each board as the solver proves it; -1 if it gives up."""
    answers = solve_many(
        from_bitboards(boards), "any", limits=Limits(max_expansions=_MAX_EXPANSIONS)
    )
    verdicts = torch.from_numpy(answers.verdict)
    standings = torch.full(verdicts.shape, _UNKNOWN)
    standings[verdicts == Verdict.SOLVED] = OPEN
    standings[verdicts == Verdict.UNSOLVABLE] = LOST
    standings[bitboards.is_solved(boards)] = SOLVED
    return standings


def draw_pictures(boards: Bitboards, *, square_px: int) -> UInt8[Tensor, "N 3 H W"]:
    """The pictures of ``render.render_rgb``, many at a time."""
    walls, goals, boxes, player = (bitboards.cells(word) for word in boards)
    tiles = torch.from_numpy(tiles_rgb(square_px))
    squares = (1 + goals.long() + 2 * boxes.long() + 4 * player.long()).masked_fill(walls, 0)
    pictures = tiles[squares]  # [N, rows, columns, pixels down, pixels across, 3]
    return pictures.permute(0, 5, 1, 3, 2, 4).flatten(4).flatten(2, 3)


def _play(num_boxes: int, generator: torch.Generator) -> Bitboards:
    """Positions reached from the solvable ones of the next random levels."""
    starts = bitboards.from_planes(sample(_DRAWS, num_boxes=num_boxes, generator=generator))
    answers = solve_many(
        from_bitboards(starts), "any", limits=Limits(max_expansions=_MAX_EXPANSIONS)
    )
    is_solvable = torch.from_numpy(answers.verdict == Verdict.SOLVED)
    lengths = torch.from_numpy(answers.num_moves)[is_solvable]
    first = torch.from_numpy(answers.ends)[is_solvable] - lengths
    boards = starts.at(is_solvable)
    share = torch.rand(len(lengths), generator=generator)
    is_whole = torch.rand(len(lengths), generator=generator) < _WHOLE_SHARE
    num_played = torch.where(is_whole, lengths, (share * lengths).long())
    moves = torch.from_numpy(answers.moves.astype(np.int64))
    for turn in range(int(num_played.max()) if len(num_played) else 0):
        is_going = turn < num_played
        after = bitboards.step(boards, moves[(first + turn).clamp(max=len(moves) - 1)])
        boards = bitboards.select(is_going, after, boards)
    is_quiet = torch.rand(len(lengths), generator=generator) < _QUIET_SHARE
    num_pushes = torch.randint(1, _MOST_PUSHES + 1, (len(lengths),), generator=generator)
    num_pushes = num_pushes.masked_fill(is_quiet, 0)
    for turn in range(_MOST_PUSHES):
        pushed = _push_at_random(boards, generator)
        boards = bitboards.select(turn < num_pushes, pushed, boards)
    square = _sample(bitboards.cells(bitboards.reachable(boards)).flatten(1), generator)
    return boards._replace(player=torch.ones_like(boards.player) << square)


def _push_at_random(boards: Bitboards, generator: torch.Generator) -> Bitboards:
    """Each board after a random legal push; unchanged if there is none."""
    is_push = bitboards.cells(bitboards.pushes(boards)).flatten(1)  # [N, directions * cells]
    chosen = _sample(is_push, generator)
    num_cells = SIDE * SIDE
    return bitboards.push(boards, chosen % num_cells, chosen // num_cells)


def _sample(may_be: Bool[Tensor, "N K"], generator: torch.Generator) -> Int[Tensor, "N"]:
    """A uniformly random index where ``may_be`` is true; any index in a row without one."""
    drawn = torch.rand(may_be.shape, generator=generator)
    return drawn.masked_fill(~may_be, -1.0).argmax(1)


def _is_first(keys: Int64[Tensor, "N"]) -> Bool[Tensor, "N"]:
    """Whether no earlier key is equal."""
    order = keys.argsort(stable=True)
    is_first = torch.ones_like(keys, dtype=torch.bool)
    is_first[order[1:]] = keys[order[1:]] != keys[order[:-1]]
    return is_first
