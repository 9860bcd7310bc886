"""``tokoban completion``: bash, given the script, completes commands, options and choices."""

import shutil
import subprocess

import pytest

from tokoban import cli


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (["tokoban", "opt"], {"optimise"}),
        (["tokoban", "solve", "--by", ""], {"policy", "beam", "rollout", "search"}),
        (["tokoban", "rate", "x.sok", "--mem"], {"--memory-limit"}),
        (["tokoban", "solve", "levels"], set()),  # the shell then completes files
    ],
)
def test_bash_completes(
    line: list[str], expected: set[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["completion"]) == 0
    asked = f"COMP_WORDS=({' '.join(map(repr, line))}); COMP_CWORD={len(line) - 1}; _tokoban"
    program = f'{capsys.readouterr().out}{asked}; echo "${{COMPREPLY[@]}}"'
    done = subprocess.run(["bash", "-c", program], capture_output=True, text=True, check=True)
    assert (set(done.stdout.split()), done.stderr) == (expected, "")
