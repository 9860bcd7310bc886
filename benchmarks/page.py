"""Times the page in Chromium: the server's start, the first board, moves, the level list.

Moves are key presses on a board of 30x30 squares. Their work is that of the key's handler, and of
the frame behind it up to its paint; their delay is from the key to the end of that frame, so it has
the wait for the frame, of up to 17 ms. Scrolling goes through a list of 1,000 levels of 10x10.
Exits with 1 if a bar is missed.
"""

import argparse
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import quantiles
from typing import Any

SIZE = 30
NUM_LEVELS = 1000
BARS = {
    "server up, s": 3.0,
    "first board, ms": 1000.0,
    "work of a move, 95th percentile, ms": 16.0,
    "static deadlock, 95th percentile, ms": 50.0,
    "longest frame of scrolling, ms": 50.0,
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

WATCH_MOVES = """() => {
  window.moves = [];
  let begun = 0;
  addEventListener("keydown", () => (begun = performance.now()), { capture: true });
  addEventListener("keydown", (event) => {
    const handled = performance.now() - begun;
    requestAnimationFrame(() => {
      const frame = performance.now();
      const channel = new MessageChannel();
      channel.port1.onmessage = () => {
        const now = performance.now();
        window.moves.push([handled + now - frame, now - event.timeStamp]);
      };
      channel.port2.postMessage(null);
    });
  });
}"""

SCROLL = """async () => {
  const scroller = document.querySelector(".level-scroller");
  const frames = [];
  let last = performance.now();
  for (let step = 0; step < 240; step++) {
    scroller.scrollTop += 150;
    await new Promise((done) => requestAnimationFrame(done));
    const now = performance.now();
    frames.push(now - last);
    last = now;
  }
  return frames.slice(2);
}"""

DEADLOCK = """async () => {
  const { app } = await import("/static/js/main.js");
  const { deadSquares, staticDeadlock } = await import("/static/js/rules/deadlocks.js");
  const times = [];
  for (let round = 0; round < 40; round++) {
    const begun = performance.now();
    staticDeadlock(app.session.game.board, deadSquares(app.session.game.board));
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


def measure(page: Any, url: str) -> dict[str, float]:
    """What the page does once the server is up; the first file has the board, the second many."""
    found = {}
    page.add_init_script(f"({WATCH_BOARD})()")
    page.goto(f"{url}#/play/file-1/1")
    page.wait_for_function("window.boardPaintedMs")
    found["first board, ms"] = page.evaluate("window.boardPaintedMs")
    page.evaluate(WATCH_MOVES)
    for round in range(100):
        page.keyboard.press("ArrowLeft" if round % 4 < 2 else "ArrowRight")
        page.wait_for_timeout(20)
    moves = page.evaluate("window.moves")
    found["work of a move, 95th percentile, ms"] = percentile_95([work for work, _ in moves])
    found["delay of a move, 95th percentile, ms"] = percentile_95([delay for _, delay in moves])
    found["static deadlock, 95th percentile, ms"] = percentile_95(page.evaluate(DEADLOCK))
    page.goto(f"{url}#/levels/file-2")
    page.wait_for_selector(".level-card")
    frames = page.evaluate(SCROLL)
    found["longest frame of scrolling, ms"] = max(frames)
    found["frame of scrolling, 95th percentile, ms"] = percentile_95(frames)
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
            found |= measure(browser.new_page(), address[0])
            browser.close()
        finally:
            server.kill()
    for name, value in found.items():
        bar = f"  (bar {BARS[name]:g})" if name in BARS else ""
        print(f"{name:44}{value:8.1f}{bar}")
    return int(any(found[name] > bar for name, bar in BARS.items()))


if __name__ == "__main__":
    sys.exit(main())
