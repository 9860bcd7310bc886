"""Evaluates a GPT: its loss on held-out text, or the share of a task's problems it solves.

Two metrics of a text are in use. ``validation_nats`` is over all of it: windows of the model's
context side by side, so that each token but the first is predicted once, from those before it in
its window. ``estimate_nats`` is what nanoGPT prints: the mean over random batches of windows.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Annotated

import numpy as np
import torch
from jaxtyping import Int64
from torch import Tensor
from torch.nn import functional

from tokoban.systems.gpt import tasks
from tokoban.systems.gpt.config import GptConfig
from tokoban.systems.gpt.corpus import Corpus, parts_of, validation_tokens
from tokoban.systems.gpt.dataset import Batch, all_windows, random_windows
from tokoban.systems.gpt.generate import generate
from tokoban.systems.gpt.model import Gpt
from tokoban.systems.gpt.texts import tokenizer_of
from tokoban.text.characters import CharacterTokenizer
from tokoban.training import processes
from tokoban.training.config import Reads, check_limits
from tokoban.training.limits import Between
from tokoban.training.spec import Trained

NUM_ESTIMATE_BATCHES = 200  # nanoGPT's eval_iters
ESTIMATE_BATCH = 12  # windows, as in nanoGPT's recipe for a CPU

_ESTIMATE_SEED = 20_240_101  # of batches that no training samples
_BATCH_TOKENS = 4096
_MOST_PROBLEMS = 10_000  # of a task; if there are more, so many are sampled
_BATCH_PROBLEMS = 500


def validate(model: Gpt, corpus: Corpus | None, config: GptConfig) -> dict[str, float]:
    """The metrics of a model under way, on the validation text or on its task."""
    if corpus is not None:
        return evaluate_text(model, corpus.validation)
    assert config.task is not None
    return evaluate_task(model, config.task, num_digits=config.num_digits)


def metric_names(corpus: Corpus | None, config: GptConfig) -> tuple[str, ...]:
    """The names of the metrics of ``validate``."""
    if corpus is None:
        return ("problems", "right", "right_share", "held_out", "held_out_right")
    drawn = ("estimate_nats",) if len(corpus.validation) > config.context_length + 1 else ()
    return ("predictions", "validation_nats", *drawn)


def evaluate_text(model: Gpt, text: Int64[Tensor, "length"]) -> dict[str, float]:
    """Both metrics of a text in nats per token; each process measures its share of the windows."""
    text = text.to(model.embedding.weight.device)
    window = min(model.context_length, len(text) - 1)
    rank, world_size = processes.rank(), processes.world_size()
    windows = all_windows(text, window, batch_size=max(1, _BATCH_TOKENS // window))
    total = sum(_nats(model, batch) for batch in islice(windows, rank, None, world_size))
    nats = processes.sum_over_processes({"nats": total})["nats"]
    metrics = {"predictions": float(len(text) - 1), "validation_nats": nats / (len(text) - 1)}
    if len(text) > window + 1:
        drawn = random_windows(text, window, batch_size=ESTIMATE_BATCH, seed=_ESTIMATE_SEED)
        batches = islice(drawn, NUM_ESTIMATE_BATCHES)
        losses = [_nats(model, batch) / batch.targets.numel() for batch in batches]
        metrics["estimate_nats"] = sum(losses) / len(losses)
    return metrics


def _nats(model: Gpt, batch: Batch) -> float:
    with torch.inference_mode():
        logits = model(batch.tokens).flatten(0, 1).float()
        return functional.cross_entropy(logits, batch.targets.flatten(), reduction="sum").item()


def evaluate_task(model: Gpt, task: tasks.Task, *, num_digits: int) -> dict[str, float]:
    """How many of a task's problems the most probable answer is right for, and of those held out.

    All of them are asked where there are not too many; if there are, as many are sampled.
    """
    total = tasks.num_problems(task, num_digits)
    if total <= _MOST_PROBLEMS:
        numbers = list(range(total))
    else:
        numbers = np.random.default_rng(0).integers(total, size=_MOST_PROBLEMS).tolist()
    problems = [tasks.problem(task, number, num_digits=num_digits) for number in numbers]
    is_right = _are_right(model, tasks.tokenizer_of(task), problems)
    held_out = [
        right for right, number in zip(is_right, numbers, strict=True) if tasks.is_held_out(number)
    ]
    metrics = {
        "problems": len(numbers),
        "right": sum(is_right),
        "right_share": sum(is_right) / len(numbers),
        "held_out": len(held_out),
        "held_out_right": sum(held_out),
    }
    return {name: float(value) for name, value in metrics.items()}


def _are_right(
    model: Gpt, tokenizer: CharacterTokenizer, problems: Sequence[tasks.Problem]
) -> list[bool]:
    is_right: list[bool] = []
    for start in range(0, len(problems), _BATCH_PROBLEMS):
        batch = problems[start : start + _BATCH_PROBLEMS]
        questions = tokenizer.encode_many([each.question for each in batch])
        found = generate(model, questions, max_tokens=len(batch[0].answer)).actions.tolist()
        answers = [tokenizer.decode(each) for each in found]
        is_right += [a == each.answer for a, each in zip(answers, batch, strict=True)]
    return is_right


@dataclass(frozen=True, kw_only=True)
class GptEvaluation:
    """The text to evaluate on."""

    text: Annotated[tuple[str, ...], Reads()] = ()  # the text to measure on, plain or .gz, the end
    # of it as with the training's own (default: the text of the training)
    validation_share: Annotated[float | None, Between(above=0, most=1)] = None  # of the text, its
    # end, to measure on; 1 is all (default: as in the training)

    def __post_init__(self) -> None:
        check_limits(self)


def evaluate(
    trained: Trained[GptConfig, Gpt], options: GptEvaluation
) -> dict[str, int | float | str]:
    """The metrics, and what they must be compared by: ``parameters`` and ``context_length``.

    ``validation_nats`` is the mean loss of a token over all ``predictions`` in the text,
    ``validation_bits_per_character`` the same by character; ``estimate_nats`` is what nanoGPT
    prints, a mean over random windows. On a task, ``right`` of ``problems`` are answered
    correctly, and ``held_out_right`` of the ``held_out`` problems that training never uses.
    """
    model, config, share = trained.model, trained.config, options.validation_share
    metrics: dict[str, int | float | str] = {
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "context_length": model.context_length,
    }
    if config.task is not None:
        if options.text or share is not None:
            raise ValueError(f"these weights learned the task {config.task}, and no text")
        return metrics | evaluate_task(model, config.task, num_digits=config.num_digits)
    if options.text:
        config = replace(config, source="files", text=options.text)
    elif missing := [file for file in config.text if not Path(file).exists()]:
        where = "--text names where it lies, or another text"
        raise ValueError(f"{missing[0]}: the text of the training is not here; {where}")
    share = config.validation_share if share is None else share
    _, text = parts_of(config, validation_share=share)
    tokenizer = tokenizer_of(model)
    tokens = validation_tokens(tokenizer, text)
    measured = evaluate_text(model, tokens)
    bits = measured["validation_nats"] * (len(tokens) - 1) / math.log(2)
    num_characters = len(tokenizer.decode(tokens[1:].tolist()))
    return metrics | measured | {"validation_bits_per_character": bits / num_characters}
