"""Rate limits that processes share: the window in Redis, and what is allowed while Redis is away."""

import itertools
import json
import logging
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bench.harness.redis import redis_server
from server.cluster import request_counts
from server.cluster.request_counts import RedisCounts
from server.logs import JsonLines
from server.rate_limiter import RateLimiter

MOST, SECONDS = 3, 10.0
PROCESSES = 3

pauses = st.sampled_from([0.0, 0.5, 4.0, 9.5, 10.0])


class Clock:
    """Unix time in seconds, and the time of the last heartbeat."""

    def __init__(self):
        self.now = 1_700_000_000.0
        self.heard_at = self.now

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
    """Makes the limiter of one process: ``new_limiter(server)``."""

    def make(server, *, most=MOST):
        counts = RedisCounts(
            server.url, heard_at=lambda: clock.heard_at, live_processes=lambda: PROCESSES, timer=clock
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
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
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
def test_a_redis_clock_set_back_locks_out_no_client(redis, redis_time, new_limiter, clock):
    limiter = new_limiter(redis)
    redis_time(clock.now)
    for _ in range(MOST):
        limiter.hit("client")

    redis_time(clock.now - 3600)

    assert [limiter.hit("client") for _ in range(MOST)] == [0] * MOST
    assert limiter.hit("client") == SECONDS


@pytest.mark.security("Hostile connections")
@pytest.mark.redis
def test_the_keys_expire_and_tell_nothing_about_the_client(redis, redis_time, new_limiter, clock):
    limiter = new_limiter(redis)
    for _ in range(2 * MOST):
        redis_time(clock.now)
        limiter.hit("address 192.0.2.7")
        clock.now += SECONDS

    with redis.client() as client:
        (key,) = set(client.keys()) - {b"clock"}
        assert re.fullmatch(rb"platform:rate:test:[0-9a-f]{32}", key)
        assert 0 < client.pttl(key) <= SECONDS * 1000
        assert client.llen(key) == MOST


@pytest.mark.redis
def test_requests_that_are_refused_again_do_not_reach_redis(redis, new_limiter):
    limiter = new_limiter(redis)
    for _ in range(MOST + 1):
        limiter.hit("client")

    with redis.client() as client:
        before = client.info("commandstats")["cmdstat_eval"]["calls"]
        waits = [limiter.hit("client") for _ in range(5)]

        assert all(waits)
        assert client.info("commandstats")["cmdstat_eval"]["calls"] == before


@pytest.mark.redis
class TestWithoutRedis:
    @pytest.fixture
    def server(self):
        with redis_server() as server:
            yield server

    @pytest.fixture
    def count(self, clock):
        """How many requests a limiter allows before it refuses one."""

        def count_allowed(limiter):
            return next(number for number in range(1000) if limiter.hit("client"))

        return count_allowed

    @pytest.mark.parametrize(("most", "share"), [(7, 2), (2, 1)])
    def test_each_process_allows_its_share_and_at_least_one(self, server, new_limiter, count, most, share):
        limiter = new_limiter(server, most=most)
        server.kill()

        assert count(limiter) == share

    def test_requests_allowed_by_redis_are_part_of_the_share(self, server, new_limiter, count):
        used, half, other = (new_limiter(server, most=6) for _ in range(3))
        for limiter in (used, used, half):
            limiter.hit("client")
        server.kill()

        assert (count(used), count(half), count(other)) == (0, 1, 2)

    def test_losing_redis_is_logged_once_with_the_failure(
        self, server, new_limiter, count, caplog, monkeypatch
    ):
        # The one of the product drops lines that an earlier test has caused.
        monkeypatch.setattr(request_counts, "log", logging.getLogger("rate limits"))
        limiter = new_limiter(server)
        server.kill()

        count(limiter)

        [line] = [json.loads(JsonLines().format(record)) for record in caplog.records]
        assert line["message"] == "rate limits without redis"
        assert line["failure"].startswith("ConnectionError ")

    def test_redis_is_not_asked_again_until_a_heartbeat_is_heard(self, server, new_limiter, clock):
        limiter = new_limiter(server, most=30)
        server.kill()
        clock.now += 1
        limiter.hit("client")
        server.start()
        with server.client() as client:
            limiter.hit("client")
            before = client.dbsize()
            clock.heard_at = clock.now = clock.now + 1

            limiter.hit("client")

            assert (before, client.dbsize()) == (0, 1)

    def test_the_share_holds_another_window_after_redis_returns(self, server, new_limiter, count, clock):
        limiter = new_limiter(server, most=30)
        server.kill()
        clock.now += 1
        assert count(limiter) == 10
        server.start()
        clock.heard_at = clock.now = clock.now + 1

        assert limiter.hit("client") == pytest.approx(SECONDS - 1)
        clock.now += SECONDS
        assert count(limiter) == 30


class Switchable(RateLimiter):
    """Stands for Redis, which each process may lose."""

    def __init__(self, most, clock):
        super().__init__(most=most, seconds=SECONDS, timer=clock)
        self.lost = set()


class Counts:
    """The counts as one process sees them."""

    def __init__(self, shared, number):
        self._shared, self._number = shared, number

    def processes(self):
        return PROCESSES

    def hit(self, name, client, *, most, seconds):
        return None if self._number in self._shared.lost else self._shared.hit(client)


steps = st.tuples(
    st.sampled_from(range(PROCESSES)), st.booleans(), st.integers(1, 9), st.sampled_from([0.0, 1.0, 6.0])
)


@pytest.mark.security("Hostile connections")
@settings(max_examples=40)
@given(st.lists(steps, min_size=10, max_size=40))
def test_losing_redis_again_and_again_does_not_double_a_limit(steps):
    most, clock = 6, Clock()
    shared = Switchable(most, clock)
    limiters = [
        RateLimiter(most=most, seconds=SECONDS, counts=Counts(shared, number), timer=clock)
        for number in range(PROCESSES)
    ]
    allowed = []

    for number, is_lost, hits, pause in steps:
        clock.now += pause
        (shared.lost.add if is_lost else shared.lost.discard)(number)
        allowed += [clock.now for _ in range(hits) if not limiters[number].hit("client")]

    in_window = [sum(at - SECONDS < other <= at for other in allowed) for at in allowed]
    assert max(in_window, default=0) <= most + (PROCESSES - 1) * most // PROCESSES
