"""The fuzz finds what it is there to find: wrong answers, crashes, and cases that never end."""

import os
import random
import time
from collections import Counter

import pytest

from benchmarks import fuzz


def run(monkeypatch: pytest.MonkeyPatch, *cases: object) -> dict:
    named = dict(zip("abc", cases, strict=False))
    monkeypatch.setattr(fuzz, "CASES", named)
    return fuzz.fuzz(seed=3, minutes=0.005)


def count_one(_: random.Random) -> Counter[str]:
    return Counter(seen=2)


def test_cases_are_counted_and_nothing_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    found = run(monkeypatch, count_one)
    assert found["counts"]["a"]["cases"] > 1
    assert found["counts"]["a"]["seen"] == 2 * found["counts"]["a"]["cases"]
    assert not found["failures"]


def test_a_wrong_answer_is_reported_and_the_others_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails_once(chance: random.Random) -> Counter[str]:
        assert chance.random() != random.Random("3 a 1").random(), "wrong"
        return Counter()

    found = run(monkeypatch, fails_once)
    assert [failure.split(":")[:2] for failure in found["failures"]] == [["a", "1"]]
    assert "wrong" in found["failures"][0]
    assert found["counts"]["a"]["cases"] > 1


def test_a_crash_is_reported_and_the_others_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def crashes_once(chance: random.Random) -> Counter[str]:
        if chance.random() == random.Random("3 b 0").random():
            os._exit(7)
        return Counter()

    found = run(monkeypatch, count_one, crashes_once)
    assert found["failures"] == ["b:0 ended its process with 7"]
    assert found["counts"]["b"]["cases"] > 1


def test_a_case_without_end_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def waits(_: random.Random) -> Counter[str]:
        time.sleep(60)
        return Counter()

    monkeypatch.setattr(fuzz, "MAX_CASE_S", 0.4)
    found = run(monkeypatch, waits)
    assert found["failures"] == ["a:0 was not over after 0.4 s"]


@pytest.mark.parametrize("kind", fuzz.CASES)
def test_each_kind_of_case_passes(kind: str) -> None:
    for number in range(3):
        assert fuzz.run_case(5, kind, number)
