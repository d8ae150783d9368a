"""Request ids of openings: a retry never opens twice, and ids are shared with spins."""

import pytest

from models.cases import Case
from models.db.connection import writing
from services.bets import cases
from services.bets.cases import OpenableCase

pytestmark = pytest.mark.settings(UPGRADER_PROOF_DELAY="600")

REUSED = {"status": False, "error": "Request id was used for another spin"}


def opening(case, **changes):
    return {"case": case, "clientSeed": "same-seed", "requestId": "r-1"} | changes


def test_a_repeated_request_is_answered_after_the_case_changed(
    connect, player, case, put, items, snapshot_of, add_item
):
    socket = connect(player)
    request = opening(case, price=10.53, snapshot=snapshot_of(case))
    first = socket.call("case:open", request)

    while socket.call("case:open", {"case": case})["status"]:
        pass
    assert socket.call("case:open", request) == first
    add_item("Dear | Gun", price=99)
    assert socket.call("case:open", request) == first
    with writing():
        Case.delete().where(Case.slug == case).execute()
    assert socket.call("case:open", request) == first


def read_too_long_ago(*, read_at_ms, **case):
    return OpenableCase(read_at_ms=read_at_ms - 1_001, **case)


def test_a_repeated_request_is_answered_after_its_terms_expired(
    app, connect, player, case, state_of, monkeypatch
):
    socket = connect(player)
    first = socket.call("case:open", opening(case))
    after_first = state_of(player)
    monkeypatch.setattr(cases, "OpenableCase", read_too_long_ago)
    app.extensions["services"].case_openings.forget_cached()

    assert socket.call("case:open", opening(case)) == first
    assert socket.call("case:open", opening(case, requestId="r-2"))["error"] == "Something went wrong"
    assert state_of(player) == after_first


def test_the_same_id_with_other_content_is_refused(connect, player, case, state_of):
    socket = connect(player)
    socket.call("case:open", opening(case))
    before = state_of(player)

    for other in ({"case": "other"}, {"clientSeed": "other-seed"}, {"price": 10.53}, {"snapshot": "x"}):
        assert socket.call("case:open", opening(case) | other) == REUSED, other
        assert state_of(player) == before


def test_an_id_belongs_to_one_event(connect, player, case, irl_case, add_item):
    item = add_item(price=10)
    socket = connect(player)
    spin = {"amount": 1, "item": item, "requestId": "r-1"}
    assert socket.call("case:open", opening(case))["status"] is True

    assert socket.call("irl:open", opening(case)) == REUSED
    assert socket.spin(spin) == REUSED
    assert socket.spin(spin | {"requestId": "r-2"})["status"] is True
    assert socket.call("case:open", opening(case, requestId="r-2")) == REUSED
