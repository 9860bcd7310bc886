"""Sentences in capitals, which no translator here has read, in the case that it knows."""

from tokoban.text.bpe import Tokenizer


def without_capitals(tokenizer: Tokenizer, text: str) -> str:
    """A text all in capitals with each word as the vocabulary has it; another text as it is.

    Of a word's forms the one of the fewest and then the most frequent tokens is taken: "MANN" is
    "Mann", "USA" may stay. A sentence begins with a capital.
    """
    if sum(map(str.isalpha, text)) < 2 or not text.replace("ß", "").isupper():
        return text
    found: list[str] = []
    for word in text.split(" "):
        forms = [word.capitalize(), word]
        if found and not found[-1].endswith((".", "!", "?")):
            forms.insert(0, word.lower())
        forms += [form.replace("ss", "ß") for form in forms if "ss" in form]
        # Merges are numbered as they were learned, the most frequent first.
        costs = [(len(tokens), max(tokens, default=0)) for tokens in tokenizer.encode_many(forms)]
        found.append(forms[costs.index(min(costs))])
    return " ".join(found)
