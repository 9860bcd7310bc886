"""The page of attention in a browser without a network: what is seen are the weights given."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from tokoban.viewing.attention_page import (
    AttentionPanel,
    AttentionView,
    TokenGrid,
    TokenRow,
    write_attention_page,
)

L, N, T, S = 3, 2, 6, 5

Open = Callable[..., Any]


def weights(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(shape, generator=torch.manual_seed(seed)).mul(2).softmax(-1)


TEXT = TokenRow(["To", " be", " or", "\n", "</script>", "."])
TRIPLES = TokenRow([f"{kind}{step}" for step in (1, 2) for kind in "Rsa"], row_length=3)
BOARDS = TokenRow([""] * S, pictures=torch.rand(S, 3, 4, 4, generator=torch.manual_seed(1)))
CELLS = TokenGrid(2, 3, labels=["●", "", "", "●", "", "●"])
PATCHES = TokenGrid(
    2, 2, picture=torch.rand(1, 7, 7, generator=torch.manual_seed(2)), has_class_token=True
)
PANELS = {
    "text": AttentionPanel("text", weights(L, N, T, T), TEXT, TEXT),
    "two texts": AttentionPanel("two texts", weights(L, N, T, S, seed=1), TEXT, BOARDS),
    "cells": AttentionPanel("cells", weights(1, 1, T, T, seed=2), CELLS, CELLS),
    "picture": AttentionPanel("picture", weights(L, N, S, S, seed=3), PATCHES, PATCHES),
    "triples": AttentionPanel("triples", weights(L, N, T, T).tril(), TRIPLES, TRIPLES),
}


class Tab:
    """A tab without a network, and what its pages complained of or asked for.

    All tests share one: to start a tab takes longer than to open a page in it.
    """

    def __init__(self, page: Any) -> None:
        self.page = page
        self.heard: list[str] = []
        page.on("console", lambda message: self.heard.append(message.text))
        page.on("pageerror", lambda error: self.heard.append(str(error)))
        page.on("request", lambda request: self.heard.append(request.url))


@pytest.fixture(scope="module")
def tab(chromium: Any) -> Iterator[Tab]:
    context = chromium.new_context(offline=True)
    yield Tab(context.new_page())
    context.close()


@pytest.fixture
def opened(tab: Tab, tmp_path: Path) -> Iterator[Open]:
    """Opens a page of panels offline; whatever it complains of or asks for fails the test."""

    def open_page(*panels: AttentionPanel, at_first: bool = True) -> Any:
        """``at_first`` chooses the first layer, head and query, wherever the page opens."""
        path, page = tmp_path / "page.html", tab.page
        write_attention_page(path, AttentionView(panels, ""), title="opened")
        page.mouse.move(0, 0)  # or it would point at the page before, and then at this one
        page.goto(path.as_uri())
        assert tab.heard.pop(0) == path.as_uri()
        if at_first:
            page.locator(".maps button").first.dispatch_event("click")
            page.locator(".queries .token").first.dispatch_event("pointerover")
        return page

    yield open_page
    heard, tab.heard[:] = tab.heard[:], []
    assert heard == []


def shown(page: Any, place: str = ".queries") -> torch.Tensor:
    """The weights of the keys, of the query chosen."""
    tokens = page.locator(f"{place} .token").evaluate_all(
        "tokens => tokens.map(token => Number(token.dataset.weight))"
    )
    return torch.tensor(tokens)


def test_a_query_pointed_at_shows_its_weights_in_every_head(opened: Open) -> None:
    page = opened(*PANELS.values())
    for name, panel in PANELS.items():
        page.get_by_role("button", name=name, exact=True).click()
        place = ".queries" if panel.keys is panel.queries else ".keys"
        num_layers, num_heads, num_queries, _ = panel.weights.shape
        assert page.locator(".keys").is_visible() == (place == ".keys")
        every = [(layer, head) for layer in range(num_layers) for head in range(num_heads)]
        # The other panels differ in their tokens.
        for layer, head in every if name == "text" else every[-2:]:
            page.get_by_role("button", name=f"layer {layer + 1}, head {head + 1}").click()
            query = (2 * layer + head) % num_queries
            page.locator(".queries .token").nth(query).hover()
            expected = panel.weights[layer, head, query]
            assert torch.equal(shown(page, place), expected), name


def test_tokens_are_seen_as_they_are_called_with_spaces_and_ends_of_lines(opened: Open) -> None:
    page = opened(PANELS["text"])
    labels = page.locator(".queries .token").evaluate_all(
        "tokens => tokens.map(token => token.firstChild.textContent)"
    )
    assert labels == ["To", "␣be", "␣or", "⏎", "</script>", "."]


def test_a_token_is_called_by_its_label_and_its_place(opened: Open) -> None:
    page = opened(*PANELS.values())
    for name, place, said in (
        ("text", 1, "“␣be” (2) gives most"),
        ("triples", 5, "“a2” (row 2, 3) gives most"),
        ("cells", 3, "row 2, column 1 ● gives most"),
        ("picture", 4, "row 2, column 2 gives most"),
        ("picture", 0, "the class token gives most"),
    ):
        page.get_by_role("button", name=name, exact=True).click()
        page.locator(".queries .token").nth(place).hover()
        assert page.locator(".said").inner_text().startswith(said)


def test_the_mean_of_the_heads_and_the_rollout_are_what_their_formulas_say(opened: Open) -> None:
    page = opened(PANELS["text"])
    given = PANELS["text"].weights
    page.get_by_role("button", name="layer 2, mean of its heads").click()
    page.locator(".queries .token").nth(3).hover()
    assert torch.allclose(shown(page), given[1].mean(0)[3], atol=1e-6)
    page.get_by_role("button", name="rollout").click()
    page.locator(".queries .token").nth(3).hover()
    first, second, third = given.mean(1) / 2 + torch.eye(T) / 2
    assert torch.allclose(shown(page), (third @ second @ first)[3], atol=1e-6)


@pytest.mark.parametrize(
    "names",
    [
        ("text", "cells"),
        ("cells", "text"),
        ("cells", "two texts"),
        ("picture", "cells"),
        ("cells", "triples"),
    ],
)
def test_each_panel_opens_at_its_start(names: tuple[str, str], opened: Open) -> None:
    page = opened(*(PANELS[name] for name in names), at_first=False)
    for name in names:
        panel = PANELS[name]
        layer, head, query = panel.start()
        page.get_by_role("button", name=name, exact=True).click()
        number = layer + 1
        chosen = page.locator(".maps button[aria-pressed=true]").get_attribute("title")
        assert chosen == f"layer {number}, head {head + 1}"
        keys = ".queries" if panel.keys is panel.queries else ".keys"
        assert torch.equal(shown(page, keys), panel.weights[layer, head, query])


def test_what_another_panel_lacks_gives_way_to_its_first_map(opened: Open) -> None:
    page = opened(PANELS["text"], PANELS["cells"])
    for chosen in ("layer 2, mean of its heads", "rollout"):
        page.get_by_role("button", name="text", exact=True).click()
        page.get_by_role("button", name=chosen).click()
        page.get_by_role("button", name="cells", exact=True).click()
        pressed = page.locator(".maps button[aria-pressed=true]")
        assert pressed.get_attribute("title") == "layer 1, head 1"


def test_a_query_that_may_look_at_nothing_is_reported_to(opened: Open) -> None:
    given = weights(1, 1, T, T)
    given[:, :, 2] = 0
    page = opened(AttentionPanel("a", given, TEXT, TEXT))
    page.locator(".queries .token").nth(2).hover()
    assert page.locator(".said").inner_text() == "“␣or” (3) may not attend to anything."
    assert shown(page).sum() == 0


def test_the_keyboard_alone_reaches_every_query_and_every_head(opened: Open) -> None:
    page = opened(PANELS["triples"])
    given = PANELS["triples"].weights
    page.locator("body").focus()
    page.keyboard.press("Tab")  # to the maps, of which one is a stop
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")  # the scale
    page.keyboard.press("Tab")  # the numbers
    page.keyboard.press("Tab")
    assert torch.equal(shown(page), given[1, 1, 0])
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    assert torch.equal(shown(page), given[1, 1, 4])
    page.keyboard.press("End")
    page.keyboard.press("ArrowRight")
    assert torch.equal(shown(page), given[1, 1, 5])
    page.keyboard.press("ArrowUp")
    assert torch.equal(shown(page), given[1, 1, 2])


def test_a_click_holds_a_query_until_escape(opened: Open) -> None:
    page = opened(PANELS["text"])
    given, tokens = PANELS["text"].weights[0, 0], page.locator(".queries .token")
    tokens.nth(2).click()
    tokens.nth(4).hover()
    assert torch.equal(shown(page), given[2])
    page.keyboard.press("Escape")
    tokens.nth(5).hover()
    assert torch.equal(shown(page), given[5])


def test_the_darkest_shade_is_where_the_scale_says(opened: Open) -> None:
    page = opened(PANELS["text"])
    given = PANELS["text"].weights[0, 0]
    page.locator(".queries .token").nth(1).hover()
    for scale, darkest in (("query", given[1].max()), ("map", given.max()), ("one", 1.0)):
        page.locator(".scale").select_option(scale)
        shares = page.locator(".queries .token").evaluate_all(
            "tokens => tokens.map(token => Number(token.style.getPropertyValue('--weight')))"
        )
        assert torch.allclose(torch.tensor(shares), given[1] / darkest, atol=1e-3)


def test_a_map_is_a_pixel_a_weight_and_chooses_its_query(opened: Open) -> None:
    page = opened(PANELS["two texts"])
    given = PANELS["two texts"].weights[0, 0]
    shades = page.locator(".map").evaluate(
        """map => Array.from(map.getContext("2d").getImageData(0, 0, map.width, map.height).data)
                       .filter((_, i) => i % 4 === 3)"""
    )
    painted = torch.tensor(shades).unflatten(0, (T, S)) / 255
    assert torch.allclose(painted, given / given.max(), atol=2 / 255)
    box = page.locator(".map").bounding_box()
    page.mouse.move(box["x"] + 4.5 * box["width"] / S, box["y"] + 2.5 * box["height"] / T)
    assert torch.equal(shown(page, ".keys"), given[2])
    assert page.locator(".pointed").inner_text().startswith("“␣or” (3) → “∅” (5): ")


def test_later_tokens_of_causal_attention_have_no_number(opened: Open) -> None:
    page = opened(PANELS["triples"])
    page.locator(".queries .token").nth(2).hover()
    assert page.locator(".masked small").all_inner_texts() == ["\u2013"] * 3
    page = opened(PANELS["text"])
    assert page.locator(".masked").count() == 0


def test_many_panels_are_gone_through_by_a_slider(opened: Open) -> None:
    cells = TokenGrid(2, 3)
    steps = [
        AttentionPanel(f"step {n}", weights(1, 1, T, T, seed=n), cells, cells) for n in range(11)
    ]
    page = opened(*steps)
    page.locator(".queries .token").nth(4).click()
    page.mouse.move(0, 0)
    page.get_by_role("slider").focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    assert page.locator(".panels output").inner_text() == "step 3"
    assert torch.equal(shown(page), steps[3].weights[0, 0, 4])
