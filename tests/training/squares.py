"""What workers make in a test: without torch, which each of them would import."""

import time


def squares(number: int) -> tuple[int, list[int]]:
    """A number and the squares below it; of fifteen there are none."""
    if number == 15:
        raise ValueError("fifteen")
    return number, [each**2 for each in range(number)]


def endless_from_three(number: int) -> int:
    """The number; of three it never comes."""
    while number == 3:
        time.sleep(1)
    return number
