"""Levels come in by every way and format, go out again, and are listed by the thousand."""

import base64
import json
from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from typing import Any

from tests.web.browser.test_playing import opened
from tokoban.sokoban.formats import parse_levels

Open = Callable[..., Any]

ROWS = ["#####", "#@$.#", "#####"]
XSB = "\n".join(ROWS)
SLC = (
    '<?xml version="1.0"?><SokobanLevels><Title>S</Title><LevelCollection><Level Id="Named" '
    'Width="5" Height="3">'
    + "".join(f"<L>{row}</L>" for row in ROWS)
    + "</Level></LevelCollection></SokobanLevels>"
)
BOXOBAN = "; 0\n" + "\n".join(["##########"] * 4 + ["##@$.#####"] + ["##########"] * 5)
HOSTILE = f"<img src=x onerror=alert(1)>\n\n{XSB}\n\n<script>alert(2)</script>\n"
FORMATS = {
    "XSB": (XSB, "Untitled level"),
    "SOK": (f"Named\n\n{XSB}\n\nAuthor: nobody\n", "Named"),
    "run lengths": ("5#|#@$.#|5#", "Untitled level"),
    "SLC": (SLC, "Named"),
    "Boxoban": (BOXOBAN, "0"),
    "hostile": (HOSTILE, "<img src=x onerror=alert(1)>"),
}


def read_in_dialog(page: Any, text: str) -> None:
    page.keyboard.press("l")
    page.get_by_role("button", name="Paste levels").click()
    page.get_by_label("Levels as text").fill(text)
    page.get_by_role("button", name="Read them").click()


def file_of(content: str | bytes) -> dict[str, Any]:
    content = content.encode() if isinstance(content, str) else content
    return {"name": "levels.txt", "mimeType": "text/plain", "buffer": content}


def choose_file(page: Any, content: str | bytes) -> None:
    page.keyboard.press("l")
    page.locator("input[type=file]").set_input_files(file_of(content))


def bring_progress(page: Any, content: str | bytes) -> None:
    """Reads a file in the open dialog for export."""
    page.locator("dialog input[type=file]").set_input_files(file_of(content))


def send(page: Any, event: str, text: str) -> None:
    """Pastes or drops a text anywhere on the page."""
    page.evaluate(
        """([event, text]) => {
          const data = new DataTransfer();
          data.setData("text/plain", text);
          const options = { bubbles: true, cancelable: true };
          document.body.dispatchEvent(
            event === "paste"
              ? new ClipboardEvent(event, { clipboardData: data, ...options })
              : new DragEvent(event, { dataTransfer: data, ...options }));
        }""",
        [event, text],
    )


def copied(page: Any, button: str) -> str:
    """What a button of the dialog copies."""
    # A message stays for seconds: that of a former copy is not to be taken for the one of this.
    page.locator(".toast").evaluate_all("toasts => toasts.forEach((toast) => toast.remove())")
    page.get_by_role("button", name=button, exact=True).click()
    page.wait_for_selector(".toast:text('Copied')")
    return str(page.evaluate("navigator.clipboard.readText()"))


def test_a_level_of_any_format_comes_by_dialog_file_paste_and_drop(open_page: Open) -> None:
    page = open_page("#/levels")
    ways: tuple[Callable[[Any, str], None], ...] = (
        read_in_dialog,
        choose_file,
        lambda page, text: send(page, "paste", text),
        lambda page, text: send(page, "drop", text),
    )
    for (text, expected), come in zip(FORMATS.values(), cycle(ways), strict=False):
        come(page, text)
        page.wait_for_url("**/#/play/**")
        page.wait_for_selector(f"h1:text-is({json.dumps(expected)})")
        page.keyboard.press("ArrowRight")
        page.wait_for_selector("[data-owner=solved]")
    page.keyboard.press("l")
    page.locator(".collection-name:text-is('levels')").first.wait_for()  # of levels.txt


def test_accents_are_kept_in_files_and_in_what_is_pasted(open_page: Open) -> None:
    page, encoding = open_page("#/levels"), "utf-16"  # the others are the server's
    xsb = f"; Niçois in {encoding}\n\n{XSB}\n"
    choose_file(page, xsb.encode(encoding))
    page.wait_for_selector(f"h1:text-is('Niçois in {encoding}')")
    slc = SLC.replace("?>", f' encoding="{encoding}"?>')
    choose_file(page, slc.replace("Named", "François").encode(encoding))
    opened(page, "François")
    send(page, "paste", slc.replace("Named", "Pasted garçon"))
    opened(page, "Pasted garçon")
    # Progress comes from files too.
    solved = f"Été\n\n{XSB}\n\nSolution\nR\n".encode(encoding)
    page.keyboard.press("c")
    bring_progress(page, solved)
    page.wait_for_function("() => JSON.stringify(localStorage).includes('Été')")


def test_a_dropped_folder_is_said_to_be_unreadable(open_page: Open, tmp_path: Path) -> None:
    page = open_page("#/levels")
    tab = page.context.new_cdp_session(page)
    data = {"items": [], "files": [str(tmp_path)], "dragOperationsMask": 1}
    toast = page.locator(".toast:text('This file cannot be read.')")
    # The browser hands over a drop only if the page has answered the drag before it by then, which
    # on a busy machine it may not have.
    for _ in range(10):
        for kind in ("dragEnter", "dragOver", "drop"):
            tab.send("Input.dispatchDragEvent", {"type": kind, "x": 200, "y": 200, "data": data})
        page.wait_for_timeout(300)
        if toast.count():
            break
    toast.first.wait_for()


def test_levels_of_sokoban_plus_are_opened_with_a_warning(open_page: Open) -> None:
    page = open_page("#/levels")
    send(page, "paste", f"{XSB}\nboxorder: 1\n")
    page.wait_for_selector(".toast:text('Sokoban+')")
    opened(page, "Untitled level")


def test_pasted_moves_are_made_and_saved_games_and_notes_are_shown(open_page: Open) -> None:
    page = open_page("#/levels")

    send(
        page,
        "paste",
        "######\n#@ $.#\n######\nTitle: Kept\nAuthor: <b>A</b>\nSavegame\nr\n\nHall\nrl\n",
    )
    opened(page, "Kept")
    page.locator("summary:text('About the level')").click()
    page.locator("#panel-moves").get_by_text("By <b>A</b>").wait_for()
    page.get_by_role("button", name="Hall", exact=True).wait_for()
    page.get_by_role("button", name="After 1 move, 0 pushes", exact=True).click()
    for moves, toast in (("ru", "Move 2 of 2 is not possible"), ("r R", "2 moves made")):
        send(page, "paste", moves)
        page.wait_for_selector(f".toast:text('{toast}')")
    page.wait_for_selector("[data-owner=solved]")
    for text in ("Solution (2 moves)\nrR\n", "Lösung: r,R", "; mine\nr*R; by: hand\nPushes: l"):
        send(page, "paste", "ru")
        page.wait_for_selector(".toast:text('Move 2 of 2 is not possible')")
        send(page, "paste", text)
        page.wait_for_selector(".toast:text('2 moves made')")


def test_messages_have_one_place_and_cover_neither_board_nor_tools(open_page: Open) -> None:
    page = opened(open_page("#/play/file-tests/2"))
    for width in (1280, 500, 320):
        page.set_viewport_size({"width": width, "height": 800})
        send(page, "paste", "no moves and no level")
        page.evaluate(
            """async () => {
              const { app } = await import(document.scripts[0].src);
              for (const number of [1, 2]) app.toast(`Message ${number}`);
            }"""
        )
        message = page.locator(".toast")
        message.filter(has_text="There is no valid level in this text.").wait_for()
        assert message.count() == 1
        said = message.inner_text().split("\n")
        assert {"Message 1", "Message 2"} < set(said)
        box = message.bounding_box()
        for selector in ("#board", ".toolbar"):
            assert box["y"] + box["height"] < page.locator(selector).bounding_box()["y"]
        assert box["x"] + box["width"] <= page.locator(".top-tools").bounding_box()["x"]
    page.evaluate("location.hash = '#/play/file-tests/1'")
    opened(page, "Corridor")
    assert message.count() == 0  # leaving the page ends it, too
    page.keyboard.press("c")
    page.get_by_role("button", name="Copy the moves as LURD").click()
    message.filter(has_text="Copied").wait_for()
    assert message.inner_text().count("\n") == 0  # a click begins anew
    assert message.evaluate(
        """(message) => {
          const { x, y, width, height } = message.getBoundingClientRect();
          message.parentElement.style.pointerEvents = "auto"; // to be found below a point
          return document.elementFromPoint(x + width / 2, y + height / 2) !== null;
        }"""
    )


def test_the_text_about_a_collection_has_room_beside_the_filters(open_page: Open) -> None:
    page = open_page("#/levels/tokoban", viewport={"width": 820, "height": 900}, locale="de-DE")
    credit = page.locator(".levels-head p").first
    credit.get_by_text("von diesem Projekt erzeugt und bewertet").wait_for()
    assert credit.bounding_box()["width"] > 300


def test_comments_of_a_file_name_its_collection_and_number_its_levels_once(
    open_page: Open,
) -> None:
    page = open_page("#/levels")
    long = "######\n#@ $.#\n######"
    choose_file(
        page, f"; All of it\n\n; By A.\n; Free.\n\n; 1\n\n{XSB}\n; a note\n\n; 3\n\n{long}\n"
    )
    page.get_by_text("All of it, level 1 of 2", exact=True).wait_for()
    page.locator("summary:text('About the level')").click()
    page.locator(".level-notes:text-is('a note')").wait_for()
    page.keyboard.press("l")
    opened(page, "All of it")
    page.wait_for_selector(".level-card")
    assert page.locator(".levels-head p").first.inner_text().split() == ["By", "A.", "Free."]
    assert page.locator(".level-title").all_inner_texts() == ["1", "2 3"]


NAMED = "######\n#@ $.#\n######\nTitle: Fran\u00e7ois | 1: rR\nAuthor: <b>A</b>"


def test_a_copy_as_xsb_and_a_link_carry_the_level_its_title_and_its_author(open_page: Open) -> None:
    page = open_page("#/levels")
    send(page, "paste", NAMED)
    opened(page, "Fran\u00e7ois | 1: rR")
    page.keyboard.press("c")
    assert copied(page, "Copy as XSB") == NAMED
    link = copied(page, "Copy a link")
    other = open_page(link[link.index("#") :])
    opened(other, "Fran\u00e7ois | 1: rR")
    other.locator("summary:text('About the level')").click()
    other.locator("#panel-moves").get_by_text("By <b>A</b>").wait_for()
    # A link of another machine, in the dialog for levels as text.
    other.evaluate("location.hash = '#/play/file-tests/1'")
    opened(other, "Corridor")
    read_in_dialog(other, f"http://192.0.2.7:8000/{link[link.index('#') :]}\n")
    opened(other, "Fran\u00e7ois | 1: rR")
    # A level that a collection has is opened there.
    for place, name, title in (
        ("file-tests/3", "tests", "Two goals"),
        ("tokoban/2", "tokoban", "Easy 2"),
    ):
        other.evaluate("place => location.hash = `#/play/${place}`", place)
        opened(other, title)
        other.keyboard.press("c")
        link = copied(other, "Copy a link")
        other.evaluate("link => location.hash = link", link[link.index("#") :])
        other.wait_for_url(f"**/#/play/{place}")
        other.wait_for_selector(f".toast:text('This level is there already, in {name}.')")


def test_the_same_levels_make_one_collection_which_is_removed_after_a_question(
    open_page: Open,
) -> None:
    page = open_page("#/levels")
    page.wait_for_selector(".collection")
    send(page, "paste", NAMED)
    opened(page, "Fran\u00e7ois | 1: rR")
    choose_file(page, NAMED)
    page.wait_for_selector(".toast:text('This level is there already, in François | 1: rR.')")
    for rows in (ROWS, [*ROWS[:2], "#   #", ROWS[0]]):
        before = page.evaluate("location.hash")
        send(page, "paste", "\n".join(rows))
        # The second level has the heading of the first: only the address tells them apart.
        page.wait_for_function("before => location.hash !== before", arg=before)
        opened(page, "Untitled level")
    page.keyboard.press("l")
    page.locator(".collection-name:text-is('Pasted (2)')").wait_for()
    names = page.locator(".collection-name").all_inner_texts()
    assert {"François | 1: rR", "Pasted", "Pasted (2)"} <= {*names}
    page.set_viewport_size({"width": 320, "height": 640})
    for part in page.locator(".collection-name, .collections li .button").all():
        box = part.bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= 320
        assert part.evaluate("part => part.scrollWidth <= part.clientWidth")
    for answer, left in (("Cancel", 1), ("Remove", 0)):
        page.get_by_role("button", name="Remove the collection Pasted", exact=True).click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_text("Remove the collection Pasted with 1 level?").wait_for()
        dialog.get_by_role("button", name=answer, exact=True).click()
        dialog.wait_for(state="detached")
        # The list is empty until the server has answered.
        page.wait_for_function(
            """count => {
              const found = [...document.querySelectorAll(".collection-name")];
              const names = found.map((name) => name.textContent);
              return names.includes("Pasted (2)")
                && names.filter((name) => name === "Pasted").length === count;
            }""",
            arg=left,
        )


def test_a_game_goes_out_as_text_picture_and_animation(open_page: Open) -> None:
    page = opened(open_page("#/play/file-tests/2"))
    for key in ("ArrowDown", "ArrowRight", "u"):
        page.keyboard.press(key)
    page.keyboard.press("c")
    for button, text in (
        ("Copy the moves as LURD", "dr"),  # with those ahead
        (
            "Copy as XSB",
            "########\n#@     #\n#  $   #\n#    . #\n#  $ . #\n########\nTitle: Room",
        ),
        ("Copy the position as XSB", "########\n#      #\n#@ $   #\n#    . #\n#  $ . #\n########"),
    ):
        assert copied(page, button) == text
    # The job itself has tests of its own.
    gif = b"GIF89a"
    event = json.dumps({"event": "done", "gif": base64.b64encode(gif).decode()}) + "\n"
    page.route("**/api/jobs", lambda route: route.fulfill(body=event))
    for button, start in (("Save a picture (PNG)", b"\x89PNG"), ("Save the game as a GIF", gif)):
        with page.expect_download() as download:
            page.get_by_role("button", name=button).click()
        assert download.value.path().read_bytes().startswith(start)


def test_a_link_that_is_no_level_says_so(open_page: Open) -> None:
    page = open_page("#level=%3Cscript%3Ealert(1)%3C/script%3E")
    page.wait_for_selector(".toast")
    page.wait_for_selector(".board-canvas")


def test_progress_goes_out_as_sok_and_comes_back(open_page: Open, tmp_path: Path) -> None:
    page = opened(open_page("#/play/file-tests/1"), "Corridor")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("n")
    opened(page)
    page.keyboard.press("k")  # at the start, which is no game
    page.keyboard.press("ArrowDown")
    page.keyboard.press("k")
    page.keyboard.press("ArrowDown")
    send(page, "paste", NAMED)
    opened(page, "Fran\u00e7ois | 1: rR")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("c")
    with page.expect_download() as download:
        page.get_by_role("button", name="Export as SOK").click()
    path = tmp_path / "progress.sok"
    download.value.save_as(path)
    levels = parse_levels(path.read_text(encoding="utf-8"))
    solved, named, begun = sorted(levels, key=lambda level: level.board.width)
    assert [str(solution) for solution in solved.solutions] == ["R"]
    titles = [game.title for game in begun.saved_games]
    assert (titles, named.author) == (["SaveGame", "After 1 move, 0 pushes"], "<b>A</b>")

    other = open_page("#/play/file-tests/2")  # a fresh profile
    opened(other)
    other.keyboard.press("c")
    other.locator("dialog input[type=file]").set_input_files(path)
    other.wait_for_selector(".toast:text('3 levels')")
    kept = other.locator("[aria-label='Kept positions'] li")
    kept.wait_for()
    assert kept.all_inner_texts() == ["After 1 move, 0 pushes"]
    for text, told in (
        (XSB, "There is no progress in this file."),
        ("x", "There is no valid level in levels.txt."),
    ):
        bring_progress(other, text)
        other.wait_for_selector(f".toast:text('{told}')")
    other.keyboard.press("Escape")
    other.locator("dialog").wait_for(state="detached")
    other.keyboard.press("l")
    other.wait_for_selector(".level-state:text('1 move, 1 push')")
    assert other.locator(".level-card.tried").count() == 1


def test_played_levels_and_a_drawing_stay_at_their_addresses(
    open_page: Open, tmp_path: Path
) -> None:
    page = open_page("#/play/file-tests/2")
    for title in ("Room", "Two goals"):
        page.wait_for_selector(f"h1:text-is('{title}')")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("n")
    page.evaluate("location.hash = '#/play/played/1'")
    opened(page)
    page.keyboard.press("ArrowDown")
    page.reload()
    opened(page)
    page.keyboard.press("n")
    opened(page, "Two goals")

    rows = ["#######", "#@ $$.#", "#######"]  # which no file can have
    keep = "rows => localStorage.setItem('tokoban:draft', JSON.stringify({rows, title: 'Odd'}))"
    page.evaluate(keep, rows)
    page.evaluate("location.hash = '#/editor'")
    page.reload()
    page.get_by_role("button", name="Play it").click()
    opened(page, "Odd")
    page.keyboard.press("ArrowRight")
    page.reload()
    opened(page, "Odd")
    page.keyboard.press("c")
    with page.expect_download() as download:
        page.get_by_role("button", name="Export as SOK").click()
    told = "1 level was left out. Odd: There are 2 boxes, but 1 goal."
    page.wait_for_selector(f".toast:text({told!r})")
    path = tmp_path / "progress.sok"
    download.value.save_as(path)
    titles = [level.title for level in parse_levels(path.read_text(encoding="utf-8"))]
    assert sorted(titles) == ["Room", "Two goals"]

    page.get_by_role("button", name="Remove its progress").click()
    page.locator("dialog").get_by_role("button", name="Remove", exact=True).click()
    page.evaluate("location.hash = '#/levels/played'")
    page.wait_for_selector(".level-card")
    titles = page.locator(".level-title").all_inner_texts()
    assert titles == ["1 Room", "2 Two goals"]


def test_a_collection_goes_out_with_the_players_solutions_and_is_renamed(
    open_page: Open, tmp_path: Path
) -> None:
    page = opened(open_page("#/play/file-tests/1"), "Corridor")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("n")
    opened(page)
    page.keyboard.press("ArrowDown")
    send(page, "paste", f"; Both\n; 1\n\n{XSB}\n; a note\n\n; 2\n\n######\n#@ $.#\n######\n")
    page.get_by_text("Both, level 1 of 2", exact=True).wait_for()
    page.keyboard.press("l")
    page.get_by_role("button", name="Rename the collection").click()
    page.get_by_role("dialog").get_by_label("Name").fill("Mine")
    page.keyboard.press("Enter")
    page.locator("h1:text-is('Mine')").wait_for()
    states = {}
    for state in ("Not solved", "Solved", "All"):
        page.get_by_label("Show").select_option(state)
        page.locator(".level-card").first.wait_for()
        states[state] = page.locator(".level-title").all_inner_texts()
    assert states == {"Not solved": ["2"], "Solved": ["1"], "All": ["1", "2"]}
    with page.expect_download() as download:
        page.get_by_role("button", name="Save the collection").click()
    assert download.value.suggested_filename == "Mine.sok"
    text = download.value.path().read_text(encoding="utf-8")
    levels = parse_levels(text)
    assert [[str(one) for one in level.solutions] for level in levels] == [["R"], []]
    assert (text.split("\n")[0], levels[0].notes) == ("Collection: Mine", ("; a note",))

    # Moves are not made in a game that is not shown.
    before = page.evaluate("localStorage.getItem('tokoban:last')")
    send(page, "paste", "R")
    page.get_by_text("These are moves: open a level first").wait_for()
    assert "/levels/own-" in page.url
    assert page.evaluate("localStorage.getItem('tokoban:last')") == before

    page.evaluate("location.hash = '#/levels/played'")
    page.locator(".level-from").nth(1).wait_for()
    assert page.locator(".level-from").all_inner_texts() == ["tests", "tests"]
    page.get_by_role("button", name="Remove the progress in all played levels").click()
    page.get_by_role("dialog").get_by_text("best solutions in 2 levels?").wait_for()
    page.get_by_role("dialog").get_by_role("button", name="Remove", exact=True).click()
    page.wait_for_function(
        "() => !Object.keys(localStorage).some((name) => name.startsWith('tokoban:level:'))"
    )
    page.locator("a[href='#/levels/played']").wait_for(state="detached")


def test_solved_levels_are_counted_and_skipped(open_page: Open) -> None:
    page = opened(open_page("#/play/file-tests/1"), "Corridor")
    page.keyboard.press("l")
    page.locator(".collection", has_text="tests").get_by_text("3 levels").wait_for()
    page.go_back()
    opened(page, "Corridor")
    page.keyboard.press("ArrowRight")
    page.get_by_role("button", name="Next unsolved level").click()
    opened(page)
    page.keyboard.press("n")
    opened(page, "Two goals")
    page.keyboard.press("Shift+N")  # past the first, which is solved
    opened(page)
    page.keyboard.press("l")
    page.locator(".collection", has_text="tests").get_by_text("1 of 3 solved").wait_for()
    page.locator(".collection", has_text="tokoban").get_by_text("60 levels").wait_for()
    # The title above a solution of two lines is whole.
    title = page.locator(".level-card.solved .level-title")
    page.locator(".level-card.solved .level-state").evaluate("one => one.append(' of many words')")
    assert title.evaluate("title => title.scrollHeight <= title.clientHeight")
    # What is shown stays chosen on the way through a level and another collection.
    page.get_by_label("Show").select_option("Not solved")
    page.locator(".level-card", has_text="Room").click()
    opened(page)
    send(page, "paste", XSB)
    opened(page, "Untitled level")  # with the progress of Corridor
    page.keyboard.press("Shift+N")
    page.wait_for_selector(".toast:text('No other level of this collection is unsolved.')")
    page.keyboard.press("l")
    page.get_by_text("0 of 1", exact=True).wait_for()
    page.locator(".collection", has_text="tests").click()
    page.locator("h1:text-is('tests')").wait_for()
    page.wait_for_selector(".level-card")
    assert page.locator(".level-title").all_inner_texts() == ["2 Room", "3 Two goals"]


def test_progress_from_a_file_in_the_open_level_is_shown_at_once(open_page: Open) -> None:
    page = opened(open_page("#/play/file-tests/2"))
    rows = page.evaluate(
        """async () => {
          const { app } = await import(document.scripts[0].src);
          app.session.game.addSnapshot("here");
          return app.session.level.rows;
        }"""
    )
    text = "\n".join(["Room", "", *rows, "", "Solution", "drRRurDlllddRR", "", "Savegame", "dr"])
    page.keyboard.press("c")
    bring_progress(page, text)
    page.wait_for_selector(".toast:text('1 level')")
    page.locator(".counters dd", has_text="2best known 14").wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="here", exact=True).wait_for()
    page.get_by_role("button", name="14 moves, 5 pushes").wait_for()


def test_progress_from_a_file_leaves_the_open_level_where_it_is(open_page: Open) -> None:
    page = opened(open_page("#/play/file-tests/1"), "Corridor")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("[data-owner=solved]")
    page.reload()  # a level that was left solved opens at its start
    opened(page, "Corridor")
    page.keyboard.press("c")
    bring_progress(page, f"{XSB}\n\nSolution\nR\n")
    page.wait_for_selector(".toast:text('1 level')")
    page.keyboard.press("Escape")
    page.locator(".counters dd", has_text="0best known 1").first.wait_for()


def test_the_first_visit_opens_the_file_that_was_named_and_later_ones_the_last_level(
    open_page: Open,
) -> None:
    page = open_page()
    opened(page, "Corridor")
    page.evaluate("location.hash = '#/play/tokoban/2'")
    opened(page, "Easy 2")
    page.evaluate("history.replaceState(null, '', location.pathname)")
    page.reload()
    opened(page, "Easy 2")
    # As if the server had been another one, with other levels in a file of this name, or no file.
    for collection in ("file-tests", "file-other"):
        page.evaluate(
            """collection => {
              const last = JSON.parse(localStorage.getItem("tokoban:last"));
              const other = { ...last, place: { collection, index: 1 } };
              localStorage.setItem("tokoban:last", JSON.stringify(other));
            }""",
            collection,
        )
        page.reload()
        opened(page, "Corridor")
        page.get_by_text("tests, level 1 of 3", exact=True).wait_for()
    open_page.__self__.errors.clear()  # type: ignore[attr-defined]


def test_leaving_a_view_closes_its_dialogs(open_page: Open) -> None:
    page = open_page("#/levels")
    page.wait_for_selector(".level-card")
    page.evaluate("location.hash = '#/play/file-tests/2'")
    opened(page)
    page.keyboard.press("c")
    page.wait_for_selector("dialog")
    page.go_back()
    page.wait_for_selector(".level-card")
    page.locator("dialog").wait_for(state="detached")


def test_a_thousand_levels_are_listed_and_the_last_is_reached(
    open_page: Open, tmp_path: Path
) -> None:
    path = tmp_path / "many.xsb"
    path.write_text("\n\n".join(f"Board {n}\n\n{XSB}" for n in range(1, 1001)), encoding="utf-8")
    page = open_page("#/levels")
    page.locator("input[type=file]").set_input_files(path)
    opened(page, "Board 1")
    page.keyboard.press("l")
    page.wait_for_selector(".level-card")
    assert page.locator(".level-card").count() < 100
    page.locator(".level-card").first.focus()
    page.keyboard.press("End")
    assert page.evaluate("document.activeElement.textContent").startswith("1000 Board 1000")
    page.keyboard.press("Enter")
    opened(page, "Board 1000")
    assert (
        json.loads(page.evaluate("localStorage.getItem('tokoban:last')"))["place"]["index"] == 999
    )
    page.keyboard.press("l")
    page.locator(".level-card", has_text="Board 1000").wait_for()
    page.set_viewport_size({"width": 500, "height": 800})  # has fewer levels in a row
    page.locator(".level-card", has_text="Board 99").first.wait_for()
    assert page.locator(".level-card", has_text="Board 5").count() == 0
