"""Addresses of pages and of mail, which a network does not copy letter by letter.

A name that networks of everyday sentences copy stands for each of them in the translation.
"""

import re
from collections.abc import Mapping

_ADDRESS = re.compile(
    r"(?:https?://|www\.)[^\s<>()\"“”„']*[^\s<>()\"“”„'.,;:!?]|[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
)
_NAMES = ("Facebook", "Wikipedia", "Google", "Boston")  # "auf Facebook" is "on Facebook"


def hide_addresses(text: str) -> tuple[str, dict[str, str]]:
    """The text with names in place of its addresses, and the address of each name.

    An address stays where all names are taken or are words of the text.
    """
    names = (name for name in _NAMES if name not in text)
    addresses = dict(zip(names, dict.fromkeys(_ADDRESS.findall(text)), strict=False))
    for name, address in addresses.items():
        text = text.replace(address, name)
    return text, addresses


def show_addresses(text: str, addresses: Mapping[str, str]) -> str:
    """A translation with its addresses; those whose names it lacks follow in brackets."""
    missing = [address for name, address in addresses.items() if name not in text]
    for name, address in addresses.items():
        text = text.replace(name, address)
    return " ".join([text, *(f"({address})" for address in missing)])
