"""docs/certificates.md: its example is the command's, and a checker written from it agrees."""

import ast
import json
import random
import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.sokoban.brute_force import Shape, random_boards
from tests.sokoban.proofs import checker_by_the_page
from tests.sokoban.proofs.by_hand import BY_HAND
from tests.sokoban.proofs.test_checker import FAULTS, mutants
from tokoban.cli import main
from tokoban.sokoban.proofs.certificate import KINDS, Certificate
from tokoban.sokoban.proofs.checker import find_fault
from tokoban.sokoban.proofs.explainer import Deadlocked, explain
from tokoban.sokoban.proofs.notation import to_json

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "certificates.md").read_text()


def holds(certificate: Certificate) -> bool:
    """What the page's checker says of the JSON."""
    return checker_by_the_page.holds(json.loads(json.dumps(to_json(certificate))))


def test_the_example_is_what_the_command_writes(tmp_path: Path) -> None:
    drawing, certificate = re.findall(r"^```(?:json)?\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    (tmp_path / "level.xsb").write_text(drawing)
    out = tmp_path / "out.json"
    assert main(["explain", str(tmp_path / "level.xsb"), "--json", str(out)]) == 0
    (written,) = json.loads(out.read_text())
    assert written["certificate"] == json.loads(certificate)
    assert list(written["certificate"]) == list(json.loads(certificate))
    assert checker_by_the_page.holds(written["certificate"])
    for field in written["certificate"]:
        assert f"| `{field}` |" in PAGE, field
    for kind in KINDS:
        assert f"`{kind}`" in PAGE


def test_the_checker_of_the_page_has_no_code_of_the_package() -> None:
    tree = ast.parse(Path(checker_by_the_page.__file__).read_text())
    imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)} | {
        name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names
    }
    assert imported == {"typing"}


@pytest.mark.parametrize("name", FAULTS)
def test_it_refuses_each_planted_fault(name: str) -> None:
    hand, changes, _ = FAULTS[name]
    assert not holds(replace(BY_HAND[hand], **changes))


def test_it_agrees_on_certificates_of_random_boards_and_on_mutated_ones() -> None:
    draw = random.Random(7)
    certificates = [*BY_HAND.values()]
    for shape in (Shape(3, 5, 2, is_closed=False), Shape(4, 4, 3, is_closed=True)):
        answers = map(explain, random_boards(shape, 12, seed=13))
        certificates += [answer.certificate for answer in answers if isinstance(answer, Deadlocked)]
    verdicts = {True: 0, False: 0}
    for certificate in certificates:
        assert holds(certificate)
        for mutant in mutants(certificate, draw):
            expected = find_fault(mutant) is None
            verdicts[expected] += 1
            assert holds(mutant) == expected, mutant
    assert min(verdicts.values()) > 30
