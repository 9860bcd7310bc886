"""A real scheduler, workers that are killed and join late, and a killed coordinator, in small."""

import importlib.util

import pytest

from benchmarks import cluster


@pytest.mark.slow
@pytest.mark.skipif(not importlib.util.find_spec("distributed"), reason="Dask is not installed")
def test_a_cluster_makes_the_same_files_as_a_thread(capsys: pytest.CaptureFixture[str]) -> None:
    words = "--levels", "40", "--per-shard", "4", "--puzzles", "2", "--answers", "5"
    assert cluster.main([*words]) == 0
    assert capsys.readouterr().out.count("the same") == 12
