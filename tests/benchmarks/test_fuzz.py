"""The fuzz reports a wrong answer, and each kind of its cases passes."""

import random
from collections import Counter

import pytest

from benchmarks import fuzz


def run(monkeypatch: pytest.MonkeyPatch, *cases: object) -> dict:
    named = dict(zip("abc", cases, strict=False))
    monkeypatch.setattr(fuzz, "CASES", named)
    return fuzz.fuzz(seed=3, minutes=0.005)


def test_a_wrong_answer_is_reported_and_the_others_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails_once(chance: random.Random) -> Counter[str]:
        assert chance.random() != random.Random("3 a 1").random(), "wrong"
        return Counter()

    found = run(monkeypatch, fails_once)
    assert [failure.split(":")[:2] for failure in found["failures"]] == [["a", "1"]]
    assert "wrong" in found["failures"][0]
    assert found["counts"]["a"]["cases"] > 1


@pytest.mark.parametrize("kind", fuzz.CASES)
def test_each_kind_of_case_passes(kind: str) -> None:
    for number in range(3):
        assert fuzz.run_case(5, kind, number)
