"""Target tokens a CPU second of training the translator, preset ``tiny``, on one thread.

Torch's dropout and cross entropy beside ours, each way in its turn in every round, in seconds of
the processor: the median of the rounds. All tokens are drawn, none is padding; bf16 in the step,
as the shipped weights were trained. Torch's own of both is the baseline, "posted".
"""

import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from statistics import median
from unittest.mock import patch

import torch
from torch import Tensor, nn
from torch.nn import functional

from benchmarks.harness import Report, in_turns, parser
from tokoban.cli.parser import whole
from tokoban.systems.translation import train
from tokoban.systems.translation.config import TranslationConfig, tiny
from tokoban.systems.translation.dataset import Batch
from tokoban.systems.translation.spec import SPEC
from tokoban.text.bpe import BOS, SMALLEST_VOCABULARY
from tokoban.training.allocator import keep_freed_memory
from tokoban.training.state import initial_state
from tokoban.transformer.dropout import Dropout

BASELINE = "torch's dropout and cross entropy"


def torch_cross_entropy(
    logits: Tensor, targets: Tensor, *, ignore_index: int, label_smoothing: float
) -> Tensor:
    """As ours, of all rows at once."""
    return functional.cross_entropy(
        logits.float(), targets, ignore_index=ignore_index, label_smoothing=label_smoothing
    )


# What of torch's stands in the place of ours: object, name, and what it is then.
_DROPOUT = (Dropout, "forward", nn.Dropout.forward)
_LOSS = (train, "cross_entropy", torch_cross_entropy)
WAYS = {
    BASELINE: (_DROPOUT, _LOSS),
    "our dropout, torch's cross entropy": (_LOSS,),
    "torch's dropout, our cross entropy": (_DROPOUT,),
    "both ours": (),
}


def drawn_batch(num_pairs: int, length: int, vocabulary_size: int) -> Batch:
    """Tokens by seed, none of them padding."""
    generator = torch.Generator().manual_seed(0)
    shape = 3, num_pairs, length
    source, shown, wanted = torch.randint(
        SMALLEST_VOCABULARY, vocabulary_size, shape, generator=generator
    )
    shown[:, 0] = BOS
    return Batch(source, shown, wanted)


def step_function(config: TranslationConfig, batch: Batch) -> Callable[[], None]:
    """One update of the weights as the loop makes it."""
    system = train.make_system(replace(config, num_examples=100, num_validation=2))
    model = system.initial_model().train()
    optimizer = initial_state(model, SPEC.presets["tiny"].run).optimizer

    def step() -> None:
        with torch.autocast("cpu", torch.bfloat16):
            loss = system.loss(model, batch).total
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()

    return step


def step_by(step: Callable[[], None], way: str) -> None:
    """A step by one of ``WAYS``."""
    with ExitStack() as stack:
        for place, name, other in WAYS[way]:
            stack.enter_context(patch.object(place, name, other))
        step()


def main(argv: Sequence[str] | None = None) -> int:
    """Answers 0 once all rows are measured."""
    options = parser(__doc__, num_threads=1, is_of_cpu=True)
    options.add_argument("--rounds", type=whole(1), default=7, metavar="N")
    arguments = options.parse_args(argv)
    report = Report(arguments, unit="tokens", posted=(BASELINE,))
    keep_freed_memory()
    num_pairs, length, num_steps = (8, 5, 1) if arguments.quick else (128, 16, 10)
    step = step_function(tiny(), drawn_batch(num_pairs, length, tiny().vocabulary_size))
    ways = {way: partial(step_by, step, way) for way in WAYS}
    rounds = 1 if arguments.quick else arguments.rounds
    all_s = in_turns(ways, report.device, rounds=rounds, calls=num_steps)
    for way, found in all_s.items():
        report.add(way, batch=num_pairs, per_second=num_pairs * length / median(found))
    report.finish()
    return 0


if __name__ == "__main__":
    sys.exit(main())
