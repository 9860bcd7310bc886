"""Text of strangers in files that are read by machines: labels, titles and names."""

import re

# https://www.w3.org/TR/xml/#charsets; lone surrogates cannot be encoded at all.
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def xml_text(text: str) -> str:
    """``text`` with U+FFFD in place of each character that XML 1.0 does not allow.

    These are control characters, lone surrogates, U+FFFE and U+FFFF. Nothing is escaped.
    """
    return _NOT_XML.sub("\ufffd", text)
