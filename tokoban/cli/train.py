"""``tokoban train SYSTEM``: one form for every system; the options are its configs' fields."""

import argparse
import dataclasses
import inspect
import os
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tokoban.cli.exit_codes import meanings
from tokoban.cli.field_options import add_field_arguments, add_system, overrides
from tokoban.cli.parser import Parser
from tokoban.systems import load_named_by_user

if TYPE_CHECKING:
    from tokoban.training.run_config import RunConfig
    from tokoban.training.run_directory import RunDirectory
    from tokoban.training.spec import AnySpec, Trained

SUMMARY = "train a system; `tokoban train SYSTEM --help` lists its presets and fields"
UNDECIDED = ""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the system; what follows it is read when the system is known."""
    add_system(parser, "--preset NAME [--FIELD VALUE ...] [--minutes M] [--output DIR] [--resume]")


def run(arguments: argparse.Namespace) -> int:
    """Trains until the run is over; its folder has all that came of it."""
    from tokoban.training import loop, processes
    from tokoban.training.config import to_dict
    from tokoban.training.run_directory import RunDirectory, make_run_folder, remove_if_empty
    from tokoban.training.untrusted import check_memory

    spec = load_named_by_user(arguments.system)
    chosen = _system_parser(spec, arguments).parse_args(arguments.options)
    for name in ("output", "start_from"):
        if vars(chosen)[name] == "":
            raise ValueError(f"--{name.replace('_', '-')} is empty; expected a path")
    if chosen.preset is None and not chosen.resume:
        chosen.preset = spec.default
    if chosen.resume and chosen.output is None:
        raise ValueError("--resume needs --output, the folder of the run to go on with")
    start = _start(spec, chosen)
    config, run = _configs(spec, chosen, start)
    if start is not None and spec.grow is not None and _must_grow(start, spec, chosen):
        start = dataclasses.replace(start, model=spec.grow(config, start.model), config=config)
    if chosen.resume:
        _check_sizes(spec, config, Path(chosen.output))
    check_memory(partial(spec.build_model, config))
    made = spec.make_system(config, None if start is None else start.model)
    is_main = processes.is_main_to_be()
    name = f"{spec.name}-{chosen.preset}"
    if chosen.output is not None:
        path = Path(chosen.output)
    elif is_main:
        path = make_run_folder(Path("runs"), name, today=date.today())
    else:
        path = Path("runs") / f"{name}-rank-{os.environ['RANK']}"  # the main process alone writes
    if is_main:
        print(f"training into {path}", file=sys.stderr)
    directory = RunDirectory(
        path, system=spec.name, config=to_dict(config), started_from=chosen.start_from or ""
    )
    weights = {} if start is None else {"start": start.model.state_dict()}
    try:
        with _warnings_as_lines(), _errors_of_threads_once():
            loop.fit(made, run, directory, resume=chosen.resume, plot=_plot, **weights)
    finally:
        if chosen.output is None and is_main:
            remove_if_empty(path)
    return 0


def _plot(directory: "RunDirectory") -> None:
    from tokoban.training.run_directory import read_metrics
    from tokoban.viewing.plots import plot_curves

    plot_curves(read_metrics(directory.metrics), directory.curves)


@contextmanager
def _warnings_as_lines() -> Iterator[None]:
    """Shows what is damaged in a run's folder as lines for the user."""
    from tokoban.training.checkpoint import DamageWarning

    usual = warnings.showwarning

    def show(
        message: Warning | str, category: type[Warning], filename: str, *others: Any, **more: Any
    ) -> None:
        if issubclass(category, DamageWarning):
            print(f"tokoban: {message}", file=sys.stderr)
        else:
            usual(message, category, filename, *others, **more)

    with warnings.catch_warnings():
        warnings.showwarning = show
        yield


@contextmanager
def _errors_of_threads_once() -> Iterator[None]:
    """Shows no ``OSError`` of TensorBoard's thread, on a full disk say: the loop raises it too."""
    usual = threading.excepthook

    def show(arguments: threading.ExceptHookArgs) -> None:
        if not issubclass(arguments.exc_type, OSError):
            usual(arguments)

    threading.excepthook = show
    try:
        yield
    finally:
        threading.excepthook = usual


def _check_sizes(spec: "AnySpec", config: Any, path: Path) -> None:
    """``ValueError`` if the checkpoint has another model than the record asks memory for."""
    from tokoban.training.checkpoint import checkpoints, load_newest_checkpoint
    from tokoban.training.untrusted import check_model, checkpoint_tensors, refused_if_unfit

    found = checkpoints(path / "checkpoints")
    if not found:
        return
    with warnings.catch_warnings(), refused_if_unfit(f"{path}: the checkpoint is not of this run"):
        warnings.simplefilter("ignore")  # they come again when it is read
        state = load_newest_checkpoint(path / "checkpoints", device="meta")["model"]
        build, size = partial(spec.build_model, config), found[0].stat().st_size
        try:
            check_model(build, checkpoint_tensors(state), file_bytes=size)
        except ValueError as error:
            raise ValueError(f"{path}: the checkpoint is of another model ({error})") from None


def _start(spec: "AnySpec", chosen: argparse.Namespace) -> "Trained[Any, Any] | None":
    """The weights of ``--start-from``, or those that a resumed run was started from."""
    from tokoban import pretrained, systems
    from tokoban.training.checkpoint import checkpoints
    from tokoban.training.run_directory import RunDirectory, read_record

    weights = chosen.start_from
    record = read_record(Path(chosen.output), system=spec.name) if chosen.resume else {}
    if before := record.get("started_from"):
        chosen.start_from = weights = chosen.start_from or before
        directory = RunDirectory(Path(chosen.output), system=spec.name, config={})
        if checkpoints(directory.checkpoints):
            # Its own weights have the same tokens, and are there even when those others are not.
            weights = str(directory.weights)  # no name of shipped ones
    if not weights:
        return None
    if spec.grows_from and pretrained.system_of(weights) == spec.grows_from:
        spec = systems.load(spec.grows_from)
    return pretrained.load_trained(weights, spec, named=_named(spec, chosen))


def _must_grow(start: "Trained[Any, Any]", spec: "AnySpec", chosen: argparse.Namespace) -> bool:
    """Whether a new run starts from these weights, and their system is ``spec.grows_from``."""
    from tokoban import pretrained

    folder = os.path.dirname(os.path.realpath(start.weights))
    is_own = chosen.resume and folder == os.path.realpath(chosen.output)
    return not is_own and pretrained.system_of(str(start.weights)) == spec.grows_from


def _named(spec: "AnySpec", chosen: argparse.Namespace) -> list[str]:
    """The texts that the user has given, code's names among them: weights may name those too."""
    given = overrides(chosen, spec.config_type).values()
    return [value for value in given if isinstance(value, str)]


def _system_parser(spec: "AnySpec", arguments: argparse.Namespace) -> argparse.ArgumentParser:
    """The options of a system. After ``--preset NAME`` their help shows that preset's values."""
    from tokoban.training.run_config import RunConfig

    presets = []
    for name, preset in spec.presets.items():
        about = (inspect.getdoc(preset.config) or "").split("\n\n")
        presets.append(f"  {name}: {about[0]}")
    parser = Parser(
        prog=f"tokoban train {arguments.system}",
        description="\n".join(["presets:", *presets]),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    usual = spec.default or "none, so one must be given"
    parser.add_argument(
        "--preset",
        choices=spec.presets,
        help=f"configuration to start with (default: {usual}; with --resume, that of the run); "
        "with --help, its values are shown behind the fields",
    )
    parser.add_argument(
        "--output", metavar="DIR", help="folder of the run (default: runs/<date>-<name>)"
    )
    parser.add_argument(
        "--resume",
        action="store_true",
        help="continue the run in --output, with its last settings unless --preset is given",
    )
    parser.add_argument(
        "--start-from",
        metavar="WEIGHTS",
        help="start from these weights instead of random ones: a name of shipped ones, a file or "
        "a run's folder. The system's fields below are those of the weights, except fields that "
        "name data; the run's fields are those of the preset",
    )
    named = [word.removeprefix("--preset=") for word in arguments.options]
    shown = next((name for name in named if name in spec.presets), spec.default)
    of_system, of_run = None, None
    if shown is not None:
        of_system, of_run = spec.presets[shown].config(), spec.presets[shown].run
    add_field_arguments(
        parser, spec.config_type, usual=of_system, source=shown or "", paths=spec.data_fields
    )
    add_field_arguments(parser, RunConfig, usual=of_run, source=shown or "")
    # This formatter breaks no lines itself.
    table = "\n".join(meanings(UNDECIDED).split("; "))
    parser.add_argument_group("exit status", table)
    return parser


def _configs(
    spec: "AnySpec", chosen: argparse.Namespace, start: "Trained[Any, Any] | None"
) -> tuple[Any, "RunConfig"]:
    """The system's config and the run's: a preset's or a recorded run's, and what overrides it."""
    from tokoban.training.config import from_dict
    from tokoban.training.run_config import RunConfig
    from tokoban.training.run_directory import last_run, read_record

    if chosen.preset is not None:
        preset = spec.presets[chosen.preset]
        config, run = preset.config(), preset.run
        if start is not None and isinstance(start.config, spec.config_type):
            where = {name: getattr(config, name) for name in spec.data_fields}
            config = dataclasses.replace(start.config, **where)
    elif chosen.resume:
        record = read_record(Path(chosen.output))
        try:
            config = from_dict(spec.config_type, record["config"])
            run = from_dict(RunConfig, last_run(record))
            spec.check_untrusted(config, _named(spec, chosen))
        except ValueError as error:
            raise ValueError(f"{Path(chosen.output) / 'config.json'}: {error}") from None
    else:
        raise ValueError(f"--preset is missing; expected one of {', '.join(spec.presets)}")
    changes = overrides(chosen, RunConfig)
    if "minutes" in changes:
        # Minutes take the place of the preset's steps, so that the schedule follows the clock.
        changes = {"steps": None} | changes
    return dataclasses.replace(config, **overrides(chosen, spec.config_type)), dataclasses.replace(
        run, **changes
    )
