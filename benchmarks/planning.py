"""Plans a second: with the cache and many episodes at once, and as the first implementation does.

The Trajectory Transformer's own planner reads everything again for each token, one episode at a
time. Here both ways have the same weights (random ones), the same noise and the same search, so
the plans must be the same, and are compared. The numbers of state and action are Hopper's. On the
CPU times are of the processor.
"""

import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from statistics import median

import torch

from benchmarks.harness import Report, in_turns, parser
from tokoban.systems.trajectory.environments import Spec
from tokoban.systems.trajectory.layout import Layout
from tokoban.systems.trajectory.model import TrajectoryTransformer
from tokoban.systems.trajectory.plan import Planner, generators
from tokoban.systems.trajectory.rollouts import History
from tokoban.systems.trajectory.stepper import PlanConfig

NUM_STATES, NUM_ACTIONS = 11, 3
NUM_PAST = 4  # transitions, so that with the one to be planned five are read
PLAIN = "no cache, one episode at a time"


def main(argv: Sequence[str] | None = None) -> int:
    """Measures both ways, and those in between."""
    options = parser(__doc__, num_threads=None)
    options.add_argument("--episodes", type=int, nargs="+", metavar="N", help="planned together")
    chosen = options.parse_args(argv)
    report = Report(chosen, unit="plans", posted=[PLAIN])
    # With few episodes a GPU has less to do than the host that tells it.
    usual = [64, 256] if report.device.type == "cuda" else [16]
    together = chosen.episodes or ([4] if chosen.quick else usual)
    horizon, keep = (2, 4) if chosen.quick else (5, 16)
    plan = PlanConfig(horizon=horizon, keep=keep, expansion=2, num_past=NUM_PAST)
    # Double precision for the comparison of plans, single for the clock.
    model = random_model().to(report.device)
    num_other = compare(model.double(), plan, 2 if chosen.quick else 1)
    model = model.float()
    for name, is_cached, batch in (
        (PLAIN, False, 1),
        ("no cache, episodes together", False, 2),
        ("cache, one episode at a time", True, 1),
        *((f"cache, {number} episodes together", True, number) for number in together),
    ):
        history = random_history(batch)
        planner = Planner(
            model,
            plan,
            generators(range(batch), seed=0),
            is_cached=is_cached,
            at_once=batch,
        )
        call = partial(planner, history)
        call()
        # Without the cache a call takes so long that it varies little.
        all_s = in_turns({name: call}, report.device, rounds=3 if is_cached else 1)[name]
        # A row is one episode's plan, whatever was planned beside it: all are of one batch here.
        report.add(
            name,
            batch=1,
            per_second=batch / median(all_s),
            episodes_together=batch,
            num_unexplained=num_other,
        )
    report.finish()
    return report.exit_code()


def compare(model: TrajectoryTransformer, plan: PlanConfig, num_episodes: int) -> int:
    """The number of episodes whose actions differ between the two ways."""
    history = random_history(num_episodes)
    together = Planner(model, plan, generators(range(num_episodes), seed=0))(history)
    num_other = 0
    for episode in range(num_episodes):
        alone = Planner(model, plan, generators([episode], seed=0), is_cached=False)(
            _only(history, episode)
        )
        num_other += int(not alone[0].equal(together[episode]))
    return num_other


def random_model() -> TrajectoryTransformer:
    """A model of the usual size, with bins for standard normal numbers."""
    torch.manual_seed(0)
    layout = Layout("plan", NUM_STATES, NUM_ACTIONS)
    sizes = [None] * (layout.num_columns - 1) + [2]
    model = TrajectoryTransformer(
        layout, sizes=sizes, num_bins=100, width=64, num_layers=2, num_heads=4
    )
    values = torch.randn(1000, layout.num_columns)
    model.bins.fit(values, sizes, binning="quantile")
    return model.eval()


def random_history(num_episodes: int) -> History:
    """As after enough steps of as many episodes."""
    generator = torch.Generator().manual_seed(1)

    def draw(*shape: int) -> torch.Tensor:
        # An episode's numbers do not depend on how many there are beside it.
        return torch.stack([torch.randn(shape, generator=generator) for _ in range(num_episodes)])

    spec = Spec("random", (None,) * NUM_STATES, (None,) * NUM_ACTIONS)
    return History(
        spec,
        torch.zeros(num_episodes, 0),
        None,
        torch.zeros(num_episodes, dtype=torch.bool),
        [draw(NUM_STATES) for _ in range(NUM_PAST + 1)],
        [draw(NUM_ACTIONS) for _ in range(NUM_PAST)],
        [draw() for _ in range(NUM_PAST)],
    )


def _only(history: History, episode: int) -> History:
    def rows(steps: list[torch.Tensor]) -> list[torch.Tensor]:
        return [step[episode : episode + 1] for step in steps]

    return replace(
        history,
        contexts=history.contexts[:1],
        is_over=history.is_over[:1],
        observations=rows(history.observations),
        actions=rows(history.actions),
        rewards=rows(history.rewards),
    )


if __name__ == "__main__":
    sys.exit(main())
