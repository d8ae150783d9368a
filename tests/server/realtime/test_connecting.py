"""Connecting: who is accepted, as a player or a spectator, and the first events."""

import threading

import pytest
import requests

from models.users import User
from services.accounts import users
from tests.harness.sockets import Refused
from tests.harness.spins import Clock
from tests.harness.waiting import wait_until


def refused(connect, **options):
    """The message of ``connect_error``."""
    with pytest.raises(Refused) as error:
        connect(**options)
    return str(error.value)


@pytest.mark.security("Tokens")
def test_a_bad_token_is_refused(app, connect):
    services = app.extensions["services"]
    nobodys = services.tokens.issue(User(platform_id="76561190000000009"), now=services.clock())

    for token in ("not-a-token", 5, ["a"], {"a": 1}, True, "é", nobodys):
        assert refused(connect, auth={"token": token}) == "Unauthorized", token


def test_a_possibly_valid_session_id_is_not_logged(server, caplog):
    for ask in (requests.get, requests.post):
        answer = ask(f"{server}/socket.io/?EIO=4&transport=polling&sid=id-of-a-session", timeout=10)
        assert answer.status_code == 400

    assert "id-of-a-session" not in caplog.text


def test_a_socket_without_a_token_is_a_spectator(connect, item):
    for auth in (None, {}, {"token": None}, {"token": ""}, {"other": "x"}):
        socket = connect(auth=auth)
        assert socket.next() == ("live-bets", []), auth
        assert socket.spin({"amount": 1, "item": item}) == {"status": False, "error": "Unauthorized"}, auth


@pytest.fixture
def item(add_item):
    return add_item(price=10)


@pytest.mark.both_databases("services/bets/live_bets.py")
def test_a_spectator_sees_due_bets_of_others(connect, player, item):
    spectator = connect()
    connect(player).spin({"amount": 1, "item": item})

    live = spectator.expect("live-bets:new")

    assert live == {
        "id": "1",
        "game": "upgrader",
        "pfp": "http://127.0.0.1:5000/media/neutral/avatar.webp",
        "user": player.username,
        "wager": 1,
        "multiplier": live["payout"],
        "payout": live["payout"],
        "date": live["date"],
        "item": item,
        "image": "http://127.0.0.1:5000/media/neutral/item.webp",
        "case": None,
        "caseName": None,
    }


@pytest.mark.one_process
@pytest.mark.settings(UPGRADER_PROOF_DELAY="600")
class TestWithABetThatIsNotOver:
    def test_a_new_socket_gets_nothing_older_than_a_bets_state(self, connect, player, item, monkeypatch):
        betting = connect(player)
        betting.expect("live-bets")
        get, has_bet = users.get_by_id, threading.Event()

        def bet_meanwhile(user_id):
            found = get(user_id)
            if not has_bet.is_set():
                has_bet.set()
                betting.spin({"amount": 1, "item": item})
                # The new socket was sent the bet's state before.
                betting.expect("log:receipt")
            return found

        monkeypatch.setattr(users, "get_by_id", bet_meanwhile)
        new = connect(player)

        new.expect("live-bets")
        assert new.seen[:-1] == betting.seen[-3:-1]


@pytest.mark.one_process
def test_the_eleventh_socket_of_a_player_is_refused(app, connect, player):
    sockets = [connect(player) for _ in range(10)]

    assert refused(connect, player=player) == "Too many connections"
    sockets[0].close()
    wait_until(lambda: len(app.extensions["realtime"].connections) == 9)
    assert connect(player).expect("balance")


@pytest.mark.settings(JWT_TTL="60")
class TestWithATokenThatExpires:
    @pytest.fixture
    def clock(self):
        return Clock(1_800_000_000_000)

    @pytest.mark.regulation("2.5.4 Inactivity")
    def test_a_socket_becomes_a_spectator_when_its_token_expires(self, connect, player, item, clock):
        socket = connect(player)
        assert socket.spin({"amount": 1, "item": item})["status"] is True

        clock.advance(ms=60_000)

        assert socket.spin({"amount": 1, "item": item}) == {"status": False, "error": "Unauthorized"}
        assert refused(connect, player=player) == "Unauthorized"

    def test_an_expired_socket_gets_no_proof_and_no_balance(self, connect, app, player, item, clock):
        socket = connect(player)
        socket.expect("balance")
        socket.spin({"amount": 1, "item": item})
        socket.expect("balance")
        clock.advance(ms=60_000)

        connect()
        socket.expect("live-bets:new")

        assert "upgrader:proof" not in [name for name, _ in socket.seen]
