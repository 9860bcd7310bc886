"""Nothing near a held-out sentence is translated."""

from benchmarks import gpt_text
from tokoban.systems.gpt.corpus import split_lines
from tokoban.systems.translation.pairs import Pair

PAIRS = [
    Pair(f"Der Satz {'a' * n}b ist da.", f"The sentence {'a' * n}b is there.") for n in range(80)
]


def test_no_source_is_in_a_pair_with_a_held_out_side() -> None:
    text = "\n".join(side for pair in PAIRS for side in pair)
    held = {*split_lines(text, validation_share=0.02, seed=0)[1].splitlines()}
    german, english = gpt_text.sources(PAIRS)
    assert held and len(german) == len(english) < len(PAIRS)
    for pair in PAIRS:
        is_near = bool(held & {*pair})
        assert (pair.source in german, pair.target in english) == (not is_near, not is_near)
