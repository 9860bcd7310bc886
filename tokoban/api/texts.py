"""Texts by language models: translations and continuations."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from tokoban.api.arguments import checked
from tokoban.api.learning import Pretrained, load

if TYPE_CHECKING:
    from tokoban.inference.engine import Engine
    from tokoban.systems.translation.reranking import Reranker


@dataclass(frozen=True)
class Translated:
    """The best translation of a text.

    ``confidence`` is the probability that it is usable, for several lines the lowest. It is None
    for a text without words, and for weights that are not shipped.
    """

    text: str
    confidence: float | None


@checked
def translate(
    texts: Sequence[str], *, translator: Pretrained | None = None, beam: int = 4
) -> list[Translated]:
    """The best translation of each text, by default from German to English.

    Each line of a text is translated on its own into one line of the translation. The
    ``translator`` is what ``tokoban.load`` returns, such as ``load("translation-en-de")``. The
    beam search keeps ``beam`` hypotheses and uses the length penalty of the weights; for
    shipped weights, two other shipped networks choose the best of them. Raises ``ValueError`` for a
    text that is too long. Imports torch.

    >>> import tokoban
    >>> [found] = tokoban.translate(["Ich habe meine Schlüssel verloren."])
    >>> found.text
    "I've lost my keys."
    """
    from tokoban.pretrained.confidence import confidence_of
    from tokoban.systems.translation.texts import translate_texts

    translator = _of_system("translation", translator, usual="translation-de-en")
    _check_texts(texts)
    engine = _translating(translator.model)
    penalty, confidence = translator.config.length_penalty, confidence_of(translator.name or "")
    sources = [text.split("\n") for text in texts]
    lines = [*chain(*sources)]
    translations = translate_texts(
        translator.model,
        lines,
        engine=engine,
        beam=beam,
        length_penalty=penalty,
        reranker=_reranker(translator.name or ""),
    )
    found = iter(translations)
    translated = []
    for source in sources:
        bests = [best for best, *_ in islice(found, len(source))]
        shares = [confidence.of(best) for best in bests if confidence and best.tokens]
        text = "\n".join(best.text for best in bests)
        translated.append(Translated(text, min(shares, default=None)))
    return translated


@checked
def generate_text(
    prompt: str,
    *,
    writer: Pretrained | None = None,
    max_tokens: int = 200,
    temperature: float = 0.3,
    seed: int = 0,
    num_texts: int = 1,
) -> list[str]:
    """Continuations of a prompt, without the prompt itself.

    The ``writer`` is a GPT, by default ``tokoban.load("gpt-everyday")``. A GPT that was trained on
    lines, as that one was, stops at the end of its line. With ``temperature`` 0 the most probable
    token is taken each time. Raises ``ValueError`` for a prompt with characters that the weights do
    not know. Imports torch.

    >>> import tokoban
    >>> tokoban.generate_text("I have lost", temperature=0)
    [' my pen.']
    """
    from tokoban.decoding import Sampling
    from tokoban.systems.gpt.texts import generate_texts, usual_stops

    if num_texts < 1:
        raise ValueError(f"num_texts is {num_texts}; expected at least 1")
    model = _of_system("gpt", writer, usual="gpt-everyday").model
    [found] = generate_texts(
        model,
        [prompt],
        max_tokens=max_tokens,
        sampling=Sampling(seed=seed, temperature=temperature),
        stops=usual_stops(model),
        num_each=num_texts,
    )
    return [continuation.text for continuation in found]


def _of_system(system: str, given: Pretrained | None, *, usual: str) -> Pretrained:
    given = given or _usual(usual)
    if given.system != system:
        raise ValueError(f"the weights are of the system {given.system!r}; expected {system!r}")
    return given


@lru_cache(maxsize=2)
def _usual(name: str) -> Pretrained:
    return load(name)


@lru_cache(maxsize=2)
def _translating(model: Any) -> "Engine":
    import torch

    from tokoban.systems.translation.engine import prepare_for_inference

    return prepare_for_inference(model, torch.device("cpu"))


@lru_cache(maxsize=2)
def _reranker(name: str) -> "Reranker | None":
    from tokoban.pretrained.reranking import reranker_of

    return reranker_of(name)


def _check_texts(texts: Sequence[object]) -> None:
    for number, text in enumerate(texts, start=1):
        if not isinstance(text, str):
            raise ValueError(f"text {number} is {text!r}; expected text")
