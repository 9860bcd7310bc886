"""The systems by name: the only list of them. A folder is imported when its system is asked for.

``SPEC`` in each module is a ``training.spec.SystemSpec``; docs/adding-a-system.md says how to add
one here, and how to train one that stays outside the package.
"""

import importlib
import importlib.util
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tokoban.training.spec import AnySpec

SYSTEMS = {
    "sokoban": "tokoban.systems.sokoban_policy.spec",
    "translation": "tokoban.systems.translation.spec",
    "life": "tokoban.systems.life.spec",
    "gpt": "tokoban.systems.gpt.spec",
    "vit": "tokoban.systems.vit.spec",
    "ppo": "tokoban.systems.memory_ppo.spec",
    "trajectory": "tokoban.systems.trajectory.spec",
}


def load(system: str) -> "AnySpec":
    """The registered system of this name, imported now.

    ``ValueError`` for one that is not registered, and for one that needs a package that is missing.
    """
    if system not in SYSTEMS:
        raise ValueError(
            f"unknown system {system!r}; expected one of {', '.join(SYSTEMS)}, or FILE.py[:NAME]"
        )
    try:
        module = importlib.import_module(SYSTEMS[system])
    except ModuleNotFoundError as error:
        package, _, _ = (error.name or "tokoban").partition(".")
        if package == "tokoban":
            raise
        raise ValueError(
            f"the system {system!r} needs the package {package}: pip install {package}"
        ) from None
    return _spec_of(module, "SPEC")


def load_named_by_user(system: str) -> "AnySpec":
    """A registered system, or that of ``FILE.py:NAME`` (``NAME`` is ``SPEC`` if left out).

    The file is run. So this is for what a user types, never for a name from a file.
    """
    file, _, name = system.partition(".py")
    if system in SYSTEMS or (name and not name.startswith(":")) or ".py" not in system:
        return load(system)
    path = Path(f"{file}.py")
    if not path.is_file():
        raise FileNotFoundError(f"{path}: no such file")
    source = importlib.util.spec_from_file_location(path.stem, path)
    assert source is not None and source.loader is not None
    module = importlib.util.module_from_spec(source)
    source.loader.exec_module(module)
    return _spec_of(module, name.removeprefix(":") or "SPEC")


def _spec_of(module: ModuleType, name: str) -> "AnySpec":
    from tokoban.training.spec import SystemSpec

    spec = vars(module).get(name)
    if not isinstance(spec, SystemSpec):
        raise ValueError(f"{module.__file__}: {name} is not a SystemSpec")
    return spec
