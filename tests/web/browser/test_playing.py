"""Games in the browser: by mouse, keys and fingers, kept over reloads, tabs and a lost server."""

from collections.abc import Callable
from contextlib import closing
from typing import Any

Open = Callable[..., Any]

ROOM = "#/play/file-tests/2"
# The second level: the upper box two right and one down, the lower one two right.
SOLUTION = "drRRurDlllddRR"
UPPER, LOWER = (2, 3), (4, 3)
GOAL_OF_UPPER, GOAL_OF_LOWER = (3, 5), (4, 5)
KEYS = {"u": "ArrowUp", "l": "ArrowLeft", "d": "ArrowDown", "r": "ArrowRight"}


def game(page: Any) -> dict[str, Any]:
    """The game as the page has it."""
    return page.evaluate(
        """async () => {
          const { app } = await import(document.scripts[0].src);
          const { stateOf } = await import(new URL("game/store.js", document.scripts[0].src));
          const { game, level, levelKey } = app.session;
          const state = stateOf(app.store.progress(levelKey));
          return { moves: game.moves, at: game.at, state, title: level?.title,
                   rows: game.board.toRows(), isSolved: game.board.isSolved() };
        }"""
    )


def opened(page: Any, title: str = "Room") -> Any:
    page.wait_for_selector(f"h1:text-is('{title}')")
    return page


def place(page: Any, square: tuple[int, int]) -> tuple[float, float]:
    """The middle of a square in the window."""
    x, y = page.evaluate(
        """async ([row, column]) => {
          const { app } = await import(document.scripts[0].src);
          const { view, game } = app.session;
          const { x, y, size } = view.rectOf(row * game.board.width + column);
          return [x + size / 2, y + size / 2];
        }""",
        square,
    )
    return x, y


def spoken(page: Any) -> str:
    """What a screen reader was told last."""
    return page.locator("body > [aria-live]").inner_text()


def open_rows(page: Any, rows: list[str]) -> None:
    """Opens a level that no file has."""
    page.evaluate(
        """async (rows) => {
          const { app } = await import(document.scripts[0].src);
          app.session.open({ title: "Made here", rows, solutions: [] });
        }""",
        rows,
    )


def press(page: Any, moves: str) -> None:
    for letter in moves:
        page.keyboard.press(KEYS[letter.lower()])


def test_a_game_by_keyboard_undone_to_the_start_and_made_again(open_page: Open) -> None:
    page = opened(open_page(ROOM))
    start = game(page)["rows"]
    press(page, SOLUTION[:-1])
    page.keyboard.press("ArrowDown")  # a bump against the wall changes nothing
    assert (game(page)["moves"], game(page)["isSolved"]) == (SOLUTION[:-1], False)
    page.keyboard.press("r")
    assert (game(page)["rows"], game(page)["moves"]) == (start, SOLUTION[:-1])
    page.keyboard.press("End")
    page.keyboard.press("d")
    page.wait_for_selector("[data-owner=solved]")
    shown = [text.split() for text in page.locator(".counters dd").all_inner_texts()]
    assert shown == [["14", "best", "known", "14"], ["5", "best", "known", "5"]]
    for _ in SOLUTION:
        page.keyboard.press("u")
    assert (game(page)["rows"], game(page)["at"]) == (start, 0)
    assert page.locator("[data-owner=solved]").count() == 0
    for _ in SOLUTION:
        page.keyboard.press("y")
    assert game(page) | {"rows": []} == {
        "moves": SOLUTION, "at": 14, "state": "solved", "title": "Room", "rows": [],
        "isSolved": True,
    }  # fmt: skip


def test_the_players_own_solution_stands_beside_the_best_and_is_shown_again(
    open_page: Open,
) -> None:
    page = opened(open_page(ROOM))
    press(page, "rl" + SOLUTION)
    page.evaluate(
        """async (solution) => {
          const { app } = await import(document.scripts[0].src);
          app.session.addSolution(solution);
          app.session.game.replaceLine(solution.slice(0, 5));
        }""",
        SOLUTION,
    )
    page.locator(".counters dd", has_text="5yours 16, best known 14").wait_for()
    page.get_by_role("button", name="Show your solution: 16 moves").click()
    page.keyboard.press("End")
    solved = page.locator("[data-owner=solved]")
    solved.wait_for()
    assert solved.locator("span").first.inner_text() == "Solved in 16 moves and 5 pushes."


def test_on_paper_are_the_level_and_its_moves_but_no_control(open_page: Open) -> None:
    page = opened(open_page(ROOM))
    press(page, "drRR")
    page.emulate_media(media="print")
    page.locator("p:visible", has_text="drRR").wait_for()
    for part in ("h1", ".counters", ".board-canvas"):
        assert page.locator(part).is_visible()
    assert page.locator(":is(button, a, input):visible").count() == 0
    page.emulate_media(media="screen")


def test_without_a_level_nothing_can_be_played_or_is_solved(open_page: Open) -> None:
    for address, told in (
        ("#/play/own-x/1", "This collection is not here."),
        ("#/play/nosuch/13", "This collection is not here."),
        ("#/play/tokoban/61", "This collection has no level of this number."),
    ):
        page = opened(open_page(address), "No level is open.")
        page.locator("[data-owner=missing]", has_text=told).wait_for()
        # The browser reports the answer of the server, too.
        open_page.__self__.errors.clear()  # type: ignore[attr-defined]
        page.locator("#board").click()
        press(page, "rr")
        assert (game(page)["moves"], page.locator("[data-owner=solved]").count()) == ("", 0)
        page.get_by_role("button", name="All levels").last.click()
        page.wait_for_selector(".level-card")
    page.locator(".level-card").first.click()
    opened(page, "Easy 1")
    assert page.locator("[data-owner=missing]").count() == 0


def test_a_game_by_mouse_with_clicks_and_with_a_drag(open_page: Open) -> None:
    page = opened(open_page(ROOM))
    page.mouse.click(*place(page, (1, 6)))  # a walk
    assert game(page)["moves"] == "rrrrr"
    page.mouse.click(*place(page, UPPER))
    page.mouse.click(*place(page, GOAL_OF_UPPER))
    page.mouse.move(*place(page, LOWER))
    page.mouse.down()
    page.mouse.move(*place(page, (4, 4)), steps=3)
    page.mouse.move(*place(page, GOAL_OF_LOWER), steps=3)
    page.mouse.up()
    assert game(page)["isSolved"]


def test_a_game_by_touch_with_taps_and_swipes(open_page: Open) -> None:
    viewport = {"width": 390, "height": 844}
    page = opened(open_page(ROOM, viewport=viewport, has_touch=True, is_mobile=True))
    finger = page.context.new_cdp_session(page)

    def touch(kind: str, *points: tuple[float, float]) -> None:
        touched = [{"x": x, "y": y} for x, y in points]
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touched})

    touch("touchStart", place(page, (1, 5)))
    touch("touchMove", place(page, (1, 6)))
    touch("touchEnd")
    room = page.locator("#board").bounding_box()
    above = (room["y"] + page.locator(".board-canvas").bounding_box()["y"]) / 2
    touch("touchStart", (200, above))
    touch("touchMove", (140, above))
    touch("touchEnd")
    assert game(page)["moves"] == "rl"
    width = page.locator(".board-canvas").bounding_box()["width"]
    for kind, apart in (("touchStart", 120), ("touchMove", 80), ("touchMove", 60)):
        touch(kind, (195 - apart / 2, 400), (195 + apart / 2, 400))
    touch("touchEnd")
    assert page.locator(".board-canvas").bounding_box()["width"] < 0.6 * width
    assert game(page)["moves"] == "rl"
    for square in (UPPER, GOAL_OF_UPPER, LOWER, GOAL_OF_LOWER):
        page.touchscreen.tap(*place(page, square))
    assert game(page)["isSolved"]
    # A hint of the known solution comes with its mark in sight, and its text beside the board.
    page.keyboard.press("Home")
    board = page.locator(".board-canvas")
    page.get_by_role("button", name="Hint", exact=True).tap()
    page.locator("[data-owner=hint]", has_text="Push the box").wait_for()
    page.locator("#tab-understand").tap()
    panel = page.locator("#panel-understand")
    more = panel.get_by_role("button", name="Show more")
    page.evaluate("scrollTo(0, 9999)")
    assert board.bounding_box()["y"] >= 0
    more.tap()
    for element in (board, page.locator("[data-owner=hint]", has_text="Bring it to")):
        box = element.bounding_box()
        assert 0 <= box["y"] <= viewport["height"] - box["height"]
    page.keyboard.press("l")
    page.get_by_text("Paste levels opens a box").wait_for()  # there are no keys to press


def test_on_a_phone_on_its_side_the_board_is_as_high_as_the_window_allows(
    open_page: Open,
) -> None:
    page = opened(open_page("#/play/tokoban/50"), "Expert 6")
    sides = []
    for width, height in ((568, 320), (844, 390), (896, 414), (932, 430)):
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate(
            "() => new Promise((end) => requestAnimationFrame(() => setTimeout(end, 50)))"
        )
        board, tools = (page.locator(name).bounding_box() for name in (".board-canvas", ".toolbar"))
        assert board["height"] > 0.6 * height
        assert all(part["y"] + part["height"] <= height for part in (board, tools))
        assert board["x"] + board["width"] <= tools["x"]
        sides.append(board["height"])
    assert sides == sorted(sides)


def test_a_box_by_keyboard_goes_where_the_frame_is(open_page: Open) -> None:
    page = opened(open_page(ROOM))
    page.keyboard.press("x")
    press(page, "rrd")
    page.keyboard.press("Enter")
    row = game(page)["rows"][GOAL_OF_UPPER[0]]
    assert row[GOAL_OF_UPPER[1]] == "*"


def test_a_click_on_the_player_or_a_key_shows_where_it_can_walk(open_page: Open) -> None:
    page = opened(open_page(ROOM))
    open_rows(page, ["########", "#@ #   #", "#  $  .#", "#  #   #", "########"])
    shown = """async () => {
      const { app } = await import(document.scripts[0].src);
      return app.session.marks.map(({ square, kind }) => [square, kind]);
    }"""
    walks = [[square, "reachable"] for square in (17, 10, 25, 18, 26)]
    square = place(page, (1, 1))
    page.mouse.click(*square)
    assert (page.evaluate(shown), game(page)["moves"]) == (walks, "")
    assert spoken(page) == "The player can walk to 5 squares."
    page.mouse.click(*square)
    assert page.evaluate(shown) == []
    page.keyboard.press("x")  # a frame of its own, which goes when the squares are shown
    page.keyboard.press("f")
    assert page.evaluate(shown) == walks
    press(page, "r")
    assert page.evaluate(shown) == []


def test_keys_follow_a_turned_board_and_moves_the_level(open_page: Open) -> None:
    page = opened(open_page(ROOM))
    page.set_viewport_size({"width": 1280, "height": 720})
    open_rows(page, ["#####", "#@  #", "# $.#", *["#   #"] * 6, "#####"])
    page.get_by_role("button", name="Settings").click()
    page.get_by_label("Turn the board").check()
    page.keyboard.press("Escape")
    press(page, "d")
    assert (game(page)["moves"], spoken(page)) == ("r", "Down, row 2, column 3")


def test_typed_moves_are_made_and_the_board_is_read_as_text(open_page: Open) -> None:
    page = opened(open_page(ROOM))
    page.get_by_label("Type moves").fill("dr 2r")
    page.keyboard.press("Enter")
    assert game(page)["moves"] == "drRR"
    page.get_by_label("Type moves").fill("3u")
    page.keyboard.press("Enter")
    page.get_by_text("1 of 3 made. Move 2 of 3 is not possible in this level.").wait_for()
    page.keyboard.press("Control+A")
    page.keyboard.press("Delete")
    page.get_by_role("button", name="Undo", exact=True).click()
    page.locator("summary:text('Board as text')").click()
    shown = page.locator(".grid-text td[data-square]")
    shown.first.wait_for()  # the table is made once the opening has been told
    letters = "".join(shown.evaluate_all("cells => cells.map(cell => cell.dataset.square)"))
    assert letters == "".join(game(page)["rows"])
    page.locator("#board").focus()
    page.keyboard.press("ArrowLeft")
    assert spoken(page) == "Left, row 3, column 4"


def test_what_is_said_counts_rows_and_columns_as_the_picture_shows_them(open_page: Open) -> None:
    page = opened(open_page(ROOM))
    # The hall of two rows and five columns is walled in twice; its picture is walled in once.
    rows = ["#" * 9] * 2 + ["##@$  .##", "##     ##"] + ["#" * 9] * 2
    open_rows(page, rows)
    press(page, "R")
    assert spoken(page) == "Right, push: box at row 2, column 4"
    x, y = place(page, (2, 4))
    picture = page.locator(".board-canvas").bounding_box()
    height, width = picture["height"] / 4, picture["width"] / 7
    assert ((y - picture["y"]) // height + 1, (x - picture["x"]) // width + 1) == (2, 4)
    press(page, "d")
    assert spoken(page) == "Down, row 3, column 3"
    page.keyboard.press("x")
    assert spoken(page).startswith("Box at row 2, column 4 picked")
    press(page, "d")
    assert spoken(page) == "row 3, column 4, no push leads there"
    page.locator("summary:text('Board as text')").click()
    page.locator(".grid-text td[data-square]").first.wait_for()
    shown = page.locator(".grid-text tr").all_inner_texts()
    assert [line.split("\t")[0] for line in shown[1:]] == ["1", "2", "3", "4"]
    assert page.locator(".grid-text td[data-square]").count() == 4 * 7


def test_a_line_that_another_move_cut_off_comes_back(open_page: Open) -> None:
    page = opened(open_page(ROOM))
    press(page, "drRR")
    page.keyboard.press("r")
    press(page, "r")
    page.get_by_text("Return to the abandoned line (4 moves)").click()
    assert (game(page)["moves"], game(page)["at"]) == ("drRR", 4)


def test_replay_plays_the_line_to_its_end(open_page: Open) -> None:
    page = opened(open_page(ROOM, reduced_motion="reduce"))
    press(page, "drRR")
    page.keyboard.press("Home")
    assert game(page)["at"] == 0
    # A promise would count as true at once, so that the game is fetched before.
    page.evaluate(
        """async () => {
          const { app } = await import(document.scripts[0].src);
          window.played = app.session.game;
        }"""
    )
    page.keyboard.press("Space")
    page.wait_for_function("() => window.played.at === 4")


def test_a_reload_keeps_moves_redo_and_kept_positions(open_page: Open) -> None:
    page = opened(open_page(ROOM))
    press(page, "drRR")
    page.keyboard.press("k")
    page.keyboard.press("u")
    before = game(page) | {"state": "tried"}
    page.reload()
    opened(page)
    assert game(page) == before
    page.get_by_text("After 4 moves, 2 pushes").wait_for()
    page.get_by_role("button", name="Settings").click()
    page.get_by_label("Language").select_option("de")
    page.get_by_text("Nach 4 Zügen, 2 Schüben").wait_for()


def wait_until_kept(page: Any, moves: str) -> None:
    """Until a tab has what another one has written: soon, but not at once."""
    page.wait_for_function("moves => JSON.stringify(localStorage).includes(moves)", arg=moves)


def test_two_tabs_keep_the_better_solution_and_each_its_own_level(open_page: Open) -> None:
    first = opened(open_page(ROOM))
    second = opened(open_page("#/play/file-tests/1", context=first.context), "Corridor")
    second.keyboard.press("ArrowRight")
    press(first, SOLUTION)
    wait_until_kept(second, SOLUTION)
    second.goto(second.url.split("#")[0] + ROOM)
    opened(second)
    press(second, "rl" + SOLUTION)  # a longer solution
    wait_until_kept(first, "rl" + SOLUTION)
    first.keyboard.press("l")
    # What the other tab wrote may come after the list was made.
    for card, solution in (("Corridor", "1 move, 1 push"), ("Room", "14 moves, 5 pushes")):
        first.locator(".level-card", has_text=card).get_by_text(solution).wait_for()


def test_behind_a_proxy_that_rewrites_the_host_the_page_says_what_to_do(
    chromium: Any, server: Any
) -> None:
    with closing(chromium.new_context(locale="en-GB")) as context:
        page = context.new_page()
        page.set_default_timeout(300_000)
        # What the server answers then has a test of its own.
        page.route("**/api/jobs", lambda route: route.fulfill(status=403, json={"message": ""}))
        page.goto(server.url + ROOM)
        opened(page)
        notice = page.locator("[data-owner=origin]")
        notice.get_by_text(f"tokoban web --allow-origin {server.url.rstrip('/')}").wait_for()


def test_no_move_is_lost_when_the_server_dies_in_mid_game(open_page: Open, server: Any) -> None:
    page = opened(open_page("#/play/tokoban/1"), "Easy 1")
    page.keyboard.press("ArrowLeft")
    # The page fetches the list of levels by itself, after its first frame, and then its parts.
    page.wait_for_function(
        """() => performance.getEntriesByType("resource")
          .some(({ name }) => name.endsWith("/views/levels.js"))"""
    )
    page.evaluate(
        """async () => {
          await import(new URL("views/levels.js", document.scripts[0].src));
        }"""
    )
    server.close()
    try:
        page.keyboard.press("ArrowDown")
        page.keyboard.press("l")
        page.wait_for_selector(".toast:text('The server does not answer')")
    finally:
        server.start()
    page.keyboard.press("Escape")
    page.evaluate("history.replaceState(null, '', '#/play')")
    page.reload()
    opened(page, "Easy 1")
    assert game(page)["moves"] == "Ld"
