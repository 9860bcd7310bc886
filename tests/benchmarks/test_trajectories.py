"""The comparison trains, scores, and does not do again what is done."""

from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks import trajectories
from tokoban.systems.trajectory.graphs import seeded_graph


def test_a_comparison_keeps_its_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = replace(trajectories.RUN, steps=2, warmup_steps=1, evaluate_every=0)
    monkeypatch.setattr(trajectories, "RUN", run)
    words = ["goals", "--seeds", "0", "1", "--folder", str(tmp_path)]
    assert trajectories.main(words) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("pairs ") and "goal_shortest" in printed
    monkeypatch.setattr(trajectories.loop, "fit", None)
    assert trajectories.main(words) == 0
    assert capsys.readouterr().out == printed


def test_the_pairs_of_a_graph_are_those_that_can_be_walked_past_home() -> None:
    graph = seeded_graph(7)
    nodes = graph.starts(range(19)).tolist()
    found = {
        (nodes[seed], goal): steps
        for seed, goal, steps in zip(
            *(each.tolist() for each in trajectories.pairs(graph)), strict=True
        )
    }
    # By walking everywhere at once, as the world does it: home is where a walk ends.
    for start in nodes:
        reached, front = {start: 0}, [start]
        while front:
            node = front.pop(0)
            for other in graph.is_edge[node].nonzero()[:, 0].tolist():
                if node != graph.home and other not in reached:
                    reached[other] = reached[node] + 1
                    front.append(other)
        expected = {(start, goal): steps for goal, steps in reached.items() if 0 < steps <= 10}
        assert {pair: steps for pair, steps in found.items() if pair[0] == start} == expected
