"""Rate limits that processes share: the window in Redis, and what is allowed while Redis is away."""

import itertools
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from server.cluster import request_counts
from server.cluster.request_counts import RedisCounts
from server.rate_limiter import RateLimiter
from tests.harness.redis import redis_server
from tests.harness.servers import free_port

MOST, SECONDS = 3, 10.0
PROCESSES = 3

pauses = st.sampled_from([0.0, 0.5, 4.0, 9.5, 10.0])


class Clock:
    """Unix time in seconds, and the time of the last heartbeat."""

    def __init__(self):
        self.now = self.heard_at = 1_700_000_000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture(autouse=True)
def patience(monkeypatch):
    """A machine that runs other tests may stop this one for longer than a call may take."""
    monkeypatch.setattr(request_counts, "CALL_SECONDS", 10.0)


@pytest.fixture
def new_limiter(clock):
    """Makes the limiter of one process: ``new_limiter(url)``."""

    def make(url, *, most=MOST):
        counts = RedisCounts(
            url, heard_at=lambda: clock.heard_at, live_processes=lambda: PROCESSES, timer=clock
        )
        return RateLimiter("test", most=most, seconds=SECONDS, counts=counts, timer=clock)

    return make


@pytest.fixture
def redis_time(redis, monkeypatch):
    """Sets the time that the script reads: ``redis_time(seconds)``."""
    with redis.client() as client:
        client.flushall()
        given_time = "redis.call('HMGET', 'clock', 'seconds', 'microseconds')"
        script = request_counts.HIT.replace("redis.call('TIME')", given_time)
        monkeypatch.setattr(request_counts, "HIT", script)

        def set_time(seconds):
            microseconds = round(seconds % 1 * 1e6)
            client.hset("clock", mapping={"seconds": int(seconds), "microseconds": microseconds})

        yield set_time


@pytest.fixture
def counts(redis, clock):
    return RedisCounts(redis.url, heard_at=lambda: 0, live_processes=lambda: 1, timer=clock)


@pytest.fixture
def numbers():
    """Tells the keys of one sequence from those of the others."""
    return itertools.count()


@pytest.mark.redis
@settings(max_examples=5, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(asked=st.lists(st.tuples(st.sampled_from("ab"), pauses), min_size=20, max_size=40))
def test_the_window_in_redis_is_that_in_memory(counts, redis_time, clock, numbers, asked):
    number = next(numbers)
    local = RateLimiter(most=MOST, seconds=SECONDS, timer=clock)

    for client, pause in asked:
        clock.now += pause
        redis_time(clock.now)
        wait = counts.hit("test", (number, client), most=MOST, seconds=SECONDS)

        assert wait == pytest.approx(local.hit(client))


@pytest.mark.redis
@pytest.mark.thorough
def test_a_redis_clock_set_back_locks_out_no_client(redis, redis_time, new_limiter, clock):
    limiter = new_limiter(redis.url)
    redis_time(clock.now)
    for _ in range(MOST):
        limiter.hit("client")

    redis_time(clock.now - 3600)

    assert [limiter.hit("client") for _ in range(MOST)] == [0] * MOST
    assert limiter.hit("client") == SECONDS


@pytest.mark.security("Hostile connections")
@pytest.mark.redis
@pytest.mark.thorough
def test_the_keys_expire_and_tell_nothing_about_the_client(redis, redis_time, new_limiter, clock):
    limiter = new_limiter(redis.url)
    for _ in range(2 * MOST):
        redis_time(clock.now)
        limiter.hit("address 192.0.2.7")
        clock.now += SECONDS

    with redis.client() as client:
        (key,) = set(client.keys()) - {b"clock"}
        assert re.fullmatch(rb"platform:rate:test:[0-9a-f]{32}", key)
        assert 0 < client.pttl(key) <= SECONDS * 1000
        assert client.llen(key) == MOST


def count(limiter):
    """How many requests a limiter allows before it refuses one."""
    return next(number for number in range(1000) if limiter.hit("client"))


@pytest.mark.parametrize(("most", "share"), [(7, 2), (2, 1)])
def test_without_redis_each_process_allows_its_share_and_at_least_one(new_limiter, most, share):
    assert count(new_limiter(f"redis://127.0.0.1:{free_port()}", most=most)) == share


@pytest.mark.redis
@pytest.mark.thorough
def test_the_share_holds_another_window_after_redis_returns(new_limiter, clock):
    with redis_server() as server:
        limiter = new_limiter(server.url, most=30)
        server.kill()
        clock.now += 1
        assert count(limiter) == 10
        server.start()
        clock.heard_at = clock.now = clock.now + 1

        assert limiter.hit("client") == pytest.approx(SECONDS - 1)
        clock.now += SECONDS
        assert count(limiter) == 30


class Counts:
    """The counts as one process sees them; ``shared`` stands for Redis, and ``lost`` has who lost it."""

    def __init__(self, shared, lost, number):
        self._shared, self._lost, self._number = shared, lost, number

    def processes(self):
        return PROCESSES

    def hit(self, name, client, *, most, seconds):
        return None if self._number in self._lost else self._shared.hit(client)


steps = st.tuples(
    st.sampled_from(range(PROCESSES)), st.booleans(), st.integers(1, 9), st.sampled_from([0.0, 1.0, 6.0])
)


@pytest.mark.security("Hostile connections")
@settings(max_examples=40)
@given(st.lists(steps, min_size=10, max_size=40))
def test_losing_redis_again_and_again_does_not_double_a_limit(steps):
    most, clock, lost, allowed = 6, Clock(), set(), []
    shared = RateLimiter(most=most, seconds=SECONDS, timer=clock)
    limiters = [
        RateLimiter(most=most, seconds=SECONDS, counts=Counts(shared, lost, number), timer=clock)
        for number in range(PROCESSES)
    ]

    for number, is_lost, hits, pause in steps:
        clock.now += pause
        (lost.add if is_lost else lost.discard)(number)
        allowed += [clock.now for _ in range(hits) if not limiters[number].hit("client")]

    in_window = [sum(at - SECONDS < other <= at for other in allowed) for at in allowed]
    assert max(in_window, default=0) <= most + (PROCESSES - 1) * most // PROCESSES
