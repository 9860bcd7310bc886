"""Whole numbers of the command line, as every option reads them; light, since ``--help`` is."""

import argparse

_LARGEST = 2**63 - 1


def whole(text: str) -> int:
    """A whole number of 64 bits, which every array and every compiled loop can hold."""
    number = int(text)
    if abs(number) > _LARGEST:
        raise argparse.ArgumentTypeError(
            f"{_shortened(text)} has more than 64 bits; expected at most 2^63 - 1"
        )
    return number


def limit_numbers_of(parser: argparse.ArgumentParser) -> None:
    """Has options of the type ``int`` read by ``whole``; to be called before they are added."""
    parser.register("type", int, whole)


def _shortened(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:40]}..."
