"""What other people wrote into a level file cannot steer the terminal of whoever reads it."""

import sys
from pathlib import Path

import pytest

from tokoban import cli

STEERING = "\x1b]0;mine\x07\x1b[2J\u202e\x9b31m[/]"
# A title above, an author, notes, solutions of all kinds, and what is wrong with a second level.
LEVELS = f"""note {STEERING}

title {STEERING}

######
#@ $.#
######

Author: author {STEERING}
note {STEERING}

Solution {STEERING}
rR

SaveGame {STEERING}
r

other {STEERING}

####
#@ #
####
{STEERING}

mirrored {STEERING}

######
#.$ @#
######

Solution {STEERING}
uu
"""


@pytest.mark.parametrize(
    "words",
    [
        ["check"],
        ["check", "--duplicates"],
        ["solve", "--by", "beam", "--level", "2"],
        ["solve", "--level", "2"],
        ["optimise", "--time-limit", "1"],
        ["rate", "--time-limit", "1"],
        ["explain"],
        ["convert"],
        ["evaluate"],
    ],
)
def test_no_command_prints_what_steers_a_terminal(
    words: list[str],
    tmp_path: Path,
    random_weights: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / f"levels{STEERING.replace('/', '')}.sok"
    path.write_text(LEVELS)
    command, *options = words
    asked = [command, str(path), *options]
    if command == "convert":
        # To a terminal, for in a pipe the text is what it is.
        monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
        asked += ["-"]
    if command == "evaluate":
        asked = ["evaluate", "sokoban", "--weights", str(random_weights), "--levels", str(path)]
        asked += ["--beam", "2"]
    assert cli.main(asked) == 2
    told = capsys.readouterr()
    assert "no box" in told.err
    printed = told.out + told.err
    assert all(letter.isprintable() or letter == "\n" for letter in printed)
