"""The bytes of level files as text: UTF-8, UTF-16 with a byte order mark, and Latin-1."""

import codecs

_UTF_16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_MARKS = (codecs.BOM_UTF8, *_UTF_16_MARKS)
# Windows-1252 has letters where Latin-1 has control characters, which no text contains.
_OF_WINDOWS = {
    byte: letter
    for byte in range(0x80, 0xA0)
    if (letter := bytes([byte]).decode("windows-1252", errors="ignore"))
}


def decode(content: bytes) -> str:
    """UTF-8 with or without byte order mark, UTF-16 with one, and Latin-1 where it is neither."""
    if content.startswith(_UTF_16_MARKS):
        return content.decode("utf-16", errors="replace")
    content = content.removeprefix(codecs.BOM_UTF8)
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return decode_latin_1(content)


def decode_latin_1(content: bytes) -> str:
    """Latin-1, whose bytes 0x80 to 0x9f are read as Windows-1252: 0x92 is an apostrophe."""
    return content.decode("latin-1").translate(_OF_WINDOWS)


def has_mark(content: bytes) -> bool:
    """Whether a byte order mark says what the encoding is, whatever the text says of itself."""
    return content.startswith(_MARKS)
