"""Each kind of case of the fuzz passes."""

import pytest

from benchmarks import fuzz


@pytest.mark.parametrize("kind", fuzz.CASES)
def test_each_kind_of_case_passes(kind: str) -> None:
    for number in range(3):
        assert fuzz.run_case(5, kind, number)
