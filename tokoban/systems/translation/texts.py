"""Texts in, texts out: a translator with its tokenizer, for whoever has sentences and no tokens."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import TYPE_CHECKING

from tokoban.inference.engine import Engine
from tokoban.systems.translation.addresses import hide_addresses, show_addresses
from tokoban.systems.translation.capitals import without_capitals
from tokoban.systems.translation.emoji import emoji_apart, without_emoji
from tokoban.systems.translation.model import Translator
from tokoban.systems.translation.pairs import tidy
from tokoban.systems.translation.sentences import sentences_of
from tokoban.systems.translation.translate import BATCH_SIZE, translate
from tokoban.text.saved import tokenizer_of

if TYPE_CHECKING:
    from tokoban.systems.translation.reranking import Reranker


@dataclass(frozen=True)
class Translation:
    """One translation of one text, and the tokens on both sides, without specials."""

    source: str  # as it was read
    text: str
    score: float  # what it was chosen by: its log-probability in nats / the length penalty, and
    # what a reranker adds
    source_tokens: list[int]
    tokens: list[int]
    log_prob_nats: float  # of its tokens and its end
    channel_log_prob_nats: float | None = None  # of the source given the translation, by a reranker
    sentences: "tuple[Translation, ...]" = ()  # of a text of several, each by itself


def reading_of(model: Translator, text: str) -> str:
    """The text as the model reads it: no emoji, single spaces, known words not in capitals."""
    return without_capitals(tokenizer_of(model), tidy(without_emoji(text)))


def num_tokens(model: Translator, texts: Sequence[str], *, is_divided: bool = False) -> list[int]:
    """The number of tokens that the model would read of each text at once, its end not counted.

    If texts are divided into sentences, that is the number of the longest one.
    """
    divided = [
        [
            _words_of(hide_addresses(sentence)[0])
            for sentence, _ in _divided(model, text, is_one=not is_divided)
        ]
        for text in texts
    ]
    lengths = map(len, tokenizer_of(model).encode_many([*chain(*divided)]))
    return [max(islice(lengths, len(parts))) for parts in divided]


def _words_of(reading: str) -> str:
    """The reading, or an empty text if it has no letters."""
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
    reranker: "Reranker | None" = None,
) -> list[list[Translation]]:
    """The ``nbest`` translations of each text, the best first.

    With a ``reranker`` they are the best of the beam by its scores. Sentences are translated one by
    one, but not with a ``forced_prefix``, which every translation begins with, spaces around it
    apart. A text without letters, such as the times of a subtitle, is its own translation, with no
    tokens. Emoji follow the sentence that they stand in or after. Addresses of pages and of mail
    are copied; among the tokens names stand for them. The rest is said by ``translate``, which this
    calls.
    """
    tokenizer = tokenizer_of(model)
    divided = [_divided(model, text, is_one=bool(forced_prefix)) for text in texts]
    hidden = [hide_addresses(sentence) for sentence, _ in chain(*divided)]
    sentences, addresses = [text for text, _ in hidden], [known for _, known in hidden]
    sources = tokenizer.encode_many([*map(_words_of, sentences)])
    found = translate(
        model,
        sources,
        engine=engine,
        beam=beam,
        length_penalty=length_penalty,
        nbest=nbest if reranker is None else max(nbest, beam),
        forced_prefix=tokenizer.encode(tidy(forced_prefix)),
        batch_size=batch_size,
    )
    translations = [
        [
            # The model learned from lines, so each translation is put on one line.
            Translation(
                sentence,
                tidy(tokenizer.decode(one.tokens)),
                one.score,
                source,
                one.tokens,
                one.score_nats,
            )
            for one in hypotheses
        ]
        if source
        else [Translation(sentence, sentence, 0.0, [], [], 0.0)]
        for source, hypotheses, sentence in zip(sources, found, sentences, strict=True)
    ]
    if reranker is not None:
        ranked = reranker.reranked(translations, length_penalty=length_penalty)
        translations = [some[:nbest] for some in ranked]
    translations = [
        [_with_addresses(one, known) for one in some] if known else some
        for some, known in zip(translations, addresses, strict=True)
    ]
    translations = [
        [replace(one, text=f"{one.text} {emoji}".lstrip()) for one in some] if emoji else some
        for some, (_, emoji) in zip(translations, chain(*divided), strict=True)
    ]
    by_sentence = iter(translations)
    return [_joined([*islice(by_sentence, len(parts))]) for parts in divided]


def _divided(model: Translator, text: str, *, is_one: bool) -> list[tuple[str, str]]:
    """The sentences of a text, or all of it as one, each with the emoji that follow it."""
    parts = emoji_apart(text)
    if is_one:
        return [(reading_of(model, text), " ".join(emoji for _, emoji in parts if emoji))]
    found: list[tuple[str, str]] = []
    for part, emoji in parts:
        *before, last = sentences_of(reading_of(model, part))
        found += [*((sentence, "") for sentence in before), (last, emoji)]
    return found


def _with_addresses(one: Translation, addresses: Mapping[str, str]) -> Translation:
    source, text = (show_addresses(side, addresses) for side in (one.source, one.text))
    return replace(one, source=source, text=text)


def _joined(found: list[list[Translation]]) -> list[Translation]:
    """The translations of a text by those of its sentences.

    A sentence without tokens has only one, which stands in all of them.
    """
    if len(found) == 1:
        return found[0]
    most = max(map(len, found))
    each_of_all = (some if some[0].tokens else some * most for some in found)
    return [*map(_together, *each_of_all)]


def _together(*sentences: Translation) -> Translation:
    by_channel = [nats for each in sentences if (nats := each.channel_log_prob_nats) is not None]
    return Translation(
        " ".join(each.source for each in sentences if each.source),
        " ".join(each.text for each in sentences),
        sum(each.score for each in sentences),
        [*chain(*(each.source_tokens for each in sentences))],
        [*chain(*(each.tokens for each in sentences))],
        sum(each.log_prob_nats for each in sentences),
        sum(by_channel) if by_channel else None,
        sentences,
    )
