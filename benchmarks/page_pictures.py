"""The documentation's pictures of the page: four small ones and the moving one, of real Chromium.

python -m benchmarks.page_pictures docs/pictures
"""

import argparse
import io
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from benchmarks.served import Server, launched

WIDTH, HEIGHT = 1280, 800
SMALL = (720, 450)  # of a picture in the documentation
NUM_COLOURS = 256
COVERING = Image.Quantize.MAXCOVERAGE  # keeps the colour of the player, who is small
NUM_ROUNDS = 3  # of k-means on the colours: without them the background takes a tint
BACK = "Back to the losing push"
# A level of the project's collection, moves that lose it, and its title.
LEVEL, LOSING_MOVES, TITLE = 27, "rruruL", "Medium 15"
# The same for the moving picture: pushes of the best solution, a walk, and the push that loses.
FILM_LEVEL, FILM_LOSING_MOVES, FILM_TITLE = 24, "RRlluurRllddrU", "Medium 12"
FILM_STEPS = 3  # of the proof
LOADING_MS = 600_000  # a search may have to be compiled first
KEY_MS, LOOK_MS, READ_MS = 220, 1200, 2600  # a frame of the moving picture is shown so long


def play(page: Page, moves: str) -> None:
    """Makes moves in the level that is open."""
    script = """async (moves) => {
      const { app } = await import(document.scripts[0].src);
      app.session.game.play(moves);
    }"""
    page.evaluate(script, moves)


def open_level(page: Page, url: str, number: int = LEVEL, title: str = TITLE) -> None:
    page.goto(f"{url}#/play/tokoban/{number}")
    page.wait_for_selector(f"h1:text-is('{title}')")


def open_tab(page: Page, name: str) -> None:
    page.get_by_role("tab", name=name, exact=True).click()


def lose(page: Page, url: str) -> None:
    open_level(page, url)
    play(page, LOSING_MOVES)
    open_tab(page, "Understand")
    wait_for_proof(page)
    page.wait_for_selector(".chart .opinion:not([d=''])", state="attached", timeout=LOADING_MS)


def wait_for_proof(page: Page) -> None:
    page.get_by_role("button", name=BACK).first.wait_for(timeout=LOADING_MS)


def show_watch(page: Page, url: str) -> None:
    open_level(page, url)
    open_tab(page, "Watch")
    page.get_by_label("Show its pushes by probability").check()
    page.get_by_text("pushes left; deadlocked").wait_for(timeout=LOADING_MS)
    page.get_by_role("button", name="Start", exact=True).click()
    page.get_by_text("Solved in").first.wait_for(timeout=LOADING_MS)


def show_levels(page: Page, url: str) -> None:
    page.goto(f"{url}#/levels/tokoban")
    page.wait_for_selector(".level-card")


def show_lab(page: Page, url: str) -> None:
    page.goto(f"{url}#/labs/translation")
    page.wait_for_selector(".attention .said:not(:empty)", timeout=LOADING_MS)
    page.mouse.wheel(0, 2 * HEIGHT)


DOCUMENTED = {
    "page-lost.png": (lose, "light"),
    "page-watch.png": (show_watch, "dark"),
    "page-levels.png": (show_levels, "light"),
    "page-lab.png": (show_lab, "dark"),
}


@contextmanager
def opened(browser: Any, theme: str) -> Iterator[Page]:
    """A page in a profile of its own."""
    context = browser.new_context(
        viewport={"width": WIDTH, "height": HEIGHT}, color_scheme=theme, locale="en-GB"
    )
    yield context.new_page()
    context.close()


def picture(page: Page) -> Image.Image:
    page.wait_for_timeout(LOOK_MS)  # for what is drawn later: thumbnails, a line of values
    return Image.open(io.BytesIO(page.screenshot())).convert("RGB")


def small(shot: Image.Image) -> Image.Image:
    """As it is kept in the documentation: less wide, with few colours."""
    reduced = shot.resize(SMALL, Image.Resampling.LANCZOS)
    return reduced.quantize(NUM_COLOURS, COVERING, kmeans=NUM_ROUNDS, dither=Image.Dither.NONE)


def write_documented(browser: Any, url: str, folder: Path) -> None:
    for file, (show, theme) in DOCUMENTED.items():
        with opened(browser, theme) as page:
            show(page, url)
            small(picture(page)).save(folder / file, optimize=True)
    with opened(browser, "light") as page:
        write_film(page, url, folder / "page.gif")


def write_film(page: Page, url: str, path: Path) -> None:
    """A push that loses, the steps of its proof, back to it, and the solution from there."""
    frames: list[tuple[Image.Image, int]] = []

    def take(frame_ms: int) -> None:
        page.wait_for_timeout(250)
        shot = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
        frames.append((shot.resize(SMALL, Image.Resampling.LANCZOS), frame_ms))

    def take_moves(moves: str) -> None:
        for move in moves:
            play(page, move)
            take(KEY_MS)

    open_level(page, url, FILM_LEVEL, FILM_TITLE)
    open_tab(page, "Understand")
    page.get_by_text("a solution with").wait_for(timeout=LOADING_MS)
    page.mouse.move(0, 0)
    take(LOOK_MS)
    take_moves(FILM_LOSING_MOVES)
    wait_for_proof(page)
    take(READ_MS)
    lost = frames[-1][0]
    page.get_by_role("button", name="Why?").last.click()
    following = page.get_by_role("button", name="Next step").last
    for _ in range(FILM_STEPS - 1):
        take(READ_MS)
        following.click()
    take(READ_MS)
    page.get_by_role("button", name=BACK).last.click()
    take(LOOK_MS)
    solution: str = page.evaluate(
        """async () => {
          const { app } = await import(document.scripts[0].src);
          return app.session.bests.bestByMoves;
        }"""
    )
    played = FILM_LOSING_MOVES[:-1]
    shared = next(n for n in range(len(played), -1, -1) if solution.startswith(played[:n]))
    # The walk to the wrong push, backwards.
    take_moves(played[shared:][::-1].translate(str.maketrans("udlr", "durl")))
    take_moves(solution[shared:])
    take(READ_MS)
    # One palette for all, else the colours of what stands still would flicker.
    palette = lost.quantize(NUM_COLOURS, COVERING)
    images = [shot.quantize(palette=palette, dither=Image.Dither.NONE) for shot, _ in frames]
    durations = [frame_ms for _, frame_ms in frames]
    images[0].save(
        path, save_all=True, append_images=images[1:], duration=durations, loop=0, optimize=True
    )


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    folder = parser.parse_args(argv).folder
    folder.mkdir(parents=True, exist_ok=True)
    with (
        closing(Server()) as server,
        sync_playwright() as started,
        closing(launched(started)) as browser,
    ):
        write_documented(browser, server.url, folder)


if __name__ == "__main__":
    main()
