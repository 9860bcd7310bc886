"""A folder of labels: the finished part of a job, and the rest of the work.

It holds ``job.json`` (what was asked for), ``dropped.jsonl`` (the levels without labels), the
shards and, once all of these are there, ``manifest.json``. No byte of them depends on who did the
work, or on whether it was interrupted and resumed.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tokoban.files.atomic import atomically
from tokoban.sokoban.labels.items import ExactItem, LargeItem, MadeShard, do_item, items_of
from tokoban.sokoban.labels.job import Job, Tally, without_names
from tokoban.sokoban.labels.large import LargeLabels
from tokoban.sokoban.labels.large_shards import LargeShard, pack_large, read_large_shard
from tokoban.sokoban.labels.shards import Shard, read_about, read_shard, to_bytes
from tokoban.sokoban.search.limits import DEFAULT_LIMITS, Limits, Watch
from tokoban.sokoban.work import Workers


class LabelFolder:
    """The folder of one job; see ``locks.alone_in``."""

    def __init__(self, path: str | Path, job: Job) -> None:
        """Makes the folder; ``ValueError`` if it holds the labels of another job."""
        self.path, self.job = Path(path), job
        self.path.mkdir(parents=True, exist_ok=True)
        if (self.path / "job.json").exists():
            self._check_record()
        else:
            lines = [json.dumps(asdict(level)) + "\n" for level in job.dropped]
            self._write("dropped.jsonl", "".join(lines).encode("ascii"))
            self._write("job.json", _as_json(job.record))
        self.missing = [shard for shard in range(job.num_shards) if self._about(shard) is None]

    @property
    def num_missing_levels(self) -> int:
        """The number of levels still to be labelled: those in no complete shard."""
        return sum(map(self.job.num_levels_of, self.missing))

    def complete(
        self,
        workers: Workers,
        *,
        limits: Limits = DEFAULT_LIMITS,
        report: Callable[[int], None] | None = None,
    ) -> str | None:
        """Labels what is missing, and writes each shard as soon as it is complete.

        The stop flag, the time limit and an exception such as ``KeyboardInterrupt`` end the
        work; complete shards stay, and the same call later goes on from there.
        Returns the limit that ended the work. ``config.max_sets`` takes the place of the other
        limits, so that labels do not depend on the machine. ``report`` is called now and then with
        the number of levels done. Raises ``ValueError`` if levels are played on processors of
        several kinds, which round differently.
        """
        watch = Watch(limits)
        shards: list[int] = []  # of each item so far
        large: dict[int, dict[int, LargeLabels]] = {}  # of each incomplete shard
        processors: set[str] = set()
        num_done = 0

        def items() -> Iterator[ExactItem | LargeItem]:
            for shard in self.missing:
                for item in items_of(self.job, shard):
                    shards.append(shard)
                    yield item

        for number, found in workers.results(do_item, items(), watch):
            shard = shards[number]
            if isinstance(found, MadeShard):
                if found.processor is not None:
                    processors.add(found.processor)
                if len(processors) > 1:
                    raise ValueError(
                        f"levels were played on several processors ({', '.join(sorted(processors))}"
                        "), whose sums may differ; expected workers of one kind"
                    )
                self._write(self.job.file_of(shard), found.content)
                num_done += self.job.num_levels_of(shard)
            elif isinstance(found, LargeLabels):
                large.setdefault(shard, {})[number] = found
                num_done += 1
                if len(large[shard]) == self.job.num_levels_of(shard):
                    self._write_large(shard, large.pop(shard))
            if report:
                report(num_done)
        return watch.reason_to_end() if num_done < self.num_missing_levels else None

    def conclude(self) -> dict[str, Any] | None:
        """Writes the manifest and returns it; None while shards are missing."""
        tally, shards = Tally(self.job), []
        for shard in range(self.job.num_shards):
            about = self._about(shard)
            if about is None:
                return None
            path = self._path(shard)
            read = read_large_shard if self.job.is_large(shard) else read_shard
            tally.add(shard, read(path))
            shards.append(
                {"file": path.name, "bytes": path.stat().st_size, "blake2b": about["blake2b"]}
            )
        manifest = {**tally.described(), "shards": shards, "job": self.job.record}
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
                    f"other {name.removesuffix('s')} files"
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
        """The description of a shard; None if it is missing, cut off, changed or another job's."""
        try:
            kind = LargeShard if self.job.is_large(shard) else Shard
            about = read_about(self._path(shard), kind)
        except (FileNotFoundError, ValueError):
            return None
        is_ours = about.get("job") == self.job.digest and about.get("shard") == str(shard)
        return about if is_ours else None

    def _write_large(self, shard: int, labels: dict[int, LargeLabels]) -> None:
        """Writes a shard of the labels of its levels, by the numbers of their items."""
        levels = [level for _, level in self.job.large_levels_of(shard)]
        packed = pack_large(levels, [labels[number] for number in sorted(labels)])
        about = {"job": self.job.digest, "shard": str(shard)}
        self._write(self.job.file_of(shard), to_bytes(packed, about))

    def _write(self, name: str, content: bytes) -> None:
        with atomically(self.path / name) as temporary:
            temporary.write_bytes(content)


def _as_json(described: dict[str, Any]) -> bytes:
    return (json.dumps(described, indent=1) + "\n").encode("ascii")
