"""Numbers of the command line that are out of range are refused by their option's own name."""

import argparse

MAX_THREADS = 1024


def check_ranges(arguments: argparse.Namespace, *rules: tuple[str, bool, str]) -> None:
    """Raises ``ValueError`` for the first rule not kept: argument, whether it is right, what is."""
    for name, is_right, expected in rules:
        if not is_right:
            option = f"--{name.replace('_', '-')}"
            raise ValueError(f"{option} is {getattr(arguments, name)}; expected {expected}")
