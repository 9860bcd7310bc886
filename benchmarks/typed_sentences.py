"""How many sentences the grammar reads as the kinds of clauses that they were meant as.

FILE has a sentence a line: the kinds of its clauses joined by "+", its language, and the sentence,
separated by tabs. ``typed_sentences.tsv`` and ``typed_short.tsv`` were written by language models
that knew the kinds and the names of boxes and places, and not the phrases of the grammar; the
second has what people type into a line of a page. Prints counts by language; names are not
compared.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tokoban.sokoban.instructions import grammar

TYPED = Path(__file__).with_name("typed_sentences.tsv")
_AS_MEANT, _OTHERWISE, _NOT = "as meant", "otherwise", "not understood"


def outcome(kinds: str, language: str, text: str) -> str:
    """What becomes of a sentence of these kinds in this language."""
    try:
        found = grammar.parse(text)
    except ValueError:
        return _NOT
    read = "+".join(clause.kind.name for clause in found.meaning)
    return _AS_MEANT if (read, found.language) == (kinds, language) else _OTHERWISE


def main(argv: Sequence[str] | None = None) -> int:
    """Prints the counts, and the sentences that were not read as meant."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", nargs="?", type=Path, default=TYPED, metavar="FILE")
    parser.add_argument("--show", action="store_true", help="also print those not read as meant")
    chosen = parser.parse_args(argv)
    counts: Counter[tuple[str, str]] = Counter()
    for line in chosen.file.read_text(encoding="utf-8").splitlines():
        kinds, language, text = line.split("\t")
        counts[language, found := outcome(kinds, language, text)] += 1
        if chosen.show and found != _AS_MEANT:
            print(f"{found}: {kinds}: {text}")
    for language in sorted({language for language, _ in counts}):
        some = (f"{counts[language, name]} {name}" for name in (_AS_MEANT, _OTHERWISE, _NOT))
        print(f"{language}: {', '.join(some)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
