"""The page about seeing attention: its code runs, what it links to is there, pictures are small."""

import doctest
import re
from pathlib import Path

import pytest

from tests.viewing.attention_pages import read_attention_page

DOCUMENT = Path(__file__).resolve().parents[1] / "docs" / "seeing-attention.md"
# A fence would be taken for the last line of what is expected.
PAGE = re.sub(r"^```.*$", "", DOCUMENT.read_text(encoding="utf-8"), flags=re.MULTILINE)


def test_its_code_answers_what_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    examples = doctest.DocTestParser().get_doctest(PAGE, {}, DOCUMENT.name, str(DOCUMENT), 0)
    assert len(examples.examples) > 10
    complaints: list[str] = []
    doctest.DocTestRunner(verbose=False).run(examples, out=complaints.append)
    assert not complaints, "".join(complaints)
    assert read_attention_page("own.html")["four steps"].shape == (2, 2, 12, 12)


def test_every_file_that_it_links_to_exists_and_pictures_are_small() -> None:
    targets = [target for target in re.findall(r"\]\(([^)#]+)", PAGE) if "://" not in target]
    paths = [(DOCUMENT.parent / target).resolve() for target in targets]
    assert [str(path) for path in paths if not path.exists()] == []
    pictures = [path for path in paths if path.suffix == ".png"]
    assert len(pictures) >= 4
    assert all(path.stat().st_size < 150_000 for path in pictures)
