"""The limits of events: thirty spins in ten seconds, and five events of a socket at a time."""

from contextlib import ExitStack

import pytest

pytestmark = pytest.mark.settings(RATELIMIT_ENABLED="1", timer=lambda: 0.0)


@pytest.mark.guarantee("Rate limits")
@pytest.mark.security("Hostile connections")
def test_the_thirty_first_spin_in_ten_seconds_is_refused(connect, new_player):
    busy, calm = connect(new_player("busy")), connect(new_player("calm"))

    answers = [busy.spin("nonsense")["error"] for _ in range(31)]

    assert answers == ["Invalid request"] * 30 + ["Too many requests"]
    assert calm.spin("nonsense")["error"] == "Invalid request"


def test_spectators_of_one_address_share_a_limit(connect):
    first, second = connect(), connect()

    answers = [socket.spin({})["error"] for socket in [first, second] * 15 + [first]]

    assert answers == ["Unauthorized"] * 30 + ["Too many requests"]


@pytest.mark.one_process
def test_a_sixth_event_in_flight_is_refused(app, connect, player):
    socket = connect(player)
    connections = app.extensions["realtime"].connections
    (sid,) = connections.sids_of(player.id)

    with app.app_context(), _five_events(connections, sid):
        assert socket.spin("nonsense")["error"] == "Too many requests"

    assert socket.spin("nonsense")["error"] == "Invalid request"


def _five_events(connections, sid):
    stack = ExitStack()
    for _ in range(5):
        stack.enter_context(connections.event_in_flight(sid))
    return stack
