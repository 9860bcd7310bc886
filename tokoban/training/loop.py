"""The training loop of every system; all it knows of a system is ``training.system.System``."""

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from tokoban.training import processes
from tokoban.training.allocator import keep_freed_memory
from tokoban.training.checkpoint import (
    checkpoints,
    load_newest_checkpoint,
    load_weights,
    save_checkpoint,
)
from tokoban.training.config import from_dict
from tokoban.training.display import Display
from tokoban.training.gradients import set_gradients
from tokoban.training.interruption import interruptible
from tokoban.training.metrics import clock_s
from tokoban.training.optimizer import schedule_factor, set_learning_rate
from tokoban.training.run_config import RunConfig
from tokoban.training.run_directory import RunDirectory, last_run
from tokoban.training.snapshots import Snapshots, mean_weights, step_of
from tokoban.training.state import (
    TrainingState,
    initial_state,
    plain,
    random_state,
    seed_all,
    set_random_state,
)
from tokoban.training.system import AnySystem, Stateful, to_device
from tokoban.training.untrusted import are_numbers, refused_if_unfit


def fit(
    system: AnySystem,
    run: RunConfig,
    directory: RunDirectory,
    *,
    resume: bool = False,
    start: Mapping[str, Tensor] | None = None,
    plot: Callable[[RunDirectory], None] | None = None,
) -> dict[str, float]:
    """Trains a model of ``system`` and returns its final metrics, which result.json holds too.

    It begins with the weights ``start``, a model's state, or with random ones where there is none.
    The main process calls ``plot`` at the end, before it writes result.json.
    On the CPU a resumed run logs what an uninterrupted one would have; one without a checkpoint yet
    begins again, and one that has finished changes nothing. Evaluation is in fp32, whatever the
    precision of training. After SIGINT or SIGTERM a checkpoint is saved and KeyboardInterrupt
    raised. BlockingIOError where another process trains in ``directory``. ValueError when the loss
    or a weight is no longer finite, when ``directory`` holds a run and ``resume`` is False, when
    what it holds is another run or one of other tokens or classes, when ``start`` is of another
    model, and when the evaluation has no metric that ``run`` watches.
    """
    # By every process, before they wait for each other: none may go on alone.
    _check_monitor(system, run)
    if resume:
        directory.check_record()
    else:
        directory.check_is_new()
    device = processes.join(run.device)
    if device.type == "cpu":
        keep_freed_memory()
    seed_all(run.seed)  # equal weights in every process
    model = system.initial_model()
    if start is not None:
        _begin_with(model, start)
    state = initial_state(model.to(device), run)
    model = processes.distribute(state.model, device)

    is_main = processes.rank() == 0
    with directory.locked() if is_main else nullcontext():
        has_checkpoint = resume and bool(checkpoints(directory.checkpoints))
        if resume and not has_checkpoint and directory.result.exists():
            raise FileNotFoundError(
                f"{directory.checkpoints}: no checkpoint to go on from, and the run had finished"
            )
        if has_checkpoint:
            _load(load_newest_checkpoint(directory.checkpoints), system, state, directory)
        else:
            seed_all(run.seed * processes.world_size() + processes.rank())  # different dropout
        before = random_state()
        display = Display(directory.system, is_shown=is_main)
        if has_checkpoint and _end_reason(run, state):
            result = directory.read_result() if directory.weights.exists() else None
            [is_finished] = processes.from_main_process([float(result is not None)])
            if is_finished and result is not None:
                last = from_dict(RunConfig, last_run(directory.check_record()))
                without = [name for name, new in vars(run).items() if new != getattr(last, name)]
                ending = f"; without effect: {', '.join(without)}" if without else ""
                display.say(f"{directory.path} holds a finished run; nothing was changed{ending}")
                return result
        if resume and not has_checkpoint:
            display.say(f"{directory.path} has no checkpoint yet; the run begins again")
        training = _Training(system, run, directory, state, model, display, is_main)
        if is_main and resume:
            # An evaluation that is due, and was made after the last checkpoint, is made again.
            is_due = training.is_evaluation_due() or _end_reason(run, state)
            known = int(state.evaluated_at == state.step) if is_due else None
            directory.restart(run, state.device, step=state.step, num_evaluations=known)
        elif is_main:
            directory.start(run, state.device)
        with closing(directory), display:
            # What was imported meanwhile may have drawn numbers: rich does, at its first import.
            set_random_state(before)
            training.fit()
            return training.finish(plot)


def _load(
    checkpoint: dict[str, Any], system: AnySystem, state: TrainingState, directory: RunDirectory
) -> None:
    with refused_if_unfit("the checkpoint is not of this run"):
        kept = _kept_beside(checkpoint["model"])
    if _kept_beside(state.model.state_dict()) != kept:
        raise ValueError(
            f"{directory.path}: its text or its classes have changed since the run began; "
            "it goes on with those that it began with alone"
        )
    state.load_state_dict(checkpoint)
    if isinstance(system, Stateful):
        with refused_if_unfit("the checkpoint is not of this system"):
            system.load_state_dict(checkpoint["system"][processes.rank()])


def _kept_beside(state: Mapping[str, Tensor]) -> dict[str, list[int]]:
    """State saved with the weights but not trained, such as a tokenizer."""
    return {name: value.tolist() for name, value in state.items() if name.endswith("_extra_state")}


@dataclass
class _Training:
    """One run under way: its parts, and what is done with them."""

    system: AnySystem
    run: RunConfig
    directory: RunDirectory
    state: TrainingState
    model: nn.Module  # the state's, distributed and compiled
    display: Display
    is_main: bool
    timed_step: int = 0  # the last logged one, and the clock then, for steps per second
    timed_s: float = 0.0

    def fit(self) -> None:
        """Takes steps until the run is over; then, or when interrupted, saves."""
        state, run = self.state, self.run
        first_batch = state.step * run.accumulate
        drawn = self.system.train_batches(state.model, start_step=first_batch)
        batches = (to_device(batch, state.device) for batch in drawn)
        state.model.train()
        if self.is_evaluation_due() and state.evaluated_at != state.step:
            self.evaluate_and_keep()  # the process before was killed during its evaluation
        started_s = clock_s(state.device) - state.elapsed_s
        saved_s = state.elapsed_s
        self.timed_step, self.timed_s = state.step, clock_s(state.device)
        with interruptible() as was_interrupted:
            while not _end_reason(run, state):
                self.step(batches)
                # Shared, since schedule and checkpoints follow the clock: no process may differ.
                elapsed_s = clock_s(torch.device("cpu")) - started_s  # not waiting for the GPU
                mine = [elapsed_s, float(was_interrupted())]
                state.elapsed_s, is_interrupted = processes.from_main_process(mine)
                self.display.advance(self.progress(), step=state.step)
                if _is_logged(state.step, run.log_every):
                    self.log()
                if is_interrupted and self.is_evaluation_due():
                    self.save()  # the process may be killed before a long evaluation ends
                self.evaluate_and_keep()
                if is_interrupted or state.elapsed_s - saved_s >= run.checkpoint_every_s:
                    self.save()
                    saved_s = state.elapsed_s
                if is_interrupted:
                    self.display.say(
                        f"stopped at step {state.step}; --resume goes on from {self.directory.path}"
                    )
                    raise KeyboardInterrupt
        self.log()
        self.save()

    def is_evaluation_due(self) -> bool:
        """Whether the weights of this step are to be evaluated; finish() does the last ones."""
        every, step = self.run.evaluate_every, self.state.step
        return bool(step and every and step % every == 0) and not _end_reason(self.run, self.state)

    def evaluate_and_keep(self) -> None:
        """What ``evaluate_every`` and ``keep_every`` ask for after this step."""
        if self.is_evaluation_due():
            self.watch(self.validate())
        if self.run.keep_every and self.state.step % self.run.keep_every == 0:
            self.keep()

    def step(self, batches: Iterator[Any]) -> None:
        """One update of the weights; waits for nothing on the device."""
        state, run = self.state, self.run
        learning_rate = self.learning_rate()
        set_learning_rate(state.optimizer, learning_rate)
        metrics = set_gradients(
            self.system,
            self.model,
            batches,
            num_batches=run.accumulate,
            uses_bf16=_uses_bf16(run, state.device),
        )
        if run.clip_norm:
            parameters = state.model.parameters()
            metrics["gradient_norm"] = nn.utils.clip_grad_norm_(parameters, run.clip_norm)
        state.optimizer.step()
        if state.average is not None:
            state.average.update_parameters(state.model)
        state.metrics.add(metrics)
        state.step += 1

    def log(self) -> None:
        """The means since the last line, over all processes, if there was a step since."""
        state = self.state
        sums = processes.sum_over_processes(state.metrics.take())
        if not sums:
            return
        means = {f"train/{name}": total / processes.world_size() for name, total in sums.items()}
        state.last_loss = means["train/loss"]
        if not math.isfinite(state.last_loss):
            raise ValueError(f"the loss is {state.last_loss} at step {state.step}; training ends")
        now_s = clock_s(state.device)
        steps_per_s = (state.step - self.timed_step) / max(now_s - self.timed_s, 1e-9)
        self.timed_step, self.timed_s = state.step, now_s
        self.display.measured(loss=state.last_loss, steps_per_s=steps_per_s)
        if self.is_main:
            loop_metrics = {
                "loop/learning_rate": state.optimizer.param_groups[0]["lr"],
                "loop/steps_per_s": steps_per_s,
                "loop/elapsed_s": state.elapsed_s,
            }
            self.directory.log(state.step, means | loop_metrics)

    def validate(self, *, weights_step: int | None = None) -> dict[str, int | float]:
        """The system's metrics, logged; training is not affected: its random state is restored.

        The same weights are evaluated once. Those of an earlier ``weights_step`` are in the log.
        """
        state = self.state
        if state.evaluated_at == state.step:
            return state.evaluation
        self.check_weights()
        before = random_state()
        state.result.eval()
        with self.untimed(), torch.no_grad():
            found = self.system.validate(state.result)
        state.result.train()
        set_random_state(before)
        metrics = {name: plain(x) for name, x in found.items()}
        if self.is_main and weights_step in (None, state.step):
            named = {f"evaluate/{name}": value for name, value in metrics.items()}
            self.directory.log(state.step, named)
        if metrics:
            self.display.say_metrics(weights_step or state.step, metrics)
        state.evaluation, state.evaluated_at = metrics, state.step
        return metrics

    def check_weights(self) -> None:
        """ValueError for weights that are no numbers: they are neither evaluated nor saved."""
        state = self.state
        if not (are_numbers(state.model) and are_numbers(state.result)):
            raise ValueError(
                f"weights are NaN or infinite at step {state.step}; training ends without saving "
                "them"
            )

    def watch(self, metrics: dict[str, int | float]) -> bool:
        """Keeps the weights if none so far were better, else counts; answers which.

        Without a monitored metric the newest are as good as any.
        """
        state = self.state
        if not self.run.monitor:
            return True
        value = _worth(self.run, metrics[_monitored_metric(self.run)])
        is_better = value > state.best
        state.num_without_better = 0 if is_better else state.num_without_better + 1
        is_best = is_better or value == state.best
        if is_best:
            state.best = value
            if self.is_main:
                self.directory.save_weights(state.result, step=state.step, is_best=True)
        return is_best

    def keep(self) -> None:
        """The weights as evaluation would see them now stay in the run's folder."""
        self.check_weights()
        if self.is_main:
            step, weights = self.state.step, self.state.result.state_dict()
            self.snapshots.take(weights, step=step, metadata=self.directory.metadata(step))

    @property
    def snapshots(self) -> Snapshots:
        return Snapshots(self.directory.kept, num_kept=self.run.average_last or None)

    def choose_weights(self) -> int:
        """The mean of the snapshots, or the weights that were best, become the model's.

        Returns the step that they are of.
        """
        run, state = self.run, self.state
        step = state.step
        if not (run.average_last or run.monitor):
            return step
        if not run.average_last:
            was_watched = state.evaluated_at == step
            metrics = self.validate()
            if was_watched:
                is_best = _worth(run, metrics[_monitored_metric(run)]) == state.best
            else:
                # For a run that is given more steps: what was best, without counting this end.
                counted = state.num_without_better
                is_best = self.watch(metrics)
                state.num_without_better = min(counted, state.num_without_better)
                self.save()
            if is_best:
                return step
        if self.is_main:
            if run.average_last:
                # Later ones are of a process that was killed before its next checkpoint.
                reached = [path for path in self.snapshots.paths() if step_of(path) <= step]
                if paths := reached[: run.average_last]:
                    state.model.load_state_dict(mean_weights(paths))
            elif self.directory.best_weights.exists():
                best, metadata = load_weights(self.directory.best_weights)
                with refused_if_unfit("the best weights are not of this run"):
                    state.result.load_state_dict(best)
                    step = int(metadata["step"])
            self.directory.save_weights(state.result, step=step)
        model = state.result
        processes.copy_from_main_process([*model.parameters(), *model.buffers()])
        state.evaluated_at = None
        return int(processes.from_main_process([float(step)])[0])

    def save(self) -> None:
        """A checkpoint, and the weights as they are now."""
        self.check_weights()
        state = self.state
        checkpoint = state.state_dict()
        if isinstance(self.system, Stateful):
            checkpoint["system"] = processes.gather_objects(self.system.state_dict())
        if self.is_main:
            with self.untimed():
                # First, so that where there is a checkpoint there are weights as well.
                self.directory.save_weights(state.result, step=state.step)
                save_checkpoint(self.directory.checkpoints, state.step, checkpoint)
        set_random_state(checkpoint["random"][processes.rank()])  # as if it were resumed here

    def finish(self, plot: Callable[[RunDirectory], None] | None) -> dict[str, float]:
        """Chooses the weights, evaluates them, plots the run and writes result.json.

        Where they are of an earlier step, it is the metric ``weights_step``.
        """
        state = self.state
        reason = _end_reason(self.run, state)
        then = "; evaluating the weights" if self.system.metric_names() else ""
        self.display.say(f"training has ended: {reason}{then}")
        step = self.choose_weights()
        metrics = {
            "steps": state.step,
            **({"weights_step": step} if step != state.step else {}),
            "elapsed_s": state.elapsed_s,
            "train_loss": state.last_loss,
        } | self.validate(weights_step=step)
        if self.is_main:
            if plot is not None:
                plot(self.directory)
            self.directory.write_result(metrics)  # last: a run that has it is finished
            self.display.say(f"the weights are in {self.directory.path}")
        return {name: float(value) for name, value in metrics.items()}

    def progress(self) -> float:
        """The share of the run that is over, 0 to 1: of its steps, else of its minutes."""
        run, state = self.run, self.state
        if run.steps is not None:
            return min(1.0, state.step / run.steps)
        assert run.minutes is not None
        return min(1.0, state.elapsed_s / (60 * run.minutes))

    def learning_rate(self) -> float:
        """The learning rate of the next step."""
        run = self.run
        factor = schedule_factor(
            run.schedule,
            self.state.step,
            self.progress(),
            warmup_steps=run.warmup_steps,
            final_share=run.final_share,
            is_by_clock=run.steps is None,
        )
        return run.learning_rate * factor

    @contextmanager
    def untimed(self) -> Iterator[None]:
        """Leaves what is done within it out of the steps per second."""
        began_s = clock_s(self.state.device)
        yield
        self.timed_s += clock_s(self.state.device) - began_s


def _begin_with(model: nn.Module, start: Mapping[str, Tensor]) -> None:
    try:
        model.load_state_dict(start)
    except RuntimeError as error:
        # The first line says no more than that something is wrong.
        reason = " ".join(line.strip() for line in str(error).splitlines()[1:2])
        raise ValueError(
            f"the weights to start from are of another model ({reason.rstrip('. ')})"
        ) from None


def _check_monitor(system: AnySystem, run: RunConfig) -> None:
    """ValueError where the evaluation lacks the monitored metric."""
    names = system.metric_names()
    if run.monitor and _monitored_metric(run) not in names:
        known = ", ".join(names) or "none"
        raise ValueError(f"monitor is {run.monitor!r}; the metrics are {known}")


def _monitored_metric(run: RunConfig) -> str:
    """The name of the monitored metric."""
    return run.monitor.removeprefix("-")


def _end_reason(run: RunConfig, state: TrainingState) -> str:
    """Why training ends now: its patience, target, minutes or steps; empty while it goes on."""
    if run.patience and state.num_without_better >= run.patience:
        return f"{run.patience} evaluations brought nothing better"
    if run.target is not None and state.best >= _worth(run, run.target):
        return f"{_monitored_metric(run)} has reached {run.target:g}"
    if run.minutes is not None and state.elapsed_s >= 60 * run.minutes:
        return f"{run.minutes:g} minutes have passed"
    return "all steps are done" if run.steps is not None and state.step >= run.steps else ""


def _worth(run: RunConfig, metric: float) -> float:
    """A value of the monitored metric, negated where less is better."""
    return -metric if run.monitor.startswith("-") else metric


def _is_logged(step: int, log_every: int) -> bool:
    """Whether ``step`` ends a line: besides every so many, 1, 2, 4, 8, ... before the first."""
    # The curves have a logarithmic axis, on which half of a run may lie before its 50th step.
    is_power_of_two = step & (step - 1) == 0
    return step % log_every == 0 or (step < log_every and is_power_of_two)


def _uses_bf16(run: RunConfig, device: torch.device) -> bool:
    return run.precision == "bf16" or (run.precision == "auto" and device.type == "cuda")
