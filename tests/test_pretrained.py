"""Weights by name, by file, by folder; each shipped one with its card; each complaint."""

from importlib import resources
from pathlib import Path

import pytest

from tokoban import pretrained, systems
from tokoban.training.checkpoint import load_weights, save_weights

FOLDER = Path(str(resources.files(pretrained)))


@pytest.mark.parametrize("name", pretrained.names())
def test_shipped_weights_load_and_are_small_and_have_a_card(name: str) -> None:
    path = FOLDER / f"{name}.safetensors"
    system = load_weights(path)[1]["system"]
    assert system in systems.SYSTEMS
    pretrained.load(name, system=system)
    assert path.stat().st_size < {"translation": 15_000_000, "gpt": 10_000_000}.get(
        system, 6_000_000
    )
    card = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    for word in ("Data", "Command", "Commit", "Hardware", "Figures"):
        assert word in card


def test_all_weights_together_are_below_50_megabytes() -> None:
    assert sum(path.stat().st_size for path in FOLDER.rglob("*.safetensors")) < 50_000_000


def test_an_unknown_name_says_what_is_known() -> None:
    with pytest.raises(FileNotFoundError, match=r"no weights 'sokoban-9x9'.*sokoban-8x8"):
        pretrained.load("sokoban-9x9", system="sokoban")


def test_weights_of_another_system_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.safetensors"
    save_weights(path, {}, {"system": "chess", "config": "{}"})
    with pytest.raises(ValueError, match="weights of the system 'chess'; expected 'sokoban'"):
        pretrained.load(str(path), system="sokoban")


@pytest.mark.parametrize(
    ("config", "reason"),
    [
        ('{"depth": 3}', "has no field 'depth'"),
        ("{", "Expecting property name"),
        ("{}", "far more tensors than the expected 0"),
        ("null", "expected the fields of SokobanPolicyConfig, got NoneType"),
        ("[]", "expected the fields of SokobanPolicyConfig, got list"),
    ],
)
def test_weights_of_another_version_are_refused(tmp_path: Path, config: str, reason: str) -> None:
    path = tmp_path / "x.safetensors"
    save_weights(path, {}, {"system": "sokoban", "config": config})
    with pytest.raises(ValueError, match=rf"do not fit this version \(.*{reason}"):
        pretrained.load(str(path), system="sokoban")


def test_a_path_names_no_shipped_weights(tmp_path: Path) -> None:
    run = tmp_path / "r"
    run.mkdir()
    (tmp_path / "r.safetensors").write_bytes(b"")
    assert pretrained.weights_path(str(run)) == run / "weights.safetensors"
    with pytest.raises(FileNotFoundError):
        pretrained.weights_path("../pretrained/life-16")
