"""Generation from texts to texts: a model with its tokenizer."""

import codecs
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import torch
from jaxtyping import Bool, Float
from torch import Tensor
from torch.nn.functional import cross_entropy
from torch.nn.utils.rnn import pad_sequence

from tokoban.decoding import GREEDY, Sampling
from tokoban.inference.engine import MOST_BYTES, Engine
from tokoban.systems.gpt.engine import engine_of, network_of
from tokoban.systems.gpt.generate import generate
from tokoban.systems.gpt.model import Gpt
from tokoban.systems.gpt.tokens import Tokenizer
from tokoban.text.invisible import without_invisible
from tokoban.text.saved import tokenizer_of

BATCH_SIZE = 32
_MOST_TOKENS = 100_000_000  # of all texts of a call: 36 bytes each

NO_PROMPT = "\n"  # what an empty prompt is read as: a line begins
_PADDING = -1  # behind a line
_ENDS = frozenset(".!?…\n")  # a sentence


@dataclass(frozen=True)
class Continuation:
    """The continuation of one prompt."""

    text: str  # up to the stop string, without it
    tokens: list[int]  # all that were chosen, those of the stop string too
    is_stopped: bool  # by a stop string; if not, by the number of tokens
    score_nats: float  # the sum of the tokens' log-probabilities, before temperature and cuts


class TextStream:
    """The text of one token after another, given out as soon as it is certain.

    What may yet become a stop string, or the rest of a character, is kept back. The text ends
    before the stop string that is complete first, the longest of those that are so at once.
    """

    def __init__(
        self, tokenizer: Tokenizer, stops: Sequence[str] = (), *, drops_space: bool = False
    ) -> None:
        """``drops_space`` leaves out a space at the beginning."""
        self._drops_space = drops_space
        self._tokenizer, self._stops = tokenizer, sorted(stops, key=len, reverse=True)
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._kept_back = ""
        self.text = ""
        self.is_stopped = False

    def push(self, token: int) -> str:
        """Adds a token and returns the text that is now certain; nothing after a stop string."""
        text = self._decoder.decode(self._tokenizer.bytes_of(token))
        if self._drops_space:
            text, self._drops_space = text.removeprefix(" "), False
        return self._add(text)

    def finish(self) -> str:
        """Returns the text that was kept back, since no token follows."""
        certain = self._add(self._decoder.decode(b"", final=True))
        rest = "" if self.is_stopped else self._kept_back
        self._kept_back = ""
        self.text += rest
        return certain + rest

    def _add(self, characters: str) -> str:
        if self.is_stopped:
            return ""
        for character in characters:
            self._kept_back += character
            found = next((stop for stop in self._stops if self._kept_back.endswith(stop)), None)
            if found is not None:
                self.is_stopped = True
                return self._give_out(len(self._kept_back) - len(found))
        return self._give_out(len(self._kept_back) - self._num_doubtful())

    def _num_doubtful(self) -> int:
        """The number of last characters that begin a stop string."""
        return max(
            (
                length
                for stop in self._stops
                for length in range(1, min(len(stop), len(self._kept_back) + 1))
                if self._kept_back.endswith(stop[:length])
            ),
            default=0,
        )

    def _give_out(self, num_characters: int) -> str:
        certain, self._kept_back = (
            self._kept_back[:num_characters],
            self._kept_back[num_characters:],
        )
        self.text += certain
        return certain


def encode_prompts(
    model: Gpt, prompts: Sequence[str], *, numbers: Sequence[int] | None = None
) -> list[list[int]]:
    """The tokens of each prompt's visible characters.

    ``ValueError`` names the prompt that the vocabulary has not.
    """
    tokenizer, start = tokenizer_of(model), NO_PROMPT if model.reads_lines else ""
    found = []
    for number, prompt in zip(numbers or range(len(prompts)), prompts, strict=True):
        try:
            text = without_invisible(prompt)
            if ends_with_space(model, prompt):
                text = text.rstrip(" ")
                tokenizer.encode(" ")  # the continuation needs a token that begins with it
            found.append(tokenizer.encode(start + text or NO_PROMPT))
        except ValueError as error:
            raise ValueError(f"prompt {number + 1}: {error}") from None
    return found


def line_log_probs_nats(model: Gpt, lines: Sequence[str]) -> list[float]:
    """The log-probability of each line and its end, after the end of another.

    What is longer than the context is read in windows, each of which sees its own tokens alone.
    """
    tokenizer, length = tokenizer_of(model), model.context_length
    windows = [
        (number, tokens[start : start + length + 1])
        for number, line in enumerate(lines)
        for tokens in [tokenizer.encode(f"\n{line}\n")]
        for start in range(0, len(tokens) - 1, length)
    ]
    found = [0.0] * len(lines)
    windows.sort(key=lambda window: len(window[1]))
    for first in range(0, len(windows), BATCH_SIZE):
        some = windows[first : first + BATCH_SIZE]
        texts = pad_sequence(
            [torch.tensor(tokens) for _, tokens in some], batch_first=True, padding_value=_PADDING
        ).to(model.embedding.weight.device)
        with torch.inference_mode():
            logits = model(texts[:, :-1].clamp(min=0)).float()
            nats = -cross_entropy(
                logits.mT, texts[:, 1:], ignore_index=_PADDING, reduction="none"
            ).sum(1)
        for (number, _), value in zip(some, nats.tolist(), strict=True):
            found[number] += value
    return found


def usual_stops(model: Gpt) -> list[str]:
    """Where its texts end if nobody says: a model of lines ends with its line."""
    return ["\n"] if model.reads_lines else []


def generate_texts(
    model: Gpt,
    prompts: Sequence[str],
    *,
    engine: Engine | None = None,
    max_tokens: int = 200,
    sampling: Sampling = GREEDY,
    stops: Sequence[str] = (),
    num_each: int = 1,
    numbers: Sequence[int] | None = None,
    batch_size: int = BATCH_SIZE,
    on_text: Callable[[int, str], None] | None = None,
    on_end: Callable[[int, Continuation], None] | None = None,
) -> list[list[Continuation]]:
    """``num_each`` continuations of each prompt, which are not part of them.

    An empty prompt is read as a line break. A continuation begins with none of the
    ``forbidden_first_tokens``, and ends before the first of ``stops`` or after ``max_tokens``
    tokens. ``on_text`` is called with each piece of text as soon as it is certain, and with its
    row: prompt * num_each + draw; ``on_end`` with each continuation when its batch is over, those
    of a prompt in their order. The draws of a prompt depend on its number, of ``numbers`` or
    counted from 0, and neither on ``batch_size`` nor on ``num_each``; fewer are written together
    where the memory of ``batch_size`` would be too much. The other arguments are those of
    ``generate``.
    """
    for name, size in {"num_each": num_each, "batch_size": batch_size}.items():
        if size < 1:
            raise ValueError(f"{name} is {size}; expected at least 1")
    if "" in stops:
        raise ValueError("an empty stop string would end every text before it begins")
    tokenizer = tokenizer_of(model)
    numbers = numbers or range(len(prompts))
    encoded = encode_prompts(model, prompts, numbers=numbers)
    if len(encoded) * num_each * max_tokens > _MOST_TOKENS:
        raise ValueError(
            f"{len(encoded) * num_each:,} texts of up to {max_tokens:,} tokens are asked for at "
            f"once; expected at most {_MOST_TOKENS:,} tokens"
        )
    rows = [prompt for prompt in encoded for _ in range(num_each)]
    # Those of like length together: the shorter ones are padded.
    order = sorted(range(len(rows)), key=lambda row: len(rows[row]))
    found: dict[int, Continuation] = {}
    engine = engine or engine_of(model)
    network = network_of(model)
    batch_size = min(batch_size, max(1, MOST_BYTES // network.row_bytes(network.max_length)))
    for first in range(0, len(order), batch_size):
        batch = order[first : first + batch_size]
        asked = [prompts[row // num_each] for row in batch]
        streams = {
            row: TextStream(tokenizer, stops, drops_space=ends_with_space(model, prompt))
            for row, prompt in zip(batch, asked, strict=True)
        }
        watch = _Watch(streams, on_text)
        samples = generate(
            model,
            [rows[row] for row in batch],
            engine=engine,
            max_tokens=max_tokens,
            sampling=sampling,
            # Another one for each draw of each prompt, however many there are of either.
            numbers=[(numbers[row // num_each] << 32) + row % num_each for row in batch],
            forbidden_first=partial(forbidden_first_tokens, model, asked),
            are_over=watch.are_over,
        )
        watch.finish()
        actions, lengths = samples.actions.tolist(), samples.lengths.tolist()
        for place, row in enumerate(batch):
            stream = watch.streams[row]
            found[row] = Continuation(
                stream.text,
                actions[place][: lengths[place]],
                stream.is_stopped,
                float(samples.scores_nats[place]),
            )
            if on_end is not None:
                on_end(row, found[row])
    each = [found[row] for row in range(len(rows))]
    return [each[start : start + num_each] for start in range(0, len(each), num_each)]


def ends_with_space(model: Gpt, prompt: str) -> bool:
    """Whether a prompt ends with spaces, which are not read: the next token brings its own."""
    text = without_invisible(prompt)
    return model.reads_lines and text.endswith(" ") and not text.isspace()


def forbidden_first_tokens(
    model: Gpt, prompts: Sequence[str], log_probs: Float[Tensor, "B V"]
) -> Bool[Tensor, "B V"]:
    """The tokens that no continuation of a prompt begins with, where the model reads lines.

    Tokens that end the sentence are forbidden unless the probability of such an end is at least
    a half. After a prompt that ends with a space, so are tokens that do not begin with one.
    """
    is_forbidden = torch.zeros_like(log_probs, dtype=torch.bool)
    if model.reads_lines:
        is_ending, has_space = tokens_where(model, _ends), tokens_where(model, begins_with_space)
        ends = log_probs.exp() @ is_ending.to(log_probs.dtype)
        is_forbidden |= is_ending & (ends < 0.5)[:, None]
        rows = [row for row, prompt in enumerate(prompts) if ends_with_space(model, prompt)]
        is_forbidden[rows] |= ~has_space
    return is_forbidden


def tokens_where(model: Gpt, is_wanted: Callable[[str], bool]) -> Bool[Tensor, "V"]:
    """Which tokens have a text for which ``is_wanted`` holds, on the model's device."""
    tokenizer, weight = tokenizer_of(model), model.embedding.weight
    texts = (tokenizer.decode([token]) for token in range(tokenizer.vocabulary_size))
    found = torch.zeros(len(weight), dtype=torch.bool)
    found[: tokenizer.vocabulary_size] = torch.tensor([is_wanted(text) for text in texts])
    return found.to(weight.device)


def begins_with_space(token: str) -> bool:
    """Whether a token begins with a space, as that of every word but a line's first does."""
    return token.startswith(" ")


def _ends(token: str) -> bool:
    """Whether a token ends a sentence and has no letter or digit."""
    return not _ENDS.isdisjoint(token) and not any(map(str.isalnum, token))


@dataclass(frozen=True)
class _Watch:
    """Streams by their rows, in the order of the batch, and the function that gets their texts."""

    streams: dict[int, TextStream]
    on_text: Callable[[int, str], None] | None

    def are_over(self, tokens: list[int]) -> list[bool]:
        """Takes one more token of each row, and answers which have come to a stop string."""
        for (row, stream), token in zip(self.streams.items(), tokens, strict=True):
            self._pass_on(row, stream.push(token))
        return [stream.is_stopped for stream in self.streams.values()]

    def finish(self) -> None:
        """Passes on the text that was kept back."""
        for row, stream in self.streams.items():
            self._pass_on(row, stream.finish())

    def _pass_on(self, row: int, text: str) -> None:
        if text and self.on_text is not None:
            self.on_text(row, text)
