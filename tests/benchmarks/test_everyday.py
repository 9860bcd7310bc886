"""The split of the everyday translators: what is measured on shares no side with the training."""

import gzip
from pathlib import Path

import pytest

from benchmarks import everyday, made_pairs
from benchmarks.multi30k import TESTS
from tokoban.systems.translation.pairs import Pair, read_pairs

COUNTED = [Pair(f"Satz {chr(97 + n)}{chr(97 + m)}", f"sentence {chr(97 + n)}{chr(97 + m)}")
           for n in range(6) for m in range(5)]  # fmt: skip


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Thirty pairs of everyday, of which the last two share a side; one pair of everything else."""
    texts = {name: [Pair(f"nur {name}", f"only {name}")] for name in everyday.MEASURED}
    for names in everyday.CORPORA.values():
        texts |= {name: [Pair(f"nur {name}", f"only {name}")] for name in names}
    texts["translation/tatoeba"] = [*COUNTED, Pair("SATZ, ea!", "another"), Pair("ein", "only x")]
    texts["multi30k/train"] += [
        Pair("Ein anderer.", f"ONLY 7 {TESTS[0]}"),
        *everyday.phrases("de-en"),
    ]
    texts[f"multi30k/{TESTS[0]}"] = [Pair("gemessen", f"only {TESTS[0]}")]
    for name, pairs in texts.items():
        for side, language in enumerate(("de", "en")):
            path = tmp_path / f"{name}.{language}.gz"
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(gzip.compress("".join(f"{pair[side]}\n" for pair in pairs).encode()))
    return tmp_path


def test_no_training_pair_shares_a_side_with_a_measured_one(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(everyday, "NUM_HELD_OUT", 7)
    monkeypatch.setattr(everyday, "NUM_VALIDATION", 3)
    monkeypatch.setattr(everyday, "NUM_SUBSTITUTED", 60)
    monkeypatch.setattr(everyday, "NUM_FRAMED", 45)
    monkeypatch.setattr(everyday, "written", lambda topic: made_pairs.written(topic)[:30])
    folder = tmp_path / "text"
    sizes = everyday.write_text(data, folder, ())
    assert (sizes["held-out"], sizes["validation"], sizes["everyday"]) == (7, 3, 22)
    assert sizes["captions"] == 1  # neither the test's side in other letters nor the phrase book

    def of(name: str) -> list[Pair]:
        return read_pairs(folder / f"{name}.de.gz", folder / f"{name}.en.gz")

    training = [pair for corpus in (*everyday.CORPORA, *everyday.MADE) for pair in of(corpus)]
    for side in (0, 1):
        learned = {everyday.letters(pair[side]) for pair in training}
        for pair in of("held-out") + of("validation"):
            assert everyday.letters(pair[side]) not in learned
    assert everyday.letters("SATZ, ea!") == everyday.letters("Satz ea")
    assert {"SATZ, ea!", "Satz ea"} <= {pair.source for pair in training}
