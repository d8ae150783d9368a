"""A player's openings and spins share the lock and the rate budget; proofs of openings survive a restart."""

import threading

import pytest

from services.bets.cases import OpeningRequest
from sockets import proofs as delivery
from tests.harness.spins import settler
from tests.harness.waiting import wait_until
from tests.support.locks import locked
from tests.support.markers import postgresql_only

pytestmark = pytest.mark.settings(timer=lambda: 0.0)


@pytest.mark.regulation("RTS 14C: one game at a time")
@pytest.mark.one_process
@postgresql_only
def test_a_player_cannot_bet_during_an_opening(app, connect, player, case, irl_case, add_item, database_url):
    item = add_item(price=10)
    first, second = connect(player), connect(player)
    answers = []
    opening = threading.Thread(target=lambda: answers.append(first.call("case:open", {"case": case})))
    with locked(database_url, "SELECT 1 FROM announced_seeds WHERE user_id = %s FOR UPDATE", player.id):
        opening.start()
        wait_until(lambda: player.id in app.extensions["services"].player_locks)
        refused = [
            second.spin({"amount": 1, "item": item}),
            second.call("irl:open", {"case": irl_case}),
            second.call("case:open", "nonsense"),
        ]
    opening.join()

    assert [answer["error"] for answer in refused] == ["A spin is already in progress"] * 3
    assert answers[0]["status"] is True


@pytest.mark.settings(RATELIMIT_ENABLED="1")
def test_openings_and_spins_share_thirty_events_in_ten_seconds(connect, player):
    socket = connect(player)

    answers = [
        socket.call(event, "nonsense")["error"]
        for event in ["case:open", "irl:open", "upgrader:spin"] * 10 + ["case:open"]
    ]

    assert answers == ["Invalid request"] * 30 + ["Too many requests"]


def test_a_late_proof_of_an_opening_has_its_snapshot(
    app, connect, player, case, irl_case, snapshot_of, monkeypatch
):
    monkeypatch.setattr(delivery, "LOOK_UP_SECONDS", 0.05)
    services = app.extensions["services"]
    for openings, case_id in ((services.case_openings, case), (services.irl_openings, irl_case)):
        request = OpeningRequest(user_id=player.id, case=case_id)
        settler(services, lambda: services.clock() - 10_000).settle(openings, request)

    socket = connect(player)

    first, second = socket.expect("case:proof"), socket.expect("irl:proof")
    assert (first["nonce"], first["snapshot"], second["nonce"]) == (1, snapshot_of(case), 2)
    assert len(second["snapshot"]) == 64
