import copy
import json
import math
import os
import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from tests.training.toy import NUM_EXAMPLES, Toy, read_lines, toy_directory
from tokoban.training import loop
from tokoban.training.checkpoint import load_weights, save_weights
from tokoban.training.loop import fit
from tokoban.training.run_config import RunConfig
from tokoban.training.run_directory import RunDirectory, read_metrics, read_record
from tokoban.training.system import Loss, Unvalidated

# Everything that could go wrong in a resumed run is on: an average, evaluation, lines of 3 steps.
RUN = RunConfig(
    steps=11,
    device="cpu",
    learning_rate=0.02,
    warmup_steps=3,
    ema_decay=0.7,
    log_every=3,
    evaluate_every=4,
    checkpoint_every_s=0.0,
)


class Watched(Toy):
    """Calls ``watch(model, step)`` before every batch."""

    def __init__(self, watch: Callable[[nn.Module, int], None]) -> None:
        self.watch = watch

    def before_batch(self, model: nn.Module, step: int) -> None:
        self.watch(model, step)


class Noiseless(Watched):
    """Draws nothing from Python's generator, from which the checked signatures draw as well."""

    def noise(self) -> float:
        return 0.0


def weights(path: Path) -> dict[str, torch.Tensor]:
    return load_weights(path / "weights.safetensors")[0]


def assert_equal_runs(one: Path, other: Path) -> None:
    """Bit for bit: every logged metric, and every weight."""
    assert read_lines(one / "metrics.jsonl") == read_lines(other / "metrics.jsonl")
    assert weights(one).keys() == weights(other).keys()
    for name, tensor in weights(one).items():
        assert torch.equal(tensor, weights(other)[name]), name


def test_equal_seeds_give_equal_runs_and_others_do_not(tmp_path: Path) -> None:
    for name, seed in (("a", 2), ("b", 2), ("c", 3)):
        fit(Toy(), replace(RUN, seed=seed), toy_directory(tmp_path / name))
    assert_equal_runs(tmp_path / "a", tmp_path / "b")
    assert read_lines(tmp_path / "a/metrics.jsonl") != read_lines(tmp_path / "c/metrics.jsonl")


@pytest.mark.parametrize("last_step", [1, 6, 7])
def test_killed_and_resumed_is_bit_equal_to_straight_on(tmp_path: Path, last_step: int) -> None:
    def fall(model: nn.Module, step: int) -> None:
        if step == last_step:
            raise MemoryError("killed")

    fit(Toy(), RUN, toy_directory(tmp_path / "straight"))
    with pytest.raises(MemoryError, match="killed"):
        fit(Watched(fall), RUN, toy_directory(tmp_path / "resumed"))
    with (tmp_path / "resumed/metrics.jsonl").open("a") as lines:
        lines.write('{"step": 99, "train/loss": 0.0}\n')  # of steps after the checkpoint
    fit(Toy(), RUN, toy_directory(tmp_path / "resumed"), resume=True)
    assert_equal_runs(tmp_path / "straight", tmp_path / "resumed")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_saves_and_says_how_to_go_on(
    tmp_path: Path, number: signal.Signals, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(model: nn.Module, step: int) -> None:
        if step == 4:
            os.kill(os.getpid(), number)

    run = replace(RUN, checkpoint_every_s=1e9)
    before = signal.getsignal(number)
    path = tmp_path / "resumed"
    with pytest.raises(KeyboardInterrupt):
        fit(Watched(interrupt), run, toy_directory(path))
    assert signal.getsignal(number) is before
    assert [file.name for file in (path / "checkpoints").iterdir()] == ["step-0000000005.pt"]
    assert not (path / "result.json").exists()
    assert f"stopped at step 5; --resume goes on from {path}" in capsys.readouterr().err
    fit(Toy(), run, toy_directory(path), resume=True)
    fit(Toy(), run, toy_directory(tmp_path / "straight"))
    assert_equal_runs(tmp_path / "straight", path)


def test_a_second_signal_ends_at_once(tmp_path: Path) -> None:
    def insist(model: nn.Module, step: int) -> None:
        if step == 4:
            os.kill(os.getpid(), signal.SIGINT)
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        fit(Watched(insist), replace(RUN, checkpoint_every_s=1e9), toy_directory(tmp_path))
    assert not (tmp_path / "checkpoints").exists()


def test_evaluation_changes_nothing(tmp_path: Path) -> None:
    fit(Toy(), replace(RUN, evaluate_every=0), toy_directory(tmp_path / "blind"))
    fit(Toy(), replace(RUN, evaluate_every=2), toy_directory(tmp_path / "watched"))
    (blind, watched) = (
        [line for line in read_lines(tmp_path / name / "metrics.jsonl") if "train/loss" in line]
        for name in ("blind", "watched")
    )
    assert blind == watched


def test_result_is_the_last_evaluation_and_how_long_it_took(tmp_path: Path) -> None:
    metrics = fit(Toy(), RUN, toy_directory(tmp_path))
    assert json.loads((tmp_path / "result.json").read_text()) == metrics
    assert metrics.keys() == {"steps", "elapsed_s", "train_loss", "hits", "trials", "accuracy"}
    assert metrics["steps"] == 11 and metrics["trials"] == NUM_EXAMPLES
    assert 0 < metrics["elapsed_s"] < 100
    lines = read_lines(tmp_path / "metrics.jsonl")
    assert lines[-1] == {
        "step": 11,
        "evaluate/hits": metrics["hits"],
        "evaluate/trials": NUM_EXAMPLES,
        "evaluate/accuracy": metrics["accuracy"],
    }
    assert metrics["train_loss"] == lines[-2]["train/loss"]


def test_lines_come_when_they_should(tmp_path: Path) -> None:
    fit(Toy(), replace(RUN, steps=12, log_every=5), toy_directory(tmp_path))
    lines = read_lines(tmp_path / "metrics.jsonl")
    assert [line["step"] for line in lines if "train/loss" in line] == [1, 2, 4, 5, 10, 12]
    assert [line["step"] for line in lines if "evaluate/hits" in line] == [4, 8, 12]


def test_a_line_is_the_mean_of_its_steps(tmp_path: Path) -> None:
    (single, threes) = (
        [
            line["train/loss"]
            for line in (
                fit(Toy(), replace(RUN, log_every=log_every), toy_directory(tmp_path / name)),
                *read_lines(tmp_path / name / "metrics.jsonl"),
            )
            if "train/loss" in line
        ]
        for name, log_every in (("single", 1), ("threes", 3))
    )
    assert len(single) == 11 and len(threes) == 6  # after steps 1, 2, 3, 6, 9 and 11
    assert math.isclose(threes[3], sum(single[3:6]) / 3, rel_tol=1e-6)
    assert math.isclose(threes[5], sum(single[9:]) / 2, rel_tol=1e-6)


def test_weights_file_is_what_was_evaluated(tmp_path: Path) -> None:
    metrics = fit(Toy(), RUN, toy_directory(tmp_path))
    state, metadata = load_weights(tmp_path / "weights.safetensors")
    assert metadata == {"system": "toy", "config": '{"width": 7}', "step": "11"}
    model = Toy().initial_model()
    model.load_state_dict(state)
    with torch.no_grad():
        assert Toy().validate(model.eval())["hits"] == metrics["hits"]


def test_the_average_is_kept_and_training_goes_on_without_it(tmp_path: Path) -> None:
    trained: dict[str, dict[str, torch.Tensor]] = {}
    for name, decay in (("plain", 0.0), ("averaged", 0.7)):
        last: dict[str, torch.Tensor] = {}

        def remember(model: nn.Module, step: int, last: dict[str, torch.Tensor] = last) -> None:
            last.update({name: tensor.clone() for name, tensor in model.state_dict().items()})

        run = replace(RUN, ema_decay=decay)
        fit(Noiseless(remember), run, toy_directory(tmp_path / name))
        trained[name] = last
    plain, averaged = weights(tmp_path / "plain"), weights(tmp_path / "averaged")
    for name, tensor in trained["plain"].items():
        assert torch.equal(tensor, trained["averaged"][name])
        assert not torch.equal(plain[name], averaged[name])


AVERAGED = replace(RUN, ema_decay=0.0, schedule="constant", average_last=2, keep_every=3)


def test_the_final_weights_are_the_mean_of_the_last_snapshots(tmp_path: Path) -> None:
    seen: dict[int, dict[str, torch.Tensor]] = {}

    def remember(model: nn.Module, step: int) -> None:
        seen[step] = {name: tensor.clone() for name, tensor in model.state_dict().items()}

    metrics = fit(Noiseless(remember), AVERAGED, toy_directory(tmp_path))
    model = Toy().initial_model()
    for name, tensor in weights(tmp_path).items():
        assert torch.allclose(tensor, (seen[6][name] + seen[9][name]) / 2)
        model.state_dict()[name].copy_(tensor)
    with torch.no_grad():
        assert Toy().validate(model.eval())["accuracy"] == metrics["accuracy"]


def test_a_run_that_was_averaged_can_go_on(tmp_path: Path) -> None:
    """Not from the mean, but from where training stood."""
    fit(Toy(), replace(AVERAGED, steps=5), toy_directory(tmp_path / "parts"))
    fit(Toy(), AVERAGED, toy_directory(tmp_path / "parts"), resume=True)
    fit(Toy(), AVERAGED, toy_directory(tmp_path / "straight"))
    for name, tensor in weights(tmp_path / "straight").items():
        assert torch.equal(tensor, weights(tmp_path / "parts")[name])


def test_weights_are_kept_as_evaluation_sees_them(tmp_path: Path) -> None:
    seen: dict[str, dict[str, torch.Tensor]] = {}

    class Evaluated(Toy):
        def validate(self, model: nn.Module) -> dict[str, float]:
            state = {name: tensor.clone() for name, tensor in model.state_dict().items()}
            seen[f"step-{len(seen) * 4 + 4:010}.safetensors"] = state
            return super().validate(model)

    run = replace(RUN, steps=9, ema_decay=0.5, evaluate_every=4, keep_every=4)
    fit(Evaluated(), run, toy_directory(tmp_path))
    kept = sorted((tmp_path / "kept").iterdir())
    assert [path.name for path in kept] == list(seen)[:2]
    for path in kept:
        for name, tensor in load_weights(path)[0].items():
            assert torch.equal(tensor, seen[path.name][name])


class Scripted(Noiseless):
    """Its evaluations say what is written here, one after the other, from the first step on."""

    def __init__(self, *scores: float) -> None:
        self.scores = list(scores)
        self.seen: list[dict[str, torch.Tensor]] = []
        self.has_begun = False

    def before_batch(self, model: nn.Module, step: int) -> None:
        self.has_begun = True

    def validate(self, model: nn.Module) -> dict[str, float]:
        assert self.has_begun
        self.seen.append({name: tensor.clone() for name, tensor in model.state_dict().items()})
        return {"score": self.scores[len(self.seen) - 1]}

    def metric_names(self) -> tuple[str, ...]:
        return ("score",)


PATIENT = replace(RUN, steps=30, evaluate_every=2, monitor="score", patience=2)


@pytest.mark.parametrize(("monitor", "sign"), [("score", 1.0), ("-score", -1.0)])
def test_patience_ends_a_run_and_the_best_weights_are_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monitor: str, sign: float
) -> None:
    # Better, worse, better, as good, worse; then one look at the best, and none more at the last.
    system = Scripted(*(sign * score for score in (1.0, 0.5, 2.0, 2.0, 1.5, 7.0)))
    run = replace(PATIENT, monitor=monitor)
    metrics = fit(system, run, toy_directory(tmp_path))
    assert metrics["steps"] == 10 and metrics["score"] == sign * 7.0
    assert metrics["weights_step"] == 8
    assert load_weights(toy_directory(tmp_path).weights)[1]["step"] == "8"
    starts = [line.split()[0] for line in capsys.readouterr().err.splitlines()]
    assert starts[:8] == ["step", "2", "4", "6", "8", "10", "training", "8"]
    rows = read_metrics(toy_directory(tmp_path).metrics)
    steps = [row["step"] for row in rows if "evaluate/score" in row]
    assert steps == [2, 4, 6, 8, 10]
    for name, tensor in weights(tmp_path).items():
        assert torch.equal(tensor, system.seen[3][name])


@pytest.mark.parametrize("is_of_the_model", [True, False])
def test_best_weights_that_another_put_there_are_refused(
    tmp_path: Path, is_of_the_model: bool
) -> None:
    directory = toy_directory(tmp_path)

    class Overwritten(Scripted):
        def validate(self, model: nn.Module) -> dict[str, float]:
            if self.seen:  # its first weights are the best, and kept
                state = model.state_dict() if is_of_the_model else {"a": torch.zeros(1)}
                save_weights(directory.best_weights, state, {})
            return super().validate(model)

    with pytest.raises(ValueError, match="the best weights are not of this run"):
        fit(Overwritten(2.0, 1.0, 1.0), replace(PATIENT, patience=0, steps=5), directory)


@pytest.mark.parametrize(("monitor", "sign"), [("score", 1.0), ("-score", -1.0)])
def test_a_target_ends_a_run_when_an_evaluation_reaches_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monitor: str, sign: float
) -> None:
    system = Scripted(*(sign * score for score in (1.0, 1.9, 2.0)))
    run = replace(PATIENT, patience=0, monitor=monitor, target=sign * 2.0)
    metrics = fit(system, run, toy_directory(tmp_path))
    assert metrics["steps"] == 6 and metrics["score"] == sign * 2.0
    said = capsys.readouterr().err.splitlines()
    assert f"training has ended: score has reached {sign * 2:g}; evaluating" in said[-2]
    assert said[-1] == f"the weights are in {toy_directory(tmp_path).path}"


def test_the_last_weights_are_evaluated_once_where_they_are_the_best(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    system = Scripted(1.0, 2.0, 5.0)
    run = replace(PATIENT, patience=0, steps=5)
    metrics = fit(system, run, toy_directory(tmp_path))
    assert metrics["score"] == 5.0 and "weights_step" not in metrics
    rows = [" ".join(line.split()) for line in capsys.readouterr().err.splitlines()]
    said = "training has ended: all steps are done; evaluating the weights"
    assert rows[:5] == ["step score", "2 1", "4 2", said, "5 5"]
    for name, tensor in weights(tmp_path).items():
        assert torch.equal(tensor, system.seen[2][name])


class Unevaluated(Unvalidated, Toy):
    """A toy that is not evaluated."""


def test_no_evaluation_is_announced_where_there_is_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fit(Unevaluated(), replace(RUN, evaluate_every=0), toy_directory(tmp_path))
    said = ["training has ended: all steps are done", f"the weights are in {tmp_path}"]
    assert capsys.readouterr().err.splitlines() == said


class Counting(Toy):
    """Its batches depend on how many there were, which no step tells it."""

    def __init__(self) -> None:
        self.count = 0

    def before_batch(self, model: nn.Module, step: int) -> None:
        self.count += 1

    def loss(self, model: nn.Module, batch: Any) -> Loss:
        loss = super().loss(model, batch)
        return Loss(loss.total * (1 + 0.1 * self.count), loss.metrics)

    def state_dict(self) -> dict[str, Any]:
        return {"count": self.count}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.count = state["count"]


def test_what_a_system_remembers_is_in_its_checkpoints(tmp_path: Path) -> None:
    run = replace(RUN, schedule="constant")
    fit(Counting(), run, toy_directory(tmp_path / "whole"))
    parts = toy_directory(tmp_path / "parts")
    fit(Counting(), replace(run, steps=8), parts)
    fit(Counting(), run, parts, resume=True)
    assert read_lines(tmp_path / "whole" / "metrics.jsonl")[-2:] == read_lines(parts.metrics)[-2:]


def test_a_resumed_run_remembers_the_best(tmp_path: Path) -> None:
    fit(Scripted(5.0, 1.0, 0.0, 0.0), replace(PATIENT, steps=5), toy_directory(tmp_path))
    metrics = fit(Scripted(1.0, 0.0, 0.0), PATIENT, toy_directory(tmp_path), resume=True)
    assert metrics["steps"] == 6


def test_a_finished_run_with_more_steps_keeps_what_was_best_at_its_end(tmp_path: Path) -> None:
    directory, run = toy_directory(tmp_path), replace(PATIENT, patience=0)
    fit(Scripted(1.0, 2.0, 9.0), replace(run, steps=5), directory)
    system = Scripted(3.0, 4.0, 9.0)
    metrics = fit(system, replace(run, steps=8), directory, resume=True)
    assert metrics["weights_step"] == 5
    assert load_weights(directory.best_weights)[1]["step"] == "5"


class Terminated(Scripted):
    """It gets SIGTERM in its second step."""

    def before_batch(self, model: nn.Module, step: int) -> None:
        super().before_batch(model, step)
        if step == 1:
            signal.raise_signal(signal.SIGTERM)


def test_a_signal_saves_before_an_evaluation(tmp_path: Path) -> None:
    directory = toy_directory(tmp_path)
    seen = []

    class Slow(Terminated):
        def validate(self, model: nn.Module) -> dict[str, float]:
            seen.append([path.name for path in directory.checkpoints.iterdir()])
            return super().validate(model)

    with pytest.raises(KeyboardInterrupt):
        fit(Slow(1.0), PATIENT, directory)
    assert len(seen) == 1 and seen[0]


def test_an_evaluation_during_which_a_process_was_killed_comes_again(tmp_path: Path) -> None:
    class Killed(Terminated):
        def validate(self, model: nn.Module) -> dict[str, float]:
            raise RuntimeError("killed")

    run, directory = replace(PATIENT, patience=0, steps=5), toy_directory(tmp_path / "parts")
    with pytest.raises(RuntimeError, match="killed"):
        fit(Killed(), run, directory)
    scores = 3.0, 1.0, 2.0, 3.0
    system = Scripted(*scores)
    system.has_begun = True
    fit(system, run, directory, resume=True)
    whole = toy_directory(tmp_path / "whole")
    fit(Scripted(*scores), run, whole)

    def evaluated(directory: RunDirectory) -> list[tuple[int, float]]:
        rows = read_metrics(directory.metrics)
        return [(row["step"], row["evaluate/score"]) for row in rows if "evaluate/score" in row]

    assert evaluated(directory) == evaluated(whole) == [(2, 3.0), (4, 1.0), (5, 2.0)]


@pytest.mark.parametrize("monitor", ["blue", "-blue"])
def test_a_figure_that_is_not_there_is_refused_before_the_first_step(
    tmp_path: Path, monitor: str
) -> None:
    system = Scripted(1.0)
    path = tmp_path / "run"
    with pytest.raises(ValueError, match=f"monitor is '{monitor}'; the metrics are score"):
        fit(system, replace(PATIENT, monitor=monitor), toy_directory(path))
    assert not system.has_begun and not path.exists()


def test_a_step_takes_as_many_batches_as_it_accumulates(tmp_path: Path) -> None:
    """And a resumed run begins with the batch that is next."""
    taken: list[int] = []
    system = Watched(lambda model, step: taken.append(step))
    run = replace(RUN, accumulate=3, steps=2)
    fit(system, run, toy_directory(tmp_path))
    fit(system, replace(run, steps=3), toy_directory(tmp_path), resume=True)
    assert taken == list(range(9))


def test_gradients_are_clipped_and_their_length_logged(tmp_path: Path) -> None:
    lengths = []

    def measure(model: nn.Module, step: int) -> None:
        if step:
            gradients = [p.grad.flatten() for p in model.parameters() if p.grad is not None]
            lengths.append(torch.cat(gradients).norm().item())

    for clip_norm in (0.01, 0.0):
        run = replace(RUN, clip_norm=clip_norm, log_every=1)
        fit(Watched(measure), run, toy_directory(tmp_path / str(clip_norm)))
    assert lengths[:10] == pytest.approx([0.01] * 10, rel=1e-3)
    assert min(lengths[10:]) > 0.05
    lines = read_lines(tmp_path / "0.01/metrics.jsonl")
    assert all(line["train/gradient_norm"] > 0.05 for line in lines if "train/loss" in line)


@pytest.mark.parametrize(
    ("final_share", "expected"),
    [(0.0, [0.5, 0.4, 0.3, 0.2, 0.1]), (0.5, [0.5, 0.45, 0.4, 0.35, 0.3])],
)
def test_learning_rate_follows_the_schedule(
    tmp_path: Path, final_share: float, expected: list[float]
) -> None:
    run = RunConfig(
        steps=5,
        device="cpu",
        learning_rate=0.5,
        schedule="linear",
        final_share=final_share,
        warmup_steps=0,
        log_every=1,
    )
    fit(Toy(), run, toy_directory(tmp_path))
    lines = read_lines(tmp_path / "metrics.jsonl")
    rates = [line["loop/learning_rate"] for line in lines if "train/loss" in line]
    assert rates == pytest.approx(expected)


class Slow(Toy):
    """Takes 8 seconds for each of the first 4 steps, 16 for a later one, 80 for an evaluation."""

    now_s = 1000.0

    def before_batch(self, model: nn.Module, step: int) -> None:
        self.now_s += 8 if step < 4 else 16

    def validate(self, model: nn.Module) -> dict[str, float]:
        self.now_s += 80
        return super().validate(model)


@pytest.fixture
def slow_toy(monkeypatch: pytest.MonkeyPatch) -> Toy:
    """A slow toy, and a clock that nothing else moves."""
    toy = Slow()
    monkeypatch.setattr(loop, "clock_s", lambda device: toy.now_s)
    return toy


@pytest.mark.parametrize("warmup_steps", [0, 1000])
def test_minutes_end_a_run_its_schedule_and_its_warmup(
    tmp_path: Path, slow_toy: Toy, warmup_steps: int
) -> None:
    run = replace(
        RunConfig(minutes=0.5, device="cpu", learning_rate=1.0, schedule="linear", log_every=1),
        warmup_steps=warmup_steps,
    )
    metrics = fit(slow_toy, run, toy_directory(tmp_path))
    assert (metrics["steps"], metrics["elapsed_s"]) == (4, 32)  # the last step began at 24 s
    lines = [line for line in read_metrics(tmp_path / "metrics.jsonl") if "train/loss" in line]
    rates = [line["loop/learning_rate"] for line in lines]
    first = 1 / max(1, warmup_steps)  # a second step begins after more than a tenth
    assert rates == pytest.approx([first, 1 - 8 / 30, 1 - 16 / 30, 1 - 24 / 30])
    assert [line["loop/elapsed_s"] for line in lines] == [8, 16, 24, 32]


def test_steps_and_minutes_end_a_run_at_whichever_comes_first(
    tmp_path: Path, slow_toy: Toy
) -> None:
    for steps, minutes, expected in ((3, 0.5, 3), (7, 0.5, 4)):
        run = replace(RUN, steps=steps, minutes=minutes)
        assert fit(slow_toy, run, toy_directory(tmp_path / str(steps)))["steps"] == expected


def test_a_resumed_run_has_only_the_minutes_that_are_left(tmp_path: Path, slow_toy: Toy) -> None:
    run = replace(RUN, steps=None, minutes=0.5)
    ends = []
    for minutes, resume in ((0.5, False), (0.5, True), (0.75, True)):
        run = replace(run, minutes=minutes)
        metrics = fit(slow_toy, run, toy_directory(tmp_path), resume=resume)
        ends.append((metrics["steps"], metrics["elapsed_s"]))
    assert ends == [(4, 32), (4, 32), (5, 48)]
    # The second time it had finished, which is not recorded.
    assert [resumed["step"] for resumed in read_record(tmp_path)["resumed"]] == [4]


def test_evaluation_does_not_count_in_steps_per_second(tmp_path: Path, slow_toy: Toy) -> None:
    fit(slow_toy, replace(RUN, steps=7, evaluate_every=5), toy_directory(tmp_path))
    lines = [line for line in read_metrics(tmp_path / "metrics.jsonl") if "train/loss" in line]
    speeds = [(line["step"], line["loop/steps_per_s"]) for line in lines]
    assert speeds == [(1, 1 / 8), (2, 1 / 8), (3, 1 / 8), (6, 3 / 40), (7, 1 / 16)]


def test_checkpoints_come_by_the_clock_and_at_the_end(
    tmp_path: Path, slow_toy: Toy, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved = []
    monkeypatch.setattr(loop, "save_checkpoint", lambda folder, step, state: saved.append(step))
    run = replace(RUN, checkpoint_every_s=30.0, evaluate_every=0)
    fit(slow_toy, run, toy_directory(tmp_path))
    assert saved == [4, 6, 8, 10, 11]


class Seen(Toy):
    """Remembers the types that training and evaluation computed in."""

    def __init__(self) -> None:
        self.trained_in: set[torch.dtype] = set()
        self.evaluated_in: set[torch.dtype] = set()

    def loss(self, model: nn.Module, batch: Any) -> Loss:
        self.trained_in.add(model(batch[0]).dtype)
        return super().loss(model, batch)

    def validate(self, model: nn.Module) -> dict[str, float]:
        self.evaluated_in.add(model(torch.ones(3, 5)).dtype)
        return super().validate(model)


@pytest.mark.parametrize(
    ("precision", "dtype"),
    [("auto", torch.float32), ("fp32", torch.float32), ("bf16", torch.bfloat16)],
)
def test_precision_is_of_training_alone(tmp_path: Path, precision: Any, dtype: torch.dtype) -> None:
    system = Seen()
    fit(system, replace(RUN, precision=precision), toy_directory(tmp_path))
    assert system.trained_in == {dtype} and system.evaluated_in == {torch.float32}
    assert {tensor.dtype for tensor in weights(tmp_path).values()} == {torch.float32}


def test_a_loss_that_is_not_finite_ends_the_run(tmp_path: Path) -> None:
    def spoil(model: nn.Module, step: int) -> None:
        if step == 4:
            nn.init.constant_(next(model.parameters()), float("nan"))

    run = replace(RUN, evaluate_every=0, checkpoint_every_s=1e9)
    with pytest.raises(ValueError, match=r"^the loss is nan at step 6; training ends$"):
        fit(Watched(spoil), run, toy_directory(tmp_path))
    assert not (tmp_path / "weights.safetensors").exists()


def test_there_must_be_something_to_resume(tmp_path: Path) -> None:
    message = r"holds no run \(no config.json\); start it without resuming$"
    with pytest.raises(FileNotFoundError, match=message):
        fit(Toy(), RUN, toy_directory(tmp_path), resume=True)
    fit(Toy(), RUN, toy_directory(tmp_path))
    for checkpoint in (tmp_path / "checkpoints").iterdir():
        checkpoint.unlink()
    message = r"checkpoints: no checkpoint to go on from, and the run had finished$"
    with pytest.raises(FileNotFoundError, match=message):
        fit(Toy(), RUN, toy_directory(tmp_path), resume=True)


def test_cuda_must_be_there_to_be_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    message = r"^device cuda was asked for, but torch finds no CUDA device$"
    with pytest.raises(ValueError, match=message):
        fit(Toy(), replace(RUN, device="cuda"), toy_directory(tmp_path))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.gpu
@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_training_on_the_gpu_resumes(tmp_path: Path, precision: Any) -> None:
    def fall(model: nn.Module, step: int) -> None:
        assert next(model.parameters()).is_cuda
        if step == 7:
            raise MemoryError("killed")

    run = replace(RUN, device="cuda", precision=precision)
    with pytest.raises(MemoryError):
        fit(OnDevice(fall), run, toy_directory(tmp_path / "resumed"))
    quiet = OnDevice(lambda model, step: None)
    resumed = fit(quiet, run, toy_directory(tmp_path / "resumed"), resume=True)
    straight = fit(quiet, run, toy_directory(tmp_path / "straight"))
    assert resumed["train_loss"] == pytest.approx(straight["train_loss"], rel=1e-3)


class OnDevice(Watched):
    """The same examples, on the model's device."""

    def loss(self, model: nn.Module, batch: Any) -> Loss:
        device = next(model.parameters()).device
        return super().loss(model, tuple(part.to(device) for part in batch))

    def validate(self, model: nn.Module) -> dict[str, float]:
        return super().validate(copy.deepcopy(model).cpu())
