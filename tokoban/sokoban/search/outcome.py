"""The outcomes of a search, compiled or not."""

from enum import IntEnum


class Outcome(IntEnum):
    """Why a search came back."""

    BUDGET_SPENT = 0
    STORE_FULL = 1
    SOLVED = 2
    EXHAUSTED = 3  # nothing is left to do: no solution, or all levels are done
    TOO_LONG = 4  # no solution for less than MAX_PRICE
    STUCK = 5  # play without search came to no new position
    INCONCLUSIVE = 6  # exhausted, but solutions may have been dropped
    # Of searches on words, what else was full.
    LAYERS_FULL = 7
    LAYERS_TOO_DEEP = 8
    OUTPUT_FULL = 9
