"""Jobs of the push policy: what it predicts for positions, its beam search and its attention.

The jobs import the compiled searches, so that a worker is ready before that.
"""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from tokoban.sokoban.board import Board
from tokoban.sokoban.formats import lurd
from tokoban.web import wire
from tokoban.web.job import Context

_MOST_ROWS = 16  # boards that are shown side by side
_WATCH_S = 20.0  # where the page names no limit
_AT_ONCE = 16  # positions of a game that are judged together


def predict(arguments: dict[str, Any], context: Context) -> Iterator[dict[str, Any]]:
    """The legal pushes with their probabilities, the pushes left and the chance of a deadlock."""
    from tokoban.web import opinions

    yield {"event": "done", **opinions.opinion_with_pushes(wire.board_of(arguments))}


def predict_line(arguments: dict[str, Any], context: Context) -> Iterator[dict[str, Any]]:
    """The policy's estimates for the start of a game and each position after a push."""
    from tokoban.web import opinions

    turns = _turns(arguments)
    while some := list(islice(turns, _AT_ONCE)):
        if context.stop.is_set():
            return
        views = opinions.opinions([board for _, board in some])
        points = [{"at": at, **view} for (at, _), view in zip(some, views, strict=True)]
        yield {"event": "answer", "points": points}
    yield {"event": "done"}


def watch(arguments: dict[str, Any], context: Context) -> Iterator[dict[str, Any]]:
    """A beam search, an answer for each step with its boards and scores; then the rows followed."""
    from tokoban.sokoban.search.limits import Limits
    from tokoban.web import watched

    board = wire.board_of(arguments)
    width = wire.whole_of(arguments, "width", usual=6, least=1, most=_MOST_ROWS)
    time_limit_s = wire.time_limit_of(arguments, usual=_WATCH_S)
    limits = Limits(time_limit_s=time_limit_s, stop=context.stop)
    yield from watched.beam(board, limits, width=width)


def attention(arguments: dict[str, Any], context: Context) -> Iterator[dict[str, Any]]:
    """The attention of one floor square: its weights over the floor, by layer and head."""
    from tokoban.web import opinions

    board = wire.board_of(arguments)
    yield {"event": "done", **opinions.attention_of(board, arguments.get("square"))}


def _turns(arguments: dict[str, Any]) -> Iterator[tuple[int, Board]]:
    """The start of a game and each position after a push, with the number of moves made."""
    board, played = wire.played_game_of(arguments)
    yield 0, board
    for push in re.finditer("[udlr]*[UDLR]", played.lurd):
        board = lurd.replay(board, push[0]).board
        yield push.end(), board
