"""What the push policy answers for a push and a position: numbers that all encoders share."""

from enum import IntEnum


class Result(IntEnum):
    """The result of a legal push, by the pushes left before and after it."""

    OPTIMAL = 0  # one fewer
    TWO_MORE = 1  # a solution two pushes longer: the parity of the number of pushes is fixed
    WORSE = 2  # a solution four or more pushes longer, or any push of a deadlocked position
    DEADLOCK = 3


ILLEGAL, UNKNOWN = -1, -2  # a push that is none, and one that was not judged
NUM_RESULTS = len(Result)
# Classes of the pushes left: half of what they exceed the lower bound by (both are even, or both
# are odd), as many or more in one class; and deadlocked.
MOST_EXCESS = 31
DEADLOCK_CLASS = MOST_EXCESS + 1
NO_CLASS = -1  # where only a bound of the pushes left is known
NUM_CLASSES = MOST_EXCESS + 2
TOO_FEW_PUSHES = "labels of fewer pushes left than any solution has"
