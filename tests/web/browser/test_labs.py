"""The labs in the browser: an example each, answers to what is typed or drawn, and attention."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.web.browser.test_accessibility import complaints
from tests.web.browser.test_analysing import HOLD_JOBS

Open = Callable[..., Any]


@pytest.fixture
def lab(open_page: Open) -> Open:
    """``lab("life")`` gives the page once the example's attention is there."""

    def open_lab(name: str) -> Any:
        page = open_page(f"#/labs/{name}")
        page.wait_for_selector(".attention .said:not(:empty)")
        assert complaints(page) == []
        return page

    return open_lab


def test_translation_shows_other_translations_and_follows_what_is_typed(lab: Any) -> None:
    page = lab("translation")
    second = page.locator(".lab-found button").nth(1)
    text = second.inner_text()
    second.click()
    page.locator(".lab-found button[aria-pressed=true]", has_text=text).wait_for()
    written = page.locator(".queries .token").all_inner_texts()
    assert "".join(written).replace("␣", " ").strip() == f"{text}(end)"
    field = page.get_by_label("each line is translated by itself")
    field.fill("Zwei Hunde spielen im Schnee.\n\nWo bist du?")
    page.locator(".lab-found button", has_text="Two dogs").first.wait_for()
    page.get_by_label("Attention in").select_option("Wo bist du?")
    page.locator(".keys .token", has_text="bist").wait_for()
    page.get_by_role("button", name="Copy the chosen translation").click()
    page.get_by_text("Copied.").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert re.fullmatch(r"Two dogs .*\n\nWhere are you\?", copied)
    # What was typed outlives a choice of direction and another lab.
    page.get_by_label("Direction").select_option("en")
    page.evaluate("location.hash = '#/labs/memory'")
    page.locator(".lab-steps").wait_for()
    page.evaluate("location.hash = '#/labs/translation'")
    page.get_by_label("Direction").wait_for()
    assert page.get_by_label("Direction").input_value() == "en"
    assert field.input_value() == "Zwei Hunde spielen im Schnee.\n\nWo bist du?"
    field.fill("Ja. " * 501)
    page.get_by_text("The text has 2,004 characters; at most 2,000 are read.").wait_for()
    page.locator(".lab-found li").first.wait_for(state="detached")  # of the text before
    field.fill(" ")
    page.get_by_label("Direction").select_option("de")
    page.locator(".keys .token", has_text="Bruder").wait_for()
    field.fill(" ")
    page.locator(".lab-found li").first.wait_for(state="detached")
    assert not page.locator(".lab-attention").is_visible()
    page.get_by_label("Direction").select_option("en")
    page.locator(".keys .token", has_text="brother").wait_for()
    page.evaluate(
        """async () => {
          const { app } = await import(document.scripts[0].src);
          app.settings.set("language", "de");
        }"""
    )
    page.locator(".queries .token", has_text="(Ende)").wait_for()


def test_a_next_token_is_appended_and_the_text_goes_on(lab: Any) -> None:
    page = lab("text")
    text = page.get_by_label("Text", exact=True)
    for bar in page.locator(".lab-bars li").all():
        share = bar.locator("span").last.inner_text()
        drawn = bar.locator(".lab-bar").evaluate("bar => getComputedStyle(bar).backgroundImage")
        percent = re.search(r"([\d.e+-]+)%", drawn)
        assert percent is not None, drawn
        assert abs(float(percent[1]) - float(share.removesuffix(" %"))) < 0.051
    shares = page.locator(".lab-bars li").evaluate_all(
        "bars => bars.map(bar => parseFloat(bar.lastElementChild.textContent))"
    )
    assert abs(sum(shares) - 100) < 1
    page.locator("#lab-temperature").fill("0")  # only the most probable is ever drawn
    assert page.locator(".lab-bars li").first.inner_text().endswith("100.0 %")
    page.locator("#lab-temperature").fill("1.2")
    assert float(page.locator(".lab-bars li").first.inner_text().split()[-2]) < shares[0]
    assert page.locator("output", has_text="1.2").is_visible()
    before, token = text.input_value(), page.locator(".lab-bars button").nth(1)
    chosen = token.inner_text().replace("␣", " ")
    num_tokens = page.locator(".queries .token").count()
    token.click()
    assert text.input_value() == before + chosen
    page.locator(".queries .token").nth(num_tokens).wait_for()
    page.evaluate(HOLD_JOBS)
    page.get_by_role("button", name="Continue by 40 tokens").click()
    # What is typed or chosen would be written over.
    assert not text.is_editable()
    assert page.locator(".lab-bars").evaluate("bars => bars.inert")
    page.evaluate("releaseJobs()")
    page.wait_for_function(
        "length => document.querySelector('#lab-text').value.length > length + 40",
        arg=len(before + chosen),
    )
    page.get_by_role("button", name="Continue by 40 tokens").wait_for()
    assert text.is_editable()
    assert not page.locator(".lab-bars").evaluate("bars => bars.inert")


def test_life_is_drawn_and_played_and_noise_makes_wrong_cells(lab: Any) -> None:
    page = lab("life")
    cell = page.locator(".lab-cell")
    assert page.locator(".lab-cell.alive").count() == 5
    cell.nth(0).click()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Space")
    assert [cell.nth(n).get_attribute("class").split()[-1] for n in (0, 1, 18)] == [
        "alive", "lab-cell", "alive",
    ]  # fmt: skip
    page.get_by_role("button", name="Help and keys").click()
    page.get_by_role("dialog").get_by_text("arrow keys go to another cell and Space").wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Glider").click()
    page.get_by_role("button", name="One step").click()
    page.locator("p", has_text="Step 1; wrong cells so far: 0").wait_for()
    page.get_by_label("Noise in the weights").select_option("0.4")
    page.get_by_role("button", name="Run").click()
    page.locator(".lab-cell.wrong").first.wait_for()
    page.get_by_role("button", name="Pause").click()
    page.get_by_role("button", name="Run").wait_for()


def test_a_drawn_board_is_judged_and_proved(lab: Any) -> None:
    page = lab("pictures")
    page.get_by_text("Proved open").wait_for()
    assert page.locator(".maps button[aria-pressed=true]").get_attribute("title") == "rollout"
    canvas = page.locator(".drawing canvas")

    def draw(tool: str, row: int, column: int) -> None:
        page.get_by_role("button", name=tool).click()
        square = canvas.bounding_box()["width"] / 8
        canvas.click(position={"x": (column + 0.5) * square, "y": (row + 0.5) * square})

    # The upper box goes into the corner.
    draw("Floor", 2, 2)
    page.get_by_text("1 box, but 2 goals.").wait_for()
    draw("Box", 1, 1)
    page.get_by_text("Proved lost").wait_for()
    # The end of a job about an earlier drawing does not take away what is said of this one.
    page.evaluate(HOLD_JOBS)
    draw("Wall", 6, 6)
    page.get_by_text("The solver is at work").wait_for()
    draw("Floor", 1, 1)
    page.get_by_text("1 box, but 2 goals.").wait_for()
    page.evaluate("releaseJobs()")
    assert page.get_by_text("1 box, but 2 goals.").is_visible()


def test_a_step_of_an_episode_shows_where_the_player_looked(lab: Any) -> None:
    page = lab("memory")
    tokens = page.locator(".queries .token")
    # All at once, since Playwright takes long to point at a step.
    opened, *usual = tokens.evaluate_all(
        """tokens => {
          const threeBefore = () => {
            const chosen = tokens.findIndex(token => token.classList.contains("chosen"));
            return Number(tokens[chosen - 3].dataset.weight);
          };
          const steps = [...document.querySelectorAll(".lab-steps button")].slice(3);
          return [threeBefore(), ...steps.map(step => { step.click(); return threeBefore(); })];
        }"""
    )
    assert len(usual) == 48
    assert opened == sorted(usual)[24]
    page.locator(".lab-steps button").nth(20).click()
    assert page.locator(".queries .token.chosen").evaluate("token => token.title").startswith("“")
    chosen = page.locator(".queries .token").evaluate_all(
        "tokens => tokens.findIndex(token => token.classList.contains('chosen'))"
    )
    assert chosen == 20
    weights = page.locator(".queries .token").evaluate_all(
        "tokens => tokens.map(token => Number(token.dataset.weight))"
    )
    assert max(range(51), key=weights.__getitem__) == 17  # three steps before
