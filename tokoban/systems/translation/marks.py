"""Marks around and at the end of sentences, by which networks copy, garble or lose words."""

import re

_Q = '"“”„»«'
_PLAIN = str.maketrans("“”„»«", '"' * 5)
_QUOTED = re.compile(
    rf"(?:(?P<lead>[^{_Q}]*\w)[:,] (?=[{_Q}][A-ZÄÖÜ][^{_Q}]*(?:[.!?…][{_Q}])?$))?"
    rf"(?P<opens>[{_Q}]?)(?P<said>(?=[^{_Q}]*\w)[^{_Q}]+)(?P<closes>(?:[{_Q}][.,]?)?)"
)
# Behind others, a name or its abbreviation in brackets is read with them.
_BRACKETED = re.compile(
    r"(?:(?P<lead>[^()\[\]]*\w) (?=.(?:[a-zäöü]{3}|\S+ \S)))?"
    r"(?P<opens>[(\[])(?P<said>(?=[^()\[\]]*[^\W\d]{2})[^()\[\]]+)(?P<closes>[)\]][.!]?)"
)
# "Hinweis: Bitte klingeln." Numbers alone are read with their label, since their form may change.
_LABEL = re.compile(
    rf"(?P<label>[A-ZÄÖÜ][\w-]*(?: [\w-]+)?): (?=[^\s{_Q}])(?=.*[^\W\d]{{2}}|(?!.*\d[.,]\d))"
)
_QUESTION = re.compile(
    r"(?i:(?!(?:was für|what an?|how to|wie \w+,) )"
    r"(?:w(?:e[rnm]|ie|as|ann|arum|ieso|eshalb|elche[mnrs]?|o(?:her|hin|für|mit|ran|zu)?)"
    r"|who|whose|what|where|why|which|how) \w+"
    r"|(?:when )?(?:is|are|was|were|do|does|did|can|could|would|should|may|have|has"
    r"|ist|bist|sind|seid|war|habt?|hast?|haben|kann\w*|könn\w*|soll\w*|d[aü]rf\w*|w[io]ll\w*"
    r"|möch\w*|m[uü]ss\w*|w[iü]rd?\w*|geht|gibt|komms?t) "
    r"(?:ich|du|er|sie|es|wir|ihr|man|das|de[rmn]|die|dein\w*|euer|eure|jemand"
    r"|i|you|he|she|it|we|they|the|this|that|there|any\w+|your|my)) \w"
)
_RUN = re.compile(r"(?:(?<![!?])[!?]{2,}|(?<!\.)\.{4,})$")
_ABBREVIATION = re.compile(r"\b(?:\w|etc|usw)\.$")  # whose stop belongs to the word
_END = re.compile(r"(?<=\w)[.!,]?$")


def marks_apart(sentence: str) -> list[str]:
    """Marks, text, marks and so on, of a quotation or what is in brackets, behind others or alone.

    Quotation marks become plain ones, which are right in any language, and the comma in front of
    them a colon. One or two words before a colon are a text of their own.
    """
    if not (label := _LABEL.match(sentence)):
        return _marks_around(sentence)
    opens, *rest = _marks_around(sentence[label.end() :])
    return ["", label["label"], f": {opens}", *rest]


def _marks_around(sentence: str) -> list[str]:
    found, comma = _QUOTED.fullmatch(sentence), ":"
    if not found or not (found["opens"] or found["closes"]):
        found, comma = _BRACKETED.fullmatch(sentence), ""
    if not found:
        return ["", sentence, ""]
    opens, closes = (found[each].translate(_PLAIN) for each in ("opens", "closes"))
    if found["lead"]:
        return ["", found["lead"] + comma, f" {opens}", found["said"], closes]
    return [opens, found["said"], closes]


def with_one_mark(sentence: str) -> str:
    """The sentence with one final mark: "?" for "?!", "..." for "....", "." or "?" for none."""
    if run := _RUN.search(sentence):
        mark = "..." if "." in run[0] else "?" if "?" in run[0] else "!"
        return sentence[: run.start()] + mark
    if not sentence[-1:].isalnum() or sentence[0].islower():
        return sentence
    is_long = sentence.count(" ") > 2  # and so neither a heading nor the cell of a table
    return sentence + ("?" if _QUESTION.match(sentence) else "." * is_long)


def with_marks_of(source: str, text: str) -> str:
    """The translation, ended as its source is: by repeated marks, a stop, "!", a comma or nothing.

    Questions stay questions, and dots stay. It begins with a capital if its source does.
    """
    if source[:1].isupper():
        text = text[:1].upper() + text[1:]
    if run := _RUN.search(source):
        return text.rstrip(".!?…") + run[0]
    end = _END.search(source)
    if not end or _ABBREVIATION.search(source) or _ABBREVIATION.search(text):
        return text
    return _END.sub(end[0], text, count=1)
