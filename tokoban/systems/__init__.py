"""The systems by name: the only list of them. A folder is imported when its system is asked for.

Every folder has the same files. ``cli`` and ``pretrained`` call two of them:

``train.py``: ``Config`` (a frozen dataclass), ``PRESETS`` (name -> a function that makes one),
``RUNS`` (name -> how that preset is trained), ``SMALLEST`` (the preset that trains within seconds),
``make_system(config)``, which takes a ``tokenizer`` too where text is read,
``build_model(config)``; maybe ``DEFAULT``, the preset that needs no name, and ``DATA_FIELDS``, the
fields that say where the data lie: weights to start from do not bring them; and maybe
``check_untrusted(config, named=...)``, which refuses a config from a file that names code, unless
the user has ``named`` it too; and maybe ``without_writing(config, named=...)``, a resumed run's
config that writes no file but those whose fields the user has ``named``.

``evaluate.py``: ``add_arguments(parser)`` for options of its own, besides ``--weights`` and
``--json``; ``evaluate_model(model, config, arguments)``, a flat dictionary of named figures.
"""

import importlib
from types import ModuleType

SYSTEMS = {
    "sokoban": "tokoban.systems.sokoban_policy",
    "translation": "tokoban.systems.translation",
    "life": "tokoban.systems.life",
    "gpt": "tokoban.systems.gpt",
    "vit": "tokoban.systems.vit",
    "ppo": "tokoban.systems.memory_ppo",
    "trajectory": "tokoban.systems.trajectory",
}


def load(system: str, file: str) -> ModuleType:
    """The module ``file`` (``"train"``, ``"evaluate"``, …) of ``system``, imported now.

    Raises ``ValueError`` for a system that is not listed.
    """
    if system not in SYSTEMS:
        raise ValueError(f"unknown system {system!r}; expected one of {', '.join(SYSTEMS)}")
    return importlib.import_module(f"{SYSTEMS[system]}.{file}")
