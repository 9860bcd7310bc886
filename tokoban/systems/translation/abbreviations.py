"""Short forms of German and English, which a small translator hardly knows, in full."""

import re

from tokoban.systems.translation.number_words import DAYS, MONTHS

# Words that have a capital at the beginning of a sentence alone, or nearly so.
BEGINNINGS = (
    r"(?:Aber|Alle|Als|Am|Auch|Auf|Bei|Bitte|Bring|Da|Danach|Danke|Dann|Das|Deine?|De[mnr]|Denn|"
    r"Deshalb|Die|Diese?[rs]?|Doch|Dort|Du|Eine?|Er|Es|Eure?|Für|Geh|Gib|Haben?|Habt|Hast|Hat|"
    r"Heute|Hier|Ich|Ihre?|Im|In|Ist|Ja|Jeder|Jetzt|Kann|Kannst|Keine?|Kommt?|Kommst|Leider|Lies|"
    r"Man|Meine?|Mit|Nach|Nein|Nicht|Niemand|Nimm|Oder|Ruf|Seine?|Seit|Seitdem|Sie|Sind|So|Um|Und|"
    r"Unsere?|Vielleicht|Vor|Wann|War|Waren|Warte|Warum|Was|Weil|Wenn|Wer|Wie|Willst|Wir|Wo|"
    r"Wollen|Zum|"
    r"A|After|All|An|And|Are|Ask|At|Before|But|Call|Can|Come|Could|Did|Do|Does|Don|Everyone|Get|"
    r"Go|Have|He|Her|His|How|I|If|Its?|Let|Look|My|Nobody|No|Not|Now|On|Or|Our|Please|Read|She|"
    r"Take|Thanks|That|The|Their|Then|There|These|They|This|Those|Today|Wait|We|Were|What|When|"
    r"Where|Who|Why|Will|Would|Yes|Your?)(?=[ ,!?'\u2019])"
)
_INSIDE = {  # no sentence ends with these
    r"(?i:asap)\b": "as soon as possible",
    r"approx\.": "about",
    r"aufm\b": "auf dem",
    r"btw\b": "by the way",
    r"bzw\.": "oder",
    r"bzgl\.": "bezüglich",
    r"ca\.": "etwa",
    r"Capt\.": "Captain",
    r"cuz\b": "because",
    r"d\. ?h\.": "das heißt",
    r"dunno\b": "don't know",
    r"e\.g\.": "for example",
    r"evtl\.": "eventuell",
    r"Fa\.": "Firma",
    r"(?<=[0-9¼½¾] )g(?= [A-ZÄÖÜ][a-zäöü])": "Gramm",
    r"(?<=[0-9¼½¾] )g(?= of\b)": "grams",
    r"ggf\.": "wenn nötig",
    r"gonna\b": "going to",
    r"gotta\b": "have to",
    # Not of "zwanzig grad" nor "grad school".
    r"(?:(?<=\b[Bb]in )|(?<=\b(?:ich|hab|wir) )|(?<=\bdu )|(?<=st's ))grad\b": "gerade",
    r"heut\b": "heute",
    r"Hr\.": "Herr",
    r"i\. ?d\. ?R\.": "in der Regel",
    r"i\.e\.": "that is",
    r"idk\b": "I don't know",
    r"(?<=[0-9¼½¾] )l(?= [A-ZÄÖÜ][a-zäöü])": "Liter",
    r"(?<=[0-9¼½¾] )l(?= of\b)": "litres",
    r"(?<!\w )(?:LG|MfG|VG)(?= [A-ZÄÖÜ])": "Viele Grüße,",
    r"(?<!\w )(?:LG|MfG|VG)(?![\w ])": "Viele Grüße",
    r"mind\.(?= [0-9])": "mindestens",
    r"Mt\.": "Mount",
    r"(?<=\w )'?ne\b": "eine",
    r"(?<=\w )'?nen\b": "einen",
    r"nich\b": "nicht",
    r"nix\b(?! (?:a|it|that|the|this)\b)": "nichts",  # "to nix the plan" is English
    r"No\.(?= [0-9])": "Nr.",  # which the translators copy; "Number 5" they do not
    r"o\. ?Ä\.": "oder Ähnliches",
    r"omg\b": "oh my God",
    r"pls\b": "please",
    r"Sonnabend\b": "Samstag",
    r"sonnabends\b": "samstags",
    r"thx\b": "thanks",
    r"u\. ?a\.": "unter anderem",
    r"u\. ?U\.": "unter Umständen",
    r"v\. ?a\.": "vor allem",
    r"vllt\b\.?": "vielleicht",
    r"wanna\b": "want to",
    r"wg\.": "wegen",
    r"z\. ?B\.": "zum Beispiel",
}
_LAST = {  # some do with these
    r"Ave\.": "Avenue",
    r"dept\.": "department",
    r"hrs\.": "hours",
    r"Mio\.": "Millionen",
    r"Mrd\.": "Milliarden",
    r"(?<=[02-9] )Min\.": "Minuten",
    r"Rd\.": "Road",
    r"(?<=[a-z] )St\.(?=$| [a-z])": "Street",
    r"(?<=[02-9] )Std\.": "Stunden",
    r"usw\.": "und so weiter",
    **{rf"(?<=\bon ){day[:3]}\.": day for _, day in DAYS},
    **{rf"(?:(?<=\b[Aa]m )|(?<=\b(?:bis|und|vom) )){day[:2]}\.": day for day, _ in DAYS},
    **{rf"(?<=[0-9]\. ){month[:3]}t?\.": month for month, _ in MONTHS if month[3:]},
    **{
        rf"(?:(?<=[0-9] ){month[:3]}t?\.|{month[:3]}t?\.(?= [0-9]))": month
        for _, month in MONTHS
        if month[3:]
    },
}


_FULL = [*((full, False) for full in _INSIDE.values()), *((full, True) for full in _LAST.values())]


def _group(abbreviation: str) -> str:
    """With or without a capital if it begins with a small letter."""
    first, rest = abbreviation[0], abbreviation[1:]
    return f"([{first}{first.upper()}]{rest})" if first.islower() else f"({abbreviation})"


_ABBREVIATION = re.compile(
    rf"(?<![\w.@/-])(?:{'|'.join(map(_group, (*_INSIDE, *_LAST)))})(?![\w@/])"
    r"|(?<=[a-zäöüß])str\.(?! [A-ZÄÖÜ])"
)
_END = re.compile(rf"[\"“”»«)]*$| {BEGINNINGS}")


def without_abbreviations(text: str) -> str:
    """The text with the common abbreviations in full; a stop that ends a sentence too stays."""

    def in_full(found: re.Match[str]) -> str:
        full, may_end = _FULL[found.lastindex - 1] if found.lastindex else ("straße", True)
        before = text[max(0, found.start() - 2) : found.start()].strip()[-1:]
        if found.lastindex and before in ("", *'.!?…:"„“'):
            full = full[0].upper() + full[1:]
        return full + "." * (may_end and _END.match(text, found.end()) is not None)

    return _ABBREVIATION.sub(in_full, text)
