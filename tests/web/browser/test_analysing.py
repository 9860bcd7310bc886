"""The panels that explain, watch and work, and the editor, with the real jobs behind them."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.web.browser.test_accessibility import complaints
from tests.web.browser.test_levels_of_the_page import send
from tests.web.browser.test_playing import game, open_rows, opened, press

Open = Callable[..., Any]

ROOM = "#/play/file-tests/2"
# The upper box at the upper wall, where no goal is.
LOSING = "ddrrU"
MARKS = """async () => {
  const { app } = await import(document.scripts[0].src);
  return app.session.marks;
}"""

# What the live regions say from now on.
# What is told once the level of this title is open.
HEAR = """(title) => {
  window.heard = "";
  new MutationObserver(() => {
    if (document.querySelector("h1")?.textContent !== title) return;
    const regions = document.querySelectorAll("[aria-live], [role=status]");
    for (const { textContent } of regions) window.heard += textContent;
  }).observe(document.body, { childList: true, subtree: true });
}"""

# The server hears of no job before they are released.
HOLD_JOBS = """() => {
  const { fetch } = window;
  const released = new Promise((release) => { window.releaseJobs = release; });
  window.fetch = async (path, options) => {
    if (path === "api/jobs") await released;
    return fetch(path, options);
  };
}"""


def kinds(page: Any) -> set[str]:
    """The kinds of the marks on the board."""
    return {mark["kind"] for mark in page.evaluate(MARKS)}


def show(page: Any, panel: str) -> Any:
    """Chooses a panel and gives its element."""
    page.locator(f"#tab-{panel}").click()
    return page.locator(f"#panel-{panel}")


def solve_for_long(page: Any) -> Any:
    """Starts a search that takes longer than anybody waits, and gives its panel."""
    # Eighteen boxes in a hall.
    rows = ["#" * 21, *["#" + " " * 19 + "#", "# " + "$ " * 9 + "#"] * 2]
    rows += ["#@" + " " * 18 + "#", "#" + "." * 18 + " #", "#" * 21]
    open_rows(page, rows)
    panel = show(page, "work")
    panel.get_by_label("Look for").first.select_option("moves")
    panel.get_by_label("For at most").first.select_option("600")
    panel.get_by_role("button", name="Solve", exact=True).click()
    return panel


def test_a_lost_position_is_explained_step_by_step_and_left(open_page: Open) -> None:
    page = opened(open_page(ROOM))
    page.evaluate(HOLD_JOBS)
    page.locator("#board").focus()
    press(page, LOSING)
    notice = page.locator("[data-owner=lost]")
    notice.wait_for()  # by static rules
    assert kinds(page) == {"guilty"}
    page.evaluate("releaseJobs()")
    notice.get_by_role("button", name="Back to the losing push").wait_for()
    press(page, "dd")  # the game goes on; the reason stays
    page.keyboard.press("e")
    assert game(page)["at"] == len(LOSING)
    panel = page.locator("#panel-understand")
    panel.get_by_text("Step 1 of 3").wait_for()
    panel.get_by_role("button", name="Next step").click()
    assert kinds(page) == {"guilty", "reachable"}
    # Beside the board are the same steps, so that on a phone nothing has to be scrolled.
    page.set_viewport_size({"width": 320, "height": 568})
    notice.get_by_role("button", name="Next step").focus()
    page.keyboard.press("Enter")
    for place in (panel, notice):
        place.get_by_text("None of these squares is a goal").wait_for()
    assert notice.get_by_role("button", name="Next step").is_disabled()
    notice.get_by_role("button", name="Previous step").click()
    notice.get_by_role("button", name="Previous step").click()
    panel.get_by_text("Step 1 of 3").wait_for()
    panel.get_by_role("button", name="Close").click()
    notice.get_by_text("Proved").wait_for()
    page.evaluate("scrollTo(0, 0)")
    notice.get_by_role("button", name="Why?").dispatch_event("click")  # does not scroll
    notice.get_by_text("This box has to reach a goal").wait_for()
    assert page.evaluate("scrollY") == 0
    page.set_viewport_size({"width": 1280, "height": 720})
    assert complaints(page) == []
    page.locator("#board").focus()
    page.keyboard.press("m")
    assert kinds(page) == set()
    page.keyboard.press("m")
    page.keyboard.press("b")
    notice.wait_for(state="detached")
    assert game(page)["at"] == len(LOSING) - 1
    assert kinds(page) == set()
    page.keyboard.press("y")
    notice.wait_for()
    page.evaluate(HEAR, "Easy 1")
    page.evaluate("location.hash = '#/play/tokoban/1'")
    opened(page, "Easy 1")
    assert "deadlocked" not in page.evaluate("heard")


def test_a_solution_of_the_file_tells_what_is_left_before_any_search(open_page: Open) -> None:
    page = opened(open_page(ROOM))
    page.evaluate(HOLD_JOBS)
    send(page, "paste", "#######\n#@ $ .#\n#######\nTitle: Solved\n\nSolution\nrRR\n")
    opened(page, "Solved")
    panel = show(page, "understand")
    panel.get_by_text("a solution with 2 more pushes is known").wait_for()
    page.locator("#board").focus()
    press(page, "rR")
    panel.get_by_text("a solution with 1 more push is known").wait_for()
    page.keyboard.press("Home")
    press(page, "rl")  # leaves the solution
    panel.get_by_text("Checking whether it can still be solved").wait_for()
    page.evaluate("releaseJobs()")
    panel.get_by_text("a solution with 2 more pushes is known").wait_for()


def test_hints_come_in_grades_and_lead_to_the_solution(open_page: Open) -> None:
    page = opened(open_page(ROOM))
    text = page.locator("[data-owner=hint]")
    page.locator("#board").focus()
    shown = []
    for number in (1, 2, 3):
        page.keyboard.press("h")
        text.filter(has_text={1: "Push the box", 2: "Bring it", 3: "First push"}[number]).wait_for()
        shown.append(kinds(page))
    assert shown == [{"hint-box"}, {"hint-box", "shadow"}, {"hint-box", "shadow", "arrow"}]
    page.keyboard.press("h")
    text.wait_for(state="detached")
    for _ in range(20):
        if game(page)["isSolved"]:
            break
        for begins in ("Push the box", "Bring it", "First push"):
            page.keyboard.press("h")
            text.filter(has_text=begins).wait_for()
        page.keyboard.press("h")
    page.locator("[data-owner=solved]", has_text="not all yours").wait_for()


def test_solve_cancel_and_solve_again(open_page: Open) -> None:
    page = opened(open_page(ROOM))
    panel = solve_for_long(page)
    assert complaints(page) == []
    unit = re.compile(r"expanded in .* Proved: at least \d+ moves\.")
    panel.get_by_text(unit).wait_for()
    panel.get_by_role("button", name="Cancel").click()
    panel.get_by_text("Cancelled.").wait_for()
    open_rows(page, ["########", "#@     #", "#  $   #", "#    . #", "#  $ . #", "########"])
    panel.get_by_role("button", name="Solve", exact=True).click()
    panel.get_by_text("Solved with the fewest moves, proved.").wait_for()
    assert "No solution has fewer moves." in panel.locator(".answers li").first.inner_text()
    told = panel.locator(".answers li").all_inner_texts()
    assert len({text.partition(", after")[0] for text in told}) == len(told)
    assert panel.get_by_text("There is nothing to shorten yet").count() == 0
    # The solution is known, and with it that its length is proved.
    page.locator(".counters small", has_text="optimal").first.wait_for()
    panel.get_by_role("button", name="Put it on the board").first.click()
    page.wait_for_selector(".toast:text('Redo makes it')")
    page.locator("#board").focus()
    page.keyboard.press("End")
    solved = page.locator("[data-owner=solved]")
    solved.get_by_text("These moves are not all yours").wait_for()
    assert game(page)["state"] == "tried"
    panel.get_by_role("button", name="Shorten").click()
    panel.get_by_text("Solved with the fewest moves, proved.").nth(1).wait_for()


def test_a_search_that_leaving_the_level_ended_is_said_once_to_be_cancelled_there(
    open_page: Open,
) -> None:
    page = opened(open_page(ROOM))
    page.evaluate(HOLD_JOBS)
    told = page.locator("#panel-work").get_by_text("Cancelled when this view was left.")
    solve = page.locator("#panel-work").get_by_role("button", name="Solve", exact=True)
    show(page, "work")
    solve.click()
    page.keyboard.press("n")
    opened(page, "Two goals")
    solve.wait_for()
    assert told.count() == 0
    for num_told in (1, 0):
        page.keyboard.press("l")
        page.wait_for_selector(".level-card")
        page.evaluate("hash => { location.hash = hash; }", ROOM)
        opened(page)
        solve.wait_for()
        assert told.count() == num_told
    solve.click()
    page.locator("#panel-work").get_by_text("Working …").wait_for()
    page.locator("#panel-work").get_by_role("button", name="Cancel").click()
    page.locator("#panel-work").get_by_text("Cancelled.", exact=True).wait_for()


@pytest.mark.slow
def test_a_seventh_tab_opens_while_six_have_jobs_which_run_or_say_how_many_come_first(
    open_page: Open,
) -> None:
    first = opened(open_page(ROOM))
    panels = [solve_for_long(first)]
    for _ in range(5):
        tab = opened(open_page(ROOM, context=first.context))
        panels.append(solve_for_long(tab))
    for panel in panels[:2]:
        panel.get_by_text("expanded in").wait_for()
    panels[2].get_by_text("Waiting: this job is next …").wait_for()
    panels[5].get_by_text("Waiting: 3 jobs come first …").wait_for()
    seventh = opened(open_page(ROOM, context=first.context))
    press(seventh, "drRR")
    assert game(seventh)["moves"] == "drRR"
    # A job that waits without a connection is cancelled too, and one whose turn comes starts.
    panels[2].get_by_role("button", name="Cancel").click()
    panels[0].get_by_role("button", name="Cancel").click()
    panels[3].get_by_text("expanded in").wait_for()
    panels[5].get_by_text("Waiting: 1 job comes first …").wait_for()


def test_levels_that_are_made_do_not_interrupt_a_game_that_went_on(open_page: Open) -> None:
    page = opened(open_page(ROOM))
    page.evaluate(HOLD_JOBS)
    panel = show(page, "work")
    for label, value in (("Size", "7"), ("Boxes", "1"), ("How many", "1")):
        panel.get_by_label(label).first.select_option(value)
    generate = panel.get_by_role("button", name="Generate")
    generate.click()
    page.locator("#board").focus()
    press(page, "r")
    page.evaluate("releaseJobs()")
    notice = page.locator("[data-owner=made]", has_text="1 level made.")
    notice.wait_for()
    assert (game(page)["title"], game(page)["moves"]) == ("Room", "r")
    generate.click()  # and no move since
    page.wait_for_url("**/own-*/1")
    assert notice.count() == 0


def test_a_level_that_is_lost_at_its_start_says_so(open_page: Open) -> None:
    page = opened(open_page(ROOM))
    open_rows(page, ["#######", "#. $$.#", "#@    #", "#######"])
    notice = page.locator("[data-owner=lost]")
    notice.get_by_text("it is lost from the start").wait_for()


def test_a_beam_is_followed_to_its_solution(open_page: Open) -> None:
    page = opened(open_page(ROOM))
    panel = show(page, "watch")
    panel.get_by_label("Show its pushes by probability").check()
    panel.get_by_text("pushes left").wait_for()
    weights = [mark["weight"] for mark in page.evaluate(MARKS)]
    assert 0.9 < sum(weights) <= 1.001
    panel.get_by_label("Show its pushes by probability").uncheck()
    panel.get_by_label("Show it on the board").check()
    panel.get_by_label("From").wait_for()
    assert kinds(page) == {"heat", "focus"}
    panel.get_by_label("Head").select_option("2")
    assert complaints(page) == []
    panel.get_by_label("Show it on the board").uncheck()
    panel.get_by_role("button", name="Start", exact=True).click()
    panel.locator(".followed").wait_for()
    slider = panel.get_by_label("Step of the search")
    slider.fill("1")
    assert panel.locator(".rows-view li").count() > 1
    assert panel.locator(".rows-view .followed").count() == 1
    panel.get_by_role("button", name="Put the solution on the board").click()
    page.locator("#board").focus()
    page.keyboard.press("End")
    assert game(page)["isSolved"]


def test_a_level_is_drawn_checked_played_and_solved(open_page: Open) -> None:
    page = open_page("#/editor")
    canvas = page.locator(".drawing canvas")
    legality = page.locator(".complaints")
    legality.get_by_text("The player is missing.").wait_for()
    assert page.get_by_role("button", name="Save to my levels").is_disabled()

    def draw(tool: str, *squares: tuple[int, int]) -> None:
        page.get_by_role("button", name=tool).click()
        box = canvas.bounding_box()
        for row, column in squares:
            canvas.click(
                position={
                    "x": box["width"] * (column + 0.5) / 9,
                    "y": box["height"] * (row + 0.5) / 9,
                }
            )

    page.keyboard.press("3")  # whatever has the focus
    assert page.get_by_role("button", name="Goal").get_attribute("aria-pressed") == "true"
    page.get_by_label("Title").press("4")  # where it is text
    assert page.get_by_role("button", name="Goal").get_attribute("aria-pressed") == "true"
    draw("Box", (4, 4))
    draw("Player", (4, 2))
    legality.get_by_text("1 box, but 0 goals.").wait_for()
    draw("Goal", (1, 6))
    legality.get_by_text("A legal level.").wait_for()
    page.get_by_role("button", name="Undo").click()
    legality.get_by_text("1 box, but 0 goals.").wait_for()
    # By keyboard, from the square that was drawn on last: to row 5, column 6.
    page.locator(".drawing").focus()
    for _ in range(3):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Space")
    legality.get_by_text("A legal level.").wait_for()
    assert complaints(page) == []
    page.get_by_role("button", name="Can it be solved?").click()
    page.get_by_text("It can be solved: a solution with 2 pushes").wait_for()
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save as SOK").click()
    assert "#  " in saved.value.path().read_text()
    page.get_by_label("Title").fill("First")
    assert not page.get_by_role("button", name="Save as a new level").is_visible()
    for button, told in (
        ("Save to my levels", "Saved in “My own”."),
        ("Save to my levels", "Saved in “My own”, in place of its earlier version."),
        ("Save as a new level", "Saved in “My own”."),
    ):
        page.get_by_role("button", name=button).click()
        page.locator(f".toast:text-is('{told}')").wait_for()
        page.get_by_label("Title").fill("Second")
    kept = "JSON.parse(localStorage.getItem('tokoban:collection:own-drawings')).levels"
    assert page.evaluate(f"{kept}.map(({{ title }}) => title)") == ["Second", "Second"]
    page.get_by_label("Rows").fill("80")
    page.get_by_label("Rows").press("Enter")
    page.get_by_text("The editor draws from 3 by 3 to 64 by 64 squares.").wait_for()
    page.get_by_role("button", name="Undo").click()
    # A single level that is pasted becomes the drawing, until it is undone.
    pasted = "#######\n#@ $ .#\n#######\nTitle: Pasted\nAuthor: A"
    send(page, "paste", pasted)
    page.get_by_text("The level is in the editor").wait_for()
    assert page.get_by_label("Title").input_value() == "Pasted"
    page.get_by_role("button", name="Undo").click()
    fields = [page.get_by_label(name).input_value() for name in ("Title", "Author", "Rows")]
    assert fields == ["Second", "", "9"]
    assert page.get_by_role("button", name="Save as a new level").is_visible()
    send(page, "paste", "rR")
    page.get_by_text("These are moves: open a level first").wait_for()
    page.reload()  # the drawing is kept
    legality.get_by_text("A legal level.").wait_for()
    page.get_by_role("button", name="Play it").click()
    page.get_by_text("My own, level 2 of 2", exact=True).wait_for()  # as it was saved
    page.go_back()
    page.get_by_label("Title").fill("Two pushes")
    page.get_by_role("button", name="Play it").click()
    opened(page, "Two pushes")
    page.get_by_text("Editor, level 1 of 1", exact=True).wait_for()
    press(page, "rRR")
    page.wait_for_selector("[data-owner=solved]")
    assert game(page)["state"] == "solved"


def test_a_sentence_is_marked_obeyed_and_put_on_the_board(open_page: Open) -> None:
    page = opened(open_page(ROOM))
    # The first column is not drawn, and not counted.
    open_rows(page, ["########", "##  .  #", "##@$ $.#", "##     #", "########"])
    panel = show(page, "work")
    sentence = panel.get_by_label("An instruction or a question")
    sentence.fill("push the blue box")
    sentence.press("Enter")
    panel.get_by_text("“blue”, is not understood").wait_for()
    sentence.fill("push the left box to the upper goal last")
    sentence.press("Enter")
    panel.get_by_text("Obeyed in 3 pushes, proved the fewest").wait_for()
    panel.get_by_text("The network obeys in").wait_for()
    assert kinds(page) == {"heat", "hint-box"}
    assert complaints(page) == []
    panel.get_by_role("button", name="Put it on the board").click()
    assert kinds(page) == set()
    sentence.fill("where is the left box")
    sentence.press("Enter")
    panel.get_by_text("Exact answer: row 3 column 3").wait_for()
    panel.get_by_text("The network answers: row").wait_for()
    page.locator("#board").focus()
    page.keyboard.press("End")
    assert game(page)["isSolved"]
