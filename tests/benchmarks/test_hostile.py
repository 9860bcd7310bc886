"""None of a few hostile files does any harm."""

from pathlib import Path

import pytest

from benchmarks import hostile
from benchmarks.hostile_folders import write_case

# In the process of the test, so no runs, which are trained first, and nothing that is compiled.
FEW = [("weights", number) for number in (1, 4, 5, 6, 8)]
FEW += [("pictures", number) for number in range(13)] + [("labels", 2), ("labels", 5)]


@pytest.mark.parametrize(("kind", "number"), FEW)
def test_a_hostile_file_is_answered_in_a_sentence(
    kind: str, number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    place = tmp_path / "case"
    place.mkdir()
    case = write_case(kind, number, place, seed=1)
    monkeypatch.chdir(place)
    with hostile.traps(tmp_path):
        before = set(tmp_path.iterdir())
        assert hostile.run_command(case.words) in (0, 1, 2)
        assert set(tmp_path.iterdir()) == before
    assert "Traceback" not in capsys.readouterr().err
