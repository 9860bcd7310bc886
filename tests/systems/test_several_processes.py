"""Two processes train one model, and count its metrics together as one process counts them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from tokoban import pretrained, systems


@pytest.mark.slow
@pytest.mark.parametrize("name", systems.SYSTEMS)
def test_two_processes_count_what_one_counts(name: str, tmp_path: Path) -> None:
    launch = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    smallest = systems.load(name).smallest
    command = ["-m", "tokoban", "train", name, "--preset", smallest, "--device", "cpu"]
    done = subprocess.run(
        [sys.executable, *launch, *command, "--steps", "20", "--output", str(tmp_path / "run")],
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    together = json.loads((tmp_path / "run" / "result.json").read_text())
    model, config = pretrained.load(str(tmp_path / "run"), system=name)
    with torch.no_grad():
        alone = systems.load(name).make_system(config, None).validate(model)
    alone.pop("env_steps", None)  # of the games that were played to train
    # Of translations: by so little training tokens are as good as equal, and in a batch of another
    # size the other one is the best. That shares of them are scored as one text has a quick test.
    for metric in ("bleu", "exact_match"):
        alone.pop(metric, None)
    assert {metric: together[metric] for metric in alone} == pytest.approx(alone)
