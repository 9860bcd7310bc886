import math

import numpy as np
import pytest
import torch

from tokoban.training.metrics import RunningMeans, auc, clock_s, is_in_top_k, mean_interval, wilson

NAN, INF = float("nan"), float("inf")
Z = 1.96  # of 95 %


@pytest.mark.parametrize(
    ("scores", "hits"),  # the label is class 2; hits for k = 1, 2, 3
    [
        ([0.1, 0.2, 0.9, 0.3], (True, True, True)),
        ([0.1, 1.2, 0.9, 0.3], (False, True, True)),
        ([1.1, 1.2, 0.9, 0.3], (False, False, True)),
        ([0.9, 0.2, 0.9, 0.3], (False, True, True)),  # a tie counts against the label
        ([-INF, -INF, 0.9, -INF], (True, True, True)),
        ([0.1, 0.2, -INF, -INF], (False, False, False)),
        ([0.1, 0.2, NAN, 0.3], (False, False, False)),
        ([NAN, 0.2, 0.9, 0.3], (False, True, True)),
    ],
)
def test_top_k_by_hand(scores: list[float], hits: tuple[bool, ...]) -> None:
    labels = torch.tensor([2])
    found = [is_in_top_k(torch.tensor([scores]), labels, k=k).item() for k in (1, 2, 3)]
    assert tuple(found) == hits


def test_wilson_solves_its_definition() -> None:
    # Both ends are the shares p at which (successes/trials - p)^2 = z^2 p (1 - p) / trials.
    for successes, trials in ((0, 7), (3, 7), (7, 7), (3970, 4000)):
        for end in wilson(successes, trials):
            gap = (successes / trials - end) ** 2 - Z**2 * end * (1 - end) / trials
            assert abs(gap) < 1e-12
        low, high = wilson(successes, trials)
        assert 0 <= low <= successes / trials <= high <= 1 and low < high


def test_mean_interval_by_pencil() -> None:
    # mean 4, variance (4 + 0 + 4) / 2 = 4, so the mean's deviation is 2 / sqrt(3)
    low, high = mean_interval([2, 4, 6])
    radius = 2 * 4.303 / math.sqrt(3)
    assert math.isclose(low, 4 - radius) and math.isclose(high, 4 + radius)
    # Of 32 values, half of each, the mean's deviation is sqrt(32 / 31 / 32).
    low, high = mean_interval([1, 3] * 16)
    assert math.isclose(high - low, 2 * Z / math.sqrt(31))


def test_means_of_few_normal_values_lie_in_their_interval_19_times_of_20() -> None:
    rng = np.random.default_rng(1)
    for number in (2, 3, 5, 30, 31):
        intervals = [mean_interval(values) for values in rng.normal(size=(3000, number)).tolist()]
        covered = sum(low < 0 < high for low, high in intervals) / 3000
        assert 0.93 < covered < 0.965, number


def add(means: RunningMeans, **metrics: float) -> None:
    means.add({name: torch.tensor(value) for name, value in metrics.items()})


def test_running_means_by_pencil() -> None:
    means = RunningMeans()
    add(means, loss=1.0, accuracy=0.0)
    add(means, loss=4.0, accuracy=1.0)
    assert means.take() == {"loss": 2.5, "accuracy": 0.5}
    assert means.take() == {}
    add(means, other=7.0)
    assert means.take() == {"other": 7.0}


def test_running_means_go_on_from_their_state() -> None:
    means, resumed = RunningMeans(), RunningMeans()
    add(means, loss=1.0)
    resumed.load_state_dict(means.state_dict(), device=torch.device("cpu"))
    add(resumed, loss=4.0)
    assert resumed.take() == {"loss": 2.5}
    resumed.load_state_dict(RunningMeans().state_dict(), device=torch.device("cpu"))
    assert resumed.take() == {}


def test_running_means_refuse_other_names() -> None:
    means = RunningMeans()
    add(means, loss=1.0)
    message = r"^expected the metrics \('loss',\), got \('accuracy',\)$"
    with pytest.raises(ValueError, match=message):
        add(means, accuracy=1.0)


@pytest.mark.gpu
def test_clock_waits_for_the_device() -> None:
    device = torch.device("cuda")
    matrix = torch.randn(4096, 4096, device=device)
    clock_s(device)
    done = torch.cuda.Event()
    for _ in range(50):
        matrix = (matrix @ matrix).clamp(-1, 1)
    done.record()
    clock_s(device)
    assert done.query()


@pytest.mark.parametrize("trials", [3, 1998, 40_007])
def test_an_interval_holds_a_share_of_nothing_and_of_all(trials: int) -> None:
    assert wilson(0, trials).low == 0.0
    assert wilson(trials, trials).high == 1.0


def test_the_area_under_the_curve_counts_pairs() -> None:
    positive, negative = torch.tensor([3.0, 1.0]).numpy(), torch.tensor([1.0, 0.0]).numpy()
    assert auc(positive, negative) == (1 + 1 + 0.5 + 1) / 4
