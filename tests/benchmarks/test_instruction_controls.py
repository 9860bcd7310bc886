"""Which words are forgotten, and what a bag of words is."""

import random
from dataclasses import replace
from itertools import islice

import torch

from benchmarks.instruction_controls import (
    BagSystem,
    forget,
    with_new_stem,
    words_of_questions,
)
from tokoban.sokoban.instructions import benchmark
from tokoban.systems.instructions.config import tiny
from tokoban.systems.instructions.model import InstructionNet
from tokoban.systems.instructions.train import InstructionsSystem
from tokoban.systems.instructions.words import grammar_words


def test_questions_alone_have_the_words_that_are_forgotten() -> None:
    chance, forgotten = random.Random(1), words_of_questions()
    asked: set[str] = set()
    demanded: set[str] = set()
    for board in benchmark.held_out(12, seed=3):
        for _ in range(4):
            asked.update(*(text.split() for text, *_ in benchmark.questions(chance, board)))
            readings = benchmark.readings(chance, board, benchmark.SPLITS["train"], 9)
            demanded.update(*(text.split() for text, _ in readings))
    assert {"western", "stuck", "feststeckt"} <= asked & forgotten
    assert not demanded & forgotten


def test_nothing_else_is_forgotten() -> None:
    words = grammar_words()
    network = InstructionNet(tiny(), words)
    before = {name: value.clone() for name, value in network.named_parameters()}
    forget(network, seed=2)
    changed = {name for name, value in network.named_parameters() if not value.equal(before[name])}
    assert changed == {"embedding.weight"}
    differs = (network.embedding.weight != before["embedding.weight"]).any(1).nonzero()[:, 0]
    assert {words.words[token] for token in differs.tolist()} == words_of_questions()


def test_a_bag_has_the_words_of_each_sentence_in_another_order() -> None:
    config = replace(tiny(), batch_examples=8)
    parts = config, frozenset[str](), grammar_words()
    network = InstructionNet(config, parts[2])
    plain, bags = (
        [*islice(kind(*parts).train_batches(network, start_step=3), 2)]
        for kind in (InstructionsSystem, BagSystem)
    )
    for one, other in zip(plain, bags, strict=True):
        mine, its = one.prompt.words, other.prompt.words
        assert (mine != its).any()
        assert mine.sort(1).values.equal(its.sort(1).values)
        assert (mine == 0).equal(its == 0)
        assert torch.equal(one.outlook, other.outlook)


def test_a_new_stem_leaves_the_rest_of_the_network_as_it_is() -> None:
    config = tiny()
    start = InstructionNet(config, grammar_words())
    seeing = with_new_stem(start, replace(config, reads_pixels=True), seed=4)
    assert seeing.tiles is not None
    before = dict(start.named_parameters())
    changed = {
        name
        for name, value in seeing.named_parameters()
        if value.shape != before[name].shape or not value.equal(before[name])
    }
    assert changed == {"stem.weight", "stem.bias"} & before.keys()
