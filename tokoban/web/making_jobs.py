"""Jobs that rate and make levels, and that make an animation of a game."""

import base64
from collections.abc import Iterator
from typing import Any, get_args

import tokoban
from tokoban.api.puzzles import DifficultyName
from tokoban.sokoban.board import Board
from tokoban.sokoban.formats import lurd
from tokoban.sokoban.puzzles.rating import Rating
from tokoban.sokoban.puzzles.state_space import Choices
from tokoban.web import wire
from tokoban.web.job import Context

_RATE_S, _GENERATE_S = 10.0, 60.0  # where the page names no limit
_MAX_LEVELS = 100
_MAX_SEED = 2**32 - 1

_LARGEST_SQUARE_PX, _SMALLEST_SQUARE_PX = 32, 8
_WIDEST_PX = 640
_MAX_FRAMES = 500
# Pillow holds all frames of an animation in memory, three bytes per pixel.
_MAX_PIXELS = 40_000_000
_FRAME_MS = 120


def rate(arguments: dict[str, Any], context: Context) -> Iterator[dict[str, Any]]:
    """The figures of ``tokoban.rate``; what is not known is null."""
    rating = tokoban.rate(
        wire.board_of(arguments), **wire.limits_of(arguments, context, usual_s=_RATE_S)
    )
    yield {"event": "done", **_rating_to_json(rating)}


def _rating_to_json(rating: Rating) -> dict[str, Any]:
    reachable = rating.reachable
    return {
        "status": rating.status,
        "floor": rating.floor,
        "boxes": rating.boxes,
        "moves": rating.moves and rating.moves.value,
        "pushes": rating.pushes and rating.pushes.value,
        "at_least_moves": rating.at_least_moves,
        "at_least_pushes": rating.at_least_pushes,
        "along_solution": _choices_to_json(rating.along_solution),
        "positions": reachable and reachable.positions,
        "anywhere": _choices_to_json(reachable.choices if reachable else None),
    }


def _choices_to_json(choices: Choices | None) -> dict[str, Any] | None:
    if choices is None:
        return None
    return {
        "branching": round(choices.branching, 3),
        "losing_share": round(choices.losing_share, 4),
        "is_at_least": choices.unknown > 0,
    }


def generate(arguments: dict[str, Any], context: Context) -> Iterator[dict[str, Any]]:
    """New levels, an answer for each; ``done`` says how many the time limit allowed."""
    num_levels = wire.whole_of(arguments, "num_levels", usual=1, least=1, most=_MAX_LEVELS)
    seed = wire.whole_of(arguments, "seed", usual=0, least=0, most=_MAX_SEED)
    sizes: dict[str, Any] = {
        name: wire.whole_of(arguments, name, usual=usual, least=1, most=100)
        for name, usual in (("rows", 9), ("columns", 9), ("num_boxes", 3))
    }
    difficulties = get_args(DifficultyName)
    difficulty = wire.choice_of(arguments, "difficulty", difficulties, usual=None)
    time_limit_s = wire.time_limit_of(arguments, usual=_GENERATE_S)
    known: list[Board] = []
    for number in range(num_levels):
        found = tokoban.generate(
            seed=seed + number,
            difficulty=difficulty,
            avoid=known,
            time_limit_s=time_limit_s,
            stop=context.stop,
            **sizes,
        )
        if not found:
            break
        known.append(found[0].board)
        yield {"event": "answer", "level": wire.level_to_json(found[0])}
    yield {"event": "done", "num_levels": len(known)}


def animation(arguments: dict[str, Any], context: Context) -> Iterator[dict[str, Any]]:
    """The game from ``board`` by ``moves`` as a GIF in base64; long games skip moves."""
    from tokoban.sokoban.render import render_rgb
    from tokoban.viewing.films import gif_of_pictures

    board, played = wire.played_game_of(arguments)
    side = max(board.height, board.width)
    square_px = min(_LARGEST_SQUARE_PX, max(_SMALLEST_SQUARE_PX, _WIDEST_PX // side))
    num_frames = min(_MAX_FRAMES, _MAX_PIXELS // (board.height * board.width * square_px**2))
    if num_frames < 2:
        raise ValueError(f"a board of {board.height}x{board.width} is too large for an animation")
    # The first and the last position are always shown.
    stride = max(1, -(-len(played.lurd) // (num_frames - 1)))
    frames, captions = [], []
    last = pushes = 0
    for number in (*range(0, len(played.lurd), stride), len(played.lurd)):
        if context.stop.is_set():
            return
        board = lurd.replay(board, played.lurd[last:number]).board
        pushes += sum(map(str.isupper, played.lurd[last:number]))
        last = number
        frames.append(render_rgb(board, square_px=square_px))
        captions.append(f"{number} / {pushes}")
    # In memory: a killed job would leave a file behind.
    film = gif_of_pictures(frames, captions=captions, frame_ms=_FRAME_MS)
    yield {"event": "done", "gif": base64.b64encode(film).decode()}
