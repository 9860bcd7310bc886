import json
from pathlib import Path
from typing import BinaryIO

import pytest
import torch

from tokoban.training.checkpoint import (
    NUM_KEPT,
    checkpoints,
    load_newest_checkpoint,
    load_weights,
    save_checkpoint,
    save_weights,
    write_json_atomically,
)


def test_json_is_written_and_nan_refused_before_the_file_is_touched(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    write_json_atomically(path, {"share": 0.5})
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_json_atomically(path, {"share": float("nan")})
    assert json.loads(path.read_text()) == {"share": 0.5}


def test_a_checkpoint_whose_writing_fails_leaves_the_one_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_checkpoint(tmp_path, 3, {"step": 3})

    def write_half(state: object, file: BinaryIO) -> None:
        file.write(b"half")
        raise OSError("disk full")

    with monkeypatch.context() as patched:
        patched.setattr(torch, "save", write_half)
        with pytest.raises(OSError, match="disk full"):
            save_checkpoint(tmp_path, 5, {"step": 5})
    assert load_newest_checkpoint(tmp_path) == {"step": 3}
    assert len(list(tmp_path.iterdir())) == 1


def test_only_the_newest_checkpoints_are_kept(tmp_path: Path) -> None:
    for step in (2, 3, 5, 7, 1000):
        save_checkpoint(tmp_path, step, {"step": step})
    assert [path.name for path in checkpoints(tmp_path)] == [
        "step-0000001000.pt",
        "step-0000000007.pt",
    ]
    assert load_newest_checkpoint(tmp_path) == {"step": 1000}


def test_a_newest_checkpoint_of_which_any_byte_is_changed_or_the_end_missing_is_passed_over(
    tmp_path: Path,
) -> None:
    for step in (3, 5):
        newest = save_checkpoint(tmp_path, step, {"step": step, "weights": torch.arange(1000)})
    content = newest.read_bytes()
    places = range(0, len(content), len(content) // 50)
    changed = [content[:n] + bytes([content[n] ^ 1]) + content[n + 1 :] for n in places]
    for damaged in (content[:-500], *changed):
        newest.write_bytes(damaged)
        with pytest.warns(UserWarning, match=r"step-0000000005.pt: unreadable checkpoint passed"):
            assert load_newest_checkpoint(tmp_path)["step"] == 3
    newest.write_bytes(content)
    assert load_newest_checkpoint(tmp_path)["step"] == 5


def test_no_readable_checkpoint_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"x: no checkpoint to resume from$"):
        load_newest_checkpoint(tmp_path / "x")
    for step in range(NUM_KEPT):
        save_checkpoint(tmp_path, step, {}).write_bytes(b"")
    message = r"none of the 2 checkpoints can be read$"
    with pytest.warns(UserWarning), pytest.raises(ValueError, match=message):
        load_newest_checkpoint(tmp_path)


def test_weights_come_back_with_their_metadata(tmp_path: Path) -> None:
    path = tmp_path / "weights.safetensors"
    tied = torch.randn(3, 5, generator=torch.Generator().manual_seed(7))
    state = {"a": tied, "b": tied, "turned": tied.T, "count": torch.tensor(11)}
    save_weights(path, state, {"system": "toy", "config": '{"width": 3}'})
    loaded, metadata = load_weights(path)
    assert metadata == {"system": "toy", "config": '{"width": 3}'}
    assert loaded.keys() == state.keys()
    for name, tensor in state.items():
        assert torch.equal(loaded[name], tensor) and loaded[name].dtype == tensor.dtype


def test_equal_weights_are_equal_bytes(tmp_path: Path) -> None:
    """Whatever the order that safetensors draws for the metadata in this process."""
    names = [f"name{n}" for n in range(9)]
    for number, order in enumerate((names, names[::-1])):
        save_weights(tmp_path / str(number), {"a": torch.ones(3)}, dict.fromkeys(order, "ü"))
    content = (tmp_path / "0").read_bytes()
    assert content == (tmp_path / "1").read_bytes()
    places = [content.index(name.encode()) for name in names]
    assert places == sorted(places)
    assert load_weights(tmp_path / "0")[1] == dict.fromkeys(names, "ü")


def test_what_are_no_weights_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"none: no such weights file$"):
        load_weights(tmp_path / "none")
    (tmp_path / "text").write_text("not weights at all")
    with pytest.raises(ValueError, match=r"text: not a safetensors file \("):
        load_weights(tmp_path / "text")
