"""``docs/json.md`` and the JSON that the commands write name the same fields."""

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.parsers import command_parsers
from tokoban import cli
from tokoban.cli.report import SCHEMA_VERSION

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "json.md").read_text(encoding="utf-8")
SECTIONS = {
    section.split("\n", 1)[0]: section for section in re.split(r"^## ", PAGE, flags=re.MULTILINE)
}
# Levels with a solution and a saved game, without, unsolvable, invalid, and one twice.
LEVELS = """; 1
#######
#@$  .#
#######
Author: A

Snapshot
r

Solution
Rrr

Solution
RRR

; 2
#######
#@ $ .#
#######

; 3
#######
#@$  .#
#######

; 4
######
#@  .#
#$   #
######

; 5
####
#@.#
####
"""
ODD = (
    '<SokobanLevels><LevelCollection><Level Id="x" Width="7" Height="3">'
    "<L>#####</L><L>#@$.#</L><L>#####</L></Level></LevelCollection></SokobanLevels>"
)
BOARD = "########\n#@$   .#\n########\n########\n########\n########\n########\n########\n"
# What runs each command so that all its fields are written; {} is the level file.
RUNS = {
    "solve": [
        "solve levels.sok --by search --json OUT",
        "solve levels.sok --by beam --beam 2 --json OUT",
        "solve levels.sok --by policy --weights push.safetensors --json OUT",
    ],
    "optimise": ["optimise levels.sok --json OUT"],
    "generate": ["generate --levels 1 --seed 1 --boxes 1 --style tiles --output x.sok --json OUT"],
    "ask": ["ask board.xsb 'where is the left box' --json OUT"],
    "explain": ["explain levels.sok --json OUT"],
    "rate": ["rate levels.sok --json OUT"],
    "translate": ["translate --beam 1 --alignment --json OUT Hallo"],
    "generate-text": ["generate-text --max-tokens 2 --json OUT A"],
    "life": ["life --steps 1 --json OUT"],
    "classify": ["classify board.png --json OUT"],
    "check": ["check levels.sok odd.slc --duplicates --json OUT"],
    "attention": ["attention --json OUT"],
}
# What is documented elsewhere: certificates have a page, the metrics of a system too.
ELSEWHERE = {"certificate"}


def paths(value: Any, start: str = "") -> Iterator[str]:
    """The fields of a value: ``a`` of an object, ``b[].c`` of a list of objects in it."""
    if isinstance(value, dict):
        for name, each in value.items():
            yield from paths(each, f"{start}.{name}" if start else name)
    elif isinstance(value, list) and any(isinstance(each, dict) for each in value):
        for each in value:
            yield from paths(each, f"{start}[]")
    else:
        yield start


def documented(command: str) -> set[str]:
    """The fields in the first column of a command's table."""
    rows = re.findall(r"^\| (`.*?) \|", SECTIONS[command], flags=re.MULTILINE)
    return {field for row in rows for field in re.findall(r"`([^`]+)`", row)}


@pytest.mark.parametrize("command", RUNS)
def test_every_field_is_documented_and_every_documented_field_is_written(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, random_push_weights: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("push.safetensors").symlink_to(random_push_weights)
    Path("levels.sok").write_text(LEVELS)
    Path("board.xsb").write_text(BOARD)
    Path("odd.slc").write_text(ODD)
    if command == "classify":
        cli.main(["convert", "board.xsb", "board.png"])
    known = documented(command)
    written: set[str] = set()
    for run in RUNS[command]:
        cli.main(shlex.split(run.replace("OUT", "out.json")))
        found = json.loads(Path("out.json").read_text(encoding="utf-8"))
        objects = found if isinstance(found, list) else [found]
        assert {each.pop("schema_version") for each in objects} == {SCHEMA_VERSION}
        for each in objects:
            for name in ELSEWHERE & {*each}:
                each[name] = None
            written |= {*paths(each)}
    # null and an empty list stand for objects that are not there.
    absent = {
        path for path in written if any(one.startswith((f"{path}[", f"{path}.")) for one in known)
    }
    assert written - absent == known


def test_every_command_with_json_has_a_section() -> None:
    with_json = {
        name
        for name, parser in command_parsers().items()
        if "--json" in parser._option_string_actions
    }
    assert with_json == {*RUNS} <= {*SECTIONS}
