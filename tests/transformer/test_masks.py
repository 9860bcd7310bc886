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


def test_fewer_keys_than_queries_are_refused_and_a_negative_length() -> None:
    with pytest.raises(ValueError, match=r"at least as many keys as queries \(5\), got 3"):
        masks.causal(5, num_keys=3)
    with pytest.raises(ValueError, match=r"expected a length of at least 0, got -2"):
        masks.causal(-2, num_keys=3)
