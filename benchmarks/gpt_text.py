"""The texts of the second training of gpt-everyday, whose weights are averaged with the first's.

DATA has the folders translation/ and multi30k/, as for benchmarks.everyday. `sources` writes
FOLDER/sources.de and sources.en: the training sentences of Tatoeba that have 15 to 140 characters
and are in no pair with a held-out side. They are translated by

    tokoban translate --from en --jsonl FOLDER/found.de.jsonl < FOLDER/sources.en
    tokoban translate --from de --jsonl FOLDER/found.en.jsonl < FOLDER/sources.de

and `text` then writes near.txt, which is Tatoeba and the confident translations that it lacks, and
all.txt, which has captions and short sentences of other corpora besides. What the GPT is measured
on is left out by `tokoban train gpt` itself, whose split is that of each line's words.
"""

import argparse
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.everyday import CORPORA, letters
from tokoban.systems.gpt.config import everyday
from tokoban.systems.gpt.corpus import split_lines
from tokoban.systems.translation.pairs import Pair, read_pairs

_LEAST_CONFIDENCE = {"de": 0.8, "en": 0.75}  # by the language of the translation
_ENDS = tuple('.!?"\N{LEFT DOUBLE QUOTATION MARK}')
_PLAIN = re.compile(r"[A-ZÄÖÜ][^()\[\]<>{}|/\\@#;:%*=_]*[.!?]")
_UNUSUAL = re.compile(r" --? |\d{3}")


def sources(pairs: Sequence[Pair]) -> list[list[str]]:
    """The German and the English sentences to translate, once each, in alphabetical order."""
    config = everyday()
    text = "\n".join(side for pair in pairs for side in pair)
    _, held_out = split_lines(text, validation_share=config.validation_share, seed=config.data_seed)
    held = {*held_out.splitlines()}
    banned = {side for pair in pairs if held & {*pair} for side in pair}
    return [
        sorted({side for side in column if 15 <= len(side) <= 140} - banned)
        for column in zip(*pairs, strict=True)
    ]


def new_translations(known: set[str], lines: Iterator[str], *, least: float) -> list[str]:
    """The confident whole sentences of ``tokoban translate --jsonl`` that are not ``known``."""
    found: dict[str, str] = {}
    for line in lines:
        item = json.loads(line)
        text = item["translations"][0]["text"] if item["translations"] else ""
        if (item["confidence"] or 0) >= least and text.endswith(_ENDS):
            found.setdefault(letters(text), text)
    return [text for key, text in found.items() if key not in known]


def is_short_sentence(line: str) -> bool:
    """Whether it has 25 to 130 characters, four words or more, and no unusual characters."""
    is_short = 25 <= len(line) <= 130 and len(line.split()) >= 4
    return is_short and bool(_PLAIN.fullmatch(line)) and not _UNUSUAL.search(line)


def main(argv: Sequence[str] | None = None) -> int:
    """Answers 0."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path, metavar="DATA")
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("step", choices=("sources", "text"))
    options = parser.parse_args(argv)

    def read(name: str) -> list[Pair]:
        return read_pairs(*(options.data / f"{name}.{language}.gz" for language in ("de", "en")))

    def write(name: str, lines: Sequence[str]) -> None:
        (options.folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        print(f"{name}: {len(lines):,} lines")

    options.folder.mkdir(parents=True, exist_ok=True)
    tatoeba = read(*CORPORA["everyday"])
    if options.step == "sources":
        for language, lines in zip(("de", "en"), sources(tatoeba), strict=True):
            write(f"sources.{language}", lines)
        return 0
    near = [side for pair in tatoeba for side in pair]
    known = {*map(letters, near)}
    for language, least in _LEAST_CONFIDENCE.items():
        with (options.folder / f"found.{language}.jsonl").open(encoding="utf-8") as lines:
            near += new_translations(known, lines, least=least)
    write("near.txt", near)
    others = [
        side.strip()
        for name in (*CORPORA["news"], *CORPORA["other"])
        for pair in read(name)
        for side in pair
    ]
    captions = [
        side.strip() for name in CORPORA["captions"] for pair in read(name) for side in pair
    ]
    further = [*filter(is_short_sentence, others)]
    further += [line for line in captions if line.endswith(".") and len(line) <= 120]
    write("all.txt", [*near, *dict.fromkeys(further)])
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
