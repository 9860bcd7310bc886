"""The push policy without torch answers as torch does."""

import json
from pathlib import Path

import pytest

from benchmarks import push_agreement

LEVELS = """; 1

########
##.   ##
#  $#  #
# @$.  #
# #$#  #
#  .   #
########
"""


def test_the_policy_without_torch_is_held_against_torch(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "levels.xsb").write_text(LEVELS)
    assert push_agreement.main([str(tmp_path / "levels.xsb"), "--positions", "5"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["positions"], found["levels"], found["differing"]) == (5, 1, [])
    assert 0 < found["probability"] < 1e-5
