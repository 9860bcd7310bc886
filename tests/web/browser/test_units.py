"""The unit tests of the modules, which run in the browser: every `*.test.js` beside this file."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent

RUN = """async (path) => {
  const tests = Object.entries(await import(path));
  const failed = [];
  for (const [name, test] of tests) {
    try {
      await test();
    } catch (error) {
      failed.push(`${name}: ${error.stack}`);
    }
  }
  return { count: tests.length, failed };
}"""


@pytest.mark.parametrize("file", sorted(HERE.glob("*.test.js")), ids=lambda path: path.stem)
def test_module(open_page: Callable[..., Any], file: Path) -> None:
    page = open_page()
    # The tests come from the origin of the page, as its policy asks.
    page.route(
        "**/tests/*.js",
        lambda route: route.fulfill(
            path=HERE / route.request.url.rpartition("/")[2], content_type="text/javascript"
        ),
    )
    result = page.evaluate(RUN, f"/tests/{file.name}")
    assert result["count"] > 0
    assert not result["failed"], "\n".join(result["failed"])
