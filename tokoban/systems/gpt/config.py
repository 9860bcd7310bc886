"""The choices of one GPT: its network, what it reads and in which tokens; presets are functions."""

from dataclasses import dataclass, replace
from typing import Annotated, Literal

from tokoban.text.bpe import SMALLEST_VOCABULARY
from tokoban.training.config import check_fields, check_limits, heads_divide_width
from tokoban.training.limits import Between, Count, NumLayers, Seed, ShareBelowOne, Width

# Where examples come from: text files, the interpreter's own documentation, or two tasks whose
# examples are sampled from a seed.
Source = Literal["files", "python_docs", "sort", "addition"]
Task = Literal["sort", "addition"]
Tokens = Literal["characters", "bpe"]
Positions = Literal["rotary", "learned"]
ActivationName = Literal["gelu", "gelu_tanh", "squared_relu"]


@dataclass(frozen=True, kw_only=True)
class GptConfig:
    """The defaults are nanoGPT's recipe for a CPU: 4 layers of width 128, 64 characters."""

    # The network
    num_layers: NumLayers = 4  # each attention and a feed-forward net
    num_heads: Count = 4  # of each attention
    width: Width = 128  # of the vector that stands for a token
    context_length: Annotated[int, Between(2, 8192)] = 64  # tokens that it can see, the last one
    # included
    positions: Positions = "learned"  # position encoding: a learned vector for each position, or
    # rotated queries and keys
    activation: ActivationName = "gelu"  # of the feed-forward nets
    dropout: ShareBelowOne = 0.0  # dropout rate in training
    has_biases: bool = False  # of linear maps and norms
    is_tied: bool = True  # one matrix embeds the tokens and predicts them

    # The text
    source: Source = "files"  # of the examples: text files, the interpreter's own documentation, or
    # a task sampled by data_seed
    text: tuple[str, ...] = ()  # files, plain or .gz, read as one text; for the source files
    tokens: Tokens = "characters"  # the units of the text
    vocabulary_size: Annotated[int, Between(2, 2**20)] = 256  # room for so many different tokens
    shuffles_lines: bool = False  # each different line is a text of its own: read once, in an order
    # by data_seed; those held out resemble none of the others
    validation_share: Annotated[float, Between(above=0, below=1)] = 0.1  # of the text, held out:
    # its end, or a share of its lines
    num_digits: Count = 6  # of a task: how many are sorted, or each summand has

    # The examples
    batch_size: Width = 12  # windows of context_length tokens, or examples of a task
    data_seed: Seed = 0  # of the windows, of the order of lines, or of a task's examples

    def __post_init__(self) -> None:
        check_limits(self)
        check_fields(
            self,
            heads_divide_width(self, is_rotary=self.positions == "rotary"),
        )
        if self.tokens == "bpe" and self.vocabulary_size < SMALLEST_VOCABULARY:
            raise ValueError(
                f"vocabulary_size is {self.vocabulary_size}; expected at least "
                f"{SMALLEST_VOCABULARY} for bpe, all bytes and the specials"
            )
        if self.text and self.source != "files":
            raise ValueError(f"text files are for the source files, not for {self.source}")
        if self.task is not None:
            self._check_task()

    @property
    def task(self) -> Task | None:
        """The exact task that it learns in place of a text, if any."""
        return self.source if self.source in ("sort", "addition") else None

    def _check_task(self) -> None:
        """Checks that an example fits the network, and the number of a problem 64 bits."""
        is_sort = self.source == "sort"
        most_digits, num_characters = (39, 4) if is_sort else (9, 12)
        needed = 2 * self.num_digits if is_sort else 3 * self.num_digits + 2
        check_fields(
            self,
            ("num_digits", self.num_digits <= most_digits, f"at most {most_digits}"),
            (
                "context_length",
                self.context_length >= needed,
                f"at least {needed} for {self.source} with {self.num_digits} digits",
            ),
            ("tokens", self.tokens == "characters", f"characters for {self.source}"),
            (
                "vocabulary_size",
                self.vocabulary_size >= num_characters,
                f"at least {num_characters} for {self.source}",
            ),
        )


def sort() -> GptConfig:
    """minGPT's task: six digits 0 to 2 into their order; within a minute."""
    return GptConfig(
        source="sort",
        num_digits=6,
        num_layers=3,
        num_heads=3,
        width=48,
        context_length=12,
        has_biases=True,
        vocabulary_size=4,
        batch_size=64,
    )


def addition() -> GptConfig:
    """Sums of two numbers of two digits, written backwards; some minutes."""
    return replace(sort(), source="addition", num_digits=2, context_length=8, vocabulary_size=12)


def python_docs() -> GptConfig:
    """The interpreter's own documentation, in byte pairs."""
    return GptConfig(
        source="python_docs",
        tokens="bpe",
        vocabulary_size=1024,
        num_layers=5,
        num_heads=5,
        width=160,
        context_length=128,
        positions="rotary",
        batch_size=4,
    )


def everyday() -> GptConfig:
    """Mixes the sentences of several --text FILEs; most of ``gpt-everyday``'s are Tatoeba's."""
    return GptConfig(
        tokens="bpe",
        vocabulary_size=4096,
        shuffles_lines=True,
        validation_share=0.02,
        num_layers=6,
        num_heads=7,
        width=224,
        context_length=64,
        positions="rotary",
        activation="squared_relu",
        dropout=0.1,
        batch_size=16,
    )


def shakespeare_small() -> GptConfig:
    """nanoGPT's recipe for a CPU, 0.80 million parameters; --text FILE is tinyshakespeare."""
    return GptConfig(vocabulary_size=65)


def small() -> GptConfig:
    """Our choices at the parameters and tokens of ``shakespeare_small``."""
    return replace(shakespeare_small(), positions="rotary", batch_size=4)


def shakespeare() -> GptConfig:
    """nanoGPT's recipe for a GPU, 10.75 million parameters; --text FILE is tinyshakespeare."""
    return GptConfig(
        num_layers=6,
        num_heads=6,
        width=384,
        context_length=256,
        dropout=0.2,
        vocabulary_size=65,
        batch_size=64,
    )
