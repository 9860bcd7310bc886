"""Beam search over random Boxoban-sized boards, run as a process of its own; prints its memory.

Arguments: levels, width, moves, the limit in bytes. Prints the bytes held before the
search, at its peak, and after it.
"""

import ctypes
import sys
from pathlib import Path

import torch

from tokoban.sokoban.simulation.bitboards import SIDE, Bitboards
from tokoban.systems.sokoban_policy import solve
from tokoban.systems.sokoban_policy.config import SokobanPolicyConfig
from tokoban.systems.sokoban_policy.train import build_model


def random_boards(num_levels: int) -> Bitboards:
    """Words with ten walls, four boxes and four goals anywhere: memory depends on no rule."""
    generator = torch.Generator().manual_seed(5)
    cells = torch.rand(num_levels, SIDE * SIDE, generator=generator).argsort(1)
    bits = torch.ones_like(cells) << cells
    walls, goals, boxes = (bits[:, a:b].sum(1) for a, b in ((0, 10), (10, 14), (14, 18)))
    return Bitboards(walls, goals, boxes, bits[:, 18])


def _resident_bytes(name: str) -> int:
    """``VmRSS``: now; ``VmHWM``: the most ever."""
    lines = Path("/proc/self/status").read_text().splitlines()
    (line,) = (line for line in lines if line.startswith(f"{name}:"))
    return int(line.split()[1]) * 1024


def _held_bytes() -> int:
    """What is resident now, without what was freed and the C library keeps for its next use."""
    ctypes.CDLL("libc.so.6").malloc_trim(0)
    return _resident_bytes("VmRSS")


def main() -> None:
    num_levels, width, moves, limit_bytes = map(int, sys.argv[1:5])
    torch.set_num_threads(1)
    torch.manual_seed(0)
    model = build_model(SokobanPolicyConfig(max_positions=moves + 2)).eval()
    levels = random_boards(num_levels)
    # What a first search imports, numba among it, stays, and is no memory of its rows.
    solve.by_beam(model, random_boards(1), solve.Play(width=1))
    before = _held_bytes()
    solve.by_beam(model, levels, solve.Play(width=width, memory_limit=limit_bytes))
    print(before, _resident_bytes("VmHWM"), _held_bytes())


if __name__ == "__main__":
    main()
