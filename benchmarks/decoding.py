"""Target tokens a second of translation on the CPU: ours, ours without a cache, and CTranslate2's.

All ways have the same weights, sentences, beam and batches, in float32 unless a row says otherwise.
They are timed in turn, a round after the other, in seconds of the processor, so that each of a
round meets the same machine; ratios are medians over the rounds. "No cache" reads all tokens so far
for each new one, but reads the source once and projects the last position alone; "nothing kept" is
the whole translator anew for each token. Both have our search, by torch's own products.

With `--parity N` nothing is timed: N sentences are translated by CTranslate2 and by us with one
penalty, CTranslate2's: score / n^A of the n tokens with the end. Of two that differ we score both;
they are explained if the scores are within `CLOSE_NATS`. Exits with 1 if any is not.
"""

import argparse
import copy
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any, get_args
from unittest import mock

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from benchmarks.ctranslate2_model import convert, token_names
from benchmarks.harness import Report, in_turns, parser
from tokoban import pretrained
from tokoban.cli.parser import whole
from tokoban.inference.engine import Engine
from tokoban.inference.plain import PlainEngine, PlainRows
from tokoban.systems.translation import number_words
from tokoban.systems.translation import translate as translate_module
from tokoban.systems.translation.config import base
from tokoban.systems.translation.engine import Precision, network_of, prepare_for_inference
from tokoban.systems.translation.model import Translator
from tokoban.systems.translation.pairs import read_lines, tidy
from tokoban.systems.translation.texts import tokenizer_of
from tokoban.systems.translation.train import build_model
from tokoban.systems.translation.translate import translate
from tokoban.text.bpe import BOS, EOS

CTRANSLATE2, NO_CACHE, NOTHING_KEPT = "CTranslate2", "no cache", "nothing kept"
BASELINES = CTRANSLATE2, NO_CACHE, NOTHING_KEPT
CLOSE_NATS = 1e-4  # far above what rounding changes, far below what most choices are won by
DRAWN_LENGTH = 32  # tokens of each drawn source, and of what is said to it, with their ends

Tokens = list[list[int]]  # of each sentence, without specials
Way = Callable[[], Tokens]


class _NothingKept(PlainRows):
    """Reads the source again at every step, too, and projects all positions."""

    def __init__(self, model: Translator, prompts: Tokens, **options: Any) -> None:
        self.model, width = model, options["width"]
        self.sources = pad_sequence([torch.tensor(row) for row in prompts], batch_first=True)
        self.sources = self.sources.repeat_interleave(width, dim=0)
        super().__init__(network_of(model), prompts, **options)

    def step(self, parents: Tensor | None) -> Callable[[Tensor], Tensor]:
        if parents is not None:
            self.sources = self.sources[parents]
        return super().step(parents)

    def _read(self) -> Tensor:
        return self.model(self.sources, torch.stack(self.inputs))[:, -1].contiguous()


class _NothingKeptEngine(PlainEngine):
    """The engine of such rows."""

    def __init__(self, model: Translator) -> None:
        super().__init__(network_of(model))
        self.model = model

    def read(self, prompts: Any, *, width: int = 1, max_length: int | None = None) -> PlainRows:
        return _NothingKept(self.model, prompts, width=width, max_length=max_length)


def translated(
    model: Translator,
    sources: Tokens,
    engine: Engine | None,
    *,
    beam: int,
    batch: int,
    max_length: int | None,
) -> Tokens:
    """By ``translate``; a batch's sentences are of like length."""
    found = translate(
        model,
        sources,
        engine=engine,
        beam=beam,
        length_penalty=0.0,
        batch_size=batch,
        max_length=max_length,
    )
    return [best.tokens for best, *_ in found]


class Contest:
    """One model and its sentences, and all ways to translate them."""

    def __init__(self, model: Translator, sources: Tokens, max_length: int | None) -> None:
        self.model, self.sources, self.max_length = model.float(), sources, max_length
        self.names = token_names(model)
        self.numbers = {name: number for number, name in enumerate(self.names)}

    def ours(self, engine: Engine | None, beam: int, batch: int) -> Tokens:
        """By ``translate``."""
        return translated(
            self.model, self.sources, engine, beam=beam, batch=batch, max_length=self.max_length
        )

    def theirs(self, translator: Any, beam: int, batch: int, **options: Any) -> Tokens:
        """By CTranslate2, which sorts the sentences by length, too."""
        words = [[self.names[token] for token in source] for source in self.sources]
        if self.max_length is not None:
            options["max_decoding_length"] = self.max_length - 1
        usual = {"length_penalty": 0.0}
        found = translator.translate_batch(
            words, beam_size=beam, max_batch_size=batch, **usual | options
        )
        return [[self.numbers[word] for word in each.hypotheses[0]] for each in found]

    def ways(self, beam: int, batch: int, *, with_slow: bool) -> Iterator[tuple[str, Way]]:
        """Each with its name; CTranslate2 only where it is installed."""
        if find_spec("ctranslate2") is not None:
            yield CTRANSLATE2, partial(self.theirs, self.translator(), beam, batch)
        if with_slow:
            for name, engine in uncached(self.model).items():
                yield name, partial(self.ours, engine, beam, batch)
            yield "ours, by torch's own products", partial(self.ours, None, beam, batch)
        cpu = torch.device("cpu")
        for precision in get_args(Precision):
            # A copy: without packed weights bf16 rounds the model itself.
            ready = prepare_for_inference(copy.deepcopy(self.model), cpu, precision=precision)
            yield f"ours, {precision}", partial(self.ours, ready, beam, batch)

    def translator(self) -> Any:
        """CTranslate2's, of the same weights, on one thread."""
        with tempfile.TemporaryDirectory() as folder:
            convert(self.model, Path(folder) / "model")
            return import_module("ctranslate2").Translator(
                f"{folder}/model",
                device="cpu",
                compute_type="float32",
                intra_threads=torch.get_num_threads(),
            )


def uncached(model: Translator) -> dict[str, Engine]:
    """The engines that read whole sequences at every step."""
    return {NO_CACHE: PlainEngine(network_of(model)), NOTHING_KEPT: _NothingKeptEngine(model)}


def contest(options: argparse.Namespace) -> Contest:
    """The model and the sentences that were asked for."""
    count = options.parity or options.sentences
    if options.drawn:
        draw = torch.manual_seed(1)
        drawn = build_model(base()).eval()
        shape = count, DRAWN_LENGTH - 1
        tokens = torch.randint(4, drawn.embedding.num_embeddings, shape, generator=draw)
        return Contest(drawn, tokens.tolist(), DRAWN_LENGTH)
    model, config = pretrained.load(options.weights, system="translation")
    assert isinstance(model, Translator)
    if options.source is None:
        pairs = number_words.examples(count, seed=0, part="test")
        lines = [getattr(pair, config.source_language) for pair in pairs]
    else:
        lines = [line for line in read_lines(options.source) if line.strip()][:count]
    sources = tokenizer_of(model).encode_many([tidy(line) for line in lines])
    return Contest(model, sources, None)


def measure(
    report: Report,
    ways: Mapping[str, Way],
    *,
    beam: int,
    batch: int,
    rounds: int,
    baselines: Sequence[str],
    expected: str,
) -> None:
    """A row for each way, with its ratio to baselines, and how much is as by the ``expected`` one.

    Each has its turn in every round.
    """
    answers = {name: way() for name, way in ways.items()}  # what is compiled, is compiled now
    all_s = in_turns(ways, report.device, rounds=rounds)
    for name, times_s in all_s.items():
        ratios: dict[str, Any] = {
            f"ratio_to_{baseline.partition(',')[0].lower().replace(' ', '_')}": median(
                theirs_s / ours_s for theirs_s, ours_s in zip(all_s[baseline], times_s, strict=True)
            )
            for baseline in baselines
            if baseline in all_s
        }
        same = [mine == other for mine, other in zip(answers[name], answers[expected], strict=True)]
        report.add(
            f"{'greedy' if beam == 1 else f'beam {beam}'}: {name}",
            batch=batch,
            per_second=sum(len(tokens) + 1 for tokens in answers[name]) / median(times_s),
            beam=beam,
            times_s=times_s,
            same=sum(same) / len(same),
            **ratios,
        )
        told = [f"{ratio:.2f} x {title[9:]}" for title, ratio in ratios.items()]
        told.append(f"{sum(same)} of {len(same)} as by {expected}")
        print(f"{'':>10}  {', '.join(told)}", file=sys.stderr)


def compare(both: Contest, *, beam: int, alpha: float) -> int:
    """Prints what CTranslate2 and we translate differently; how many differences are no ties."""
    with (
        mock.patch.object(translate_module, "gnmt_penalty", partial(_plain_penalty, alpha)),
        mock.patch.object(translate_module, "repeats", return_value=False),  # theirs may repeat
    ):
        ours = both.ours(prepare_for_inference(both.model, torch.device("cpu")), beam, 32)
    theirs = both.theirs(both.translator(), beam, 32, length_penalty=alpha)
    exact, num_unexplained, num_different = both.model.double(), 0, 0
    for number, (mine, other) in enumerate(zip(ours, theirs, strict=True), start=1):
        if mine == other:
            continue
        source = both.sources[number - 1]
        gap = _score(exact, source, mine, alpha) - _score(exact, source, other, alpha)
        num_different += 1
        num_unexplained += abs(gap) >= CLOSE_NATS
        print(f"sentence {number}: ours has {gap:+.2e} nats more than theirs")
    same = len(ours) - num_different
    print(f"{same} of {len(ours)} alike, {num_unexplained} of the others no tie (beam {beam})")
    return num_unexplained


def _plain_penalty(alpha: float, _: float) -> Callable[[int], float]:
    """CTranslate2's, of the tokens with the end."""
    return lambda length: length**alpha


@torch.no_grad()
def _score(model: Translator, source: list[int], tokens: list[int], alpha: float) -> float:
    """The log-probability by teacher forcing, divided by the length penalty."""
    target = torch.tensor([[*tokens, EOS]])
    logits = model(torch.tensor([[*source, EOS]]), torch.tensor([[BOS, *tokens]]))
    score_nats = logits.log_softmax(dim=-1).gather(2, target[:, :, None]).sum().item()
    return score_nats / (len(tokens) + 1) ** alpha


def main(argv: Sequence[str] | None = None) -> int:
    """Answers 0, or 1 where a translation differs and nothing explains it."""
    options = parser(__doc__, num_threads=1, is_of_cpu=True)
    options.add_argument("--weights", default="translation-de-en", metavar="NAME_OR_PATH")
    options.add_argument("--source", type=Path, metavar="FILE", help="default: the embedded task")
    options.add_argument("--sentences", type=int, default=64, metavar="N", help="the first ones")
    options.add_argument("--drawn", action="store_true", help="preset base, of drawn weights")
    options.add_argument(
        "--case", type=int, nargs=2, metavar=("BEAM", "BATCH"), help="this one alone"
    )
    options.add_argument("--quick-ways", action="store_true", help="no rows without a cache")
    options.add_argument("--rounds", type=whole(1), default=9, metavar="N")
    options.add_argument("--parity", type=int, metavar="N", help="compare N sentences instead")
    options.add_argument("--length-penalty", type=float, default=1.0, metavar="A", help="of it")
    arguments = options.parse_args(argv)
    both = contest(arguments)
    if arguments.parity is not None:
        torch.set_num_threads(arguments.threads)
        return 1 if compare(both, beam=4, alpha=arguments.length_penalty) else 0
    report = Report(arguments, unit="tokens", posted=())
    cases = [(1, 32)] if arguments.quick else [(1, 1), (4, 32), (1, 32), (4, 1)]
    if arguments.case is not None:
        cases = [tuple(arguments.case)]
    for beam, batch in cases:
        rounds = 1 if arguments.quick else arguments.rounds
        with_slow = batch > 1 and not arguments.quick_ways
        measure(
            report,
            dict(both.ways(beam, batch, with_slow=with_slow)),
            beam=beam,
            batch=batch,
            rounds=rounds,
            baselines=BASELINES,
            expected="ours, fp32",
        )
    report.finish()
    return 0


if __name__ == "__main__":
    sys.exit(main())
