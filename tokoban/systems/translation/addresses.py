"""Addresses of pages and of mail, which a network does not copy letter by letter.

A name that networks of everyday sentences copy stands for each of them in the translation.
"""

import re
from collections.abc import Mapping

_ADDRESS = re.compile(
    r"(?:https?://|www\.)[^\s<>()\"“”„']*[^\s<>()\"“”„'.,;:!?]"
    r"|(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[^\W\d]{2,}",
    re.IGNORECASE,
)
_NAMES = ("Facebook", "Wikipedia", "Google", "Boston")  # "auf Facebook" is "on Facebook"


def hide_addresses(text: str) -> tuple[str, dict[str, str]]:
    """The text with names in place of its addresses, and the address of each name.

    An address stays where all names are taken or are words of the text.
    """
    names = [name for name in _NAMES if name not in text]
    chosen: dict[str, str] = {}  # by address

    def name_of(address: re.Match[str]) -> str:
        if address[0] not in chosen and names:
            chosen[address[0]] = names.pop(0)
        return chosen.get(address[0], address[0])

    hidden = _ADDRESS.sub(name_of, text)
    return hidden, {name: address for address, name in chosen.items()}


def show_addresses(text: str, addresses: Mapping[str, str]) -> str:
    """A translation with its addresses; those whose names it lacks follow in brackets."""
    missing = [f"({address})" for name, address in addresses.items() if name not in text]
    if addresses:
        text = re.sub("|".join(addresses), lambda name: addresses[name[0]], text)
    return " ".join([text, *missing])
