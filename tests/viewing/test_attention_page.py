"""The page of attention holds what it was given, whatever the tokens are called, and says it."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.viewing.attention_pages import read_attention_page
from tokoban.viewing import attention_page
from tokoban.viewing.attention_page import (
    AttentionPanel,
    AttentionView,
    TokenGrid,
    TokenRow,
    write_attention_page,
)

L, N, T, S = 2, 3, 5, 7
# What would end an element, start one, or be taken for a name to be replaced.
ODD_LABELS = ["</script>", "<!--", "&amp;", "{{js}}", '"\\\n']


def weights(*shape: int) -> torch.Tensor:
    return torch.randn(shape, generator=torch.manual_seed(0)).softmax(-1)


def row(num_tokens: int) -> TokenRow:
    return TokenRow([f"t{place}" for place in range(num_tokens)])


def test_a_page_holds_the_weights_to_the_last_bit(tmp_path: Path) -> None:
    panels = {
        "two texts": AttentionPanel("two texts", weights(L, N, T, S), row(T), row(S)),
        "grid": AttentionPanel(
            "grid", weights(1, 1, S, S), TokenGrid(2, 3, has_class_token=True), row(S)
        ),
    }
    write_attention_page(tmp_path / "a.html", AttentionView(list(panels.values()), ""), title="two")
    found = read_attention_page(tmp_path / "a.html")
    assert found.keys() == panels.keys()
    assert all(torch.equal(found[name], panel.weights) for name, panel in panels.items())


def test_no_token_breaks_the_page(tmp_path: Path) -> None:
    panel = AttentionPanel("<b>", weights(1, 1, 5, 5), TokenRow(ODD_LABELS), TokenRow(ODD_LABELS))
    write_attention_page(tmp_path / "a.html", AttentionView([panel], ""), title="a < b & {{data}}")
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert "<title>a &lt; b &amp; {{data}}</title>" in page
    assert page.count("</script>") == page.count("<script") == 2
    assert "<!--" not in page
    assert read_attention_page(tmp_path / "a.html").keys() == {"<b>"}


def test_characters_that_no_file_may_hold_are_replaced(tmp_path: Path) -> None:
    odd = "a\ud800\x00\x1b]]>b"
    labels = TokenRow([odd] * 5)
    panel = AttentionPanel(odd, weights(1, 1, 5, 5), labels, labels)
    write_attention_page(tmp_path / "a.html", AttentionView([panel], odd), title=odd)
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert "<title>a\ufffd\ufffd\ufffd]]&gt;b</title>" in page
    assert not re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f]", page)
    assert list(read_attention_page(tmp_path / "a.html")) == ["a\ufffd\ufffd\ufffd]]>b"]


def heads(*kinds: str) -> torch.Tensor:
    """Attention of five causal tokens by heads of these kinds, as one layer."""
    first, own = torch.zeros(5, 5), torch.eye(5)
    first[:, 0] = 1
    even = torch.ones(5, 5).tril()
    before = torch.eye(5).roll(1, 0)
    before[0] = own[0]
    before[3] = (before[3] + first[3]) / 2  # the fourth token is of two minds
    found = {"first": first, "own": own, "even": even / even.sum(1, keepdim=True), "before": before}
    return torch.stack([found[kind] for kind in kinds])[None]


def test_a_page_opens_where_queries_tell_most() -> None:
    tokens = row(5)
    for given, head in (
        (heads("first", "own", "before", "even"), 2),
        (heads("even", "before", "first", "own"), 1),
    ):
        panel = AttentionPanel("a", given, tokens, tokens)
        layer, found, query = panel.start()
        assert (layer, found, query) == (0, head, 4)  # the last query sees most
        # Where attention is not causal: not the token at the end, nor the one of two minds.
        assert AttentionPanel("a", given.flip(-1, -2), tokens, tokens).start()[2] in (0, 2, 3)
    # What a token gives to its own place counts where the keys are others.
    panel = AttentionPanel("a", heads("first", "own"), row(5), TokenRow(["b"] * 5))
    assert panel.start()[1] == 1
    layers = torch.cat([heads("first"), heads("before")])
    assert AttentionPanel("a", layers, tokens, tokens).start()[0] == 1
    assert AttentionPanel("a", torch.zeros(1, 1, 5, 5), tokens, tokens).start() == (0, 0, 4)


def test_a_picture_with_a_class_token_opens_at_it() -> None:
    given = torch.rand(1, 2, 5, 5, generator=torch.Generator().manual_seed(0))
    given /= given.sum(-1, keepdim=True)
    for has_class in (True, False):
        grid = TokenGrid(2 + (not has_class) * 3, 2 - (not has_class), has_class_token=has_class)
        assert (AttentionPanel("a", given, grid, grid).start()[2] == 0) == has_class


def test_a_panel_with_an_aligned_head_opens_there() -> None:
    tokens, given = row(5), heads("before", "even", "first")
    panel = AttentionPanel("a", given, tokens, tokens, aligned_head=(0, 2))
    assert panel.start()[:2] == (0, 2)


def test_a_page_says_what_to_look_for_and_where_it_opens(tmp_path: Path) -> None:
    tokens = row(5)
    panel = AttentionPanel("a", heads("first", "before"), tokens, tokens)
    write_attention_page(tmp_path / "a.html", AttentionView([panel], "Look for <this>."), title="a")
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert '<p class="guide">Look for &lt;this&gt;.</p>' in page
    assert '"start": {"layer": 0, "head": 1, "query": ' in page


def test_a_page_needs_no_other_file_and_no_network(tmp_path: Path) -> None:
    panel = AttentionPanel("a", weights(1, 1, T, T), row(T), row(T))
    write_attention_page(tmp_path / "a.html", AttentionView([panel], ""), title="a")
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert "default-src 'none'" in page
    assert not re.search(r"https?:|\bsrc=|\bhref=|@import|url\(|\bimport\b|fetch\(", page)
    assert [path.name for path in tmp_path.iterdir()] == ["a.html"]


def test_a_failed_write_leaves_the_older_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = tmp_path / "a.html"
    page.write_text("older")

    def fail(path: Path, *_: Any, **__: Any) -> None:
        path.write_bytes(b"half of it")
        raise OSError("no space left")

    panel = AttentionPanel("a", weights(1, 1, T, T), row(T), row(T))
    monkeypatch.setattr(Path, "write_text", fail)
    with pytest.raises(OSError, match="no space left"):
        write_attention_page(page, AttentionView([panel], ""), title="a")
    assert page.read_bytes() == b"older"
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: TokenRow(["a"], row_length=0), "row_length is 0; expected at least 1"),
        (
            lambda: TokenRow(["a"], pictures=torch.zeros(2, 1, 3, 3)),
            "1 labels and 2 pictures; expected one each for every token",
        ),
        (lambda: TokenGrid(0, 3), "a grid of 0 x 3 has no cells"),
        (lambda: TokenGrid(2, 3, labels=["a"]), "1 labels for a grid of 6 cells"),
        (
            lambda: TokenGrid(2, 3, picture=torch.zeros(2, 5, 7)),
            "expected a picture of 1 or 3 channels, rows and columns, got [2, 5, 7]",
        ),
        (
            lambda: TokenGrid(2, 3, picture=torch.full((1, 5, 7), 255.0)),
            "expected a picture of shades from 0 to 1, got others",
        ),
        (
            lambda: AttentionPanel("a", weights(L, N, T, S), row(S), row(T)),
            "a: weights of 5 queries and 7 keys, but 7 and 5 tokens",
        ),
        (
            lambda: AttentionPanel("a", weights(0, N, T, T), row(T), row(T)),
            "a: no weights, in the shape [0, 3, 5, 5]",
        ),
        (
            lambda: AttentionPanel("a", weights(L, N, T, T) - 1, row(T), row(T)),
            "a: expected weights from 0 to 1, got others",
        ),
        (
            lambda: AttentionPanel("a", weights(L, N, T, T) * torch.nan, row(T), row(T)),
            "a: expected weights from 0 to 1, got others",
        ),
    ],
)
def test_what_does_not_fit_is_refused(make: Callable[[], object], complaint: str) -> None:
    with pytest.raises(ValueError, match=re.escape(complaint)):
        make()


def test_a_page_is_refused_that_shows_nothing_or_too_much(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    panels = [AttentionPanel("a", weights(L, N, T, T), row(T), row(T))] * 2
    monkeypatch.setattr(attention_page, "MOST_WEIGHTS", 100)
    for wrong, complaint in [
        ([], "a page of attention needs a panel to show"),
        (panels, "expected panels of different names, got a, a"),
        (
            panels[:1],
            "150 weights are too many for a page, which holds 100: expected fewer "
            "panels or tokens (a alone has 2 x 3 x 5 x 5: layers, heads, queries and keys)",
        ),
    ]:
        with pytest.raises(ValueError, match=re.escape(complaint)):
            write_attention_page(tmp_path / "a.html", AttentionView(wrong, ""), title="")
    assert not list(tmp_path.iterdir())
