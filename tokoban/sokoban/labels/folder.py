"""A folder of labels: what is there of a job, and the rest of the work, by threads and processes.

It holds ``job.json`` (what was asked for), ``dropped.jsonl`` (the levels without labels), the
shards and, once all of these are there, ``manifest.json``. No byte of them depends on how the work
was shared out, or on whether it was broken off and resumed.
"""

import json
import random
import threading
from collections.abc import Callable
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Int64

from tokoban import compiling
from tokoban.files.atomic import atomically
from tokoban.files.shares import Share
from tokoban.sokoban.labels.job import Job, LargeTally, Tally, without_names, words_of
from tokoban.sokoban.labels.large import LargeLabels, label_level
from tokoban.sokoban.labels.large_shards import LargeShard, pack_large, read_large_shard
from tokoban.sokoban.labels.shards import Shard, pack, read_about, read_shard, to_bytes
from tokoban.sokoban.search.bitboard.driver import LEVEL
from tokoban.sokoban.search.bitboard.slices import Worker
from tokoban.sokoban.search.bitboard.sweep import workspace_for
from tokoban.sokoban.search.limits import Limits, Watch

_REPORT_S = 0.1
# ``max_sets`` is the limit: one of memory would depend on what the workspace was used for before.
_UNLIMITED = Limits(memory_limit_mb=float("inf"))


class _End(threading.Event):
    """Set also once the watch says that the work has to end."""

    def __init__(self, watch: Watch) -> None:
        super().__init__()
        self._watch = watch

    def is_set(self) -> bool:
        return super().is_set() or self._watch.reason_to_end() is not None


class LabelFolder:
    """The folder of one job, and one process's share of the work on it; see ``shares.alone_in``."""

    def __init__(self, path: str | Path, job: Job, share: Share | None = None) -> None:
        """Makes the folder; ``ValueError`` if it holds the labels of another job."""
        self.path, self.job, self.share = Path(path), job, share or Share()
        self.path.mkdir(parents=True, exist_ok=True)
        if (self.path / "job.json").exists():
            self._check_record()
        elif self.share.rank == 0:
            lines = [json.dumps(asdict(level)) + "\n" for level in job.dropped]
            self._write("dropped.jsonl", "".join(lines).encode("ascii"))
            self._write("job.json", _as_json(job.record))
        self.mine = range(self.share.rank, job.num_shards, self.share.world_size)
        self.missing = [shard for shard in self.mine if self._about(shard) is None]

    @property
    def num_missing_levels(self) -> int:
        """The number of levels that this process has to label: no whole shard holds them."""
        return sum(map(self.job.num_levels_of, self.missing))

    def complete(
        self,
        *,
        num_threads: int,
        limits: Limits = _UNLIMITED,
        report: Callable[[int], None] | None = None,
        clock: Callable[[], float] = compiling.clock,
    ) -> str | None:
        """Labels what is missing of this process's share, and writes it shard by shard.

        The stop flag, the time limit and an exception such as ``KeyboardInterrupt`` end the
        threads; the shards that are whole by then stay, and the same call later goes on from there.
        Returns the limit that ended the work, None if it is complete. ``config.max_sets`` takes the
        place of the other limits, so that labels do not depend on the machine. ``report`` is called
        now and then with the number of levels done.
        """
        watch = Watch(limits, clock)
        waiting = iter(self.missing)  # whose ``next`` is one step for all threads
        progresses: list[np.ndarray] = []
        has_ended = _End(watch)

        def take_turns() -> None:
            worker = Worker(workspace_for(words_of(self.job.levels)))
            packed: Shard | LargeShard | None
            for shard in waiting:
                if self.job.is_large(shard):
                    progresses.append(np.zeros(LEVEL + 1, np.int64))
                    packed = self._label_large(shard, progresses[-1], has_ended)
                    if packed is None:
                        return
                else:
                    work = self.job.labelling(shard, has_ended.is_set)
                    if work is None:
                        return
                    progresses.append(work.progress)
                    worker.complete(work, _UNLIMITED, has_ended.is_set)
                    if work.progress[LEVEL] < self.job.num_levels_of(shard):
                        return
                    packed = pack(self.job.levels_of(shard), work.labelled())
                content = to_bytes(packed, {"job": self.job.digest, "shard": str(shard)})
                self._write(self.job.file_of(shard), content)

        with ThreadPoolExecutor(num_threads) as pool:
            turns = [pool.submit(take_turns) for _ in range(num_threads)]
            try:
                while wait(turns, timeout=_REPORT_S, return_when=FIRST_EXCEPTION).not_done:
                    if any(turn.done() and turn.exception() for turn in turns):
                        break
                    if report:
                        report(sum(int(progress[LEVEL]) for progress in progresses))
            finally:
                has_ended.set()
        for turn in turns:
            turn.result()
        num_done = sum(int(progress[LEVEL]) for progress in progresses)
        if report:
            report(num_done)
        return watch.reason_to_end() if num_done < self.num_missing_levels else None

    def conclude(self) -> dict[str, Any] | None:
        """Writes the manifest and returns it; None while shards are missing.

        The process that is last to call it finds all shards, whichever that is.
        """
        if not all(self._path(shard).exists() for shard in range(self.job.num_shards)):
            return None
        tally, large_tally = Tally(), LargeTally()
        shards = []
        for shard in range(self.job.num_shards):
            about = self._about(shard)
            if about is None:
                return None
            path = self._path(shard)
            if self.job.is_large(shard):
                levels = [level for _, level in self.job.large_levels_of(shard)]
                large_tally.add(read_large_shard(path), levels)
            else:
                tally.add(read_shard(path), self.job.levels_of(shard))
            shards.append(
                {"file": path.name, "bytes": path.stat().st_size, "blake2b": about["blake2b"]}
            )
        manifest = {
            **tally.described(self.job.dropped),
            "large": large_tally.described(self.job.sources),
            "shards": shards,
            "job": self.job.record,
        }
        self._write("manifest.json", _as_json(manifest))
        return manifest

    def _check_record(self) -> None:
        path = self.path / "job.json"
        try:
            found = json.loads(path.read_bytes())
            known = without_names({name: found[name] for name in self.job.record})
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            raise ValueError(f"{path}: not the record of a job of labels") from None
        for name, value in without_names(self.job.record).items():
            if known[name] != value:
                differs = (
                    f"other {name} files"
                    if isinstance(value, list)
                    else f"{name} {known[name]}, not {value}"
                )
                raise ValueError(
                    f"{self.path} holds labels of {differs}; "
                    "expected the same arguments or another folder"
                )

    def _path(self, shard: int) -> Path:
        return self.path / self.job.file_of(shard)

    def _about(self, shard: int) -> dict[str, str] | None:
        """The words about a shard; None if it is missing, cut off, changed or another job's."""
        try:
            kind = LargeShard if self.job.is_large(shard) else Shard
            about = read_about(self._path(shard), kind)
        except (FileNotFoundError, ValueError):
            return None
        is_ours = about.get("job") == self.job.digest and about.get("shard") == str(shard)
        return about if is_ours else None

    def _label_large(
        self, shard: int, progress: Int64[np.ndarray, "_"], stop: threading.Event
    ) -> LargeShard | None:
        """A shard of large levels, counted in ``progress``; None once ``stop`` is set."""
        levels, config = self.job.large_levels_of(shard), self.job.config
        found: list[LargeLabels] = []
        for number, level in levels:
            labels = label_level(
                level.board,
                level.solution,
                rng=random.Random(f"{config.seed}/{number}"),
                num_states=config.num_states,
                stop=stop,
            )
            if labels is None:
                return None
            found.append(labels)
            progress[LEVEL] += 1
        return pack_large([level for _, level in levels], found)

    def _write(self, name: str, content: bytes) -> None:
        with atomically(self.path / name) as temporary:
            temporary.write_bytes(content)


def _as_json(described: dict[str, Any]) -> bytes:
    return (json.dumps(described, indent=1) + "\n").encode("ascii")
