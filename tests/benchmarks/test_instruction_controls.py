"""Which words are forgotten."""

from benchmarks.instruction_controls import (
    forget,
    words_of_questions,
)
from tokoban.systems.instructions.config import tiny
from tokoban.systems.instructions.model import InstructionNet
from tokoban.systems.instructions.words import grammar_words


def test_nothing_else_is_forgotten() -> None:
    words = grammar_words()
    network = InstructionNet(tiny(), words)
    before = {name: value.clone() for name, value in network.named_parameters()}
    forget(network, seed=2)
    changed = {name for name, value in network.named_parameters() if not value.equal(before[name])}
    assert changed == {"embedding.weight"}
    differs = (network.embedding.weight != before["embedding.weight"]).any(1).nonzero()[:, 0]
    assert {words.words[token] for token in differs.tolist()} == words_of_questions()
