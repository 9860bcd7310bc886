"""Compares players with a memory: runs of ``tokoban train ppo``, each judged on unseen seeds.

A run on one of our copies of POPGym's tasks is judged in POPGym's own environment, which it has
never seen; any other run in the environment it was trained on. One line for each run, and one
for each kind of run.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import mean

import torch

from benchmarks import harness
from tokoban import pretrained
from tokoban.cli.output import check_destination, write_output
from tokoban.systems.memory_ppo.environments import make_env
from tokoban.systems.memory_ppo.evaluate import MOST_STEPS, metrics_of, play_episodes
from tokoban.systems.memory_ppo.model import Player
from tokoban.training.metrics import mean_interval
from tokoban.training.run_directory import read_record

_POPGYM = {
    "repeat-previous:4": "popgym-RepeatPreviousEasy-v0",
    "repeat-previous:32": "popgym-RepeatPreviousMedium-v0",
    "repeat-previous:64": "popgym-RepeatPreviousHard-v0",
}
_TITLE = (
    f"{'trained on':<20} {'memory':<20} {'seed':>4} {'env steps':>10} {'s':>7} {'mean return':>22}"
)


@dataclass(frozen=True)
class Row:
    """One run, and how its player does."""

    run: str
    env: str  # trained on
    judged_in: str
    memory: str
    seed: int
    env_steps: int
    elapsed_s: float  # of the training's clock on the wall
    mean_return: float
    low: float
    high: float
    episodes: int

    def __str__(self) -> str:
        interval = f"{self.mean_return:.4f} ({self.low:.3f} to {self.high:.3f})"
        return (
            f"{self.env:<20} {self.memory:<20} {self.seed:>4} {self.env_steps:>10,} "
            f"{self.elapsed_s:>7.0f} {interval:>22}"
        )


def main(argv: Sequence[str] | None = None) -> int:
    """Judges every run that is over."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("runs", nargs="+", metavar="RUN", help="a folder of tokoban train ppo")
    parser.add_argument("--episodes", type=int, default=100, help="of each (default: 100)")
    parser.add_argument("--seed", type=int, default=0, help="of the first one (default: 0)")
    parser.add_argument("--json", metavar="OUT", help="write the rows here too (-: to stdout)")
    chosen = parser.parse_args(argv)
    check_destination(chosen.json)
    print(_TITLE, file=sys.stderr)
    rows = []
    for run in chosen.runs:
        rows.append(judge(Path(run), num_episodes=chosen.episodes, seed=chosen.seed))
        print(rows[-1], file=sys.stderr, flush=True)
    for line in summary(rows):
        print(line)
    if chosen.json is not None:
        content = harness.about() | {"rows": [asdict(row) for row in rows]}
        write_output(chosen.json, json.dumps(content, indent=2) + "\n")
    return 0


def judge(path: Path, *, num_episodes: int, seed: int) -> Row:
    """Greedy episodes of one run's player; ``OSError`` where the run is not over."""
    record = read_record(path)
    result = json.loads((path / "result.json").read_text(encoding="utf-8"))
    player, config = pretrained.load(str(path), system="ppo")
    assert isinstance(player, Player)
    name = _POPGYM.get(config.env, config.env)
    task = make_env(name, num_episodes, seed=seed, device=torch.device("cpu"))
    metrics = metrics_of(play_episodes(player, task, most_steps=MOST_STEPS))
    return Row(
        run=path.name,
        env=config.env,
        judged_in=name,
        memory=config.memory,
        seed=record["run"]["seed"],
        env_steps=round(result["env_steps"]),
        elapsed_s=result["elapsed_s"],
        mean_return=metrics["mean_return"],
        low=metrics["mean_return_low"],
        high=metrics["mean_return_high"],
        episodes=num_episodes,
    )


def summary(rows: Sequence[Row]) -> list[str]:
    """The mean over the seeds of each kind of run, with its interval and its worst seed."""
    lines = []
    for env, memory in sorted({(row.env, row.memory) for row in rows}):
        found = [row for row in rows if (row.env, row.memory) == (env, memory)]
        returns = [row.mean_return for row in found]
        interval = ""
        if len(found) > 1:
            low, high = mean_interval(returns)
            interval = f" ({low:.4f} to {high:.4f}), worst {min(returns):.4f}"
        lines.append(
            f"{env} {memory}: {len(found)} seed(s), mean return {mean(returns):.4f}{interval}, "
            f"{round(mean(row.env_steps for row in found)):,} steps"
        )
    return lines


if __name__ == "__main__":
    raise SystemExit(main())
