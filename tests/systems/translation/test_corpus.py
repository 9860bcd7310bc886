"""Text from files becomes tokens, and it is said what was left out."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tokoban.systems.translation.config import TranslationConfig, numbers
from tokoban.systems.translation.corpus import load_data
from tokoban.systems.translation.pairs import Pair
from tokoban.text.bpe import train_bpe

Files = Callable[[str, list[Pair]], dict[str, tuple[str, ...]]]


@pytest.fixture
def files(tmp_path: Path) -> Files:
    """Writes pairs to two files; the fields of a config that name them."""

    def write(part: str, pairs: list[Pair]) -> dict[str, tuple[str, ...]]:
        paths = tmp_path / f"{part}.de", tmp_path / f"{part}.en"
        for side, path in enumerate(paths):
            path.write_text("".join(f"{pair[side]}\n" for pair in pairs))
        return {f"{part}_source": (str(paths[0]),), f"{part}_target": (str(paths[1]),)}

    return write


def _config(**fields: object) -> TranslationConfig:
    return replace(numbers(), num_validation=3, **fields)  # type: ignore[arg-type]


TWENTY = [Pair(f"Satz Nummer {n}", f"sentence number {n}") for n in range(20)]


def test_text_from_files_is_cleaned_and_reported(files: Files) -> None:
    odd = [Pair("x " * 80, "y " * 80), Pair("x " * 40, "y"), Pair("", "y"), TWENTY[0], TWENTY[19]]
    validation = [Pair("z " * 80, "z"), TWENTY[19]]
    config = _config(**files("train", TWENTY[:19] + odd), **files("validation", validation))
    data = load_data(config)
    assert data.report == (
        "training: 19 of 24 pairs (left out: 1 empty, 1 duplicate, 1 in validation, 1 too long, "
        "1 of uneven length); validation: 1 of 2 pairs (left out: 1 too long)"
    )
    assert (len(data.train), len(data.validation), data.validation_pairs) == (19, 1, TWENTY[19:])
    batch = next(data.validation.once())
    assert data.tokenizer.decode(batch.source[0].tolist()) == "Satz Nummer 19"
    assert data.tokenizer.decode(batch.target_out[0].tolist()) == "sentence number 19"


def test_the_validation_is_tidied_and_what_is_empty_is_left_out(files: Files) -> None:
    odd = [Pair("  Ein\u00a0Satz ", "a  sentence"), Pair(" ", "nothing"), Pair("nichts", "")]
    data = load_data(_config(**files("train", TWENTY), **files("validation", odd)))
    assert data.validation_pairs == [Pair("Ein Satz", "a sentence")]
    assert data.report.endswith("; validation: 1 of 3 pairs (left out: 2 empty)")
    blank = files("validation", [Pair("", " "), Pair("", "")])
    with pytest.raises(ValueError, match="the validation text has no sentence; name other files"):
        load_data(_config(**files("train", TWENTY), **blank))


def test_without_validation_text_some_pairs_are_held_out(files: Files) -> None:
    data = load_data(_config(**files("train", TWENTY)))
    assert (len(data.train), len(data.validation), len(set(data.validation_pairs))) == (18, 2, 2)
    trained = {
        data.tokenizer.decode(row) for batch in data.train.once() for row in batch.source.tolist()
    }
    assert trained == {pair.source for pair in set(TWENTY) - set(data.validation_pairs)}


def test_several_files_are_one_text(files: Files) -> None:
    twice = {name: paths * 2 for name, paths in files("train", TWENTY[:10]).items()}
    more = files("more", TWENTY[10:])
    data = load_data(
        _config(
            **{
                f"train_{kind}": twice[f"train_{kind}"] + more[f"more_{kind}"]
                for kind in ("source", "target")
            }
        )
    )
    assert data.report == (
        "training: 18 of 30 pairs (left out: 10 duplicate, 2 in validation); "
        "validation: 2 of 2 pairs"
    )


def test_the_embedded_task_needs_no_file_and_goes_both_ways() -> None:
    forth = load_data(_config(num_examples=200))
    back = load_data(_config(num_examples=200, source_language="en", target_language="de"))
    assert len(forth.train) == 200
    assert forth.validation_pairs == [Pair(*reversed(pair)) for pair in back.validation_pairs]
    assert forth.tokenizer.vocabulary_size <= numbers().vocabulary_size


def test_what_cannot_be_learned_from_is_refused(files: Files, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="too few pairs to hold one out for validation: 1 of 1"):
        load_data(_config(**files("train", TWENTY[:1])))
    with pytest.raises(ValueError, match="nothing to learn from: 0 of 0 pairs"):
        load_data(_config(**files("train", []), **files("validation", TWENTY)))
    with pytest.raises(ValueError, match="the validation text has no sentence"):
        load_data(_config(**files("train", TWENTY), **files("validation", [])))
    with pytest.raises(ValueError, match=r"nothing to learn from: 0 of 1 pairs \(left out: 1 too"):
        load_data(_config(**files("train", [Pair("x " * 80, "y")]), **files("validation", TWENTY)))
    with pytest.raises(ValueError, match="task is between de and en, not de and fr: name train_s"):
        load_data(_config(target_language="fr"))


def test_at_most_a_tenth_of_the_pairs_is_held_out(files: Files) -> None:
    assert len(load_data(_config(**files("train", TWENTY))).validation_pairs) == 2
    assert len(load_data(_config(**files("train", TWENTY[:3]))).validation_pairs) == 1


def test_a_given_tokenizer_is_kept(files: Files) -> None:
    given = train_bpe(["anderes", "other"], vocabulary_size=270, has_space_before=True)
    config = _config(**files("train", TWENTY))
    learned, data = load_data(config), load_data(config, given)
    assert data.tokenizer.to_json() == given.to_json() != learned.tokenizer.to_json()
    assert data.validation_pairs == learned.validation_pairs


def test_a_smaller_corpus_is_repeated_to_the_power_of_the_temperature(tmp_path: Path) -> None:
    """9 and 4 pairs at T = 2: shares as 3 to 2, so that the four stand 9 * 2 / 3 = 6 times."""
    paths = {}
    for name, number in (("large", 9), ("small", 4)):
        for language in ("de", "en"):
            paths[name, language] = tmp_path / f"{name}.{language}"
            lines = (f"{name} {language} {place}\n" for place in range(number))
            paths[name, language].write_text("".join(lines))
    validation = {f"validation_{kind}": (str(tmp_path / "last"),) for kind in ("source", "target")}
    (tmp_path / "last").write_text("zuletzt\n")
    fields = validation | {
        f"train_{kind}": tuple(str(paths[name, language]) for name in ("small", "large"))
        for kind, language in (("source", "de"), ("target", "en"))
    }

    def counts(temperature: float) -> Counter[str]:
        data = load_data(_config(sampling_temperature=temperature, **fields))
        return Counter(
            data.tokenizer.decode(row)
            for batch in data.train.once()
            for row in batch.source.tolist()
        )

    once, sampled = counts(1.0), counts(2.0)
    assert set(once) == set(sampled) and set(once.values()) == {1}
    large = {text: number for text, number in sampled.items() if text.startswith("large")}
    small = {text: number for text, number in sampled.items() if text.startswith("small")}
    assert set(large.values()) == {1} and sum(small.values()) == 6 and max(small.values()) == 2
