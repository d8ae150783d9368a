"""Many requests for one vault at once, over real connections: no coin is lost, no deadline moves earlier."""

import pytest
import requests

from tests.support.at_once import all_at_once

AT_ONCE = 10
LOCK, UNLOCK = "vault/lock", "vault/unlock"


@pytest.fixture
def post(server, player):
    """Posts to /profile over a new connection; whether it succeeded."""

    def post(path, **body):
        answer = requests.post(f"{server}/profile/{path}", json=body, headers=player.headers, timeout=20)
        assert answer.status_code in {200, 400}
        return answer.status_code == 200

    return post


@pytest.mark.both_databases("money postings")
def test_parallel_locks_never_move_a_deadline_earlier(post, clock, me):
    soon = clock() + 10**9
    deadlines = [soon + number * 7 % AT_ONCE for number in range(AT_ONCE)]

    taken = all_at_once([lambda until=until: post(LOCK, amount=1, deadline=until) for until in deadlines])

    owned = me()
    # The latest is never before the current one, so it is always among those that were taken.
    assert owned["vaultDeadline"] == max(deadlines)
    assert owned["vaultBalance"] == sum(taken)
    assert owned["balance"] == 100 - sum(taken)


@pytest.mark.both_databases("money postings")
def test_parallel_locks_never_exceed_the_balance(post, clock, me):
    until = clock() + 10**9

    taken = all_at_once([lambda: post(LOCK, amount=19, deadline=until)] * AT_ONCE)

    assert sum(taken) == 5
    assert (me()["balance"], me()["vaultBalance"]) == (5, 95)


@pytest.mark.both_databases("money postings")
def test_a_lock_during_an_unlock_is_not_lost(post, clock, me, run):
    assert post(LOCK, amount=40, deadline=clock() + 5)
    clock.advance(ms=5)
    later = clock() + 10**9

    results = all_at_once([lambda: post(UNLOCK), lambda: post(LOCK, amount=10, deadline=later)] * 5)

    locked, owned = sum(results[1::2]), me()
    assert locked == 5
    assert owned["vaultDeadline"] == later
    # The unlock came before all of the locks and moved the forty, or came too late and moved nothing.
    assert owned["vaultBalance"] == 50 + (0 if any(results[0::2]) else 40)
    assert owned["balance"] + owned["vaultBalance"] == 100
    assert run("ledger", "audit")["mismatches"] == 0
