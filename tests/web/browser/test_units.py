"""The unit tests of the modules, which run in the browser: every `*.test.js` beside this file."""

from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent

RUN = """async (path) => {
  const tests = Object.entries(await import(path));
  const failed = [];
  for (const [name, test] of tests) {
    const { fetch } = window;
    try {
      await test();
    } catch (error) {
      failed.push(`${name}: ${error.stack}`);
    } finally {
      window.fetch = fetch; // a test may answer in the server's place
    }
  }
  return { count: tests.length, failed };
}"""


@pytest.fixture(scope="module")
def page(modules_page: Any) -> Any:
    """Offers the tests, too: from the origin of the page, as its policy asks."""
    modules_page.route(
        "**/tests/*.js",
        lambda route: route.fulfill(
            path=HERE / route.request.url.rpartition("/")[2], content_type="text/javascript"
        ),
    )
    return modules_page


@pytest.mark.parametrize("file", sorted(HERE.glob("*.test.js")), ids=lambda path: path.stem)
def test_module(page: Any, file: Path) -> None:
    result = page.evaluate(RUN, f"/tests/{file.name}")
    assert result["count"] > 0
    assert not result["failed"], "\n".join(result["failed"])
