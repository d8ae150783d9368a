"""Players with 2FA need a code to raise or remove a limit, and for nothing else here."""

import pytest

from tests.blueprints.limits.conftest import DAY_MS
from tests.support.two_factor import STEP_MS

REQUIRED = (403, {"error": "Two-factor code required"})
INVALID = (400, {"error": "Invalid 2FA code"})


@pytest.fixture
def clock(clock):
    """At the beginning of a time step of the codes."""
    clock.now -= clock.now % STEP_MS
    return clock


@pytest.mark.security("Limits and breaks")
@pytest.mark.regulation("RTS 12D: lower now, higher later")
def test_raising_and_removing_a_limit_need_a_code(put, limits, confirm, authenticator, clock):
    put(50)
    for value in (50.01, None):
        assert put(value) == REQUIRED
        assert put(value, code=authenticator.wrong()) == INVALID
        assert limits()["pending"] == []
        status, pending = put(value, code=authenticator.code())
        assert status == 200
        assert limits()["pending"] == [pending]
        clock.now += DAY_MS
        # The confirmation needs no code again.
        assert confirm(pending)[0] == 200


@pytest.mark.usefixtures("authenticator")
def test_first_and_lower_limits_and_breaks_need_no_code(put, take_break, limits):
    assert put(None)[0] == 200
    assert put(50)[0] == 200
    assert put(50)[0] == 200
    assert put(49.99)[0] == 200
    assert take_break("24h")[0] == 200
    assert limits()["wager"]["day"] == 49.99
