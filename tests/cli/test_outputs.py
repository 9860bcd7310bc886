"""No command writes two files to one place, or over a file that it reads."""

import argparse
from itertools import cycle
from pathlib import Path
from typing import get_type_hints

import pytest

from tokoban import cli, systems
from tokoban.cli.exit_codes import ExitCode
from tokoban.cli.field_options import files_of
from tokoban.cli.output import check_outputs

OVER_AN_INPUT = {
    "check x": "json",
    "check other x": "json",
    "rate x": "json",
    "solve x": "json",
    "solve x.html": "attention",
    "optimise x": "json",
    "explain x": "json",
    "generate --levels 1 --seed 2 --boxes 2 --avoid other x": "output",
    "life --pattern x": "json",
    "life --pattern x.svg": "attention",
    "life --weights x": "json",
    "classify other x": "json",
    "classify x.png": "attention",
    "translate --weights x A": "json",
    "generate-text --weights x A": "json",
    "evaluate translation --weights w --source x --reference other": "output",
    "evaluate translation --weights w --source other --reference x": "json",
    "evaluate gpt --weights w --text other x": "json",
    "evaluate sokoban --weights w --levels x": "json",
    "evaluate life --weights x.gif": "film",
}
ONE_PLACE = {
    "solve other": ("output", "attention"),
    "optimise other": ("json", "output"),
    "explain other": ("json", "jsonl"),
    "attention": ("attention", "json"),
    "life": ("attention", "json"),
    "classify other": ("attention", "json"),
    "translate A": ("attention", "jsonl"),
    "generate-text A": ("json", "attention"),
    "evaluate translation --weights w": ("json", "output"),
    "evaluate life --weights w": ("json", "film"),
    "evaluate vit --weights w": ("json", "confusion"),
    "evaluate ppo --weights w": ("film", "attention"),
    "evaluate trajectory --weights w": ("plot", "film"),
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("x", "x.html", "x.gif", "x.svg", "x.png", "other"):
        Path(name).write_text("#####\n#@$.#\n#####\n")
    return tmp_path


@pytest.mark.parametrize(
    ("command", "option", "spelling"),
    [
        (command, option, spelling)
        for (command, option), spelling in zip(
            OVER_AN_INPUT.items(), cycle(["./{}", "{folder}/{}", "{}"]), strict=False
        )
    ],
)
def test_a_file_that_is_read_is_not_written(
    command: str, option: str, spelling: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    (read,) = (word for word in command.split() if Path(word).stem == "x")
    place = spelling.format(read, folder=folder)
    assert cli.main([*command.split(), f"--{option}", place]) == ExitCode.INVALID_INPUT
    told = f"tokoban: --{option} would overwrite {read}, which is to be read\n"
    assert capsys.readouterr() == ("", told)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.parametrize(("command", "option"), [*OVER_AN_INPUT.items(), ("label x.xsb", "output")])
def test_an_empty_name_is_refused(
    command: str, option: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sorted(folder.iterdir())
    assert cli.main([*command.split(), f"--{option}", ""]) == ExitCode.INVALID_INPUT
    told = capsys.readouterr().err
    if not command.startswith(("life", "evaluate")):  # those take the folder "."
        assert told == f"tokoban: --{option} is empty; expected a path\n"
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize(("command", "option"), OVER_AN_INPUT.items())
def test_a_folder_that_is_not_there_is_named(
    command: str, option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (read,) = (word for word in command.split() if Path(word).stem == "x")
    place = f"no/new{Path(read).suffix}"
    assert cli.main([*command.split(), f"--{option}", place]) == ExitCode.INVALID_INPUT
    assert capsys.readouterr().err == f"tokoban: {place}: no folder to write it into\n"


@pytest.mark.parametrize(("command", "options"), ONE_PLACE.items())
def test_two_options_do_not_write_to_one_place(
    command: str, options: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = options
    words = [*command.split(), f"--{first}", "new.gif", f"--{second}", "./new.gif"]
    assert cli.main(words) == ExitCode.INVALID_INPUT
    told = capsys.readouterr().err
    assert "are both" in told and f"--{first}" in told and f"--{second}" in told


@pytest.mark.parametrize("system", systems.SYSTEMS)
def test_evaluate_knows_which_options_of_a_system_are_files(system: str) -> None:
    kind = systems.load(system).evaluation_type
    paths = {name for name, hint in get_type_hints(kind).items() if hint == Path | None}
    written, read = files_of(kind)
    assert paths <= {*written, *read}


@pytest.mark.parametrize(
    ("command", "expected"),
    {
        "convert other new.gif": ".sok or .xsb or .txt or .png",
        "convert other new.slc": ".sok or .xsb or .txt or .png",
        "convert other new.png --format sok": ".sok or .xsb or .txt",
        "convert other new.jpg --format png": ".png",
        "solve other --output new.gif": ".sok or .xsb or .txt",
        "optimise other --output new.html": ".sok or .xsb or .txt",
        "generate --levels 1 --seed 2 --output new.json": ".sok or .xsb or .txt",
        "check other --json new.sok": ".json",
        "rate other --jsonl new.json": ".jsonl",
        "solve other --attention new.pdf": ".html or .png or .svg",
        "translate A --attention new.pdf": ".html or .png or .svg",
        "generate-text A --attention new.gif": ".html or .png or .svg",
        "life --attention new.gif": ".html or .png or .svg",
        "classify other --attention new.gif": ".html or .png",
    }.items(),
)
def test_an_ending_that_promises_another_format_is_refused(
    command: str, expected: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {*folder.iterdir()}
    assert cli.main(command.split()) == ExitCode.INVALID_INPUT
    [place] = (word for word in command.split() if word.startswith("new"))
    assert capsys.readouterr().err == f"tokoban: {place}: expected a name that ends in {expected}\n"
    assert {*folder.iterdir()} == before


def test_the_standard_streams_are_no_file() -> None:
    check_outputs(argparse.Namespace(json="-", file="-"), "json", inputs=["file"])


def test_levels_may_be_replaced_by_themselves_with_solutions() -> None:
    assert cli.main(["optimise", "other", "--output", "other"]) == 1  # no solution to make shorter
    assert Path("other").read_text().count("#@$.#") == 1
