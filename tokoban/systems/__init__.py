"""The only list of the systems, by name. A system is imported when it is requested.

``SPEC`` in each module is a ``training.spec.SystemSpec``; docs/adding-a-system.md says how to add
one here, and how to train one that stays outside the package.
"""

import importlib
import importlib.util
import re
import sys
import traceback
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tokoban.training.spec import AnySpec

SYSTEMS = {
    "sokoban": "tokoban.systems.sokoban_policy.spec",
    "push": "tokoban.systems.push_policy.spec",
    "instructions": "tokoban.systems.instructions.spec",
    "subgoals": "tokoban.systems.subgoals.spec",
    "translation": "tokoban.systems.translation.spec",
    "life": "tokoban.systems.life.spec",
    "gpt": "tokoban.systems.gpt.spec",
    "vit": "tokoban.systems.vit.spec",
    "ppo": "tokoban.systems.memory_ppo.spec",
    "trajectory": "tokoban.systems.trajectory.spec",
}


def load(system: str) -> "AnySpec":
    """The registered system of this name, imported now.

    ``ValueError`` for one that is not registered.
    """
    if system not in SYSTEMS:
        raise ValueError(unknown(system))
    return _spec_of(importlib.import_module(SYSTEMS[system]), "SPEC")


def unknown(system: str) -> str:
    """The complaint about a name that no system has."""
    return f"unknown system {system!r}; expected one of {', '.join(SYSTEMS)}"


def load_named_by_user(system: str) -> "AnySpec":
    """A registered system, or that of ``FILE.py:NAME`` (``NAME`` is ``SPEC`` if left out).

    The file is run. So this is for what a user types, never for a name from a file.
    """
    named = re.fullmatch(r"(.*\.py)(?::(\w*))?", system)
    if system in SYSTEMS:
        return load(system)
    if named is None:
        raise ValueError(f"{unknown(system)}, or FILE.py[:NAME]")
    path, name = Path(named[1]), named[2] or "SPEC"
    if not path.is_file():
        raise FileNotFoundError(f"{path}: {'not a file' if path.exists() else 'no such file'}")
    return _spec_of(_run(path), name)


def _run(path: Path) -> ModuleType:
    """The module that a file makes when it is run; ``ValueError`` says where it fails.

    Python looks for the source of classes, and for the names in their annotations, through
    ``sys.modules``. The prefix keeps a file ``torch.py`` from taking the place of torch.
    """
    source = importlib.util.spec_from_file_location(f"tokoban_file_{path.stem}", path)
    assert source is not None and source.loader is not None
    module = sys.modules[source.name] = importlib.util.module_from_spec(source)
    sys.path.append(str(path.resolve().parent))  # for what the file imports from beside it
    try:
        source.loader.exec_module(module)
    except (ModuleNotFoundError, MemoryError):
        raise
    except SyntaxError as error:
        line = f", line {error.lineno}" if error.lineno else ""
        raise ValueError(f"{error.filename or path}{line}: {error.msg}") from error
    except Exception as error:
        steps = traceback.extract_tb(error.__traceback__)
        # None where the file could not be read.
        numbers = [step.lineno for step in steps if step.filename == module.__file__]
        line = f", line {numbers[-1]}" if numbers else ""
        raise ValueError(f"{path}{line}: {type(error).__name__}: {error}") from error
    return module


def _spec_of(module: ModuleType, name: str) -> "AnySpec":
    from tokoban.training.spec import SystemSpec

    spec = vars(module).get(name)
    if not isinstance(spec, SystemSpec):
        raise ValueError(f"{module.__file__}: {name} is not a SystemSpec")
    return spec
