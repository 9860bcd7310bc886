"""What is invisible goes, and nothing else does."""

import sys
import unicodedata

from tokoban.text.invisible import without_invisible

# UAX 44: the format characters, but for those that are drawn, and the selectors of forms.
DRAWN = {
    *range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD,
    *range(0xFFF9, 0xFFFC), *range(0x13430, 0x13440),
}  # fmt: skip
UNASSIGNED = ("Cn", "Cs")


def test_format_characters_and_selectors_go_and_what_is_drawn_stays() -> None:
    for number in range(sys.maxunicode + 1):
        char = chr(number)
        category = unicodedata.category(char)
        is_selector = "VARIATION SELECTOR" in unicodedata.name(char, "")
        if is_selector or (category == "Cf" and number not in DRAWN):
            assert without_invisible(f"a{char}b") == "ab", hex(number)
        elif category == "Cc":  # which a terminal may obey, but for blanks
            assert without_invisible(f"a{char}b") == (f"a{char}b" if char.isspace() else "ab")
        elif category not in UNASSIGNED and without_invisible(char) == "":
            # Fillers and joiners of other scripts, and letters that Khmer no longer has.
            assert number in {0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFFA0}, hex(number)
