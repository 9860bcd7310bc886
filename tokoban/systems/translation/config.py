"""The choices of one translator: its network, its text and its examples; presets are functions."""

from dataclasses import dataclass, replace
from typing import Annotated

from tokoban.training.config import check_fields, check_limits, heads_divide_width
from tokoban.training.limits import Between, Count, NumLayers, Seed, ShareBelowOne

LARGEST_PENALTY = 100  # beyond, a long translation's would be no number any more


@dataclass(frozen=True, kw_only=True)
class TranslationConfig:
    """Without any training text it learns the embedded task: numbers and dates in words.

    Sentences are in pairs of text files with one a line (``train_source`` and ``train_target``),
    plain or gzip. Where no validation text is named, ``num_validation`` pairs are held out from the
    training text, or a tenth of it where it has few.
    """

    # The network, that of Vaswani et al. 2017; the presets tiny, base and big are published sizes
    width: Annotated[int, Between(2, 2**16)] = 512  # of the vector that stands for a token
    num_layers: NumLayers = 6  # of the encoder
    num_decoder_layers: Annotated[int | None, Between(1, 1000)] = None  # none: as many as the
    # encoder has
    num_heads: Count = 8  # of each attention
    hidden_width: Annotated[int, Between(1, 2**18)] = 2048  # of the feed-forward nets
    dropout: ShareBelowOne = 0.1  # dropout rate in training
    pre_norm: bool = False  # norms before the layers: no warm-up is needed; not the paper's
    max_positions: Annotated[int, Between(2, 8192)] = 512  # of a source, in tokens with its end; a
    # longer one is refused

    # The text
    source_language: str = "de"  # its code; translate --from names it
    target_language: str = "en"  # its code; translate --to names it
    train_source: tuple[str, ...] = ()  # files, a sentence a line; none: the embedded task
    train_target: tuple[str, ...] = ()  # files with their translations, line by line
    sampling_temperature: Annotated[float, Between(1, 100)] = 1.0  # T: a corpus of n pairs is drawn
    # as n^(1/T); 1 = as it is
    validation_source: tuple[str, ...] = ()  # files as train_source; none: num_validation held out
    validation_target: tuple[str, ...] = ()  # files with their translations, line by line
    num_examples: Annotated[int, Between(1, 10**8)] = 20_000  # pairs to train on, of the embedded
    # task
    num_validation: Annotated[int, Between(1, 10**8)] = 1000  # pairs, where they are held out or of
    # the embedded task
    vocabulary_size: Annotated[int, Between(261, 2**20)] = 37_000  # of both languages together,
    # with the four special tokens

    # The examples
    max_tokens: Annotated[int, Between(2)] = 256  # of a sentence; pairs with a longer one are not
    # trained on
    max_ratio: Annotated[float, Between(1)] = 3.0  # of a pair's lengths, five tokens free; as above
    batch_tokens: Annotated[int, Between(2, 2**24)] = 4096  # at most: pairs times the longest
    # sentence among them, either side
    data_seed: Seed = 0  # of the batches' order, and of what is held out
    label_smoothing: ShareBelowOne = 0.1  # share of the answer that is given to all tokens alike
    beam_width: Annotated[int, Between(1, 128)] = 4  # of the validation BLEU during training; 1 is
    # greedy
    length_penalty: Annotated[float, Between(0, LARGEST_PENALTY)] = 0.6  # the alpha of GNMT's ((5 +
    # n) / 6)^alpha; 0 = none

    def __post_init__(self) -> None:
        check_limits(self)
        check_fields(
            self,
            ("width", self.width % 2 == 0, "an even number, for its sines and cosines"),
            heads_divide_width(self),
            ("max_tokens", self.max_tokens <= self.max_positions, _no_more("max_positions")),
            ("max_tokens", self.max_tokens <= self.batch_tokens, _no_more("batch_tokens")),
            ("target_language", self.target_language != self.source_language, "another language"),
        )
        for part in ("train", "validation"):
            _check_text(self, part)
        if self.validation_source and not self.has_text:
            raise ValueError("validation text without training text: name train_source as well")

    @property
    def has_text(self) -> bool:
        """Whether it learns from files; if not, the embedded task."""
        return bool(self.train_source)


def _no_more(name: str) -> str:
    return f"no more than {name}"


def _check_text(config: TranslationConfig, part: str) -> None:
    source, target = (getattr(config, f"{part}_{kind}") for kind in ("source", "target"))
    if len(source) != len(target):
        raise ValueError(
            f"{part}_source and {part}_target go together, file by file; "
            f"got {len(source)} and {len(target)}"
        )


def toy() -> TranslationConfig:
    """The embedded task within seconds, badly: for tests."""
    return replace(
        numbers(), width=16, num_layers=1, hidden_width=32, vocabulary_size=300,
        num_examples=200, num_validation=10, batch_tokens=128,
    )  # fmt: skip


def numbers() -> TranslationConfig:
    """Numbers and dates in words, which need no download: a minute or two on two cores."""
    return TranslationConfig(
        width=64,
        num_layers=2,
        num_heads=4,
        hidden_width=256,
        dropout=0.0,
        vocabulary_size=512,
        max_positions=128,
        max_tokens=64,
        num_validation=200,
        batch_tokens=1024,
        label_smoothing=0.0,
        beam_width=1,
    )


def tiny() -> TranslationConfig:
    """The published size for Multi30k (Wu et al. 2021), 2.6 million parameters."""
    return TranslationConfig(
        width=128,
        num_layers=4,
        num_heads=4,
        hidden_width=256,
        dropout=0.3,
        vocabulary_size=9712,
        beam_width=5,
        length_penalty=1.0,
    )


def everyday() -> TranslationConfig:
    """Everyday sentences and captions: 7.1 million parameters, a deep encoder, a shallow decoder.

    A shallow decoder translates faster at equal quality (Kasai et al. 2020, arXiv:2006.10369).
    """
    return TranslationConfig(
        width=256,
        num_layers=5,
        num_decoder_layers=1,
        num_heads=4,
        hidden_width=1024,
        pre_norm=True,
        vocabulary_size=8000,
        max_tokens=64,
        batch_tokens=2048,
        sampling_temperature=1.2,
        beam_width=4,
        length_penalty=1.0,
    )


def base() -> TranslationConfig:
    """The paper's base model: 63 million parameters (there newstest2014 27.3 BLEU, WMT's 4.5 M)."""
    return TranslationConfig()


def big() -> TranslationConfig:
    """The paper's big model: 214 million parameters."""
    return TranslationConfig(width=1024, num_heads=16, hidden_width=4096, dropout=0.3)
