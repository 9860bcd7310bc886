"""The typed record by which a system is trained, evaluated and loaded."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Generic, TypeVar

from tokoban.training import loop
from tokoban.training.config import to_dict
from tokoban.training.run_config import RunConfig
from tokoban.training.run_directory import RunDirectory
from tokoban.training.system import BatchT, ModelT, System

ConfigT = TypeVar("ConfigT")
EvaluationT = TypeVar("EvaluationT")


@dataclass(frozen=True)
class Preset(Generic[ConfigT]):
    """A config, and how it is trained; the docstring of ``config`` is the preset's help."""

    config: Callable[[], ConfigT]
    run: RunConfig


@dataclass(frozen=True)
class Trained(Generic[ConfigT, ModelT]):
    """A model in eval mode on its device, the config it was built with, and where both lie."""

    model: ModelT
    config: ConfigT
    weights: Path  # the file
    # Players of ``SystemSpec.plays_beside`` by the names of their weights.
    players: Mapping[str, Callable[..., Any]] = field(default_factory=dict)


def accept(config: Any, named: Collection[str]) -> None:
    """``SystemSpec.check_untrusted`` of configs that name no code."""


def no_attention(model: Any, *read: Any) -> Any:
    """``SystemSpec.attention`` of models that have none to show."""
    raise ValueError("this system has no attention to show")


@dataclass(frozen=True, kw_only=True)
class SystemSpec(Generic[ConfigT, ModelT, BatchT, EvaluationT]):
    """One system. Config and evaluation are frozen dataclasses, whose fields become options.

    A weights file holds the name, the config and the model's state, with what the model returns
    from ``get_extra_state``: it must suffice to build the model again by ``build_model``.
    """

    name: str  # in weights, in records of runs, and on the command line
    config_type: type[ConfigT]
    presets: Mapping[str, Preset[ConfigT]]
    smallest: str  # the preset that trains within seconds, for tests
    default: str | None = None  # the preset of ``tokoban train`` where none is named
    data_fields: tuple[str, ...] = ()  # that say where the data lie: weights do not bring them

    # The architecture of a config, freshly initialised, on the current default device.
    build_model: Callable[[ConfigT], ModelT]
    # The system with its data read. The second argument is the model that training starts from, if
    # any: its tokenizer is the system's.
    make_system: Callable[[ConfigT, ModelT | None], System[ModelT, BatchT]]

    # A system, possibly this one. A run that starts from its weights starts with the model that
    # ``grow`` makes of them.
    grows_from: str | None = None
    grow: Callable[[ConfigT, Any], ModelT] | None = None

    evaluation_type: type[EvaluationT]  # the options of ``evaluate``
    evaluate: Callable[[Trained[ConfigT, ModelT], EvaluationT], Mapping[str, float | str]]
    shipped: str | None = None  # the weights that are evaluated where none are named

    # The moves by which a model solves each board, or None; of so many evaluated positions each, or
    # greedily. Another system plays by it, or is compared with it.
    play: Callable[[ModelT, Any, int | None], list[Any]] | None = None
    # The shipped weights of other systems whose ``play`` the evaluation has.
    plays_beside: tuple[str, ...] = ()

    # The ``AttentionView`` of a model in what it has read, and written or done.
    attention: Callable[..., Any] = no_attention

    # Raises ValueError for a config from a file that names code, unless the user has named it too.
    check_untrusted: Callable[[ConfigT, Collection[str]], None] = accept

    def __post_init__(self) -> None:
        known = {each.name for each in fields(self.config_type)}  # type: ignore[arg-type]
        if unknown := [name for name in self.data_fields if name not in known]:
            raise ValueError(f"data_fields: {self.config_type.__name__} has no {unknown[0]!r}")
        for preset in (self.smallest, *((self.default,) if self.default is not None else ())):
            if preset not in self.presets:
                raise ValueError(f"{self.name} has no preset {preset!r}")

    def fit(
        self, config: ConfigT, run: RunConfig, folder: Path, *, resume: bool = False
    ) -> dict[str, float]:
        """Trains by the one loop and returns the final metrics; ``loop.fit`` says what it raises.

        All that comes of it is in ``folder``.
        """
        directory = RunDirectory(folder, system=self.name, config=to_dict(config))
        return loop.fit(self.make_system(config, None), run, directory, resume=resume)


AnySpec = SystemSpec[Any, Any, Any, Any]
