"""WCAG 2.1 AA by axe on the views and dialogs, in both themes; the narrowest window."""

from collections.abc import Callable
from typing import Any

import pytest

TAGS = {"runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]}}
# Of all rules this one alone depends on the theme.
CONTRAST = {"runOnly": {"type": "rule", "values": ["color-contrast"]}}
# Behind an open dialog nothing can be reached.
RUN = """async (options) => {
  const seen = document.querySelector("dialog[open]") ?? document;
  const { violations } = await axe.run(seen, { ...options, resultTypes: ["violations"] });
  return violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.html} ${node.failureSummary}`));
}"""

# Ends in the frame after the next one.
FRAME = """() => new Promise((end) =>
  requestAnimationFrame(() => requestAnimationFrame(end)))"""


def complaints(page: Any) -> list[str]:
    """What axe finds wrong with the page as it is now, in the light theme and in the dark one."""
    module = pytest.importorskip("axe_playwright_python.sync_playwright")
    if not page.evaluate("'axe' in window"):
        page.evaluate(module.Axe().axe_script)
    page.emulate_media(color_scheme="light")
    page.wait_for_selector("[data-theme=light]")
    found = page.evaluate(RUN, TAGS)
    page.emulate_media(color_scheme="dark")
    page.wait_for_selector("[data-theme=dark]")
    return found + page.evaluate(RUN, CONTRAST)


def test_play_levels_and_dialogs(open_page: Callable[..., Any]) -> None:
    page = open_page("#/play/file-tests/1")
    page.wait_for_selector("h1:text-is('Corridor')")
    page.keyboard.press("k")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("[data-owner=solved]")
    page.locator("summary:text('Board as text')").click()
    page.locator(".grid-text td[data-square]").first.wait_for()
    assert complaints(page) == []
    for key, name in (("?", "Help and keys"), ("c", "Share and export")):
        page.keyboard.press(key)
        page.get_by_role("dialog", name=name).wait_for()
        assert complaints(page) == []
        page.keyboard.press("Escape")
    page.get_by_role("button", name="Settings").click()
    assert complaints(page) == []
    page.keyboard.press("Escape")
    page.keyboard.press("l")
    for part in (".level-card", ".collection"):
        page.wait_for_selector(part)
    assert complaints(page) == []


def test_keys_go_from_level_to_level_and_each_is_named(open_page: Callable[..., Any]) -> None:
    page = open_page("#/play/file-tests/1")
    page.wait_for_selector("h1:text-is('Corridor')")
    said = page.locator("body > [aria-live]")
    said.get_by_text("Corridor, tests, level 1 of 3").wait_for()
    page.locator("#board").focus()
    page.keyboard.press("n")
    said.get_by_text("Room, tests, level 2 of 3").wait_for()
    assert page.title().startswith("Room, tests, level 2 of 3")
    assert page.evaluate("document.activeElement.id") == "board"
    page.keyboard.press("l")
    page.wait_for_selector(".level-card")
    focused = "document.activeElement.querySelector('.level-title')?.textContent"
    for key, title in (("ArrowDown", "2 Room"), ("ArrowRight", "3 Two goals")):
        page.keyboard.press(key)
        assert page.evaluate(focused) == title
    page.keyboard.press("Alt+Home")  # is the browser's
    assert page.evaluate(focused) == "3 Two goals"
    page.keyboard.press("Enter")
    said.get_by_text("Two goals, tests, level 3 of 3").wait_for()
    assert page.evaluate("document.activeElement.id") == "board"


def test_german_fits_320_pixels_and_messages_neither_move_nor_cover_the_board(
    open_page: Callable[..., Any],
) -> None:
    page = open_page(viewport={"width": 320, "height": 640}, locale="de-DE")
    labs = [f"#/labs/{name}" for name in ("translation", "text", "life", "pictures", "memory")]
    views = {"#/levels": ".level-card", "#/editor": ".drawing canvas"}
    views |= {lab: f"[aria-current][href='{lab}']" for lab in labs}
    views |= {"#/play/file-tests/1": "h1:text-is('Corridor')"}
    for address, selector in views.items():
        page.evaluate("address => { location.hash = address; }", address)
        page.wait_for_selector(selector)
        assert page.evaluate("document.documentElement.scrollWidth") == 320, address
        tools = [tool.bounding_box()["y"] for tool in page.locator(".drawing + .toolbar > *").all()]
        assert len({*tools}) == (address == "#/editor"), address
    for panel in ("understand", "watch", "work"):
        page.locator(f"#tab-{panel}").click()
        page.wait_for_selector(f"#panel-{panel} > *")
        assert page.evaluate("document.documentElement.scrollWidth") == 320, panel
        boxes = [tab.bounding_box() for tab in page.get_by_role("tab").all()]
        assert len({box["y"] for box in boxes}) == 1, panel
        assert all(box["x"] >= 0 and box["x"] + box["width"] <= 320 for box in boxes), panel
    for key in ("?", "c"):
        page.locator("#board").focus()
        page.keyboard.press(key)
        dialog = page.locator("dialog[open]")
        assert dialog.evaluate("dialog => dialog.scrollWidth - dialog.clientWidth") == 0, key
        page.keyboard.press("Escape")
    for width, height in ((320, 640), (320, 740), (480, 640), (1280, 740)):
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate(FRAME)  # in which the board fits itself into its room
        page.locator("#board").focus()
        page.keyboard.press("r")
        canvas = page.locator(".board-canvas")
        before = canvas.bounding_box()
        page.keyboard.press("ArrowRight")
        note = page.locator("[data-owner=solved]").bounding_box()
        assert canvas.bounding_box() == before, (width, height)
        for box in (part.bounding_box() for part in page.locator("#board, .toolbar").all()):
            is_apart = (
                note["y"] + note["height"] <= box["y"] or box["y"] + box["height"] <= note["y"]
            )
            assert is_apart, (width, height)
