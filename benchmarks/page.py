"""Times the page in Chromium: the server's start, the first board, moves, the level list.

Moves are key presses on a board of 30x30 squares, with animation; what is counted is all that the
page's main thread does from the key to the first frame that shows the move. Scrolling goes through
a list of 1,000 levels of 10x10 by 150 pixels a frame; what is counted are the longest tasks of that
thread. Both are in the thread's own time, so that other work on the machine does not count; the
start and the first board are in seconds of the clock. Exits with 1 if a bar is missed.
"""

import argparse
import json
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import quantiles
from typing import Any

SIZE = 30
NUM_LEVELS = 1000
NUM_MOVES = 40
SETTLE_MS = 1500  # until what the page does by itself is done
BARS = {
    "server up, s": 3.0,
    "first board, ms": 1000.0,
    "a move, 95th percentile, ms": 16.0,
    "static deadlock, 95th percentile, ms": 50.0,
    "longest task of scrolling, ms": 50.0,
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

SCROLL = """async () => {
  const scroller = document.querySelector(".level-scroller");
  for (let step = 0; step < 200; step++) {
    scroller.scrollTop += 150;
    await new Promise((done) => requestAnimationFrame(done));
  }
}"""

DEADLOCK = """async () => {
  const { app } = await import("/static/js/main.js");
  const { deadSquares, staticDeadlock } = await import("/static/js/rules/deadlocks.js");
  const { board } = app.session.game;
  const dead = deadSquares(board); // once for each level, as the page does
  const times = [];
  for (let round = 0; round < 200; round++) {
    const begun = performance.now();
    staticDeadlock(board, dead);
    times.push(performance.now() - begun);
  }
  return times;
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
    return f"{'#' * size}\n{text}\n{'#' * size}"


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


def moves_ms(browser: Any, page: Any) -> list[float]:
    """What each key press costs."""
    times = []

    def press(round: int) -> None:
        page.keyboard.press("ArrowLeft" if round % 4 < 2 else "ArrowRight")
        page.wait_for_timeout(150)

    for round in range(NUM_MOVES):
        events = traced(browser, page, lambda round=round: press(round))  # type: ignore[misc]
        times.append(first_frame_ms(events))
    return times


def measure(browser: Any, page: Any, url: str) -> dict[str, float]:
    """What the page does once the server is up; the first file has the board, the second many."""
    found = {}
    page.add_init_script(f"({WATCH_BOARD})()")
    page.goto(f"{url}#/play/file-1/1")
    page.wait_for_function("window.boardPaintedMs")
    found["first board, ms"] = page.evaluate("window.boardPaintedMs")
    page.wait_for_timeout(SETTLE_MS)
    found["a move, 95th percentile, ms"] = percentile_95(moves_ms(browser, page))
    found["static deadlock, 95th percentile, ms"] = percentile_95(page.evaluate(DEADLOCK))
    page.goto(f"{url}#/levels/file-2")
    page.wait_for_selector(".level-card")
    page.wait_for_timeout(SETTLE_MS)
    tasks = sorted(map(task_ms, traced(browser, page, lambda: page.evaluate(SCROLL))))
    found["longest task of scrolling, ms"] = tasks[-1]
    found["sum of tasks of a scrolled frame, ms"] = sum(tasks) / 200
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.parse_args()
    from playwright.sync_api import sync_playwright

    rng = random.Random(0)
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        files = [Path(folder, "large.xsb"), Path(folder, "many.xsb")]
        files[0].write_text(room(SIZE, rng))
        files[1].write_text("\n\n".join(room(10, rng) for _ in range(NUM_LEVELS)))
        begun = time.perf_counter()
        command = [sys.executable, "-m", "tokoban", "web", *map(str, files)]
        server = subprocess.Popen(
            [*command, "--port", "0", "--no-open"], stdout=subprocess.PIPE, text=True
        )
        try:
            assert server.stdout is not None
            address = re.search(r"http://\S+/", server.stdout.readline())
            assert address
            found = {"server up, s": time.perf_counter() - begun}
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            found |= measure(browser, browser.new_page(), address[0])
            browser.close()
        finally:
            server.kill()
    for name, value in found.items():
        bar = f"  (bar {BARS[name]:g})" if name in BARS else ""
        print(f"{name:44}{value:8.1f}{bar}")
    return int(any(found[name] > bar for name, bar in BARS.items()))


if __name__ == "__main__":
    sys.exit(main())
