"""Sentences go in and come out as text, whatever their spaces, in their order."""

import copy
import re
from dataclasses import replace
from itertools import chain, pairwise
from typing import Any

import pytest

from tokoban.systems.translation import number_words, texts
from tokoban.systems.translation.abbreviations import without_abbreviations
from tokoban.systems.translation.clock_times import changes_a_time
from tokoban.systems.translation.confidence import (
    DOUBTFUL_BELOW,
    Confidence,
    loses_a_number,
    loses_a_sign,
)
from tokoban.systems.translation.emoji import emoji_apart
from tokoban.systems.translation.lines import translate_lines
from tokoban.systems.translation.model import Translator
from tokoban.systems.translation.sentences import sentences_of
from tokoban.systems.translation.texts import Translation, tokenizer_of, translate_texts
from tokoban.systems.translation.translate import Hypothesis

pytestmark = pytest.mark.usefixtures("short")

TIME = re.compile("(?: um | es )(.+) (?:ab|ist)\\.")  # of a day, in the embedded task
TEXTS = ["zwei Äpfel", "", "halb vier", "  ", "Am achten Mai fährt der Zug."]


def test_every_text_has_its_translation_and_an_empty_one_an_empty_one(
    translator: Translator,
) -> None:
    # In single precision the last bits depend on the batch, on some processors.
    translator = copy.deepcopy(translator).double()
    found = translate_texts(translator, TEXTS, beam=2)
    assert [len(translations) for translations in found] == [1] * 5
    assert [not translations[0].tokens for translations in found] == [
        False,
        True,
        False,
        True,
        False,
    ]
    assert found[1][0].text == ""
    for text, (best,) in zip(TEXTS, found, strict=True):
        alone = translate_texts(translator, [text], beam=2)[0][0]
        assert best == replace(alone, score=best.score, log_prob_nats=best.log_prob_nats)
        for one, other in ((best.score, alone.score), (best.log_prob_nats, alone.log_prob_nats)):
            assert one == pytest.approx(other, rel=1e-12)
        assert tokenizer_of(translator).decode(best.source_tokens) == text.strip()
    assert translate_texts(translator, []) == []


@pytest.mark.parametrize(
    "sentences",
    [
        ["Ja.", "Wo ist er?", "Da!", "Äpfel sind gut."],
        ["Dr. Weber kommt am 3. Mai.", "Er wohnt im 2. Stock, St. Pauli, Plan B."],
        ["Mrs. Hill is in the U.S. Army... at 5 a.m. and 7 p.m. every day."],
        ["Wo?!", "Da. da"],
        ['Er sagte: "Ja."', "Dann ging er."],
        ["Sie rief: „Komm!“", "„Nein“.", "(Er ist hier.)", "Wo?!"],
        ['"Wo?" Tom asked.', "He went."],
        ["Seit 2019.", "Das ist Seite 12.", "Um 7:45.", "Um 18.30.", "Bis 5 p.m.", "I left."],
        ["Am 3. Oktober ist der 100. Geburtstag.", "Kaiser Karl V. starb mit 58.", "Er war alt."],
        ["They are on platform 7.", "Hurry up!", "It is May 3.", "Unfortunately it is late."],
        ["This is on the 20. Dezember 2012, when we are there.", "It is late."],
        ["Das sind 5 %.", "Und 5 €.", "Im Haus (alt).", "In der EU.", "In the U.K.", "His house."],
        ["Na ja…", "Das ... Warte... Geld.", "Das ist Ludwig II. König"],
        [""],
    ],
    ids="|".join,
)
def test_a_text_is_divided_behind_its_sentences_alone(sentences: list[str]) -> None:
    assert sentences_of(" ".join(sentences)) == sentences


@pytest.mark.parametrize(
    ("text", "full"),
    [
        ("Z. B. Salz, u.a. Obst.", "Zum Beispiel Salz, unter anderem Obst."),
        ("Brot usw. Wir essen es usw.", "Brot und so weiter. Wir essen es und so weiter."),
        ("3 Std. am 5. Jan. um 1", "3 Stunden am 5. Januar um 1"),
        ("Bahnhofstr. 5, Bahnhofstr. Haus", "Bahnhofstraße 5, Bahnhofstr. Haus"),
        ("No. 5 on Feb. 3. No. He", "Nr. 5 on February 3. No. He"),
        ("Mt. Fuji, e.g. on Mon. We go", "Mount Fuji, for example on Monday. We go"),
        ("Vllt. on sat, on Sun it is", "Vielleicht on Saturday, on Sunday it is"),
        ("Am Sa. und So. zu, so und so. Ja", "Am Samstag und Sonntag zu, so und so. Ja"),
        ("200 g Mehl, 2 l of milk, 3 g", "200 Gramm Mehl, 2 litres of milk, 3 g"),
        ("LG Ida", "Viele Grüße Ida"),
        ("Mind. 5 € zzgl. MwSt.", "Mindestens 5 € plus Mehrwertsteuer."),
        ("I don't mind. 2 tbsp, btw", "I don't mind. 2 tablespoons, by the way,"),
        ("Mein LG Fernseher. VG", "Mein LG Fernseher. Viele Grüße"),
        ("Thx, I wanna go asap", "Thanks, I want to go as soon as possible"),
        ("Ne, hast du ne Idee?", "Ne, hast du eine Idee?"),
        ("Am Sonnabend hab ich nix", "Am Samstag hab ich nichts"),
        ("They nix the plan", "They nix the plan"),
        ("www.usw.de, a@evtl.de, Mayo, May. 5", "www.usw.de, a@evtl.de, Mayo, May. 5"),
    ],
)
def test_abbreviations_are_read_in_full_and_a_stop_of_the_sentence_stays(
    text: str, full: str
) -> None:
    assert without_abbreviations(text) == full
    assert " ".join(sentences_of(text)) == full


def test_translations_that_differ_in_their_end_mark_alone_are_one(
    translator: Translator, monkeypatch: pytest.MonkeyPatch
) -> None:
    encode = tokenizer_of(translator).encode
    beam = [Hypothesis(encode(text), -1.0, -1.0) for text in ("two!", "three.", "two.", "four")]
    monkeypatch.setattr(texts, "translate", lambda *_, **__: [beam])
    [found] = translate_texts(translator, ["zwei."], nbest=4)
    assert [one.text for one in found] == ["two.", "three.", "four."]


def test_the_sentences_of_a_text_are_translated_as_each_alone(translator: Translator) -> None:
    sentences = ["Um halb vier.", "Am achten Mai fährt der Zug.", "Zwei Äpfel!"]
    (together,) = translate_texts(translator, [" ".join(sentences)], beam=3, nbest=2)
    alone = translate_texts(translator, sentences, beam=3, nbest=2)
    for rank, found in enumerate(together):
        of_rank = [each[rank] for each in alone]
        assert found.text == " ".join(each.text for each in of_rank)
        assert found.score == pytest.approx(sum(each.score for each in of_rank))
        assert found.tokens == [*chain(*(each.tokens for each in of_rank))]
        assert tokenizer_of(translator).decode(found.source_tokens) == " ".join(sentences)


def test_a_text_with_a_forced_prefix_is_translated_as_one_sentence(
    translator: Translator, monkeypatch: pytest.MonkeyPatch
) -> None:
    nothing = [[Hypothesis([], 0.0, 0.0)]]
    monkeypatch.setattr(texts, "translate", lambda _, sources, **__: nothing * len(sources))
    text = "Um halb vier. Zwei Äpfel!"
    ((found,),) = translate_texts(translator, [text], forced_prefix="two")
    assert found.source_tokens == tokenizer_of(translator).encode(text)
    ((divided,),) = translate_texts(translator, [text])
    assert (found.text, divided.text) == ("", " ")


def test_a_line_is_as_long_as_each_of_its_sentences_may_be(translator: Translator) -> None:
    complaints: list[str] = []

    def translated(line: str, **options: Any) -> str:
        [(_, found)] = translate_lines(
            translator, [[line]], on_too_long=complaints.append, beam=1, **options
        )
        return " ".join(each.text for each in found)

    (one,) = translate_texts(translator, ["Zwei Äpfel."], beam=1)
    many = "Zwei Äpfel. " * 100
    assert translated(many) == " ".join([one[0].text] * 100)
    assert translated(many, forced_prefix="two") == ""
    assert translated("zwei " * 500) == ""
    assert len(complaints) == 2


def test_emoji_are_not_read(translator: Translator) -> None:
    found = translate_texts(translator, ["zwei Äpfel ❤️🍏", "🍏 zwei 🍏 Äpfel", "zwei Äpfel", "🍏"])
    assert [tokenizer_of(translator).decode(best.source_tokens) for (best,) in found] == [
        *["zwei Äpfel"] * 3,
        "",
    ]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("zwei Äpfel", [("zwei Äpfel", "")]),
        ("zwei Äpfel ❤️🍏", [("zwei Äpfel", "❤️🍏")]),
        ("Zwei! 🍏 🍏 Drei", [("Zwei!", "🍏 🍏"), (" Drei", "")]),
        ("🍏 zwei 🍏 Äpfel 👩‍👧", [("", "🍏"), (" zwei Äpfel", "🍏 👩‍👧")]),
        ("🍏", [("", "🍏")]),
        ("", [("", "")]),
        ("Zwei🍏Äpfel🍏 da", [("Zwei Äpfel da", "🍏 🍏")]),
        ("Zwei 🍏! Drei, vier", [("Zwei!", "🍏"), ("Drei, vier", "")]),
        ("Zwei 🍏 Äpfel.\u200b Drei 🍐!", [("Zwei Äpfel.", "🍏"), ("Drei!", "🍐")]),
        ("zwei 🍏, drei!\n🍐\u2028🍐\u200b", [("zwei, drei!", "🍏 🍐 🍐")]),
        ("1️⃣2️⃣ zwei 3 #⃣", [("", "1️⃣2️⃣"), (" zwei 3", "#⃣")]),
        ("Zwei Äpfel 🍏 Drei 🍐", [("Zwei Äpfel", "🍏"), (" Drei", "🍐")]),
        ("zwei Äpfel 🍏 drei", [("zwei Äpfel drei", "🍏")]),
        ("zwei ❤︎ 🏴\U000e0067\U000e007f 🇩🇪 👋🏽", [("zwei", "❤︎ 🏴\U000e0067\U000e007f 🇩🇪 👋🏽")]),
        ("↔️ zwei → drei 🙂‍↔️", [("", "↔️"), (" zwei → drei", "🙂‍↔️")]),
        ("zwei lol xD", [("zwei", "lol xD")]),
        ("zwei 🍏\x1b[2J", [("zwei[2J", "🍏")]),
        ("Zwei (🍏🍐). Drei (🍏", [("Zwei.", "(🍏🍐)"), ("Drei (", "🍏")]),
        ("zwei (🍏)drei", [("zwei drei", "(🍏)")]),
        ("Zwei Äpfel :-) Drei? :(", [("Zwei Äpfel", ":-)"), (" Drei?", ":(")]),
        ("zwei (drei): (D) a:D http://d :)x", [("zwei (drei): (D) a:D http://d :)x", "")]),
    ],
)
def test_emoji_follow_what_they_stand_in_or_after(
    text: str, parts: list[tuple[str, str]], translator: Translator
) -> None:
    assert emoji_apart(text) == parts
    [[best]] = translate_texts(translator, [text])
    alone = [translate_texts(translator, [part.strip()])[0][0].text for part, _ in parts]
    emoji = [emoji for _, emoji in parts]
    assert best.text == " ".join(
        each for both in zip(alone, emoji, strict=True) for each in both if each
    )
    [[best]] = translate_texts(translator, [text], forced_prefix="two")
    assert best.text.endswith(" ".join(filter(None, emoji)))


def test_a_text_that_begins_with_emoji_has_all_its_translations(translator: Translator) -> None:
    plain, *found = translate_texts(
        translator,
        ["zwei Äpfel", "🍏 zwei Äpfel", "🍏 12! 🍏 zwei Äpfel", "🍏 12! 🍏"],
        beam=3,
        nbest=3,
    )
    assert [[best.text for best in some] for some in found[:2]] == [
        [start + best.text for best in plain] for start in ("🍏 ", "🍏 12! 🍏 ")
    ]
    assert [best.text for best in found[2]] == ["🍏 12! 🍏"]
    assert {best.source for best in found[0]} == {"zwei Äpfel"}


def test_emoji_divide_long_lines_and_blanks_are_read_at_once(translator: Translator) -> None:
    line, blanks = "eine Million Euro! 🍏 " * 20, " " * 10**6
    complaints: list[str] = []
    [(_, [found]), (_, [nothing])] = translate_lines(
        translator, [[line, blanks]], on_too_long=complaints.append, beam=1
    )
    [[one]] = translate_texts(translator, ["eine Million Euro!"], beam=1)
    assert found.text == " ".join([f"{one.text} 🍏"] * 20)
    assert (nothing.text, complaints) == ("", [])


def test_a_text_without_letters_is_its_own_translation(translator: Translator) -> None:
    times = "00:00:01,000 --> 00:00:04,000"
    found = translate_texts(translator, [times, "zwei Äpfel", " 4 2 ", "..."], beam=2)
    assert [best.text for (best,) in found[:1] + found[2:]] == [times, " 4 2", "..."]
    assert found[1] == translate_texts(translator, ["zwei Äpfel"], beam=2)[0]


@pytest.mark.parametrize(
    ("source", "text", "is_lost"),
    [
        ("Der Preis (30 €) ist hoch.", "The price (30) is high.", True),
        ("It costs $5.", "Das kostet 5 Dollar.", False),
        ("It costs $5.", "Das kostet 5 Euro.", True),
        ("Ein Rabatt von 50 %.", "A discount of 50 per cent.", False),
        ("We get 5% off.", "Wir bekommen 5 davon.", True),
        ("Was heißt das $ hier?", "What does it mean here?", False),
    ],
)
def test_a_currency_or_a_percent_that_is_lost_makes_a_translation_doubtful(
    source: str, text: str, is_lost: bool
) -> None:
    assert loses_a_sign(source, text) == is_lost
    found = Translation(source, text, 0.0, [1], [1], 0.0, channel_log_prob_nats=0.0)
    assert (Confidence(50.0, (0.0,) * 6).of(found) < DOUBTFUL_BELOW) == is_lost


@pytest.mark.parametrize(
    ("source", "text", "is_lost"),
    [
        ("Am 24.12.2023 geheiratet.", "Married on 24,123.", True),
        ("Die Rechnung über 1.234,56 € ist da.", "The bill of €1,234.56 is here.", False),
        ("Hauptstraße 17 in Düsseldorf", "in Düsseldorf", True),
        ("Um 18.45 Uhr.", "At 6:45 pm.", False),
        ("Um 7 Uhr.", "At seven.", False),
        ("Von 20 bis 21 Uhr.", "From 20 on.", True),
        ("9" * 5000, "9" * 4999, True),
        ("1500 Menschen", "1,500 people", False),
        ("10.000 Menschen", "10000 people", False),
        ("Geboren am 3.4.2021.", "Born on 3,42021.", True),
        ("Geboren am 3.4.2021.", "Born on 3/4/2021.", False),
        ("1.000.000 Euro", "1,000 euros", True),
        ("1.000.000 Euro", "1000000 euros", False),
        ("2.000 Euro", "2 euros", True),
        ("1 1/2 Stunden", "1/2 hours", True),
        ("1 1/2 Stunden", "one and a half hours", False),
        ("Der Monat Oktober", "Month", True),
        ("We close on Sundays in May.", "Wir schließen sonntags.", False),
        ("May I march in March?", "Darf ich im März marschieren?", False),
        ("Im Mai 2019 100 Euro.", "100 euros in May 2019.", False),
    ],
)
def test_a_number_that_is_lost_makes_a_translation_doubtful(
    source: str, text: str, is_lost: bool
) -> None:
    assert loses_a_number(source, text) == is_lost
    best = Translation(source, text, 0.0, [1], [1], 0.0, channel_log_prob_nats=0.0)
    certain = Confidence(50.0, (0.0,) * 6)
    assert (certain.of(best) < DOUBTFUL_BELOW) == is_lost
    # Of several sentences the worst counts.
    other = replace(best, source="Ja.", text="Yes.")
    both = replace(best, source=f"{source} Ja.", text=f"{text} Yes.", sentences=(best, other))
    assert certain.of(both) == certain.of(best) <= certain.of(other)


@pytest.mark.parametrize(
    ("one", "other", "is_changed"),
    [
        ("Treffen wir uns um halb acht.", "Let's meet at 2:30.", True),
        ("Treffen wir uns um halb acht.", "Let's meet at half past seven.", False),
        ("Treffen wir uns um halb acht.", "Let's meet at 7:30.", False),
        ("Es ist halb vier.", "It's half four.", True),
        ("It is half past ten.", "Es ist halb zehn.", True),
        ("The bus leaves at 6:45.", "Der Bus fährt um 18:45 Uhr ab.", True),
        ("The bus leaves at 6:45 p.m.", "Der Bus fährt um 18.45 Uhr ab.", False),
        ("The bus leaves at 6:45.", "Der Bus fährt um 6 Uhr 45 ab.", False),
        ("From 8:00 a.m. to 4:30 p.m.", "Von 20:00 Uhr bis 16:30 Uhr", True),
        ("From 8:00 a.m. to 4:30 p.m.", "Von 8 Uhr bis 16:30 Uhr", False),
        ("Geöffnet 9-17 Uhr", "Open 9-17 a.m.", True),
        ("Geöffnet 9-17 Uhr", "Open 9-5 p.m.", False),
        ("Um 17:15 Uhr oder um 21 Uhr", "At 5:15 p.m. or at 9 PM", False),
        ("Um 17 Uhr am Bahnhof", "Um 17 am Bahnhof", False),
        ("Ruf mich um 20 Uhr an.", "Call me at eight o'clock.", False),
        ("Ruf mich um acht Uhr an.", "Call me at eight.", False),
        ("Ruf mich um acht Uhr an.", "Call me at nine.", True),
        ("Es ist Viertel nach drei.", "It's a quarter past three.", False),
        ("Es ist Viertel vor drei.", "It's a quarter past three.", True),
        ("Es ist fünf nach halb acht.", "It is 7:35.", False),
        ("Es ist zehn vor acht.", "It's ten to eight.", False),
        ("Treffen wir uns um halb acht.", "Let's meet at 7.30.", False),
        ("Er ging um Mitternacht.", "He left at 12 a.m.", False),
        ("Es ist zwölf Uhr.", "It is noon.", False),
        ("The team leaves at 6:45.", "Die Mannschaft fährt um 18:45 Uhr ab.", True),
        ("Wir fahren am Montag um 6:45 Uhr.", "We leave at 18:45 on Monday.", True),
        ("Das kostet 7.30 Euro.", "That is 8 euros.", False),  # no time of day
        ("It's two to three weeks away.", "Es sind noch zwei bis drei Wochen.", False),
        ("It is ten after two attempts.", "Nach zwei Versuchen sind es zehn.", False),
        ("Seit acht Uhr ein Hammer!", "A hammer since eight o'clock!", False),
        ("Zimmer 4 am Ende des Flurs.", "The fourth room at the end of the corridor.", False),
        ("Five to ten of them came after two years.", "Einige kamen später.", False),
        ("Es war fünf nach halb drei.", "At two thirty-five it began.", False),
        ("Es war fünf nach halb drei.", "At two forty-five it began.", True),
        ("Es ist zehn vor sieben.", "We closed the shop from 6:50 on.", False),
        ("Es ist zehn vor sieben.", "After ten to seven nobody came.", False),
        ("Es ist zehn vor sieben.", "From 5:50 to seven nobody came.", True),
    ],
)
def test_a_time_of_day_is_the_same_or_another(one: str, other: str, is_changed: bool) -> None:
    assert changes_a_time(one, other) == is_changed


def test_the_task_of_times_changes_none() -> None:
    pairs = number_words.examples(2000, seed=1)
    spoken = [(pair, found[1]) for pair in pairs if (found := TIME.search(pair.de))]
    assert len(spoken) > 300
    for (pair, time), (other, later) in pairwise(spoken):
        assert not changes_a_time(pair.de, pair.en) and not changes_a_time(pair.en, pair.de)
        if time != later and "Uhr" not in time:
            assert changes_a_time(pair.de, other.en)
            assert changes_a_time(pair.en, other.de)


def test_every_translation_begins_with_the_prefix(translator: Translator) -> None:
    found = translate_texts(translator, TEXTS[:1], beam=3, nbest=3, forced_prefix="two pears")
    assert len(found[0]) > 1  # equal ones are one
    assert all(translation.text.startswith("two pears") for translation in found[0])
    spaced = "  two\tpears "
    assert translate_texts(translator, TEXTS[:1], beam=3, nbest=3, forced_prefix=spaced) == found


def test_a_translation_is_one_line_of_characters(
    translator: Translator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever tokens the model chooses."""
    tokenizer = tokenizer_of(translator)
    tokens = [*tokenizer.encode("two"), *tokenizer.encode("\u65e5")[-1:]]
    tokens += tokenizer.encode("\npears")
    assert "\ufffd" in tokenizer.decode(tokens)
    found = [[Hypothesis(tokens, -1.0, -1.0)]]
    monkeypatch.setattr(texts, "translate", lambda *_, **__: found)
    assert [one.text for one in translate_texts(translator, TEXTS[:1])[0]] == ["two pears"]
