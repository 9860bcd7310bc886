"""The watch of a search: what ends it, and what is left."""

import itertools
import pickle
import threading

import pytest

from tokoban.sokoban.search.limits import Limits, OutOfTimeError, Watch


def test_a_watch_ends_at_the_time_limit_or_the_flag_and_says_which() -> None:
    stop = threading.Event()
    watch = Watch(Limits(time_limit_s=2.0, stop=stop, clock=itertools.count(5.0).__next__))
    assert watch.reason_to_end() is None  # after one second
    assert watch.reason_to_end() == "2 s"
    with pytest.raises(OutOfTimeError, match="2 s"):
        watch.check()
    stop.set()
    assert watch.reason_to_end() == "stopped"
    assert Watch(Limits(stop=stop)).reason_to_end() == "stopped"


def test_a_reason_keeps_its_code_and_values_on_its_way_between_processes() -> None:
    reason = Watch(Limits(time_limit_s=0.0)).reason_to_end()
    copied = pickle.loads(pickle.dumps(reason))
    assert (copied, copied.code, copied.values) == ("0 s", "time", {"seconds": 0.0})


def test_what_is_left_of_the_limits() -> None:
    watch = Watch(Limits(time_limit_s=3.0, max_expansions=7, clock=itertools.count(0.0).__next__))
    assert watch.rest() == Limits(time_limit_s=2.0, max_expansions=7)
    assert watch.rest() == Limits(time_limit_s=1.0, max_expansions=7)
    assert watch.rest() == watch.rest() == Limits(time_limit_s=0.0, max_expansions=7)
    assert Watch(Limits()).rest() == Limits()
    assert [Limits(max_expansions=n).at_most(5).max_expansions for n in (None, 0, 3, 7)] == [
        *(5, 0, 3, 5)
    ]


def test_the_time_as_a_stop_flag() -> None:
    watch = Watch(Limits(time_limit_s=2.0, clock=itertools.count(0.0).__next__))
    limits = watch.as_stop_flag()
    assert limits.time_limit_s is None
    assert [limits.is_stopped for _ in range(3)] == [False, True, True]
