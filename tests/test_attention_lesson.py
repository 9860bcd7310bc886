"""The lessons: their code runs and answers what they say, and pictures are small."""

import doctest
import re
import runpy
from pathlib import Path

import pytest

from tests.viewing.attention_pages import read_attention_page

DOCS = Path(__file__).resolve().parents[1] / "docs"
# The pages, with the fewest examples that each has.
LEAST = {"attention.md": 50, "gpt-lesson.md": 30, "systems/life.md": 10, "seeing-attention.md": 10}
# A fence would be taken for the last line of what is expected.
PAGES = {
    name: re.sub(r"^```.*$", "", (DOCS / name).read_text(encoding="utf-8"), flags=re.MULTILINE)
    for name in LEAST
}
# As another author's page prints the weights and the outputs, to the last digit.
PUBLISHED = """
0.4223188 0.1553624 0.4223188
0.1553624 0.4223188 0.4223188
0.21194156 0.21194156 0.57611688
""", """
0.8446376 0.5776812 0.8446376 0.5776812
0.5776812 0.8446376 0.5776812 0.8446376
0.78805844 0.78805844 0.78805844 0.78805844
"""  # fmt: skip


@pytest.mark.parametrize("name", PAGES)
def test_a_lesson_says_what_its_code_answers(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    # The blocks of its file, which a reader of the page has run too.
    known = runpy.run_path(str(DOCS / "examples/reverse.py")) if name == "gpt-lesson.md" else {}
    lesson = doctest.DocTestParser().get_doctest(PAGES[name], known, name, str(DOCS / name), 0)
    assert len(lesson.examples) >= LEAST[name]
    complaints: list[str] = []
    doctest.DocTestRunner(verbose=False).run(lesson, out=complaints.append)
    assert not complaints, "".join(complaints)
    if name == "seeing-attention.md":
        assert read_attention_page("own.html")["four steps"].shape == (2, 2, 12, 12)


def test_the_worked_example_has_the_digits_that_were_published() -> None:
    printed = re.sub(r"[\[\]\s]+", " ", PAGES["attention.md"])
    assert all(" ".join(matrix.split()) in printed for matrix in PUBLISHED)


def test_pictures_are_small() -> None:
    pictures = re.findall(r"\]\(([^)]+\.png)\)", PAGES["seeing-attention.md"])
    assert len(pictures) >= 4
    assert all((DOCS / picture).stat().st_size < 150_000 for picture in pictures)
