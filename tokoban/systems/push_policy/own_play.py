"""Positions that a policy's own greedy play reaches, to be labelled exactly for training.

DAgger (Ross, Gordon and Bagnell 2011, arXiv 1011.0686): sampled play seldom reaches the positions
in which a trained policy errs; its own play does.
"""

import hashlib
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from jaxtyping import Bool, Int64, UInt64

from tokoban.sokoban.board import Board
from tokoban.sokoban.formats.packed import PackedLevels
from tokoban.sokoban.labels.job import LabelConfig, Play
from tokoban.sokoban.labels.samples import PlayedStates
from tokoban.sokoban.search.level.ground import Squares
from tokoban.sokoban.search.searches.guided.search import GuidedOptions
from tokoban.systems.push_policy.compiled import State
from tokoban.systems.push_policy.guide import as_judge
from tokoban.systems.push_policy.lockstep import play_all

_MOST_PUSHES = 120  # then a level counts as lost; Boxoban's hard ones need 52 at most
# Of a solved level one position in so many is kept, of a lost one all: there the play went wrong.
_KEPT_OF_SOLVED = 8


class _MustEndError(Exception):
    """The caller no longer wants the result."""


def own_play(model: object, config: LabelConfig) -> tuple[LabelConfig, Play]:
    """The play of the model, greedily and without search, for ``labels.job.read_job``.

    Also returns ``config`` with the digest of the model. Which positions of solved levels are kept
    depends on the seed and each level's number. The play is that of ``evaluate push`` as it is by
    default, but ends sooner; another machine may round otherwise, and then it differs. Raises
    ``ValueError`` for a model that is no push policy.
    """
    judge = as_judge(model)

    def play(
        levels: PackedLevels, numbers: Int64[np.ndarray, " N"], must_end: Callable[[], bool]
    ) -> PlayedStates | None:
        boards = [levels.board(row) for row in range(len(levels))]
        cells = [_cells_of(board) for board in boards]
        trails: list[list[tuple[np.uint64, np.uint64]]] = [[] for _ in boards]

        def report(
            level: int, boxes: Bool[np.ndarray, "P F"], zones: Bool[np.ndarray, "P F"]
        ) -> None:
            if must_end():
                raise _MustEndError
            for own_boxes, zone in zip(boxes, zones, strict=True):
                player = cells[level][zone.argmax()]  # any square of its zone
                word = np.bitwise_or.reduce(cells[level][own_boxes])
                trails[level].append((word, player))

        try:
            played = play_all(
                judge,
                boards,
                GuidedOptions(order="greedy"),
                max_evaluated=_MOST_PUSHES,
                report=report,
            )
        except _MustEndError:
            return None
        kept = []
        for number, trail, result in zip(numbers.tolist(), trails, played, strict=True):
            if result.solution is not None:
                first = int(np.random.default_rng([config.seed, number]).integers(_KEPT_OF_SOLVED))
                trail = trail[first::_KEPT_OF_SOLVED]
            kept.append(trail)
        states = np.array([state for trail in kept for state in trail], np.uint64).reshape(-1, 2)
        ends = np.cumsum([len(trail) for trail in kept], dtype=np.int64)
        return PlayedStates(states[:, 0].copy(), states[:, 1].copy(), ends)

    return replace(config, played_by=_digest_of(judge.state)), play


def _cells_of(board: Board) -> UInt64[np.ndarray, " F"]:
    """The bit of each square of the floor in the words of a level of 8x8 within a border."""
    squares = Squares(board).squares
    return np.array([1 << 8 * (row - 1) + column - 1 for row, column in squares], np.uint64)


def _digest_of(state: State) -> str:
    """Equal for equal parameters: what a folder of labels records of its player."""
    digest = hashlib.blake2b(digest_size=16)
    for name, tensor in sorted(state.items()):
        digest.update(name.encode())
        digest.update(tensor.tobytes())
    return digest.hexdigest()
