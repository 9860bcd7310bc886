"""The plan of a folder of labels: its levels, their shards, and its manifest.

Axes: B levels.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Int64

from tokoban.sokoban.formats.level import Problem
from tokoban.sokoban.formats.packed import PackedLevels
from tokoban.sokoban.labels.driver import Labelling
from tokoban.sokoban.labels.samples import Origin
from tokoban.sokoban.labels.shards import Shard
from tokoban.sokoban.labels.sources import Dropped, Source, read_pool
from tokoban.sokoban.labels.splits import split
from tokoban.sokoban.search.bitboard.driver import Verdict
from tokoban.sokoban.search.bitboard.levels import Levels

# To be raised with every change of what is sampled, or of how it is written.
_VERSION = 3


@dataclass(frozen=True, kw_only=True)
class LabelConfig:
    """How the states of each level are sampled, and how many levels a file has."""

    seed: int = 0
    num_states: int = 64  # from play, a level; their neighbours come besides
    levels_per_shard: int = 1000
    max_sets: int = 1_000_000  # of boxes: a level is given up where more of them can be solved
    max_levels: int | None = None  # so many from the first on; None is all

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


@dataclass(frozen=True, eq=False)
class Job:
    """The levels to be labelled, those that are not, and where both were read."""

    config: LabelConfig
    levels: PackedLevels
    numbers: Int64[np.ndarray, " B"]  # of each level among all that were read, for its seed
    dropped: tuple[Dropped, ...]
    sources: tuple[Source, ...]
    evaluation: tuple[Source, ...]
    problems: tuple[Problem, ...]  # of the levels that could not be read, by the paths given

    @property
    def num_shards(self) -> int:
        return -(-len(self.levels) // self.config.levels_per_shard)

    def levels_of(self, shard: int) -> PackedLevels:
        """The levels of one shard."""
        return self.levels.at(self._rows(shard))

    def labelling(self, shard: int) -> Labelling:
        """The work on one shard, not begun."""
        rows, config = self._rows(shard), self.config
        return Labelling(
            words_of(self.levels.at(rows)),
            self.numbers[rows],
            seed=config.seed,
            num_states=config.num_states,
            max_sets=config.max_sets,
        )

    def _rows(self, shard: int) -> Int64[np.ndarray, " _"]:
        size = self.config.levels_per_shard
        return np.arange(shard * size, min((shard + 1) * size, len(self.levels)))

    @cached_property
    def record(self) -> dict[str, Any]:
        """All that was asked for, as JSON has it, with the names of files for people."""
        asked = {
            "version": _VERSION,
            **asdict(self.config),
            "sources": [asdict(source) for source in self.sources],
            "evaluation": [asdict(source) for source in self.evaluation],
        }
        return json.loads(json.dumps(asked))

    @cached_property
    def digest(self) -> str:
        """Stands in each shard for what its bytes depend on."""
        text = json.dumps(without_names(self.record), sort_keys=True)
        return hashlib.blake2b(text.encode("ascii"), digest_size=16).hexdigest()


def read_job(
    paths: Iterable[str | Path], config: LabelConfig, *, evaluation: Iterable[str | Path] = ()
) -> Job:
    """Reads the levels to be labelled, without those that ``splits`` keeps apart.

    ``evaluation`` are files of levels that something will be evaluated on. Raises ``OSError`` for a
    file that cannot be read, and ``ValueError`` if no level is left or if some level of
    ``evaluation`` cannot be read, for it could not be kept apart.
    """
    pool, held_out = read_pool(paths), read_pool(evaluation)
    for level in held_out.dropped:
        if level.reason == "unreadable":
            raise ValueError(f"no level could be kept apart from this one: {level.message}")
    levels = pool.levels
    if config.max_levels is not None:
        levels = levels.at(np.arange(min(config.max_levels, len(levels))))
    is_kept, dropped = split(levels, held_out.levels)
    if not is_kept.any():
        num_read = sum(source.num_levels for source in pool.sources)
        text = f"none of {num_read} levels is left to be labelled"
        reasons = [level.message for level in pool.dropped if level.message is not None]
        raise ValueError(": ".join([text, *reasons[:1]]))
    return Job(
        config,
        levels.at(is_kept),
        np.flatnonzero(is_kept),
        (*pool.dropped, *dropped),
        pool.sources,
        held_out.sources,
        pool.problems,
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
    """Counts over shards, added one after the other; storage."""

    def __init__(self) -> None:
        self.verdicts: Counter[int] = Counter()
        self.states = np.zeros((len(Origin), 2), np.int64)  # deadlocked and solvable, by origin
        self.given_up: list[str] = []

    def add(self, shard: Shard, levels: PackedLevels) -> None:
        """Counts one more shard, of these levels."""
        self.verdicts.update(shard.level_verdict.tolist())
        np.add.at(self.states, (shard.origin, shard.is_solvable.astype(np.int64)), 1)
        is_known = np.isin(shard.level_verdict, (Verdict.SOLVED, Verdict.UNSOLVABLE))
        self.given_up += [levels.name(row) for row in np.flatnonzero(~is_known).tolist()]

    def described(self, dropped: Sequence[Dropped]) -> dict[str, Any]:
        """The figures of a manifest."""
        reasons = Counter(
            f"{level.reason}, same {level.same}" if level.same else level.reason
            for level in dropped
        )
        return {
            "levels": {
                "labelled": self.verdicts.total() - len(self.given_up),
                "solvable": self.verdicts[Verdict.SOLVED],
                "unsolvable": self.verdicts[Verdict.UNSOLVABLE],
                "given_up": self.given_up,
            },
            "dropped": dict(sorted(reasons.items())),
            "states": int(self.states.sum()),
            "solvable_states": int(self.states[:, 1].sum()),
            "origins": {
                origin.name.lower(): {"states": int(row.sum()), "solvable_states": int(row[1])}
                for origin, row in zip(Origin, self.states, strict=True)
            },
        }
