"""The event rewards:changed has what GET /rewards answers."""

import json

import pytest

from services.bets.cases import OpeningRequest
from services.cases.values import value_of
from services.rewards import grants


@pytest.fixture
def told(app, monkeypatch):
    """What a round of this process tells to the player's sockets, which need no server."""
    changes, realtime, sent = app.extensions["reward_changes"], app.extensions["realtime"], []
    monkeypatch.setattr(realtime.connections, "sids_of", lambda _: ["sid"])
    monkeypatch.setattr(realtime, "send", lambda _, events: sent.extend(events))

    def new():
        sent.clear()
        changes.send_new()
        return [payload for name, payload in sent if name == "rewards:changed"]

    return new


def test_a_claim_is_told_to_all_sockets_of_the_player(claim, connect, has_bet, player, rewards):
    sockets = [connect(player) for _ in range(2)]
    has_bet(1_000)
    claim()

    for socket in sockets:
        payload = socket.expect("rewards:changed")
        assert json.loads(json.dumps(payload, default=float)) == rewards()


def test_a_change_is_told_once(claim, clock, has_bet, rewards, told):
    has_bet(1_000)
    claim()

    assert told() == [rewards()]
    clock.advance(seconds=1)
    assert [told() for _ in range(2)] == [[], []]


@pytest.mark.security("Rewards")
def test_a_player_on_a_break_is_told_of_nothing(claim, has_bet, player, send, told):
    has_bet(1_000)
    claim()
    send(player, "POST", "/limits/exclusion", {"duration": "24h"})

    assert told() == []


def test_a_used_opening_is_told(app, case, clock, player, rewards, told):
    granted = grants.grant(user_id=player.id, case=value_of(case), reason="for waiting", now=clock())
    clock.advance(seconds=1)
    told()

    services = app.extensions["services"]
    opening = OpeningRequest(user_id=player.id, case=case, reward=str(granted.id))
    services.bets.settle(services.case_openings, opening)

    assert [each["granted"][0]["state"] for each in told()] == ["used"]
    assert rewards()["granted"][0]["state"] == "used"
