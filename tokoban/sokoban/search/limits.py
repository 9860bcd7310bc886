"""The limits that every search takes, and the watch that checks them."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from tokoban import compiling
from tokoban.sokoban.formats.faults import Fault
from tokoban.sokoban.wording import counted

UNLIMITED = 1 << 62  # expansions, which compiled code counts in 64 bits
MAX_SQUARES = 64 * 64  # of floor


class Reason(Fault):
    """Why a search ended early; programs read its code and values."""

    def with_sentence(self, sentence: str) -> "Reason":
        """The same code and values with another sentence."""
        return Reason(sentence, self.code, **self.values)


STOPPED = Reason("stopped", "stopped")  # of an answer that ``Limits.stop`` ended


def out_of_time(time_limit_s: float) -> Reason:
    """The reason of a search that ran out of time."""
    return Reason(f"{time_limit_s:g} s", "time", seconds=time_limit_s)


def out_of_memory(memory_limit_mb: float) -> Reason:
    """The reason of a search that would need more memory."""
    return Reason(f"{memory_limit_mb:g} MB", "memory", megabytes=memory_limit_mb)


def out_of_expansions(most: int) -> Reason:
    """The reason of a search that may expand no further position."""
    return Reason(counted(most, "expansion"), "expansions", most=most)


def too_large(num_squares: int) -> Reason:
    """The reason of a search that does not take a board of so many squares of floor."""
    sentence = f"expected at most {MAX_SQUARES} squares of floor, got {num_squares}"
    return Reason(sentence, "size", squares=num_squares, most=MAX_SQUARES)


@dataclass(frozen=True, kw_only=True)
class Limits:
    """The limits of one search; None is no limit."""

    time_limit_s: float | None = None
    memory_limit_mb: float = 2000.0  # of all threads together, their answers not counted
    max_expansions: int | None = None
    stop: threading.Event | None = None  # ends the search once it is set
    # By which the time is limited and reported; compilation does not count.
    clock: Callable[[], float] = field(default=compiling.clock, compare=False, repr=False)

    def __post_init__(self) -> None:
        for name in ("time_limit_s", "memory_limit_mb", "max_expansions"):
            limit = getattr(self, name)
            if limit is not None and not limit >= 0:  # NaN is refused too
                raise ValueError(f"{name} is {limit}; expected 0 or more")
        if self.max_expansions is not None:
            object.__setattr__(self, "max_expansions", min(self.max_expansions, UNLIMITED))

    @property
    def is_stopped(self) -> bool:
        """Whether the stop flag is set."""
        return self.stop is not None and self.stop.is_set()

    def at_most(self, max_expansions: int) -> "Limits":
        """The same limits with no more than so many expansions."""
        known = max_expansions if self.max_expansions is None else self.max_expansions
        return replace(self, max_expansions=min(known, max_expansions))


DEFAULT_LIMITS = Limits()


class OutOfTimeError(Exception):
    """The time is over, or the stop flag is set, before there is any result."""


class Watch:
    """The clock and the stop flag of one search, from its start."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._started_s = limits.clock()

    def elapsed_s(self) -> float:
        """The seconds since the start."""
        return self.limits.clock() - self._started_s

    def reason_to_end(self) -> Reason | None:
        """Why the search has to end now, such as "10 s"; None if it may go on."""
        if self.limits.is_stopped:
            return STOPPED
        time_limit_s = self.limits.time_limit_s
        if time_limit_s is not None and self.elapsed_s() >= time_limit_s:
            return out_of_time(time_limit_s)
        return None

    def check(self) -> None:
        """Raises ``OutOfTimeError`` if the search has to end now."""
        if (reason := self.reason_to_end()) is not None:
            raise OutOfTimeError(reason)

    def rest(self, share: float = 1.0) -> Limits:
        """The limits with the time that is left, or a share of it."""
        if self.limits.time_limit_s is None:
            return self.limits
        left_s = self.limits.time_limit_s - self.elapsed_s()
        return replace(self.limits, time_limit_s=max(left_s * share, 0.0))

    def as_stop_flag(self) -> Limits:
        """The limits with the time as part of the stop flag.

        For work whose results must not depend on the clock, except that the whole ends early.
        """
        return replace(self.limits, time_limit_s=None, stop=_TimeIsUp(self))


UNWATCHED = Watch(DEFAULT_LIMITS)  # for work without a limit of time


class _TimeIsUp(threading.Event):
    """A flag that is set once its watch says so."""

    def __init__(self, watch: Watch) -> None:
        super().__init__()
        self._watch = watch

    def is_set(self) -> bool:
        """Looks at the watch."""
        return self._watch.reason_to_end() is not None
