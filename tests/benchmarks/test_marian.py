"""Hugging Face's Marian, given our weights, says what ours says."""

import copy
from pathlib import Path

import pytest

from benchmarks import marian
from tests.benchmarks.test_scripts import check_file
from tests.systems.translation.half_trained import drawn_sources, half_trained
from tokoban.systems.translation.stepper import forbidden_tokens

ROOM = 15  # what a translation may have


@pytest.mark.parametrize("beam", [1, 4])
def test_marian_says_the_same(beam: int) -> None:
    pytest.importorskip("transformers")
    model = copy.deepcopy(half_trained()).float()
    sources, options = drawn_sources(13), {"beam": beam, "batch": 3, "max_length": ROOM}
    expected = marian.ours(model, None, sources, **options)
    assert len({tuple(tokens) for tokens in expected}) > 8
    forbidden = forbidden_tokens(model).tolist()
    assert marian.theirs(marian.convert(model), sources, **options, forbidden=forbidden) == expected


def test_norms_in_front_are_refused() -> None:
    with pytest.raises(ValueError, match="norms in front; Marian's are behind"):
        marian.convert(half_trained(pre_norm=True))


@pytest.mark.parametrize("device", ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
def test_the_script_writes_its_rows(device: str, tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    out = tmp_path / "rows.json"
    words = ["--quick", "--device", device, "--sentences", "2", "--json", str(out)]
    assert marian.main(words) == 0
    rows = check_file(out)
    assert len(rows) == 8
    assert all(row["same_as_marian"] == 1 for row in rows if "fp32" in row["name"])


def test_without_the_package_it_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(marian, "find_spec", lambda name: None)
    with pytest.raises(SystemExit) as left:
        marian.main(["--device", "cpu"])
    assert left.value.code == 2
    assert "needs the package transformers: pip install transformers" in capsys.readouterr().err
