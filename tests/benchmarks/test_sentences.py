"""The byte model beside a GPT of sentences is a model: its chances are positive and sum to 1."""

import numpy as np

from benchmarks.sentences import kneser_ney

TEXT = b"the cat sat.\nthe dog sat.\nthat cat ran.\n" * 3


def test_the_chance_of_a_byte_is_a_pencil_sum() -> None:
    # Pairs of aabab: aa and ba once, ab twice. n1 = 2, n2 = 1, so Y = 1/2, D1 = 1/2, D2 = 2.
    # Bytes: b follows one different byte, a two. Y = 1/3, D1 = 1/3, D2 = 2; (1/3 + 2) / 3 is freed.
    # After b comes ba alone, once: 1 - 1/2, and 1/2 is freed; a as a byte has (2 - 2) / 3 left.
    (chance,) = kneser_ney(b"aabab", b"a", length=2)
    assert np.isclose(chance, 1 / 2 + 1 / 2 * (7 / 9 / 256))
