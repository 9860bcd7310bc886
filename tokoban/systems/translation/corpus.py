"""Reads the files that a config names into the training and validation data of a translator."""

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch

from tokoban.systems.translation import number_words
from tokoban.systems.translation.config import TranslationConfig
from tokoban.systems.translation.dataset import TokenRows, TranslationDataset
from tokoban.systems.translation.pairs import (
    Cleaning,
    Pair,
    clean,
    read_pairs,
    tidied,
    tidy,
)
from tokoban.text.bpe import Tokenizer, train_bpe

# Lengths of short sentences differ as they like; what counts is what both have beyond this.
_FREE_TOKENS = 5


class Data(NamedTuple):
    """All that a translator is trained on and measured by."""

    tokenizer: Tokenizer
    train: TranslationDataset
    validation: TranslationDataset
    validation_pairs: list[Pair]  # the texts of the validation, for its scores
    report: str  # what was kept and what was left out, in words


def load_data(config: TranslationConfig, tokenizer: Tokenizer | None = None) -> Data:
    """The text that ``config`` names, cleaned and as tokens; ``ValueError`` if nothing is left.

    Without a ``tokenizer`` one is learned from the text.
    """
    if config.has_text:
        train_pairs, validation_pairs, cleaning, validation_cleaning = _read(config)
    else:
        train_pairs = embedded_pairs(config, config.num_examples, "train")
        validation_pairs = embedded_pairs(config, config.num_validation, "validation")
        cleaning, validation_cleaning = map(Cleaning, map(len, (train_pairs, validation_pairs)))
    if not train_pairs:
        raise ValueError(f"nothing to learn from: {cleaning}")
    if tokenizer is None:
        lines = (sentence for side in zip(*train_pairs, strict=True) for sentence in side)
        tokenizer = train_bpe(lines, vocabulary_size=config.vocabulary_size, has_space_before=True)
    train, _, train_cleaning = _encoded(train_pairs, tokenizer, config, cleaning)
    if not len(train):
        raise ValueError(f"nothing to learn from: {train_cleaning}")
    # What is measured on is not chosen by how well the lengths fit.
    lenient = replace(config, max_ratio=math.inf)
    validation, validation_pairs, validation_cleaning = _encoded(
        validation_pairs, tokenizer, lenient, validation_cleaning
    )
    if not len(validation):
        raise ValueError(f"no validation sentences: {validation_cleaning}")
    report = f"training: {train_cleaning}; validation: {validation_cleaning}"
    return Data(tokenizer, train, validation, validation_pairs, report)


def embedded_pairs(
    config: TranslationConfig, num_pairs: int, part: number_words.Part
) -> list[Pair]:
    """Pairs of the embedded task; ``ValueError`` if the config names other languages."""
    languages = (config.source_language, config.target_language)
    if set(languages) != set(number_words.LANGUAGES):
        raise ValueError(
            f"the embedded task is between {' and '.join(number_words.LANGUAGES)}, "
            f"not {' and '.join(languages)}: name train_source and train_target"
        )
    found = number_words.examples(num_pairs, seed=config.data_seed, part=part)
    return [Pair(*(getattr(pair, language) for language in languages)) for pair in found]


def _read(config: TranslationConfig) -> tuple[list[Pair], list[Pair], Cleaning, Cleaning]:
    """Pairs for training and for validation, tidied, and what became of both."""
    validation, validation_cleaning = tidied(chain(*_corpora(config, "validation")))
    corpora = _corpora(config, "train")
    train, cleaning = clean(chain(*corpora), held_out=validation)
    if validation:
        return _sampled(train, corpora, config), validation, cleaning, validation_cleaning
    if config.validation_source:
        raise ValueError("the validation text has no sentence; name other files, or none")
    num_validation = min(config.num_validation, -(-len(train) // 10))
    if len(train) <= num_validation:
        raise ValueError(f"too few pairs to hold one out for validation: {cleaning}")
    order = np.random.default_rng(config.data_seed).permutation(len(train))
    validation = [train[number] for number in order[:num_validation]]
    train, again = clean(train, held_out=validation)
    num_dropped = {**cleaning.num_dropped, **again.num_dropped}
    train = _sampled(train, corpora, config)
    return train, validation, Cleaning(cleaning.num_read, num_dropped), Cleaning(len(validation))


def _sampled(
    train: list[Pair], corpora: Sequence[Sequence[Pair]], config: TranslationConfig
) -> list[Pair]:
    """The pairs with those of smaller corpora repeated, so that T = ``sampling_temperature`` holds.

    A corpus of n pairs gets a share in proportion to n^(1/T): the largest stands once, the others
    (largest / n)^(1 - 1/T) times, of which a fraction is drawn. T as by Arivazhagan et al. 2019
    (arXiv:1907.05019).
    """
    if config.sampling_temperature == 1:
        return train
    corpus_of: dict[Pair, int] = {}
    for number, pairs in enumerate(corpora):
        for source, target in pairs:
            corpus_of.setdefault(Pair(tidy(source), tidy(target)), number)
    parts: list[list[Pair]] = [[] for _ in corpora]
    for pair in train:
        parts[corpus_of[pair]].append(pair)
    largest = max(map(len, parts))
    random = np.random.default_rng(config.data_seed)
    for part in filter(None, parts):
        times = (largest / len(part)) ** (1 - 1 / config.sampling_temperature)
        more = round((times - 1) * len(part))
        drawn = random.permutation(len(part))[: more % len(part)]
        train = train + part * (more // len(part)) + [part[place] for place in drawn]
    return train


def _corpora(config: TranslationConfig, part: str) -> list[list[Pair]]:
    """The pairs of each pair of files for ``part``, which is train or validation."""
    sources, targets = (getattr(config, f"{part}_{kind}") for kind in ("source", "target"))
    return [*map(read_pairs, map(Path, sources), map(Path, targets))]


def _encoded(
    pairs: Sequence[Pair], tokenizer: Tokenizer, config: TranslationConfig, cleaning: Cleaning
) -> tuple[TranslationDataset, list[Pair], Cleaning]:
    """The pairs of fit lengths, as tokens and as text; and what became of the others too."""
    sources, targets = (TokenRows.of(tokenizer, [pair[side] for pair in pairs]) for side in (0, 1))
    longer = torch.maximum(sources.lengths, targets.lengths)
    shorter = torch.minimum(sources.lengths, targets.lengths)
    is_long = longer > config.max_tokens
    is_uneven = ~is_long & (longer - _FREE_TOKENS > config.max_ratio * shorter)
    kept = (~is_long & ~is_uneven).nonzero()[:, 0]
    dataset = TranslationDataset(
        sources.at(kept),
        targets.at(kept),
        batch_tokens=config.batch_tokens,
        seed=config.data_seed,
    )
    dropped = {"too long": int(is_long.sum()), "of uneven length": int(is_uneven.sum())}
    found = {rule: number for rule, number in dropped.items() if number}
    num_dropped = {**cleaning.num_dropped, **found}
    return dataset, [pairs[row] for row in kept.tolist()], Cleaning(cleaning.num_read, num_dropped)
