"""The command line's manners: quick help, one-line errors, the exit statuses others rely on."""

import logging
import subprocess
import sys
import types
from pathlib import Path

import pytest

from tokoban import cli, pretrained, systems
from tokoban.cli.exit_codes import meanings
from tokoban.cli.output import write_output

HEAVY = (
    "torch", "numpy", "numba", "matplotlib", "tensorboard", "rich", "tokenizers",
    "sacrebleu",
)  # fmt: skip
HELP = [["--help"], *([command, "--help"] for command in cli.COMMANDS)]


@pytest.mark.parametrize("words", HELP, ids=" ".join)
def test_help_imports_nothing_heavy_and_no_other_command(words: list[str]) -> None:
    code = (
        "import sys\n"
        "from tokoban.cli import COMMANDS, main, module_name\n"
        "try:\n"
        "    main(sys.argv[1:])\n"
        "finally:\n"
        f"    print(*set({HEAVY}) & set(sys.modules), file=sys.stderr)\n"
        "    found = [name for name in COMMANDS if module_name(name) in sys.modules]\n"
        "    print(*found, file=sys.stderr)\n"
    )
    asked = subprocess.run(
        [sys.executable, "-c", code, *words], capture_output=True, text=True, check=False
    )
    imported = cli.COMMANDS if words == ["--help"] else words[:1]
    assert (asked.returncode, asked.stderr) == (0, "\n" + " ".join(imported) + "\n")
    assert asked.stdout.startswith("usage: tokoban")


def test_help_imports_no_package_but_ours() -> None:
    """Numpy alone would take longer than all else."""
    program = (
        "import sys; before = set(sys.modules); import tokoban.cli\n"
        "try: tokoban.cli.main(['--help'])\n"
        "except SystemExit: pass\n"
        "print({name.split('.')[0] for name in set(sys.modules) - before} "
        "- set(sys.stdlib_module_names) - {'tokoban'}, file=sys.stderr)"
    )
    asked = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    assert asked.stderr.strip() == "set()"


def test_every_command_is_listed_with_its_summary(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main(["--help"])
    listed = " ".join(capsys.readouterr().out.split())
    for name in cli.COMMANDS:
        summary = sys.modules[cli.module_name(name)].SUMMARY
        assert "\n" not in summary
        assert f"{name} {summary}" in listed


@pytest.mark.parametrize("command", cli.COMMANDS)
def test_every_help_ends_with_the_table_of_exit_codes(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        cli.main([command, "--help"])
    shown = " ".join(capsys.readouterr().out.split())
    undecided = sys.modules[cli.module_name(command)].UNDECIDED
    assert f"exit status: {meanings(undecided, is_server=command == 'web')}" in shown
    assert ("130: " in shown) == (command != "web")
    assert ("; 1: " in meanings(undecided)) == bool(undecided)


def test_wrong_arguments_are_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["solve", "x", "--threads", "many"]) == 2
    out, error = capsys.readouterr()
    assert out == ""
    assert error.startswith("tokoban: argument --threads: expected a whole number")
    assert error.endswith("(`tokoban solve --help` lists all arguments)\n")
    assert error.count("\n") == 1
    assert cli.main(["life", "--nonsense"]) == 2
    unknown = "unrecognized arguments: --nonsense (`tokoban life --help` lists all arguments)"
    assert capsys.readouterr().err == f"tokoban: {unknown}\n"
    assert cli.main(["train"]) == 2
    missing = "the following arguments are required: SYSTEM (`tokoban train --help` lists all"
    assert missing in capsys.readouterr().err


@pytest.mark.parametrize("system", systems.SYSTEMS)
def test_the_help_of_an_evaluation_explains_its_metrics(
    system: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        cli.main(["evaluate", system, "--help"])
    about = str(systems.load(system).evaluate.__doc__).replace("``", "`")
    assert "".join(about.split()) in "".join(capsys.readouterr().out.split())
    shipped = systems.load(system).shipped
    assert shipped is None or shipped in pretrained.names()


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["sovle"],
        ["train", "gpt", "--preset", "chess"],
        ["generate", "--seed", "2", "--output", "-"],
        ["generate", "--level", "3", "--seed", "2", "--output", "-"],
    ],
    ids=" ".join,
)
def test_wrong_arguments_are_status_2(words: list[str]) -> None:
    assert cli.main(words) == 2


@pytest.mark.parametrize(
    ("raised", "status", "line"),
    [
        (ValueError("expected a\nnot b"), 2, "tokoban: expected a; not b\n"),
        (ValueError(), 2, "tokoban: ValueError\n"),
        (FileNotFoundError(2, "No such file", "x.xsb"), 2, "tokoban: x.xsb: No such file\n"),
        (OSError("disk on fire"), 2, "tokoban: disk on fire\n"),
        (MemoryError(), 2, "tokoban: there is not enough memory for this\n"),
        (KeyboardInterrupt(), 130, "tokoban: interrupted\n"),
        (
            ModuleNotFoundError("No module named 'tokenizers'", name="tokenizers"),
            2,
            "tokoban: this needs the package tokenizers, which is missing: "
            "pip install 'tokoban[networks]'\n",
        ),
    ],
)
def test_what_a_user_can_cause_is_one_line(
    raised: BaseException,
    status: int,
    line: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def run(arguments: object) -> int:
        raise raised

    command = types.SimpleNamespace(
        SUMMARY="", UNDECIDED="", add_arguments=lambda parser: None, run=run
    )
    monkeypatch.setitem(sys.modules, "tokoban.cli.check", command)
    assert cli.main(["check"]) == status
    assert capsys.readouterr() == ("", line)


def test_notices_of_the_library_are_shown_on_stderr(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(arguments: object) -> int:
        logging.getLogger("tokoban").warning("this takes long")
        return 0

    command = types.SimpleNamespace(
        SUMMARY="", UNDECIDED="", add_arguments=lambda parser: None, run=run
    )
    monkeypatch.setitem(sys.modules, "tokoban.cli.check", command)
    assert (cli.main(["check"]), cli.main(["check"])) == (0, 0)
    assert capsys.readouterr() == ("", "tokoban: this takes long\n" * 2)
    assert logging.getLogger("tokoban").handlers == []


def test_a_missing_module_of_tokoban_is_a_fault_and_no_advice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def run(arguments: object) -> int:
        raise ModuleNotFoundError("No module named 'tokoban.x'", name="tokoban.x")

    command = types.SimpleNamespace(
        SUMMARY="", UNDECIDED="", add_arguments=lambda parser: None, run=run
    )
    monkeypatch.setitem(sys.modules, "tokoban.cli.check", command)
    with pytest.raises(ModuleNotFoundError):
        cli.main(["check"])


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    target = tmp_path / "levels.xsb"
    target.write_text("old")
    with pytest.raises(UnicodeEncodeError):
        write_output(str(target), "new \ud800")
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]
    write_output(str(target), "new\n")
    assert list(tmp_path.iterdir()) == [target]
    assert target.read_bytes() == b"new\n"


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    for target in (tmp_path / "nowhere" / "levels.xsb", tmp_path):
        with pytest.raises(OSError) as refused:
            write_output(str(target), "text")
        assert refused.value.filename == str(target)
