"""Rate limits of several processes: one for each client, and shares of it while Redis is away."""

import itertools

import pytest
import requests

from server.cluster import request_counts
from tests.harness.waiting import wait_until

pytestmark = pytest.mark.redis

LOGIN_STARTS, EVENTS, COSTLY_READS = 20, 30, 30
ADDRESSES = (f"192.0.2.{number}" for number in itertools.count(1))


@pytest.fixture(scope="module")
def changes():
    """With longer calls to Redis: a machine that runs other tests may stop this one for a while."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(request_counts, "CALL_SECONDS", 2.0)
        yield {"RATELIMIT_ENABLED": "1", "TRUSTED_PROXIES": "1"}


@pytest.fixture
def forwarded():
    """The header of a client address that no other test uses."""
    return {"X-Forwarded-For": next(ADDRESSES)}


@pytest.fixture
def statuses(forwarded):
    """Sends so many requests for a path to a process; their statuses."""

    def statuses(url, count, path="/auth/platform"):
        answers = (
            requests.get(url + path, headers=forwarded, allow_redirects=False, timeout=10)
            for _ in range(count)
        )
        return [answer.status_code for answer in answers]

    return statuses


def test_requests_to_all_processes_count_together(two, statuses):
    (_, first), (_, second) = two

    statuses(first, LOGIN_STARTS - 5)

    assert statuses(second, 6) == [302] * 5 + [429]
    assert statuses(first, 1) == [429]


def test_while_redis_does_not_answer_each_process_allows_its_share(two, statuses, redis):
    # Not what the other tests use: the shares hold for a minute.
    page = "/stats/live-bets?page=201&limit=100"
    (app, first), (_, second) = two
    wait_until(lambda: app.extensions["cluster"].processes.live == 2)
    statuses(first, 5, page)

    with redis.paused():
        assert statuses(first, COSTLY_READS // 2 - 4, page) == [200] * (COSTLY_READS // 2 - 5) + [429]
        assert statuses(second, COSTLY_READS // 2 + 1, page) == [200] * (COSTLY_READS // 2) + [429]
    wait_until(lambda: all(each.extensions["services"].signals.state == "ok" for each, _ in two))
