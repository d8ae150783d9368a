"""What concurrent callers ask for is done together, and each gets its own outcome."""

import threading

import pytest

from models.db import waiting
from models.db.batches import MAX_BATCH, Batches
from tests.harness.waiting import wait_until


class Refusal(Exception):
    """The error of one of them, or of a batch."""


@pytest.fixture
def done():
    """The batches that were done."""
    return []


@pytest.fixture
def together(done):
    """Doubles numbers; refuses 13 alone, and a batch with a 0."""

    def double(numbers):
        done.append(list(numbers))
        if 0 in numbers:
            raise Refusal
        return [Refusal() if number == 13 else 2 * number for number in numbers]

    return Batches(double)


@pytest.fixture
def at_once(together):
    """Asks for all of these while a batch is being done; gives what each gave or raised."""

    def run(*numbers):
        outcomes = [None] * len(numbers)

        def ask(place, number):
            try:
                outcomes[place] = together.run(number)
            except Refusal as error:
                outcomes[place] = error

        threads = [threading.Thread(target=ask, args=each) for each in enumerate(numbers)]
        with together._turn.hold(timeout_seconds=None):
            for place, thread in enumerate(threads):
                thread.start()
                wait_until(lambda expected=place + 1: together._turn.waiting == expected)
        for thread in threads:
            thread.join()
        return outcomes

    return run


def test_those_that_wait_are_done_together_in_the_order_of_asking(at_once, done):
    assert at_once(5, 3, 4) == [10, 6, 8]
    assert done == [[5, 3, 4]]


def test_an_error_of_one_is_raised_to_its_caller_alone(at_once):
    outcomes = at_once(1, 13, 2)

    assert (outcomes[0], type(outcomes[1]), outcomes[2]) == (2, Refusal, 4)


def test_a_batch_that_fails_is_raised_to_every_caller(at_once):
    assert [type(outcome) for outcome in at_once(1, 0, 2)] == [Refusal] * 3


def test_more_than_a_batch_are_done_in_several(at_once, done):
    at_once(*range(1, MAX_BATCH + 3))

    assert [len(batch) for batch in done] == [MAX_BATCH, 2]


def test_one_caller_alone_waits_for_nobody(together, done):
    assert together.run(7) == 14
    assert done == [[7]]


def test_a_wait_for_others_counts_against_the_wait_budget():
    left = []
    began = threading.Event()
    may_end = threading.Event()

    def do(asked):
        left.append(waiting.seconds_left())
        began.set()
        may_end.wait()
        return asked

    together = Batches(do)

    def ask():
        with waiting.limit_waits():
            together.run(1)

    first, second = threading.Thread(target=ask), threading.Thread(target=ask)
    first.start()
    began.wait()
    second.start()
    wait_until(lambda: together._turn.waiting == 1)
    may_end.set()
    first.join()
    second.join()

    assert left[1] < left[0]
