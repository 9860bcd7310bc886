"""Nothing near a held-out sentence is translated, and what is known already is not added."""

import gzip
import json
from pathlib import Path

from benchmarks import gpt_text
from tokoban.systems.gpt.corpus import split_lines
from tokoban.systems.translation.pairs import Pair

PAIRS = [
    Pair(f"Der Satz {'a' * n}b ist da.", f"The sentence {'a' * n}b is there.") for n in range(80)
]


def test_no_source_is_in_a_pair_with_a_held_out_side() -> None:
    text = "\n".join(side for pair in PAIRS for side in pair)
    held = {*split_lines(text, validation_share=0.02, seed=0)[1].splitlines()}
    german, english = gpt_text.sources(PAIRS)
    assert held and len(german) == len(english) < len(PAIRS)
    for pair in PAIRS:
        is_near = bool(held & {*pair})
        assert (pair.source in german, pair.target in english) == (not is_near, not is_near)


def test_the_texts_have_what_is_new_confident_and_short(tmp_path: Path) -> None:
    for kind, names in gpt_text.CORPORA.items():
        for name in names:
            for language in ("de", "en"):
                path = tmp_path / f"{name}.{language}.gz"
                path.parent.mkdir(exist_ok=True)
                lines = f"This is a line of the {kind}.\nThis is a line of the {kind} <>!\n"
                path.write_bytes(gzip.compress(lines.encode()))
    found = [("This is a LINE of the everyday!", 0.9), ("Quite new.", 0.9), ("Not sure.", 0.1)]
    for language in ("de", "en"):
        rows = [{"translations": [{"text": text}], "confidence": c} for text, c in found]
        lines = "".join(f"{json.dumps(row)}\n" for row in rows)
        (tmp_path / f"found.{language}.jsonl").write_text(lines)
    assert gpt_text.main([str(tmp_path), str(tmp_path), "text"]) == 0
    near = (tmp_path / "near.txt").read_text().splitlines()
    assert near[4:] == ["Quite new."] * 2  # behind both lines of both languages
    every = (tmp_path / "all.txt").read_text().splitlines()
    kinds = "news", "other", "captions"
    assert every == [*near, *(f"This is a line of the {kind}." for kind in kinds)]
