import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from tests.training.toy import NUM_EXAMPLES, read_lines, toy_directory
from tests.training.train_toy import RUN, UNEQUAL, Joined, Steady, UnequalJoined
from tokoban.training import processes
from tokoban.training.checkpoint import load_weights
from tokoban.training.loop import fit
from tokoban.training.run_directory import read_record

REPOSITORY = Path(__file__).resolve().parents[2]


def test_one_process_is_a_world_of_its_own() -> None:
    assert (processes.rank(), processes.world_size()) == (0, 1)
    assert processes.sum_over_processes({"hits": 3, "trials": 7}) == {"hits": 3.0, "trials": 7.0}
    assert processes.from_main_process([2.0]) == [2.0]
    assert processes.gather_objects("me") == ["me"]


def test_a_part_of_what_torchrun_sets_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"LOCAL_RANK": "0", "RANK": "0", "WORLD_SIZE": "2"}.items():
        monkeypatch.setenv(name, value)
    for name in ("MASTER_ADDR", "MASTER_PORT"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(ValueError, match="LOCAL_RANK is set, but not MASTER_ADDR, MASTER_PORT;"):
        fit(Steady(), RUN, toy_directory(tmp_path / "run"))
    assert not (tmp_path / "run").exists()


@pytest.fixture(scope="module")
def two_processes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that ``train_toy`` filled under torchrun with two processes."""
    folder = tmp_path_factory.mktemp("two")
    torchrun = "-m torch.distributed.run --standalone --nproc-per-node=2"
    program = ["--module", "tests.training.train_toy", str(folder)]
    subprocess.run(
        [sys.executable, *torchrun.split(), *program],
        cwd=REPOSITORY,
        env=os.environ | {"PYTHONPATH": str(REPOSITORY), "OMP_NUM_THREADS": "1"},
        check=True,
        timeout=600,
    )
    return folder


@pytest.mark.slow
def test_two_processes_count_what_one_counts(two_processes: Path) -> None:
    result = json.loads((two_processes / "straight/result.json").read_text())
    model = Steady().initial_model()
    model.load_state_dict(load_weights(two_processes / "straight/weights.safetensors")[0])
    with torch.no_grad():
        counts = Steady().validate(model.eval())
    assert counts["trials"] == NUM_EXAMPLES
    assert counts == {name: result[name] for name in counts}
    for rank in (0, 1):  # and fit() answers the same in each
        answered = json.loads((two_processes / f"metrics-{rank}.json").read_text())
        assert {name: answered[name] for name in counts} == counts
    assert read_record(two_processes / "straight")["num_processes"] == 2


@pytest.mark.slow
def test_two_processes_are_one_with_both_batches(two_processes: Path, tmp_path: Path) -> None:
    fit(Joined(), RUN, toy_directory(tmp_path))
    joined, apart = (
        read_lines(path / "metrics.jsonl") for path in (tmp_path, two_processes / "straight")
    )
    assert len(joined) == len(apart)
    for one, other in zip(joined, apart, strict=True):
        assert one == pytest.approx(other, rel=1e-3)


@pytest.mark.slow
def test_batches_count_by_their_weight_in_whatever_process(
    two_processes: Path, tmp_path: Path
) -> None:
    run = replace(UNEQUAL, accumulate=1)
    fit(UnequalJoined(), run, toy_directory(tmp_path))
    one, _ = load_weights(tmp_path / "weights.safetensors")
    other, _ = load_weights(two_processes / "unequal/weights.safetensors")
    for name, tensor in one.items():
        assert torch.allclose(tensor, other[name], rtol=1e-3, atol=1e-5)


@pytest.mark.slow
def test_two_processes_resume_bit_equal(two_processes: Path, tmp_path: Path) -> None:
    straight, resumed = two_processes / "straight", two_processes / "resumed"
    assert read_record(resumed)["resumed"][0]["step"] == 5
    assert read_lines(straight / "metrics.jsonl") == read_lines(resumed / "metrics.jsonl")
    one, _ = load_weights(straight / "weights.safetensors")
    other, _ = load_weights(resumed / "weights.safetensors")
    assert all(torch.equal(one[name], other[name]) for name in one)
    message = r"^the checkpoint is of 2 process\(es\), this run of 1$"
    with pytest.raises(ValueError, match=message):
        fit(Steady(), RUN, toy_directory(resumed), resume=True)


@pytest.mark.parametrize(
    ("set_by_whom", "is_main"),
    [
        ({}, True),
        ({"RANK": "0", "LOCAL_RANK": "0"}, True),
        ({"RANK": "1", "LOCAL_RANK": "1"}, False),
        ({"RANK": "2", "LOCAL_RANK": "0"}, False),  # the first process of another machine
        ({"RANK": "1"}, True),  # by a scheduler, of a process that trains alone
    ],
)
def test_one_process_is_the_main_one_before_they_are_joined(
    set_by_whom: dict[str, str], is_main: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("RANK", "LOCAL_RANK"):
        monkeypatch.delenv(name, raising=False)
    for name, value in set_by_whom.items():
        monkeypatch.setenv(name, value)
    assert processes.is_main_to_be() == is_main
