"""Times the page in Chromium: the server's start, the first board, moves, warnings, the level list.

Moves are key presses on boards of 30x30 and 50x50 squares, with animation: the work of the page's
main thread from the key to the first frame that shows the move. Scrolling goes through a list of
1,000 levels of 10x10 by 150 pixels a frame. A warning is proved on generated levels of Boxoban's
size, after a push that loses by no static rule: from the push to the message that leads back to it.

Rows with "task" or "move" are in that thread's own time, so that other work on the machine does not
count; the others are times of the clock. The memory is that of the server and its workers at the
end. Run `tokoban prepare`, then `python -m benchmarks.page`. Exits with 1 if a bar is missed.
"""

import argparse
import json
import random
import re
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import tokoban
from benchmarks.served import Server, launched
from tokoban.sokoban import rules
from tokoban.sokoban.board import OFFSETS, Board
from tokoban.sokoban.deadlocks import dead_squares, frozen_boxes
from tokoban.sokoban.formats import lurd

SIZE, LARGE_SIZE = 30, 50
NUM_LEVELS = 1000
NUM_BROWSERS = 9
NUM_MOVES, NUM_LARGE_MOVES = 40, 20
NUM_SCROLLS = 200
NUM_LOST = 40
NUM_RANDOM_MOVES = 100  # after which most games on such levels are lost
SETTLE_MS = 1500  # until what the page does by itself is done
BARS = {
    "server up, s": 3.0,
    "first board, median, ms": 1000.0,
    "a move, 95th percentile, ms": 16.0,
    "proved deadlock, 95th percentile, ms": 300.0,
    "longest task of scrolling, ms": 50.0,
    "longest frame of scrolling, ms": 50.0,
    "server and workers, MB": 500.0,
}

# Counts the milliseconds to the first frame that has a board.
WATCH_BOARD = """() => {
  const look = () => {
    const canvas = document.querySelector(".board-canvas");
    if (canvas && canvas.width > 1) {
      // After the frame that paints it.
      setTimeout(() => (window.boardPaintedMs = performance.now()), 0);
    } else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}"""

# Gives the milliseconds between frames.
SCROLL = """async (numScrolls) => {
  const scroller = document.querySelector(".level-scroller");
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  const frames = [];
  let last = await frame();
  for (let step = 0; step < numScrolls; step++) {
    scroller.scrollTop += 150;
    const now = await frame();
    frames.push(now - last);
    last = now;
  }
  return frames;
}"""

# Opens a level before its losing push, makes it, and gives the milliseconds to the proof of it.
PROVED = """async ([rows, moves]) => {
  const { app } = await import(document.scripts[0].src);
  const { game } = (app.session.open({ title: "", rows, solutions: [] }), app.session);
  game.play(moves.slice(0, -1));
  // What was asked about the position before has been answered.
  await new Promise((done) => setTimeout(done, 500));
  const begun = performance.now();
  return await new Promise((done) => {
    const look = () => {
      // With a way back to the losing push, which only a proof knows.
      if (app.notices.get("lost")?.actions.length !== 2) return;
      app.removeEventListener("notices", look);
      requestAnimationFrame(() => done(performance.now() - begun));
    };
    app.addEventListener("notices", look);
    game.play(moves.at(-1).toLowerCase());
  });
}"""

# The middle of a box that is in sight, in the window.
BOX = """async () => {
  const { app } = await import(document.scripts[0].src);
  const { view, game } = app.session;
  const { canvas } = view;
  const box = canvas.getBoundingClientRect();
  const inSight = game.board.boxSquares().find((square) => {
    const { x, y, size } = view.rectOf(square);
    return x > box.left && y > box.top && x + size < box.right && y + size < box.bottom;
  });
  const { x, y, size } = view.rectOf(inSight);
  return [x + size / 2, y + size / 2];
}"""


def room(size: int, rng: random.Random) -> str:
    """A walled board with scattered walls, boxes and goals; the player is in the middle."""
    inner = size - 2
    letters = [rng.choices(" #$.", (80, 8, 6, 6), k=inner) for _ in range(inner)]
    middle = inner // 2
    for row in range(middle - 2, middle + 3):
        letters[row][1:-1] = " " * (inner - 2)
    letters[middle][middle] = "@"
    text = "\n".join(f"#{''.join(row)}#" for row in letters)
    missing = text.count("$") - text.count(".")
    text = text.replace("$", " ", max(0, missing)).replace(".", " ", max(0, -missing))
    if "$" not in text:
        return room(size, rng)  # a level has a box
    return f"{'#' * size}\n{text}\n{'#' * size}"


def losing_pushes(rng: random.Random) -> list[tuple[list[str], str]]:
    """Generated levels, each with moves whose last push loses, which no static rule sees."""
    found: list[tuple[list[str], str]] = []
    for seed in range(100 * NUM_LOST):
        if len(found) == NUM_LOST:
            break
        for level in tokoban.generate(seed=seed, rows=10, columns=10, num_boxes=4):
            actions = rng.choices(range(len(OFFSETS)), k=NUM_RANDOM_MOVES)
            boards = rules.play(level.board, actions)
            made = [
                action
                for action, before, after in zip(actions, boards, boards[1:], strict=False)
                if before != after
            ]
            moves = lurd.format(level.board, made)
            explained = tokoban.explain(level.board, moves=moves)
            if explained.status != "deadlocked" or not explained.moves:
                continue
            if not is_statically_lost(lurd.replay(level.board, explained.moves).board):
                found.append((str(level.board).split("\n"), explained.moves))
    return found


def is_statically_lost(board: Board) -> bool:
    """Whether the page's own rules see the deadlock."""
    return bool(board.boxes & dead_squares(board) or frozen_boxes(board) - board.goals)


def percentile_95(times: list[float]) -> float:
    return quantiles(times, n=20)[-1]


def traced(browser: Any, page: Any, action: Callable[[], None]) -> list[dict[str, Any]]:
    """The events of the page's main thread during an action, by time."""
    browser.start_tracing(
        page=page, categories=["devtools.timeline", "disabled-by-default-devtools.timeline"]
    )
    action()
    events = json.loads(browser.stop_tracing())["traceEvents"]
    mains = [
        (event["pid"], event["tid"])
        for event in events
        if event["name"] == "thread_name" and event["args"]["name"] == "CrRendererMain"
    ]
    found = [event for event in events if (event["pid"], event["tid"]) in mains]
    return sorted(found, key=lambda event: float(event["ts"]))


def task_ms(event: dict[str, Any]) -> float:
    """The thread's own time of a task, or 0 of another event."""
    return float(event.get("tdur", 0)) / 1000 if event["name"] == "RunTask" else 0.0


def first_frame_ms(events: list[dict[str, Any]]) -> float:
    """All tasks from the key press to the first frame after it."""
    pressed = next(
        event["ts"]
        for event in events
        if event["name"] == "EventDispatch" and event["args"]["data"]["type"] == "keydown"
    )
    painted = next(
        event["ts"] for event in events if event["name"] == "Commit" and event["ts"] > pressed
    )
    return sum(
        task_ms(event)
        for event in events
        if event["ts"] < painted and event["ts"] + event.get("dur", 0) > pressed
    )


def moves_ms(browser: Any, page: Any, num_moves: int) -> list[float]:
    """The milliseconds of each key press."""
    times = []

    def press(round: int) -> None:
        page.keyboard.press("ArrowLeft" if round % 4 < 2 else "ArrowRight")
        page.wait_for_timeout(150)

    for round in range(num_moves):
        events = traced(browser, page, lambda round=round: press(round))  # type: ignore[misc]
        times.append(first_frame_ms(events))
    return times


def first_board_ms(page: Any, url: str) -> float:
    """The milliseconds from opening the page to its first board."""
    page.add_init_script(f"({WATCH_BOARD})()")
    page.goto(f"{url}#/play/file-one/1")
    page.wait_for_function("() => window.boardPaintedMs")
    return page.evaluate("window.boardPaintedMs")


def first_boards_ms(launch: Callable[[], Any], url: str) -> dict[str, float]:
    """The same in browsers that have just been started and still start themselves."""
    times = []
    for _ in range(NUM_BROWSERS):
        with closing(launch()) as browser:
            times.append(first_board_ms(browser.new_page(), url))
    return {"first board, median, ms": median(times), "first board, slowest, ms": max(times)}


def measure(browser: Any, page: Any, url: str) -> dict[str, float]:
    """The rows that the page gives: one board, then many, then a large one."""
    found = {"first board in an open browser, ms": first_board_ms(page, url)}
    page.wait_for_timeout(SETTLE_MS)
    found["a move, 95th percentile, ms"] = percentile_95(moves_ms(browser, page, NUM_MOVES))
    page.goto(f"{url}#/levels/file-many")
    page.wait_for_selector(".level-card")
    page.wait_for_timeout(SETTLE_MS)
    frames: list[float] = []
    events = traced(browser, page, lambda: frames.extend(page.evaluate(SCROLL, NUM_SCROLLS)))
    found["longest task of scrolling, ms"] = max(map(task_ms, events))
    found["longest frame of scrolling, ms"] = max(frames)
    page.goto(f"{url}#/play/file-large/1")
    page.wait_for_timeout(SETTLE_MS)
    name = f"{LARGE_SIZE}x{LARGE_SIZE}"
    found[f"a move on {name}, 95th percentile, ms"] = percentile_95(
        moves_ms(browser, page, NUM_LARGE_MOVES)
    )
    place = page.evaluate(BOX)

    def pick() -> None:
        page.mouse.click(*place)
        page.wait_for_timeout(1000)

    picked = traced(browser, page, pick)
    found[f"longest task of picking a box on {name}, ms"] = max(map(task_ms, picked))
    return found


def proofs_ms(page: Any, lost: list[tuple[list[str], str]]) -> dict[str, float]:
    """The milliseconds of proofs of lost positions, after a first one has loaded the searches."""
    times = [page.evaluate(PROVED, case) for case in (lost[0], *lost)][1:]
    return {
        "proved deadlock, median, ms": median(times),
        "proved deadlock, 95th percentile, ms": percentile_95(times),
        "proved deadlock, slowest, ms": max(times),
    }


def server_mb(server: Server) -> float:
    """The memory of the server and its workers, each shared page counted once (Linux alone)."""
    processes, found = [server.process.pid], 0
    for process in processes:  # grows while it is read
        for children in Path(f"/proc/{process}/task").glob("*/children"):
            processes += map(int, children.read_text().split())
        rollup = Path(f"/proc/{process}/smaps_rollup").read_text()
        found += int(re.findall(r"^Pss: +(\d+) kB", rollup, re.MULTILINE)[0])
    return found / 1000


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.parse_args()
    from playwright.sync_api import sync_playwright

    rng = random.Random(0)
    lost = losing_pushes(rng)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        files = [Path(folder, name) for name in ("one.xsb", "many.xsb", "large.xsb")]
        files[0].write_text(room(SIZE, rng))
        files[1].write_text("\n\n".join(room(10, rng) for _ in range(NUM_LEVELS)))
        files[2].write_text(room(LARGE_SIZE, rng))

        launch = partial(launched, playwright)
        begun = time.perf_counter()
        with closing(Server(*files)) as server:
            found = {"server up, s": time.perf_counter() - begun}
            found |= first_boards_ms(launch, server.url)
            with closing(launch()) as browser:
                page = browser.new_page()
                page.wait_for_timeout(SETTLE_MS)
                found |= measure(browser, page, server.url) | proofs_ms(page, lost)
            if Path("/proc").is_dir():
                found["server and workers, MB"] = server_mb(server)
    for name, value in found.items():
        bar = f"  (bar {BARS[name]:g})" if name in BARS else ""
        print(f"{name:44}{value:8.1f}{bar}")
    return int(any(found.get(name, 0) > bar for name, bar in BARS.items()))


if __name__ == "__main__":
    sys.exit(main())
