"""The arrows: who may import whom, read from the source of every file."""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "tokoban"
CORE = {"torch", "jaxtyping"}
RUN = CORE | {"numpy", "safetensors", "rich"}
PARTS = {
    "transformer", "inference", "sokoban", "text", "decoding", "training", "viewing",
    "compiling", "files",
}  # fmt: skip

# folder: (the folders of tokoban it may import besides its own, the packages it may import)
ALLOWED = {
    "transformer": (set(), CORE),
    "inference": ({"transformer", "compiling"}, CORE | {"numpy"}),
    "decoding": ({"compiling"}, CORE | {"numpy"}),
    "compiling": (set(), {"numba", "llvmlite"}),
    "files": (set(), {"filelock"}),
    "sokoban": ({"compiling", "files"}, CORE | {"numpy"}),
    "text": (set(), CORE | {"tokenizers"}),
    "training": ({"files"}, RUN),
    "viewing": ({"files"}, CORE | {"numpy", "matplotlib", "PIL"}),
    "systems": (PARTS, RUN | {"gymnasium"}),
    "pretrained": ({"systems", "training"}, CORE | {"numpy", "safetensors"}),
    "api": (PARTS | {"systems", "pretrained"}, CORE),
    "web": (PARTS | {"systems", "pretrained", "api"}, RUN | {"starlette", "uvicorn"}),
    "cli": (PARTS | {"systems", "pretrained", "api", "web"}, RUN),
}
# The folders of sokoban/search, of which each imports only those before it; their own modules,
# which they all may import, import none of them.
SEARCH = ("level", "state", "measures", "rules", "bitboard", "searches", "combine")
APART = {("searches", "bitboard")}  # neither imports the other
# Modules that Windows lacks; one file may import them, for the keys of `tokoban play`.
UNIX_ALONE = {"fcntl", "grp", "pty", "pwd", "resource", "termios", "tty"}
MAY_BE_UNIX_ALONE = {"cli/keyboard.py"}
# What one file may import beyond its folder.
ALLOWED_HERE = {
    "sokoban/simulation/environment.py": {"gymnasium"},
    "sokoban/simulation/registration.py": {"gymnasium"},
    "sokoban/simulation/vector_environment.py": {"gymnasium"},
    "sokoban/png.py": {"PIL"},
    "sokoban/search/level/words.py": {"numba", "llvmlite"},
    "cli/cluster.py": {"distributed"},
    "inference/compiled_math.py": {"numba", "llvmlite"},
    "inference/compiled_products.py": {"numba", "llvmlite"},
    "systems/translation/evaluate.py": {"sacrebleu", "sacremoses"},
    "systems/vit/pictures.py": {"PIL"},
    "systems/memory_ppo/tensor_env.py": {"minigrid"},
}


def imported_names(source: str) -> Iterator[str]:
    """Every module that ``source`` imports, inside functions too; of tokoban, what is taken."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            if module in ("tokoban", "tokoban.systems", "tokoban.sokoban.search"):
                yield from (f"{module}.{alias.name}" for alias in node.names)
            else:
                yield module


def is_allowed(file: str, name: str) -> bool:
    folder, target = file.split("/")[0], name.split(".")
    if target[0] in sys.stdlib_module_names:
        return True
    if target[0] != "tokoban":
        return target[0] in ALLOWED[folder][1] | ALLOWED_HERE.get(file, set())
    if target[1:] == ["__version__"]:
        return True
    if len(target) == 1:  # the public API by its lazy names
        return "api" in ALLOWED[folder][0]
    if target[1] == "inference" and file.startswith("systems/") and file.endswith("/model.py"):
        return False  # a model knows no engine
    if folder == target[1] == "systems":
        return target[2:3] == [file.split("/")[1]]
    return target[1] in {folder} | ALLOWED[folder][0]


def is_upward(file: str, name: str) -> bool:
    """Whether an import leads from a folder of the searches to one after it, or apart from it."""
    parts, target = file.split("/"), name.split(".")
    if parts[:2] != ["sokoban", "search"] or target[:3] != ["tokoban", "sokoban", "search"]:
        return False
    if not (there := [folder for folder in target[3:4] if folder in SEARCH]):
        return False
    here = parts[2] if parts[2] in SEARCH else None
    if here is None or (here, there[0]) in APART:
        return True
    return SEARCH.index(there[0]) > SEARCH.index(here)


def complaints(package: Path) -> list[str]:
    """A sentence for each import that goes against the arrows; the package's own files are free."""
    found = []
    for path in sorted(package.glob("*/**/*.py")):
        file = path.relative_to(package).as_posix()
        if file.split("/")[0] not in ALLOWED:
            found.append(f"{file} lies in a folder that ALLOWED does not know")
            continue
        names = imported_names(path.read_text(encoding="utf-8"))
        found += [
            f"{file} imports {name}"
            for name in names
            if not is_allowed(file, name) or is_upward(file, name)
        ]
    return found


def test_every_import_follows_the_arrows() -> None:
    assert not complaints(PACKAGE)


def test_what_windows_lacks_is_imported_for_keys_alone() -> None:
    at_top = {
        (path.relative_to(PACKAGE).as_posix(), name)
        for path in PACKAGE.rglob("*.py")
        for name in re.findall(r"^(?:from|import) ([\w.]+)", path.read_text("utf-8"), re.MULTILINE)
    }
    assert {file for file, name in at_top if name in UNIX_ALONE} == MAY_BE_UNIX_ALONE
    assert "tokoban.cli.keyboard" not in {name for _, name in at_top}


@pytest.mark.parametrize(
    ("file", "source", "complaint"),
    [
        ("sokoban/bad.py", "from tokoban import transformer", "tokoban.transformer"),
        ("decoding/bad.py", "def f():\n    from tokoban.training import loop", "tokoban.training"),
        ("systems/life/bad.py", "from tokoban.systems import vit", "tokoban.systems.vit"),
        ("systems/life/bad.py", "import tokoban\ntokoban.solve", "tokoban"),
        ("systems/gpt/model.py", "from tokoban.inference import Engine", "tokoban.inference"),
        ("transformer/bad.py", "import numpy as np", "numpy"),
        ("sokoban/rules.py", "from numba import njit", "numba"),
        *(
            (
                f"sokoban/search/{file}",
                f"import tokoban.sokoban.search.{name}",
                f"tokoban.sokoban.search.{name}",
            )
            for file, name in [
                ("level/bad.py", "state.positions"),
                ("rules/bad.py", "searches.astar.search"),
                ("searches/fess/bad.py", "bitboard.batch"),
                ("searches/fess/bad.py", "combine.solver"),
                ("run.py", "level.ground"),
            ]
        ),
        (
            "sokoban/search/state/bad.py",
            "from tokoban.sokoban.search import rules",
            "tokoban.sokoban.search.rules",
        ),
    ],
)
def test_an_import_against_the_arrows_is_named(
    file: str, source: str, complaint: str, tmp_path: Path
) -> None:
    planted = tmp_path / file
    planted.parent.mkdir(parents=True)
    planted.write_text(source)
    assert complaints(tmp_path) == [f"{file} imports {complaint}"]


def test_a_folder_without_arrows_is_named(tmp_path: Path) -> None:
    (tmp_path / "misc").mkdir()
    (tmp_path / "misc" / "bad.py").touch()
    assert complaints(tmp_path) == ["misc/bad.py lies in a folder that ALLOWED does not know"]


def test_imports_with_the_arrows_pass(tmp_path: Path) -> None:
    planted = tmp_path / "systems" / "life" / "model.py"
    planted.parent.mkdir(parents=True)
    planted.write_text("import math\nimport torch\nfrom tokoban.systems.life import config\n")
    command = tmp_path / "cli" / "solve.py"
    command.parent.mkdir()
    command.write_text("import tokoban\nfrom tokoban import __version__\n")
    engine = planted.with_name("engine.py")
    engine.write_text("from tokoban.inference import Engine\n")
    assert not complaints(tmp_path)
