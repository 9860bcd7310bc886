"""The items of work of a job: a shard of levels that fit one word, or one larger level.

Labels of a few levels need no folder: ``label_in_memory``.
"""

import math
import platform
import random
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from jaxtyping import Int64

from tokoban.sokoban.formats.packed import PackedLevels
from tokoban.sokoban.labels import driver
from tokoban.sokoban.labels.driver import Labelling
from tokoban.sokoban.labels.job import Job, LabelConfig, Play, words_of
from tokoban.sokoban.labels.large import LargeLabels, label_level
from tokoban.sokoban.labels.shards import Shard, pack, to_bytes
from tokoban.sokoban.labels.sources import LargeLevel
from tokoban.sokoban.search.bitboard.driver import LEVEL
from tokoban.sokoban.search.bitboard.levels import Levels
from tokoban.sokoban.search.bitboard.sweep import workspace_for
from tokoban.sokoban.search.bitboard.worker import complete
from tokoban.sokoban.search.limits import Limits


class ExactItem(NamedTuple):
    """A whole shard to be made."""

    shard: int
    digest: str  # of its job
    config: LabelConfig
    levels: PackedLevels
    numbers: Int64[np.ndarray, " N"]
    play: Play | None


class LargeItem(NamedTuple):
    """A level of a shard of large ones."""

    shard: int
    config: LabelConfig
    number: int
    level: LargeLevel


class MadeShard(NamedTuple):
    """The bytes of a file, and the processor on which its levels were played, if any were."""

    content: bytes
    processor: str | None


def items_of(job: Job, shard: int) -> Iterator[ExactItem | LargeItem]:
    """The items of a shard, in the order of its levels."""
    if job.is_large(shard):
        for number, level in job.large_levels_of(shard):
            yield LargeItem(shard, job.config, number, level)
    else:
        levels = replace(job.levels_of(shard), files=())  # there may be thousands of them
        numbers = job.numbers[job.rows_of(shard)]
        yield ExactItem(shard, job.digest, job.config, levels, numbers, job.play)


def do_item(item: ExactItem | LargeItem, stop: threading.Event) -> MadeShard | LargeLabels | None:
    """The labels of an item; None once ``stop`` is set."""
    driver.prepare()
    return _make_shard(item, stop) if isinstance(item, ExactItem) else _label_large(item, stop)


def label_shard(
    levels: PackedLevels,
    numbers: Int64[np.ndarray, " N"],
    config: LabelConfig,
    *,
    play: Play | None = None,
    stop: threading.Event,
) -> Shard | None:
    """The shard of levels that fit one word; ``numbers`` are theirs for the seed."""
    words, played = words_of(levels), None
    if play is not None:
        played = play(levels, numbers, stop.is_set)
        if played is None:
            return None
    work = Labelling(
        words,
        numbers,
        seed=config.seed,
        num_states=config.num_states,
        max_sets=config.max_sets,
        played=played,
    )
    # ``max_sets`` is the limit: one of memory would depend on what the workspace has done before.
    complete(work, workspace_for(words), Limits(memory_limit_mb=math.inf, stop=stop))
    return pack(levels, work.labelled()) if work.progress[LEVEL] == len(levels) else None


def label_in_memory(levels: Levels, *, num_states: int, seed: int) -> Shard:
    """The states of levels, sampled by the seed and labelled exactly; no box may be out of reach.

    The levels count from 0, as of one file without a name.
    """
    driver.prepare()
    config = LabelConfig(seed=seed, num_states=num_states)
    numbers = np.arange(len(levels.walls))
    shard = label_shard(PackedLevels.of(*levels), numbers, config, stop=threading.Event())
    assert shard is not None  # since it was not stopped
    return shard


def _make_shard(item: ExactItem, stop: threading.Event) -> MadeShard | None:
    shard = label_shard(item.levels, item.numbers, item.config, play=item.play, stop=stop)
    if shard is None:
        return None
    content = to_bytes(shard, {"job": item.digest, "shard": str(item.shard)})
    return MadeShard(content, None if item.play is None else _processor())


def _label_large(item: LargeItem, stop: threading.Event) -> LargeLabels | None:
    return label_level(
        item.level.board,
        item.level.solution,
        rng=random.Random(f"{item.config.seed}/{item.number}"),
        num_states=item.config.num_states,
        stop=stop,
    )


def _processor() -> str:
    """The model of this machine's processor, on which the rounding of a network depends."""
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
