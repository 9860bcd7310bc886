"""The table of strings: every key that the modules use is there, in English and in German."""

import ast
import re
from importlib import resources
from pathlib import Path

import pytest

JS = Path(str(resources.files("tokoban.web"))) / "static" / "js"
SOURCES = {path: path.read_text(encoding="utf-8") for path in sorted(JS.rglob("*.js"))}
TABLES = {path: text for path, text in SOURCES.items() if path.parent.name in ("strings", "labs")}
# "key": { en: "...", de: "..." } with texts in one or more parts, each in double quotes.
_TEXT = r'("(?:[^"\\]|\\.)*"(?:\s*\+\s*"(?:[^"\\]|\\.)*")*)'
ENTRY = re.compile(rf'"([\w.-]+)":\s*\{{\s*en:\s*{_TEXT},\s*de:\s*{_TEXT},?\s*\}}')
KEY = re.compile(r'^  "([\w-]+\.[\w.-]+)":', re.MULTILINE)
USED = re.compile(r'(?:\bt\(|Key: )\s*"([\w.-]+)"')
USED_BY_PREFIX = re.compile(r"`([a-z]+\.[\w.-]*)\$\{")


def entries() -> dict[str, tuple[str, str]]:
    return {key: (en, de) for text in TABLES.values() for key, en, de in ENTRY.findall(text)}


def test_every_key_has_both_languages_with_the_same_values() -> None:
    found = entries()
    keys = [key for text in TABLES.values() for key in KEY.findall(text)]
    assert len(keys) == len(set(keys)), "a key is there twice"
    assert set(keys) == set(found), "a key lacks a language"
    for key, texts in found.items():
        names = [set(re.findall(r"\{(\w+)", text)) for text in texts]
        assert names[0] == names[1], key
        assert all(len(text) > 2 for text in texts), key


def test_every_key_that_is_used_exists_and_every_key_is_used() -> None:
    keys = set(entries())
    others = [
        ENTRY.sub("", text) for path, text in SOURCES.items() if path.parent.name != "strings"
    ]
    used = {key for text in others for key in USED.findall(text)}
    assert used - keys == set()
    prefixes = {prefix for text in others for prefix in USED_BY_PREFIX.findall(text)}
    for prefix in prefixes:
        assert any(key.startswith(prefix) for key in keys), prefix
    everything = "\n".join(others)
    unused = {
        key
        for key in keys
        if f'"{key}"' not in everything and not any(key.startswith(start) for start in prefixes)
    }
    assert unused == set()


def test_every_failure_of_the_server_has_a_sentence() -> None:
    python = "\n".join(path.read_text(encoding="utf-8") for path in JS.parents[1].glob("*.py"))
    server = SOURCES[JS / "server.js"]
    codes = set(re.findall(r'fail\("([\w-]+)"|"event": "error", "code": "([\w-]+)"', python))
    codes |= set(re.findall(r'\d{3}: "([\w-]+)"|\?\? "([\w-]+)"|, "([\w-]+)"\);', server))
    found = {code for each in codes for code in each if code}
    errors = {key.removeprefix("error.") for key in entries() if key.startswith("error.")}
    assert found == errors


@pytest.mark.parametrize(("kind", "prefix"), [("Fault", "problem."), ("Reason", "reason.")])
def test_every_fault_of_a_level_and_every_end_of_a_search_has_a_sentence_with_its_values(
    kind: str, prefix: str
) -> None:
    calls = [
        node
        for path in JS.parents[2].rglob("*.py")
        if f"{kind}(" in (text := path.read_text(encoding="utf-8"))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == kind
        and isinstance(node.args[1], ast.Constant)  # others repeat a code
    ]
    given = {ast.literal_eval(call.args[1]): {word.arg for word in call.keywords} for call in calls}
    given["other"] = {"message"}  # of a sentence without a code
    texts = {key: en for key, (en, _) in entries().items() if key.startswith(prefix)}
    assert {f"{prefix}{code}" for code in given} == set(texts)
    for code, values in given.items():
        assert set(re.findall(r"\{(\w+)", texts[f"{prefix}{code}"])) <= values, code
