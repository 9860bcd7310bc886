"""Levels sampled and labelled in one go, and what their shards say as plain boards."""

from collections.abc import Sequence

import numpy as np

from tests.sokoban.search.bitboard.swept import words_of
from tokoban.sokoban.board import Board
from tokoban.sokoban.formats.packed import PackedLevels
from tokoban.sokoban.labels.driver import Labelled, Labelling
from tokoban.sokoban.labels.samples import PlayedStates
from tokoban.sokoban.search.bitboard.sweep import workspace_for
from tokoban.sokoban.search.bitboard.worker import complete
from tokoban.sokoban.search.bitboard.workspace import Workspace
from tokoban.sokoban.search.limits import Limits


def packed(boards: Sequence[Board]) -> PackedLevels:
    """The boards as levels of one file."""
    return PackedLevels.of(*words_of(boards), file="levels")


def label_all(
    boards: Sequence[Board],
    *,
    numbers: Sequence[int] | None = None,
    seed: int = 7,
    num_states: int = 17,
    max_sets: int = 10**6,
    workspace: Workspace | None = None,
    played: PlayedStates | None = None,
) -> Labelled:
    levels = words_of(boards)
    own = np.arange(len(boards)) if numbers is None else np.array(numbers)
    work = Labelling(
        levels, own, seed=seed, num_states=num_states, max_sets=max_sets, played=played
    )
    workspace = workspace or workspace_for(levels)
    complete(work, workspace, Limits(memory_limit_mb=float("inf")))
    return work.labelled()


def parts(found: Labelled) -> list[slice]:
    """The states of each level."""
    ends = found.samples.ends.tolist()
    return [slice(start, end) for start, end in zip([0, *ends], ends, strict=False)]
