"""Texts in, texts out: a translator with its tokenizer, for whoever has sentences and no tokens."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice, starmap
from typing import TYPE_CHECKING

from tokoban.inference.engine import Engine
from tokoban.systems.translation.emoji import emoji_apart
from tokoban.systems.translation.known_forms import known_forms, known_word
from tokoban.systems.translation.layout import texts_apart
from tokoban.systems.translation.marks import marks_apart, with_marks_of, with_one_mark
from tokoban.systems.translation.model import Translator
from tokoban.systems.translation.pairs import tidy
from tokoban.systems.translation.sentences import sentences_of
from tokoban.systems.translation.spelling import usual_spelling
from tokoban.systems.translation.translate import BATCH_SIZE, translate
from tokoban.systems.translation.verbatim import hide_verbatim, show_verbatim
from tokoban.text.bpe import Tokenizer
from tokoban.text.saved import tokenizer_of

if TYPE_CHECKING:
    from tokoban.systems.translation.reranking import Reranker

_WORD = re.compile(r"[^\W\d_]{2}")  # letters that stand alone are names and units
_UNDECODABLE = "\ufffd"


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
    sentences: "tuple[Translation, ...]" = ()  # of a text of several or with layout


def num_tokens(model: Translator, texts: Sequence[str], *, is_divided: bool = False) -> list[int]:
    """The number of tokens that the model would read of each text at once, its end not counted.

    If texts are divided into sentences, that is the number of the longest one.
    """
    tokenizer = tokenizer_of(model)
    divided = [
        [
            _words_of(*_hidden(tokenizer, sentence))
            for sentence in _divided(model, text, is_one=not is_divided)[0]
        ]
        for text in texts
    ]
    lengths = map(len, tokenizer.encode_many([*chain(*divided)]))
    return [max(islice(lengths, len(parts))) for parts in divided]


def _hidden(tokenizer: Tokenizer, sentence: str) -> tuple[str, dict[str, str]]:
    return hide_verbatim(known_word(tokenizer, with_one_mark(sentence)))


def _words_of(hidden: str, names: Mapping[str, str]) -> str:
    """What is read of a sentence: nothing if no word is in it, apart from names."""
    read = re.sub("|".join(names), "", hidden) if names else hidden
    return hidden if _WORD.search(read) else ""


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
    """The ``nbest`` different translations of each text, the best first.

    With a ``reranker`` they are the best of the beam by its scores. Sentences are translated one by
    one, but not with a ``forced_prefix``, which every translation begins with, spaces around it
    apart. A text without words, such as the times of a subtitle, is its own translation, with no
    tokens. Emoji follow the sentence that they stand in or after. What ``verbatim`` finds is
    copied; among the tokens names stand for it. Without a prefix, ``layout`` is kept. The rest is
    said by ``translate``, which this calls.
    """
    tokenizer = tokenizer_of(model)
    divided = [_divided(model, text, is_one=bool(forced_prefix)) for text in texts]
    every = [sentence for sentences, _ in divided for sentence in sentences]
    hidden = [_hidden(tokenizer, sentence) for sentence in every]
    sources = tokenizer.encode_many([*starmap(_words_of, hidden)])
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
                tidy(tokenizer.decode(one.tokens).replace(_UNDECODABLE, "")),
                one.score,
                source,
                one.tokens,
                one.score_nats,
            )
            for one in hypotheses
        ]
        if source
        else [Translation(sentence, sentence, 0.0, [], [], 0.0)]
        for source, hypotheses, (sentence, _) in zip(sources, found, hidden, strict=True)
    ]
    if reranker is not None:
        translations = reranker.reranked(translations, length_penalty=length_penalty)
    translations = [
        _shown(some, sentence, known, is_begun=bool(forced_prefix))[:nbest]
        for sentence, some, (_, known) in zip(every, translations, hidden, strict=True)
    ]
    by_sentence = iter(translations)
    return [_joined([*islice(by_sentence, len(parts))], gaps) for parts, gaps in divided]


def _divided(model: Translator, text: str, *, is_one: bool) -> tuple[list[str], list[str]]:
    """The sentences of a text, and the layout before, between and behind them.

    If it ``is_one``, the whole text is the only sentence.
    """
    tokenizer = tokenizer_of(model)
    text = usual_spelling(text)
    if is_one:
        apart = emoji_apart(text)
        words = tidy(" ".join(part for part, _ in apart))
        behind = "".join(f" {emoji}" for _, emoji in apart if emoji)
        return [known_forms(tokenizer, words)], ["", behind]
    texts, around = texts_apart(text)
    found, gaps = list[str](), around[:1]
    for each, behind in zip(texts, around[1:], strict=True):
        space = ""
        for part, emoji in emoji_apart(each):
            reading = known_forms(tokenizer, tidy(part))
            for sentence in filter(None, sentences_of(reading)):
                before, *parts = marks_apart(sentence)
                gaps[-1] += space + before
                found += parts[::2]
                gaps += parts[1::2]
                space = " "
            if emoji:
                gaps[-1] += space + emoji
                space = " "
        gaps[-1] += behind
    return (found, gaps) if found else ([""], ["", *gaps])


def _shown(
    some: Sequence[Translation], sentence: str, hidden: Mapping[str, str], *, is_begun: bool
) -> list[Translation]:
    """With what is copied, and with the marks of its sentence but for a forced prefix.

    Those that differ in their marks alone are one, and those that lost what is copied are last.
    """
    shown: dict[str, Translation] = {}
    for one in sorted(some, key=lambda one: sum(name not in one.text for name in hidden)):
        text = one.text if is_begun else with_marks_of(sentence, one.text)
        source, text = (show_verbatim(side, hidden) for side in (one.source, text))
        shown.setdefault(text, replace(one, source=source, text=text))
    return [*shown.values()]


def _joined(found: list[list[Translation]], gaps: Sequence[str]) -> list[Translation]:
    """The translations of a text by those of its sentences, and what stands around these.

    A sentence without tokens has only one, which stands in all of them.
    """
    most = max(map(len, found))
    each_of_all = (some if some[0].tokens else some * most for some in found)
    return [_together(sentences, gaps) for sentences in zip(*each_of_all, strict=False)]


def _together(sentences: tuple[Translation, ...], gaps: Sequence[str]) -> Translation:
    behind = zip(sentences, gaps[1:], strict=True)
    text = gaps[0] + "".join(f"{each.text}{gap}" for each, gap in behind)
    if text == sentences[0].text:
        return sentences[0]
    by_channel = [nats for each in sentences if (nats := each.channel_log_prob_nats) is not None]
    return Translation(
        " ".join(each.source for each in sentences if each.source),
        text,
        sum(each.score for each in sentences),
        [*chain(*(each.source_tokens for each in sentences))],
        [*chain(*(each.tokens for each in sentences))],
        sum(each.log_prob_nats for each in sentences),
        sum(by_channel) if by_channel else None,
        sentences,
    )
