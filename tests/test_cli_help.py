"""The command line's manners: quick help, one-line errors, the exit statuses others rely on."""

import json
import logging
import subprocess
import sys
import time
from collections.abc import Callable

import pytest

from tokoban import cli, pretrained, systems
from tokoban.cli import check
from tokoban.cli.exit_codes import meanings

HELP = [["--help"], *([command, "--help"] for command in cli.COMMANDS)]
# Prints what each help comes to, and the packages and commands that it imports, numpy of which
# alone would take longer than all else. What one has imported is forgotten for the next.
IMPORTED = """
import contextlib, io, json, sys
before = set(sys.modules)
def asked(words):
    from tokoban.cli import COMMANDS, main, module_name
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        try:
            status = main(words)
        except SystemExit as ended:
            status = ended.code
    new = set(sys.modules) - before
    packages = {name.split(".")[0] for name in new} - set(sys.stdlib_module_names)
    commands = [name for name in COMMANDS if module_name(name) in sys.modules]
    for name in new:
        if name.split(".")[0] in packages:
            del sys.modules[name]
    return status, shown.getvalue(), sorted(packages), commands
print(json.dumps([asked(words) for words in json.load(sys.stdin)]))
"""


def test_help_imports_no_package_but_ours_and_no_other_command() -> None:
    given = json.dumps(HELP)
    asked = subprocess.run(
        [sys.executable, "-c", IMPORTED], input=given, capture_output=True, text=True, check=True
    )
    assert asked.stderr == ""
    for words, (status, shown, packages, commands) in zip(
        HELP, json.loads(asked.stdout), strict=True
    ):
        assert (status, packages) == (0, ["tokoban"]), words
        assert commands == (list(cli.COMMANDS) if words == ["--help"] else words[:1])
        assert shown.startswith("usage: tokoban")


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


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("", "the following arguments are required: COMMAND"),
        ("slove x", "; did you mean solve? (`tokoban --help` lists all arguments)"),
        ("solve x --threads many", "argument --threads: expected a whole number"),
        ("solve x --minimize any", "--minimize any; did you mean --minimise?"),
        ("solve x --by serch", "; did you mean search?"),
        ("solve x --zzz", "unrecognized arguments: --zzz (`tokoban solve --help` lists all argume"),
        ("train", "are required: SYSTEM (`tokoban train --help` lists all arguments)"),
        ("train gpt --preset chess", "argument --preset: invalid choice: 'chess'"),
        ("generate --level 3 --seed 2 --output -", "required: --levels"),  # nothing is shortened
    ],
)
def test_wrong_arguments_are_one_line_and_status_2(
    words: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(words.split()) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith("tokoban: ") and said in err


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


Plant = Callable[[Callable[[], int]], None]


@pytest.fixture
def plant(monkeypatch: pytest.MonkeyPatch) -> Plant:
    """Makes a function the work of ``tokoban check``."""
    return lambda work: monkeypatch.setattr(check, "run", lambda arguments: work())


_NO_MEMORY = "tokoban: there is not enough memory for this\n"


@pytest.mark.parametrize(
    ("raised", "status", "line"),
    [
        (ValueError("expected a\nnot b"), 2, "tokoban: expected a; not b\n"),
        (ValueError(), 2, "tokoban: ValueError\n"),
        (FileNotFoundError(2, "No such file", "x.xsb"), 2, "tokoban: x.xsb: No such file\n"),
        (OSError("disk on fire"), 2, "tokoban: disk on fire\n"),
        (MemoryError(), 2, _NO_MEMORY),
        (ImportError("libtorch_cpu.so: failed to map segment from shared object"), 2, _NO_MEMORY),
        (RuntimeError("unable to mmap 9 bytes: Cannot allocate memory (12)"), 2, _NO_MEMORY),
        (RuntimeError("can't start new thread"), 2, _NO_MEMORY),
        (
            FileNotFoundError(2, "No such file", "can't start new thread"),
            2,
            "tokoban: can't start new thread: No such file\n",
        ),
        (ValueError("x: Cannot allocate memory"), 2, "tokoban: x: Cannot allocate memory\n"),
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
    plant: Plant,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def work() -> int:
        raise raised

    plant(work)
    assert cli.main(["check", "-"]) == status
    assert capsys.readouterr() == ("", line)


def test_a_missing_module_of_tokoban_is_a_fault_and_no_advice(plant: Plant) -> None:
    def work() -> int:
        raise ModuleNotFoundError("No module named 'tokoban.x'", name="tokoban.x")

    plant(work)
    with pytest.raises(ModuleNotFoundError):
        cli.main(["check", "-"])


class Interrupted:
    def __del__(self) -> None:
        raise KeyboardInterrupt  # which Python reports and drops, as in the compiler's calls


def compile_without_its_callback() -> None:
    raise RuntimeError("no compiled object yet")


@pytest.mark.parametrize("go_on", [lambda: time.sleep(60), compile_without_its_callback])
def test_an_interrupt_that_python_could_not_raise_comes_again(
    go_on: Callable[[], None], plant: Plant, capsys: pytest.CaptureFixture[str]
) -> None:
    def work() -> int:
        Interrupted()
        go_on()
        return 0

    plant(work)
    assert cli.main(["check", "-"]) == 130
    assert capsys.readouterr().err == "tokoban: interrupted\n"


def test_notices_of_the_library_are_shown_on_stderr(
    plant: Plant, capsys: pytest.CaptureFixture[str]
) -> None:
    def work() -> int:
        logging.getLogger("tokoban").warning("this takes long")
        return 0

    plant(work)
    assert (cli.main(["check", "-"]), cli.main(["check", "-"])) == (0, 0)
    assert capsys.readouterr() == ("", "tokoban: this takes long\n" * 2)
    assert logging.getLogger("tokoban").handlers == []
