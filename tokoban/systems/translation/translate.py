"""Sentences -> translations: beam search, or greedy (a beam of one), as tokens.

Axes: M sources of a batch, S their positions, T target positions, K translations of each source.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Int64
from torch import Tensor

from tokoban.decoding import length_penalised_beam_search
from tokoban.inference.cached import CachedEngine
from tokoban.inference.engine import MOST_BYTES, Engine, Network
from tokoban.sokoban.wording import counted
from tokoban.systems.translation.config import LARGEST_PENALTY
from tokoban.systems.translation.engine import network_of
from tokoban.systems.translation.model import EXTRA_LENGTH, Translator
from tokoban.systems.translation.repetition import repeats
from tokoban.systems.translation.stepper import FREE, TranslationStepper, forbidden_tokens
from tokoban.text.bpe import EOS
from tokoban.transformer import evaluating

BATCH_SIZE = 32


@dataclass(frozen=True)
class Hypothesis:
    """One translation, without specials."""

    tokens: list[int]
    score: float  # what it is judged by: score_nats / length penalty
    score_nats: float  # sum of the log-probabilities of its tokens and its end


def gnmt_penalty(alpha: float) -> Callable[[int], float]:
    """((5 + n) / 6)^alpha of a translation of n tokens, its end counted (Wu et al. 2016)."""
    if not 0 <= alpha <= LARGEST_PENALTY:
        raise ValueError(f"length_penalty is {alpha}; expected 0 (none) to {LARGEST_PENALTY}")
    return lambda length: ((5 + length) / 6) ** alpha


@torch.no_grad()
def translate(
    model: Translator,
    sources: Sequence[Sequence[int]],
    *,
    engine: Engine | None = None,
    beam: int = 4,
    length_penalty: float = 0.6,
    nbest: int = 1,
    max_length: int | None = None,
    forced_prefix: Sequence[int] = (),
    batch_size: int = BATCH_SIZE,
) -> list[list[Hypothesis]]:
    """The ``nbest`` translations of each source, the best first; tokens without specials.

    No word of a translation follows itself more than twice, but in a ``forced_prefix``.
    A translation has at most ``EXTRA_LENGTH`` tokens more than its source, its end counted, or
    ``max_length`` tokens; there it is made to end. It begins with ``forced_prefix``, which counts
    in its score. A source of no tokens has one translation, of no tokens. ``ValueError`` for a
    source that is longer than the model was built for, and for a token that it does not have; it
    names the source by its number, from 1 on. The ``engine`` is one of this model; by default
    torch's modules with a cache.

    Sources of like length are translated together, as many as ``batch_size`` and the memory of
    their rows allow; ``ValueError`` where one alone takes too much. What comes out depends on
    neither order nor ``batch_size``, but for rounding.
    """
    for name, size in {"beam": beam, "nbest": nbest, "batch_size": batch_size}.items():
        if size < 1:
            raise ValueError(f"{name} is {size}; expected at least 1")
    if nbest > beam:
        raise ValueError(f"nbest is {nbest}; expected at most beam, which is {beam}")
    _require_tokens(model, forced_prefix, of="the forced prefix")
    limits: list[int] = []
    for number, source in enumerate(sources, start=1):
        _require_tokens(model, source, of=f"sentence {number}")
        limit = len(source) + EXTRA_LENGTH
        if max_length is not None:
            limit = min(max_length, model.max_positions)
        why = complaint(model, len(source), limit, prefix_length=len(forced_prefix), width=beam)
        if why:
            raise ValueError(f"sentence {number} {why}")
        limits.append(limit)
    penalty = gnmt_penalty(length_penalty)
    engine, device = engine or CachedEngine(network_of(model)), model.embedding.weight.device
    forbidden = forbidden_tokens(model)
    may_follow = torch.ones(model.embedding.num_embeddings, dtype=torch.bool)
    may_follow[forbidden.cpu()] = False

    def decoded(numbers: Sequence[int], *, is_blocked: bool = False) -> list[list[Hypothesis]]:
        """The translations of some sources; if blocked, no word in them repeats too often."""
        ended = [[*sources[number], EOS] for number in numbers]
        forced = _forced([limits[number] for number in numbers], forced_prefix)
        if beam == 1 and not is_blocked:
            both = engine.greedy(ended, forced, may_follow=may_follow, end=EOS)
            return [_hypotheses([row], [nats], penalty) for row, nats in zip(*both, strict=True)]
        stepper = TranslationStepper(
            engine.read(ended, width=beam, max_length=forced.shape[1]),
            forced=forced.repeat_interleave(beam, dim=0).to(device),
            forbidden=forbidden,
            starts_word=starts_word if is_blocked else None,
        )
        found = length_penalised_beam_search(
            stepper,
            num_searches=len(numbers),
            width=beam,
            max_steps=stepper.max_length,
            end=EOS,
            keep=nbest,
            penalty=penalty,
        )
        rows = zip(found.actions.tolist(), found.scores_nats.tolist(), strict=True)
        return [_hypotheses(*each, penalty) for each in rows]

    def starts_word(token: int) -> bool:
        return model.tokenizer is not None and model.tokenizer.bytes_of(token)[:1] == b" "

    translations = [[Hypothesis([], 0.0, 0.0)] for _ in sources]
    with evaluating(model):
        for numbers in _batches(engine.network, sources, limits, batch_size=batch_size, width=beam):
            for number, found in zip(numbers, decoded(numbers), strict=True):
                if any(repeats(each.tokens, starts_word) for each in found):
                    (found,) = decoded([number], is_blocked=True)
                translations[number] = found
    return translations


def _hypotheses(
    rows: list[list[int]], scores_nats: list[float], penalty: Callable[[int], float]
) -> list[Hypothesis]:
    """One of each row that has come to its end, the best first."""
    hypotheses = []
    for row, score_nats in zip(rows, scores_nats, strict=True):
        if EOS in row:  # a short limit leaves room for fewer translations than were asked for
            length = row.index(EOS)
            score = score_nats / penalty(length + 1)
            hypotheses.append(Hypothesis(row[:length], score, score_nats))
    return sorted(hypotheses, key=lambda hypothesis: hypothesis.score, reverse=True)


def _require_tokens(model: Translator, tokens: Sequence[int], *, of: str) -> None:
    num_tokens = model.embedding.num_embeddings
    for token in tokens:
        if not 0 <= token < num_tokens:
            raise ValueError(f"{of} has token {token}; this translator's are 0 to {num_tokens - 1}")


def complaint(
    model: Translator, num_tokens: int, limit: int, *, prefix_length: int, width: int
) -> str:
    """Why a source of so many tokens cannot have ``width`` translations of up to ``limit``.

    Empty if it can, as one of no tokens does. The limit counts the end.
    """
    if num_tokens >= model.max_positions:
        return f"has {num_tokens} tokens; this translator reads at most {model.max_positions - 1}"
    if num_tokens and prefix_length >= limit:
        return (
            f"has {counted(num_tokens, 'token')}, so its translation has at most {limit} with its "
            f"end; the prefix has {prefix_length}"
        )
    num_bytes = _num_bytes(network_of(model), limit, width=width)
    if num_tokens and num_bytes > MOST_BYTES:
        return (
            f"cannot be translated: {width:,} translations of up to {limit} tokens at a time would "
            f"take about {num_bytes / 1e9:,.0f} GB; expected so few that {MOST_BYTES / 1e9:.0f} GB "
            "suffice"
        )
    return ""


def _num_bytes(network: Network, limit: int, *, width: int) -> int:
    """About the memory for one source, which takes what a row does, and its translations."""
    return (width + 1) * network.row_bytes(limit)


def _batches(
    network: Network,
    sources: Sequence[Sequence[int]],
    limits: Sequence[int],
    *,
    batch_size: int,
    width: int,
) -> Iterator[list[int]]:
    """The numbers of all sources that have tokens, like lengths together."""
    order = sorted(range(len(sources)), key=lambda number: len(sources[number]))
    order = [number for number in order if sources[number]]
    while order:
        batch = order[:batch_size]
        longest = max(limits[number] for number in batch)
        batch = batch[: max(1, MOST_BYTES // _num_bytes(network, longest, width=width))]
        yield batch
        order = order[len(batch) :]


def _forced(limits: Sequence[int], prefix: Sequence[int]) -> Int64[Tensor, "M T"]:
    """The prefix at first, then nothing, and the end where a translation has no more room."""
    forced = torch.full((len(limits), max(limits)), FREE)
    forced[:, : len(prefix)] = torch.tensor(prefix, dtype=torch.int64)
    # The rows of shorter limits have come to their end before.
    forced[torch.arange(len(limits)), torch.tensor(limits) - 1] = EOS
    return forced
