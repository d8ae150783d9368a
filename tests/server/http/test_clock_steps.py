"""The system clock is set an hour or a year ahead or back during play."""

import pytest

from tests.harness.servers import threaded_server
from tests.harness.sockets import Refused, Socket
from tests.harness.spins import Clock, at
from tests.harness.waiting import wait_until

START = at("2026-03-18 12:00")
HOUR_MS = 3_600_000
YEAR_MS = 365 * 24 * HOUR_MS
STEPS = (HOUR_MS, -HOUR_MS, YEAR_MS, -YEAR_MS)


@pytest.fixture
def clock():
    return Clock(START)


@pytest.fixture
def item(add_item):
    return add_item(price=10)


@pytest.mark.security("Faults around the server")
def test_a_token_survives_an_hours_clock_step_but_no_year(client, connect, player, clock):
    statuses, connected = {}, {}
    for step in (0, *STEPS, 0):
        clock.now = START + step
        statuses[step] = client.get("/auth/me", headers=player.headers).status_code
        try:
            connect(player)
            connected[step] = True
        except Refused as refused:
            connected[step] = str(refused)

    assert statuses == {0: 200, HOUR_MS: 200, -HOUR_MS: 200, YEAR_MS: 401, -YEAR_MS: 401}
    assert connected == {
        0: True,
        HOUR_MS: True,
        -HOUR_MS: True,
        YEAR_MS: "Unauthorized",
        -YEAR_MS: "Unauthorized",
    }


class TestProofs:
    """With tokens that outlive a step of a year."""

    @pytest.fixture
    def settings(self):
        return {"JWT_TTL": str(3 * YEAR_MS // 1000)}

    @pytest.fixture
    def fresh_token(self, app, player):
        """A token as a login would give it now."""
        tokens = app.extensions["services"].tokens
        return lambda clock: tokens.issue(player.user, now=clock())

    @pytest.mark.guarantee("Faults around the server")
    @pytest.mark.security("Faults around the server")
    @pytest.mark.regulation("2.2 System clock")
    def test_a_proof_comes_on_time_although_the_clock_is_set(
        self, connect, client, player, item, clock, run, fresh_token
    ):
        socket = connect(player)
        revealed = []
        for step in STEPS:
            clock.now = START
            assert socket.spin({"amount": 1, "item": item})["status"] is True

            clock.now += step
            proof = socket.expect("upgrader:proof")

            headers = {"Authorization": f"Bearer {fresh_token(clock)}"}
            bet = client.get(f"/upgrader/bets/{proof['nonce']}", headers=headers).json
            revealed.append((proof["nonce"], bet["pf"]["serverSeed"] == proof["serverSeed"]))

        assert revealed == [(1, True), (2, True), (3, True), (4, True)]
        assert run("ledger", "audit")["mismatches"] == 0
        assert run("fairness", "audit")["bets"] == 4

    def test_a_proof_pending_at_a_restart_survives_a_clock_step(
        self, connect, app, make_app, settings, player, item, clock, fresh_token
    ):
        connect(player).spin({"amount": 1, "item": item})
        app.extensions["realtime"].close()
        clock.now -= YEAR_MS

        with threaded_server(make_app(clock=clock, **settings)) as url:
            socket = Socket(url, auth={"token": fresh_token(clock)})
            proof = socket.expect("upgrader:proof")
            socket.close()

        assert proof["nonce"] == 1

    @pytest.mark.one_process
    def test_a_player_who_connects_while_a_proof_is_released_gets_it(
        self, connect, app, player, item, clock, fresh_token
    ):
        socket, proofs, joined = connect(player), app.extensions["services"].proofs, []
        release = proofs.release

        def connect_before(seeds):
            if seeds and not joined:
                back = connect(auth={"token": fresh_token(clock)})
                back.expect("live-bets")
                joined.append(back)
            release(seeds)

        proofs.release = connect_before
        socket.spin({"amount": 1, "item": item})
        socket.close()
        clock.now -= YEAR_MS
        wait_until(lambda: joined)

        assert joined[0].expect("upgrader:proof")["nonce"] == 1


def test_rate_limits_and_the_catalogue_measure_elapsed_time(make_app, clock, item, new_player, queries):
    limited = make_app(clock=clock, RATELIMIT_ENABLED="1")
    alice = new_player("spins")
    with threaded_server(limited) as url:
        socket = Socket(url, auth={"token": alice.token})
        socket.spin({"amount": 1, "item": item})
        queries.clear()
        answers = []
        for number in range(30):
            clock.now = START + (HOUR_MS if number % 2 else -HOUR_MS)
            answers.append(socket.spin("nonsense")["error"])
        socket.close()
        looked_up = [statement for statement, _ in queries if '"items"' in statement]

    # The first one counts: thirty in ten seconds, whatever the clock says of them.
    assert answers == ["Invalid request"] * 29 + ["Too many requests"]
    assert looked_up == []
