"""Players need no network in torch: what the light installation says that it does, it does."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

from tokoban.api.extras import EXTRAS

SETTING = f"""\
import sys
for package in {[package for extra in EXTRAS.values() for package in extra]}:
    sys.modules[package] = None  # so that importing it raises
"""
COMMANDS = """\
from pathlib import Path
from tokoban import cli
from tokoban.web import lab_jobs, making_jobs, server, solving_jobs, watching_jobs
Path("levels.xsb").write_text("########\\n#.@$  .#\\n#  $   #\\n########\\n")
for words in (
    "solve levels.xsb --output solved.sok", "solve levels.xsb --by policy", "optimise solved.sok",
    "rate levels.xsb", "explain levels.xsb", "check levels.xsb --duplicates",
    "convert levels.xsb other.sok", "demo",
    "generate --levels 1 --seed 1 --boxes 2 --difficulty easy --output made.sok",
    "label levels.xsb --output labels", "label levels.xsb --played-by sokoban-push --output played",
):
    assert cli.main(words.split()) in (0, 1), words
"""
SENTENCES = """\
import contextlib, io
Path("levels.xsb").write_text("######\\n#@$ .#\\n######\\n")
for words, extra in (
    ("solve levels.xsb --by beam", "networks"), ("solve levels.xsb --by rollout", "networks"),
    ("solve levels.xsb --by policy --attention a.html", "networks"),
    ("solve levels.xsb --by policy --device cuda", "networks"),
    ("generate --levels 1 --seed 1 --output -", "networks"), ("train push", "networks"),
    ("evaluate push --weights sokoban-push --levels levels.xsb", "networks"),
    ("translate Hallo", "networks"), ("generate-text Hello", "networks"), ("life", "networks"),
    ("classify levels.xsb", "networks"), ("attention --queries 1 --keys 1 --values 1", "networks"),
    ("label levels.xsb --output others --cluster tcp://x:1", "cluster"),
):
    told = io.StringIO()
    with contextlib.redirect_stderr(told):
        assert cli.main(words.split()) == 2, words
    line = told.getvalue()
    assert line.startswith("tokoban: this needs the package "), (words, line)
    assert line.endswith(f", which is missing: pip install 'tokoban[{extra}]'\\n"), (words, line)
    assert line.count("\\n") == 1, line
"""
FUNCTIONS = """\
import tokoban
board = tokoban.Board.from_xsb("#######|#.$@$.#|#######")
answer = tokoban.solve(board)
assert tokoban.verify(board, answer.solution)
tokoban.optimise(board, answer.solution), tokoban.hint(board), tokoban.explain(board)
tokoban.rate(board), tokoban.generate(seed=1, num_boxes=2, difficulty="easy")
policy = tokoban.load("sokoban-push")
assert tokoban.hint(board, policy=policy).solver == "phs"
assert tokoban.predict(board, policy=policy).status == "predicted"
"""
PAGE = """\
import threading
from inspect import isfunction
from tokoban.api.extras import sentence
from tokoban.web import job, lab_jobs, making_jobs, server, solving_jobs, watching_jobs
level = "########\\n#.@$  .#\\n#  $   #\\n########"
context = job.Context(threading.Event(), lambda event: None)
for jobs, kinds in (
    (solving_jobs, ("solve", "hint", "explain")),
    (making_jobs, ("rate", "animation")),
    (watching_jobs, ("predict", "predict_line", "watch", "attention")),
):
    for kind in kinds:
        asked = {"board": level, "moves": "", "square": [1, 1], "width": 3}
        *_, last = getattr(jobs, kind)(asked, context)
        assert last["event"] == "done", (kind, last)
labs = [kind for kind, value in vars(lab_jobs).items() if not kind.startswith("_")
        and getattr(value, "__module__", "") == lab_jobs.__name__ and isfunction(value)]
assert len(labs) > 5
for kind in labs:
    asked = {"text": "Hallo", "source": "de", "board": level, "seed": 1, "cells": "010", "width": 3}
    try:
        next(iter(getattr(lab_jobs, kind)(asked, context)))
    except ModuleNotFoundError as error:
        assert sentence(error).endswith("pip install 'tokoban[networks]'"), error
    except ValueError:  # the arguments are looked at first
        pass
    else:
        raise AssertionError(kind)
"""


def test_the_light_installation_needs_no_torch_and_names_the_extra(tmp_path: Path) -> None:
    paths = [str(path) for path in sys.path if path]
    ended = subprocess.run(
        [sys.executable, "-c", SETTING + COMMANDS + SENTENCES + FUNCTIONS + PAGE],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert ended.returncode == 0, ended.stderr


def test_an_extra_installs_what_is_said_to_be_in_it() -> None:
    path = Path(__file__).resolve().parents[2] / "pyproject.toml"
    project = tomllib.loads(path.read_text(encoding="utf-8"))["project"]

    def names(requirements: list[str]) -> set[str]:
        return {re.split(r"[<>=\[]", each)[0] for each in requirements}

    for extra, packages in EXTRAS.items():
        assert names(project["optional-dependencies"][extra]) == set(packages)
        assert not names(project["dependencies"]) & set(packages)
