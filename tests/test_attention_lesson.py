"""The lesson on attention: every line of it runs, and its numbers are those of its example."""

import doctest
import re
from pathlib import Path

import pytest

LESSON = Path(__file__).resolve().parents[1] / "docs" / "attention.md"
# A fence would be taken for the last line of what is expected.
PAGE = re.sub(r"^```.*$", "", LESSON.read_text(encoding="utf-8"), flags=re.MULTILINE)

# As another author's page prints them, to the last digit.
WEIGHTS = """
0.4223188 0.1553624 0.4223188
0.1553624 0.4223188 0.4223188
0.21194156 0.21194156 0.57611688
"""
OUTPUTS = """
0.8446376 0.5776812 0.8446376 0.5776812
0.5776812 0.8446376 0.5776812 0.8446376
0.78805844 0.78805844 0.78805844 0.78805844
"""


def test_the_lesson_says_what_its_code_answers() -> None:
    lesson = doctest.DocTestParser().get_doctest(PAGE, {}, "attention.md", str(LESSON), 0)
    assert len(lesson.examples) > 50
    complaints: list[str] = []
    doctest.DocTestRunner(verbose=False).run(lesson, out=complaints.append)
    assert not complaints, "".join(complaints)


@pytest.mark.parametrize("matrix", [WEIGHTS, OUTPUTS], ids=["weights", "outputs"])
def test_the_worked_example_has_the_digits_that_were_published(matrix: str) -> None:
    printed = re.sub(r"[\[\]\s]+", " ", PAGE)
    assert " ".join(matrix.split()) in printed


def test_every_file_that_the_lesson_links_to_exists() -> None:
    targets = [target for target in re.findall(r"\]\(([^)#]+)", PAGE) if "://" not in target]
    assert targets
    assert [target for target in targets if not (LESSON.parent / target).exists()] == []
