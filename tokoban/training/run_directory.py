"""One run on the disk: what was asked for, what was measured, what came out.

runs/<date>-<name>/
    config.json           system, config, started_from, run, command, commit, hardware, versions
    metrics.jsonl         one line per log(): {"step": 50, "train/loss": 0.7, ...}
    tensorboard/          the same, as events
    checkpoints/          to resume from
    kept/                 weights along the way, to look back at or to average
    best.safetensors      the weights that were best by the monitored metric
    weights.safetensors   of the newest checkpoint; in the end the mean, or the best, if asked for
    result.json           the final metrics, once the run is over
    .lock                 while a process trains here
    plots/curves.png
"""

import json
import math
import os
import platform
import shlex
import subprocess
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import date, datetime
from pathlib import Path
from typing import Any

import torch

from tokoban.files.atomic import atomically
from tokoban.files.locks import locked
from tokoban.training import processes
from tokoban.training.checkpoint import DamageWarning, save_weights, write_json_atomically
from tokoban.training.config import to_dict
from tokoban.training.run_config import RunConfig


class RunDirectory:
    """The files of one run of one system. Nothing is touched before it is ``locked``.

    Where several processes train, only the main one may call what writes.
    """

    def __init__(
        self, path: Path, *, system: str, config: Mapping[str, Any], started_from: str = ""
    ) -> None:
        """``system`` is the registry's name, ``config`` its dataclass ``to_dict``.

        ``started_from`` names the weights that it begins with, empty where they are random.
        """
        self.path = path
        self.system = system
        self.config = dict(config)
        self.started_from = started_from
        self.checkpoints = path / "checkpoints"
        self.metrics = path / "metrics.jsonl"
        self.events = path / "tensorboard"
        self.weights = path / "weights.safetensors"
        self.best_weights = path / "best.safetensors"
        self.kept = path / "kept"
        self.result = path / "result.json"
        self.curves = path / "plots" / "curves.png"
        self._events: Any = None

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Makes the folder and holds it; BlockingIOError where another process trains in it.

        A folder that was made here and stays empty is removed.
        """
        is_new = not self.path.exists()
        self.path.mkdir(parents=True, exist_ok=True)
        try:
            with locked(self.path / ".lock", in_use="another process is training in this folder"):
                yield
        finally:
            if is_new:
                remove_if_empty(self.path)

    def start(self, run: RunConfig, device: torch.device) -> None:
        """Makes the folder and records what is about to run; ValueError if it holds a run."""
        self.check_is_new()
        self.curves.parent.mkdir(parents=True, exist_ok=True)
        about = {
            "system": self.system,
            "config": self.config,
            "started_from": self.started_from,
        }
        self._write_record(about | _circumstances(run, device) | {"resumed": []})
        self._open_events(purge_step=None)

    def restart(
        self, run: RunConfig, device: torch.device, *, step: int, num_evaluations: int | None = None
    ) -> None:
        """Goes on after ``step``: later lines are cut off, and the record says it was resumed.

        Of the lines of evaluation at ``step`` itself the first ``num_evaluations`` stay, or all for
        None. The result of an earlier end is removed.
        """
        record = self.check_record()
        resumed = {"step": step} | _circumstances(run, device)
        before = record.get("resumed")
        before = before if isinstance(before, list) else []
        lines = [line for line in read_metrics(self.metrics) if line["step"] <= step]
        evaluations = [n for n, line in enumerate(lines) if _is_evaluation_at(line, step)]
        dropped = [] if num_evaluations is None else evaluations[num_evaluations:]
        kept = [line for n, line in enumerate(lines) if n not in dropped]
        self.result.unlink(missing_ok=True)
        if step == 0:  # begun anew: nothing was best yet
            self.best_weights.unlink(missing_ok=True)
        self._write_record(record | {"resumed": [*before, resumed]})
        with atomically(self.metrics) as temporary:
            temporary.write_text("".join(json.dumps(line) + "\n" for line in kept))
        self.curves.parent.mkdir(parents=True, exist_ok=True)
        self._open_events(purge_step=step + 1)

    def read_result(self) -> dict[str, float] | None:
        """The final metrics, NaN for null; None where the run has not come to its end."""
        try:
            metrics = json.loads(self.result.read_text(encoding="utf-8"))
            return {
                name: math.nan if value is None else float(value) for name, value in metrics.items()
            }
        except (OSError, ValueError, TypeError, AttributeError):  # missing, or damaged
            return None

    def check_is_new(self) -> None:
        """ValueError if the folder holds a run already."""
        if (self.path / "config.json").exists():
            raise ValueError(
                f"{self.path} already holds a run: resume it, or choose another directory"
            )

    def check_record(self) -> dict[str, Any]:
        """The record on disk; ValueError where it is of another system or config than this one."""
        record = read_record(self.path, system=self.system)
        for name in self.config:
            before, now = record["config"].get(name), self.config.get(name)
            if before != now:
                raise ValueError(
                    f"{self.path} was started with {name} = {before!r}, "
                    f"and cannot go on with {now!r}"
                )
        if (before := record.get("started_from", "")) != self.started_from:
            raise ValueError(
                f"{self.path} was started from {before or 'random weights'}, "
                f"and cannot go on as if from {self.started_from or 'random ones'}"
            )
        return record

    def log(self, step: int, metrics: Mapping[str, int | float]) -> None:
        """One line of metrics.jsonl and one TensorBoard event; what is not finite becomes null."""
        finite = {name: value if math.isfinite(value) else None for name, value in metrics.items()}
        with _named(self.metrics), self.metrics.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps({"step": step} | finite) + "\n")
        with _named(self.events):
            for name, value in metrics.items():
                self._events.add_scalar(name, value, step)

    def save_weights(self, model: torch.nn.Module, *, step: int, is_best: bool = False) -> None:
        """The model's weights, with the ``metadata`` by which they can be read alone."""
        path = self.best_weights if is_best else self.weights
        save_weights(path, model.state_dict(), self.metadata(step))

    def metadata(self, step: int) -> dict[str, str]:
        """What a file of weights says of itself: the system, its config and the step."""
        return {"system": self.system, "config": json.dumps(self.config), "step": str(step)}

    def write_result(self, metrics: Mapping[str, int | float]) -> None:
        """The run's last word; what is not finite becomes null."""
        finite = {name: value if math.isfinite(value) else None for name, value in metrics.items()}
        write_json_atomically(self.result, finite)

    def close(self) -> None:
        """Ends the event file; harmless if nothing was opened."""
        if self._events is not None:
            with _named(self.events):
                self._events.close()
            self._events = None

    def _write_record(self, record: Mapping[str, Any]) -> None:
        write_json_atomically(self.path / "config.json", record)

    def _open_events(self, *, purge_step: int | None) -> None:
        from torch.utils.tensorboard import SummaryWriter

        # TensorBoard ignores what was logged from purge_step on, as metrics.jsonl is cut.
        with _named(self.events):
            self._events = SummaryWriter(self.events, purge_step=purge_step)


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Within, an ``OSError`` gets ``path`` as its file: that of a write names none."""
    try:
        yield
    except OSError as error:
        error.filename = str(path)
        raise


def make_run_folder(parent: Path, name: str, *, today: date) -> Path:
    """Makes ``parent/<date>-<name>``, or with -2, -3, ... behind it: one that nobody else has."""
    parent.mkdir(parents=True, exist_ok=True)
    number = 1
    while True:
        suffix = "" if number == 1 else f"-{number}"
        path = parent / f"{today.isoformat()}-{name}{suffix}"
        try:
            path.mkdir()
        except FileExistsError:
            number += 1
        else:
            return path


def remove_if_empty(path: Path) -> None:
    """Removes a folder in which nothing is."""
    with suppress(OSError):
        path.rmdir()


def read_record(path: Path, *, system: str | None = None) -> dict[str, Any]:
    """The config.json of a run, from whose ``config`` and ``last_run`` it can be resumed.

    ``ValueError`` where it is of another ``system``, if one is named.
    """
    try:
        record = json.loads((path / "config.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise FileNotFoundError(
            f"{path} holds no run (no config.json); start it without resuming"
        ) from None
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path / 'config.json'}: not JSON ({error})") from None
    for name, kind in {"system": str, "config": dict, "run": dict}.items():
        if not isinstance(record, dict) or not isinstance(record.get(name), kind):
            raise ValueError(f"{path / 'config.json'}: not the record of a run: no {name} in it")
    if system not in (None, record["system"]):
        raise ValueError(f"{path} holds a run of {record['system']!r}, not of {system!r}")
    return record


def last_run(record: Mapping[str, Any]) -> Any:
    """The settings that a run was last resumed with, or was started with if it never was."""
    resumed = record.get("resumed")
    last = resumed[-1] if resumed and isinstance(resumed, list) else record
    return last.get("run") if isinstance(last, dict) else None


def read_metrics(path: Path) -> list[dict[str, Any]]:
    """The lines of a metrics.jsonl; warns of each damaged one and leaves it out.

    A last line without its end is what a killed run was writing, and is left out in silence.
    """
    if not path.exists():
        return []
    lines: list[dict[str, Any]] = []
    texts = path.read_bytes().split(b"\n")
    for number, text in enumerate(texts, start=1):
        line = _metrics_line(text)
        if line is not None:
            lines.append(line)
        elif text.strip() and number < len(texts):
            message = f"{path}, line {number}: damaged, and left out"
            warnings.warn(message, DamageWarning, stacklevel=2)
    return lines


def _metrics_line(text: bytes) -> dict[str, Any] | None:
    try:
        line = json.loads(text)
    except (ValueError, RecursionError):  # no JSON, no UTF-8, or nested too deeply
        return None
    return line if isinstance(line, dict) and type(line.get("step")) is int else None


def _is_evaluation_at(line: Mapping[str, Any], step: int) -> bool:
    return line["step"] == step and any(name.startswith("evaluate/") for name in line)


def _circumstances(run: RunConfig, device: torch.device) -> dict[str, Any]:
    program = Path(sys.argv[0])
    if program.name == "__main__.py":  # of `python -m tokoban`
        program = program.parent
    return {
        "run": to_dict(run),
        "command": shlex.join([program.name, *sys.argv[1:]]),
        "date": datetime.now().astimezone().isoformat(timespec="seconds"),
        "commit": current_commit(),
        "hardware": hardware_name(device),
        "num_processes": processes.world_size(),
        "python": platform.python_version(),
        "torch": torch.__version__,
    }


def current_commit() -> str | None:
    """The commit that this package is of, with -dirty behind it if files differ.

    None if git does not track this file, as in an environment inside another repository.
    """
    this = Path(__file__)
    is_ours = ["git", "ls-files", "--error-unmatch", this.name]
    describe = ["git", "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]
    try:
        for command in (is_ours, describe):
            answer = subprocess.run(
                command, cwd=this.parent, capture_output=True, text=True, check=True
            )
    except (OSError, subprocess.CalledProcessError):
        return None
    return answer.stdout.strip()


def hardware_name(device: torch.device) -> str:
    """The hardware: the name of the GPU, or the number and kind of processors."""
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    return f"{os.cpu_count()} x {_processor()}"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:  # not Linux
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
