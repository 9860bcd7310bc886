"""The lessons on attention: their code runs and answers what they say, and pictures are small."""

import doctest
import re
from pathlib import Path

import pytest

from tests.viewing.attention_pages import read_attention_page

DOCS = Path(__file__).resolve().parents[1] / "docs"
# A fence would be taken for the last line of what is expected.
PAGES = {
    name: re.sub(r"^```.*$", "", (DOCS / name).read_text(encoding="utf-8"), flags=re.MULTILINE)
    for name in ("attention.md", "seeing-attention.md")
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


@pytest.mark.parametrize(("name", "least"), [("attention.md", 50), ("seeing-attention.md", 10)])
def test_a_lesson_says_what_its_code_answers(
    name: str, least: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    lesson = doctest.DocTestParser().get_doctest(PAGES[name], {}, name, str(DOCS / name), 0)
    assert len(lesson.examples) > least
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
