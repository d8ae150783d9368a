"""Closing an account with seats in battles."""

import pytest

ALL = {"forfeit": True}
CLOSED = (200, {"success": True})


@pytest.fixture
def close(send):
    return lambda player, body=None: send(player, "POST", "/profile/close", body)


def test_a_seat_in_an_open_battle_is_given_up(create, close, player, client, run):
    battle = create()
    assert close(player) == (400, {"error": "Withdraw your balance first"})

    assert close(player, ALL) == CLOSED

    assert client.get(f"/battles/{battle['id']}").json["state"] == "cancelled"
    assert run("ledger", "audit")["mismatches"] == 0


@pytest.mark.both_databases("services/closing/obstacles.py")
def test_a_battle_that_has_begun_must_end_first(create, join, settle, close, player, run):
    battle = join(create())
    assert close(player, ALL) == (400, {"error": "Wait until your battles have ended"})
    settle(battle)

    assert close(player, ALL) == CLOSED

    assert run("ledger", "audit")["mismatches"] == 0
