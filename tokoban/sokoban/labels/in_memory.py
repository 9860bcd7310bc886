"""Labels of a few levels without a folder: the shard ``tokoban label`` would write for them."""

import threading

import numpy as np

from tokoban.sokoban.formats.packed import PackedLevels
from tokoban.sokoban.labels.driver import prepare
from tokoban.sokoban.labels.items import label_shard
from tokoban.sokoban.labels.job import LabelConfig
from tokoban.sokoban.labels.shards import Shard
from tokoban.sokoban.search.bitboard.levels import Levels


def label_in_memory(levels: Levels, *, num_states: int, seed: int) -> Shard:
    """The states of levels, sampled by the seed and labelled exactly; no box may be out of reach.

    The levels count from 0, as of one file without a name.
    """
    prepare()
    config = LabelConfig(seed=seed, num_states=num_states)
    numbers = np.arange(len(levels.walls))
    shard = label_shard(PackedLevels.of(*levels), numbers, config, stop=threading.Event())
    assert shard is not None  # since it was not stopped
    return shard
