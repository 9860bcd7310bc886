"""What is made ahead by other processes is what is made here, in the same order."""

import multiprocessing
from itertools import islice

import pytest

from tests.training.squares import endless_from_three, squares
from tokoban.training.ahead import made_ahead


def test_workers_make_what_is_made_without_them_and_an_error_comes_in_its_turn() -> None:
    before = {*multiprocessing.active_children()}  # of other tests
    alone = list(islice(made_ahead(squares, 3, workers=0), 12))
    ahead = made_ahead(squares, 3, workers=2)
    for (number, values), (wanted, expected) in zip(islice(ahead, 12), alone, strict=True):
        assert number == wanted
        assert values == expected
    with pytest.raises(ValueError, match="fifteen"):
        next(ahead)
    ahead.close()  # type: ignore[attr-defined]
    own = {*multiprocessing.active_children()} - before
    for process in own:
        process.join(240)  # one may still be starting, on a machine with other work
    assert not own & {*multiprocessing.active_children()}


def test_workers_outlive_a_signal_that_the_training_answers_and_the_end_does_not_wait() -> None:
    before = {*multiprocessing.active_children()}
    ahead = made_ahead(endless_from_three, 0, workers=1)
    assert next(ahead) == 0
    for process in {*multiprocessing.active_children()} - before:
        process.terminate()  # as by `timeout`, which ends a whole group of processes
    assert [*islice(ahead, 2)] == [1, 2]
    ahead.close()  # type: ignore[attr-defined]
    assert not {*multiprocessing.active_children()} - before
