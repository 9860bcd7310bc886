"""Masks look as drawn."""

import pytest
import torch

from tokoban.transformer import Window, masks


def picture(may_attend: torch.Tensor) -> str:
    """One line per query, one character per key: x where it may attend."""
    return "|".join("".join(".x"[key] for key in row) for row in may_attend.tolist())


DRAWINGS = {
    "causal": (masks.causal(4), "x...|xx..|xxx.|xxxx"),
    "causal, after a cache": (masks.causal(2, num_keys=5), "xxxx.|xxxxx"),
    "causal, one query": (masks.causal(1, num_keys=3), "xxx"),
    "window": (Window(1).mask(5, 5), "xx...|xxx..|.xxx.|..xxx|...xx"),
    "window, alone": (Window(0).mask(3, 3), "x..|.x.|..x"),
    "window, after a cache": (Window(1).mask(2, 5), "..xxx|...xx"),
    "window, causal": (Window(1, is_causal=True).mask(4, 4), "x...|xx..|.xx.|..xx"),
    "window, causal, after a cache": (Window(2, is_causal=True).mask(2, 5), ".xxx.|..xxx"),
    "goal and current": (masks.goal_and_current(4), "x...|xx..|x.x.|x..x"),
}


@pytest.mark.parametrize("name", DRAWINGS)
def test_masks_look_as_drawn(name: str) -> None:
    may_attend, drawing = DRAWINGS[name]
    assert may_attend.dtype == torch.bool
    assert picture(may_attend) == drawing


def test_padding_hides_what_lies_beyond_each_rows_length() -> None:
    may_attend = masks.padding(torch.tensor([3, 0, 5]), 5)
    assert may_attend.shape == (3, 1, 1, 5)
    assert picture(may_attend[:, 0, 0]) == "xxx..|.....|xxxxx"


def test_causal_and_padding_combine_for_each_row_and_all_heads() -> None:
    may_attend = masks.causal(3) & masks.padding(torch.tensor([1, 2]), 3)
    assert may_attend.shape == (2, 1, 3, 3)
    assert [picture(row[0]) for row in may_attend] == ["x..|x..|x..", "x..|xx.|xx."]


def test_fewer_keys_than_queries_are_refused_and_a_negative_length() -> None:
    with pytest.raises(ValueError, match=r"at least as many keys as queries \(5\), got 3"):
        masks.causal(5, num_keys=3)
    with pytest.raises(ValueError, match=r"expected a length of at least 0, got -2"):
        masks.causal(-2, num_keys=3)


def test_a_length_beyond_the_width_is_refused() -> None:
    with pytest.raises(ValueError, match="expected lengths of at most 5, got 9"):
        masks.padding(torch.tensor([1, 9]), 5)
