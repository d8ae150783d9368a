"""The sliding window of the rate limit, compared with a list of all allowed hits."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.rate_limiter import RateLimiter

MOST, SECONDS = 3, 10.0

asked = st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from([0.0, 0.5, 1.0, 4.0, 9.0, 10.0, 25.0])))


class Clock:
    now = 1_000.0

    def __call__(self):
        return self.now


@given(asked)
def test_a_client_gets_only_what_is_left_in_the_window(asked):
    clock = Clock()
    rate = RateLimiter(most=MOST, seconds=SECONDS, timer=clock)
    allowed = []

    for client, pause in asked:
        clock.now += pause
        recent = [at for who, at in allowed if who == client and at > clock.now - SECONDS]
        wait = rate.hit(client)

        assert (wait == 0) == (len(recent) < MOST)
        if wait:
            assert clock.now + wait == pytest.approx(recent[0] + SECONDS)
        else:
            allowed.append((client, clock.now))


def test_idle_clients_are_forgotten():
    clock = Clock()
    rate = RateLimiter(most=MOST, seconds=SECONDS, timer=clock)
    for client in range(1_000):
        rate.hit(client)

    clock.now += SECONDS
    rate.hit("somebody")
    clock.now += SECONDS
    rate.hit("somebody")

    assert len(rate._current) + len(rate._previous) == 1
