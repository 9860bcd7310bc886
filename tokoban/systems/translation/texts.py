"""Texts in, texts out: a translator with its tokenizer, for whoever has sentences and no tokens."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tokoban.inference.engine import Engine
from tokoban.systems.translation.capitals import without_capitals
from tokoban.systems.translation.model import Translator
from tokoban.systems.translation.pairs import tidy
from tokoban.systems.translation.translate import BATCH_SIZE, translate
from tokoban.text.saved import tokenizer_of

# No training text has emoji, so the network would write broken characters or words for them.
_EMOJI = re.compile(r"\s*[\u2300-\u23ff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff]")


@dataclass(frozen=True)
class Translation:
    """One translation of one sentence, and the tokens on both sides, without specials."""

    text: str
    score: float  # what it was chosen by: its log-probability in nats / the length penalty
    source_tokens: list[int]
    tokens: list[int]
    log_prob_nats: float  # of its tokens and its end


def reading_of(model: Translator, text: str) -> str:
    """The text as the model reads it: no emoji, single spaces, known words not in capitals."""
    return without_capitals(tokenizer_of(model), tidy(_EMOJI.sub("", text)))


def num_tokens(model: Translator, texts: Sequence[str]) -> list[int]:
    """The number of tokens that the model would read of each text, its end not counted."""
    readings = [_words_of(reading_of(model, text)) for text in texts]
    return [len(tokens) for tokens in tokenizer_of(model).encode_many(readings)]


def _words_of(reading: str) -> str:
    """What is translated of a reading: nothing if it has no letters."""
    return reading if any(map(str.isalpha, reading)) else ""


def translate_texts(
    model: Translator,
    texts: Sequence[str],
    *,
    engine: Engine | None = None,
    beam: int = 4,
    length_penalty: float = 0.6,
    nbest: int = 1,
    forced_prefix: str = "",
    batch_size: int = BATCH_SIZE,
) -> list[list[Translation]]:
    """The ``nbest`` translations of each text, the best first.

    A text without letters, such as the times of a subtitle, is its own translation, with no tokens.

    ``forced_prefix`` is what every other translation begins with, spaces around it apart. The rest
    is said by ``translate``, which this calls.
    """
    tokenizer = tokenizer_of(model)
    readings = [reading_of(model, text) for text in texts]
    sources = tokenizer.encode_many([*map(_words_of, readings)])
    found = translate(
        model,
        sources,
        engine=engine,
        beam=beam,
        length_penalty=length_penalty,
        nbest=nbest,
        forced_prefix=tokenizer.encode(tidy(forced_prefix)),
        batch_size=batch_size,
    )
    return [
        [
            # On one line whatever the model says, as the sentences that it learned from.
            Translation(
                tidy(tokenizer.decode(one.tokens)), one.score, source, one.tokens, one.score_nats
            )
            for one in hypotheses
        ]
        if source
        else [Translation(reading, 0.0, [], [], 0.0)]
        for source, hypotheses, reading in zip(sources, found, readings, strict=True)
    ]
