"""The plan of a folder of labels: its levels, their shards, and its manifest.

The shards of levels that fit one word come first, numbered from 0, then those of the large ones.
Axes: B levels that fit one word.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Int64, UInt8

from tokoban.sokoban.formats.level import Problem
from tokoban.sokoban.formats.packed import PackedLevels
from tokoban.sokoban.labels.large import LargeOrigin
from tokoban.sokoban.labels.large_shards import LargeShard
from tokoban.sokoban.labels.samples import Origin, PlayedStates
from tokoban.sokoban.labels.shard_files import LARGE_PREFIX
from tokoban.sokoban.labels.shards import Shard
from tokoban.sokoban.labels.sources import Dropped, LargeLevel, Source, read_pool
from tokoban.sokoban.labels.splits import split, split_large
from tokoban.sokoban.search.bitboard.driver import Verdict
from tokoban.sokoban.search.bitboard.levels import Levels

# To be raised with every change to the sampling or to the format.
_VERSION = 5
# They take a second each, and an interruption must not lose much work.
_LARGE_LEVELS_PER_SHARD = 32


@dataclass(frozen=True, kw_only=True)
class LabelConfig:
    """How the states of each level are sampled, and how many levels a file has."""

    seed: int = 0
    num_states: int = 64  # from play, for each level; their neighbours are added
    levels_per_shard: int = 1000
    max_sets: int = 1_000_000  # of boxes: a level with more solvable ones is given up
    max_levels: int | None = None  # the first so many of each kind; None is all
    played_by: str | None = None  # digest of the policy whose play is labelled; None: sampled play

    def __post_init__(self) -> None:
        for name, most in _MOST.items():
            number = getattr(self, name)
            if number is not None and not 1 <= number <= most:
                raise ValueError(f"{name} is {number}; expected 1 to {most}")


_MOST = {
    "num_states": 10_000,
    "levels_per_shard": 100_000,
    "max_sets": 2**30,
    "max_levels": 2**31 - 1,
}


# Plays levels, given with their numbers, and returns the states reached; None as soon as the
# function given to it says that the work must end.
Play = Callable[[PackedLevels, Int64[np.ndarray, " N"], Callable[[], bool]], PlayedStates | None]


@dataclass(frozen=True, eq=False)
class Job:
    """The levels to be labelled, those that are not, and where both were read."""

    config: LabelConfig
    levels: PackedLevels
    numbers: Int64[np.ndarray, " B"]  # of each level among all that were read, for its seed
    dropped: tuple[Dropped, ...]
    large: tuple[LargeLevel, ...]  # that do not fit one word
    large_numbers: Int64[np.ndarray, " _"]  # of each among all large levels that were read
    sources: tuple[Source, ...]
    evaluation: tuple[Source, ...]
    problems: tuple[Problem, ...]  # of the levels that could not be read, by the paths given
    play: Play | None = None  # gives the states to label; None: they are sampled

    @property
    def num_shards(self) -> int:
        """The number of shards of both kinds."""
        return self.num_exact_shards + -(-len(self.large) // self._large_per_shard)

    @property
    def num_exact_shards(self) -> int:
        return -(-len(self.levels) // self.config.levels_per_shard)

    @property
    def _large_per_shard(self) -> int:
        return min(self.config.levels_per_shard, _LARGE_LEVELS_PER_SHARD)

    def is_large(self, shard: int) -> bool:
        """Whether it holds levels that do not fit one word."""
        return shard >= self.num_exact_shards

    def file_of(self, shard: int) -> str:
        """The name of its file."""
        if self.is_large(shard):
            return f"{LARGE_PREFIX}{shard - self.num_exact_shards:05d}.safetensors"
        return f"{shard:05d}.safetensors"

    def num_levels_of(self, shard: int) -> int:
        """The number of levels of a shard of either kind."""
        return len(self._large_rows(shard) if self.is_large(shard) else self.rows_of(shard))

    def levels_of(self, shard: int) -> PackedLevels:
        """The levels of one shard, which is not large."""
        return self.levels.at(self.rows_of(shard))

    def large_levels_of(self, shard: int) -> list[tuple[int, LargeLevel]]:
        """The levels of one large shard, each with its number for its seed."""
        rows = self._large_rows(shard)
        return [(int(self.large_numbers[row]), self.large[row]) for row in rows]

    def _large_rows(self, shard: int) -> range:
        first = (shard - self.num_exact_shards) * self._large_per_shard
        return range(first, min(first + self._large_per_shard, len(self.large)))

    def rows_of(self, shard: int) -> Int64[np.ndarray, " _"]:
        """The indices of the levels of one shard, which is not large."""
        size = self.config.levels_per_shard
        return np.arange(shard * size, min((shard + 1) * size, len(self.levels)))

    @cached_property
    def record(self) -> dict[str, Any]:
        """All that was asked for, as JSON, with file names for human readers."""
        asked = {
            "version": _VERSION,
            **asdict(self.config),
            "sources": [asdict(source) for source in self.sources],
            "evaluation": [asdict(source) for source in self.evaluation],
        }
        return json.loads(json.dumps(asked))

    @cached_property
    def digest(self) -> str:
        """The digest of what a shard's bytes depend on; each shard records it."""
        text = json.dumps(without_names(self.record), sort_keys=True)
        return hashlib.blake2b(text.encode("ascii"), digest_size=16).hexdigest()


def read_job(
    paths: Iterable[str | Path],
    config: LabelConfig,
    *,
    evaluation: Iterable[str | Path] = (),
    play: Play | None = None,
) -> Job:
    """Reads the levels to be labelled, without those that ``splits`` keeps apart.

    ``evaluation`` are files of levels reserved for evaluation; ``play`` and its digest
    ``config.played_by`` are given together. Raises ``OSError`` for a file that cannot be read, and
    ``ValueError`` if no level is left or if some level of ``evaluation`` cannot be read, for it
    could not be kept apart.
    """
    pool, held_out = read_pool(paths), read_pool(evaluation)
    for level in held_out.dropped:
        if level.reason == "unreadable":
            raise ValueError(f"no level could be kept apart from this one: {level.message}")
    levels, large = pool.levels, pool.large
    if config.max_levels is not None:
        levels = levels.at(np.arange(min(config.max_levels, len(levels))))
        large = large[: config.max_levels]
    is_kept, dropped = split(levels, held_out.levels)
    names = [[source.file for source in each.sources] for each in (pool, held_out)]
    is_kept_large, large_dropped = split_large(large, held_out.large, (names[0], names[1]))
    if not is_kept.any() and not is_kept_large.any():
        num_read = sum(source.num_levels for source in pool.sources)
        text = f"none of {num_read} levels is left to be labelled"
        reasons = [level.message for level in pool.dropped if level.message is not None]
        raise ValueError(": ".join([text, *reasons[:1]]))
    return Job(
        config,
        levels.at(is_kept),
        np.flatnonzero(is_kept),
        (*pool.dropped, *dropped, *large_dropped),
        tuple(large[row] for row in np.flatnonzero(is_kept_large)),
        np.flatnonzero(is_kept_large),
        pool.sources,
        held_out.sources,
        pool.problems,
        play,
    )


def without_names(record: dict[str, Any]) -> dict[str, Any]:
    """A record without the names of its files, whose contents have digests.

    Raises ``KeyError``, ``TypeError`` or ``AttributeError`` for what is no record.
    """
    files = {
        kind: [{key: value for key, value in source.items() if key != "file"} for source in sources]
        for kind, sources in record.items()
        if kind in ("sources", "evaluation")
    }
    return record | files


def words_of(levels: PackedLevels) -> Levels:
    """The same words, not copied, for the solvers."""
    return Levels(levels.walls, levels.goals, levels.boxes, levels.player)


class Tally:
    """Counts over the shards of a job, added one after the other; storage."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._levels, self._large_levels = _Levels(), _Levels()
        self._states = np.zeros((len(Origin), 2), np.int64)  # deadlocked and solvable, by origin
        self._positions: Counter[int] = Counter()  # of large levels, by origin

    def add(self, number: int, shard: Shard | LargeShard) -> None:
        """Counts the shard of this number."""
        if isinstance(shard, LargeShard):
            rows = self._job.large_levels_of(number)
            files = [self._job.sources[level.file].file for _, level in rows]
            names = [f"{file}#{level.number}" for file, (_, level) in zip(files, rows, strict=True)]
            self._large_levels.add(shard.level_verdict, names.__getitem__)
            self._positions.update(shard.origin.tolist())
        else:
            self._levels.add(shard.level_verdict, self._job.levels_of(number).name)
            np.add.at(self._states, (shard.origin, shard.is_solvable.astype(np.int64)), 1)

    def described(self) -> dict[str, Any]:
        """The figures of a manifest."""
        reasons = Counter(
            f"{level.reason}, same {level.same}" if level.same else level.reason
            for level in self._job.dropped
        )
        return {
            "levels": self._levels.described(),
            "dropped": dict(sorted(reasons.items())),
            "states": int(self._states.sum()),
            "solvable_states": int(self._states[:, 1].sum()),
            "origins": {
                origin.name.lower(): {"states": int(row.sum()), "solvable_states": int(row[1])}
                for origin, row in zip(Origin, self._states, strict=True)
            },
            "large": {
                "levels": self._large_levels.described(),
                "positions": self._positions.total(),
                "origins": {origin.name.lower(): self._positions[origin] for origin in LargeOrigin},
            },
        }


class _Levels:
    """Counts of levels by what is known of them, and the names of those that were given up."""

    def __init__(self) -> None:
        self.verdicts: Counter[int] = Counter()
        self.given_up: list[str] = []

    def add(self, verdicts: UInt8[np.ndarray, " _"], name: Callable[[int], str]) -> None:
        self.verdicts.update(verdicts.tolist())
        is_known = np.isin(verdicts, (Verdict.SOLVED, Verdict.UNSOLVABLE))
        self.given_up += map(name, np.flatnonzero(~is_known).tolist())

    def described(self) -> dict[str, Any]:
        return {
            "labelled": self.verdicts.total() - len(self.given_up),
            "solvable": self.verdicts[Verdict.SOLVED],
            "unsolvable": self.verdicts[Verdict.UNSOLVABLE],
            "given_up": self.given_up,
        }
