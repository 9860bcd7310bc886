"""Draws the solutions of some levels of a file side by side, as one GIF.

The README's animation, of the policy on three of the longest of 400 generated levels:

    tokoban generate --levels 400 --seed 2026 --solvable-share 1 --output levels.xsb
    tokoban solve levels.xsb --by beam --output solved.sok
    python -m benchmarks.animation solved.sok --levels 243 13 235 --output policy-solves.gif
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tokoban.sokoban.board import Board
from tokoban.sokoban.formats import read_levels
from tokoban.sokoban.render import render_rgb
from tokoban.sokoban.rules import play
from tokoban.viewing.films import save_pictures

SQUARE_PX = 20
GAP_PX = 10
FRAME_MS = 220


def frame(boards: Sequence[Board]) -> np.ndarray:
    """Boards of equal height beside one another, with white gaps."""
    pictures = [render_rgb(board, square_px=SQUARE_PX) for board in boards]
    gap = np.full((len(pictures[0]), GAP_PX, 3), 255, np.uint8)
    parts = [part for picture in pictures for part in (picture, gap)]
    return np.concatenate(parts[:-1], axis=1)


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", help="levels with solutions")
    parser.add_argument("--levels", type=int, nargs="+", default=[1], help="counted from 1")
    parser.add_argument("--output", type=Path, required=True, help="a GIF")
    chosen = parser.parse_args(argv)
    levels = read_levels(chosen.file).levels
    games = []
    for number in chosen.levels:
        level = levels[number - 1]
        games.append(play(level.board, level.solutions[0].directions))
    longest = max(len(game) for game in games)
    frames, captions = [], []
    for move in range(longest):
        frames.append(frame([game[min(move, len(game) - 1)] for game in games]))
        captions.append(f"move {move} of {longest - 1}")
    save_pictures(frames, chosen.output, captions=captions, frame_ms=FRAME_MS)


if __name__ == "__main__":
    main()
