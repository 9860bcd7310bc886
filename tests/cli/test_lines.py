"""Lines in blocks, of which none takes too much memory."""

from collections.abc import Iterator

import pytest

from tokoban.cli import lines
from tokoban.cli.lines import blocks_of


def test_a_block_has_so_many_lines_and_ends_with_the_line_that_makes_it_large(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lines, "_MOST_CHARACTERS", 5)
    read = iter(["abc", "de", "f", None, "g", "h"])
    assert list(blocks_of(read, 3)) == [["abc", "de"], ["f", None, "g"], ["h"]]


def test_lines_before_one_that_cannot_be_read_come_first() -> None:
    def broken() -> Iterator[str]:
        yield from ("a", "b", "c")
        raise ValueError("not UTF-8")

    blocks = blocks_of(broken(), 2)
    assert [next(blocks), next(blocks)] == [["a", "b"], ["c"]]
    with pytest.raises(ValueError, match="not UTF-8"):
        next(blocks)
