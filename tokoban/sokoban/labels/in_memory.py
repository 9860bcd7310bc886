"""Labels of a few levels without a folder: the shard that ``tokoban label`` would write of them."""

import numpy as np

from tokoban.sokoban.formats.packed import PackedLevels
from tokoban.sokoban.labels.driver import Labelling
from tokoban.sokoban.labels.driver import prepare as prepare_labels
from tokoban.sokoban.labels.shards import Shard, pack
from tokoban.sokoban.search.bitboard.levels import Levels
from tokoban.sokoban.search.bitboard.slices import Worker
from tokoban.sokoban.search.bitboard.sweep import workspace_for
from tokoban.sokoban.search.limits import Limits

_MAX_SETS = 1_000_000  # of boxes: a level of more is given up


def label_in_memory(levels: Levels, *, num_states: int, seed: int) -> Shard:
    """The states of levels, none with a box out of reach, sampled by the seed and labelled exactly.

    The levels count from 0, as of one file without a name.
    """
    count = len(levels.walls)
    numbers = np.arange(count)
    packed = PackedLevels(
        levels.walls,
        levels.goals,
        levels.boxes,
        levels.player,
        number=numbers.astype(np.int32),
        file=np.zeros(count, np.int32),
        corner=np.zeros((count, 2), np.int32),
        files=("",),
    )
    prepare_labels()
    work = Labelling(levels, numbers, seed=seed, num_states=num_states, max_sets=_MAX_SETS)
    Worker(workspace_for(levels)).complete(work, Limits(), lambda: False)
    return pack(packed, work.labelled())
