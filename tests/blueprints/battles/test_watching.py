"""The events by which players and spectators watch battles, and those that follow a change."""

import pytest

from models.battles import Battle
from models.db.connection import writing
from tests.blueprints.battles.conftest import PRICE

pytestmark = pytest.mark.both_databases("services/bets/live_bets.py")


@pytest.fixture
def watch_list(connect):
    """Opens a socket that watches the list; the battles in the list, and the socket."""

    def watch_list(player=None):
        socket = connect(player)
        answer = socket.call("battles:watch")
        assert answer["status"] is True
        return answer["battles"], socket

    return watch_list


@pytest.fixture
def watch(connect):
    """Opens a spectator's socket that watches a battle."""

    def watch(battle):
        socket = connect()
        assert socket.call("battle:watch", {"id": battle["id"]}) == {"status": True, "battle": battle}
        return socket

    return watch


def short(battle):
    """The state and the version."""
    return battle["state"], battle["version"]


class TestTheList:
    def test_it_has_the_public_battles_under_way_in_short_form(
        self, create, join, settle, client, watch_list
    ):
        create(private=True)
        settled, running = join(create()), join(create())
        settle(settled)
        create()

        listed, _ = watch_list()

        shown = [client.get("/battles", query_string={"state": state}).json for state in ("open", "running")]
        assert listed == [battle for page in shown for battle in page["battles"]]
        assert running["id"] == listed[1]["id"]

    def test_spectators_hear_of_a_new_battle_and_of_a_seat(self, create, join, client, watch_list):
        listed, socket = watch_list()
        assert listed == []

        battle = create(teams="1v1v1")
        first = socket.expect("battles:changed")
        joined = join(battle)
        second = socket.expect("battles:changed")

        assert (first["id"], *short(first), first["seatsTaken"]) == (battle["id"], "open", 1, 1)
        assert (second["id"], *short(second), second["seatsTaken"]) == (battle["id"], *short(joined), 2)
        assert client.get("/battles").json["battles"] == [second]

    def test_private_battles_are_never_announced(self, create, watch_list):
        _, socket = watch_list()

        create(private=True)
        public = create()

        assert socket.expect("battles:changed")["id"] == public["id"]

    def test_a_cancelled_battle_is_announced_once(self, create, send, player, watch_list):
        battle = create()
        _, socket = watch_list()

        send(player, "POST", f"/battles/{battle['id']}/leave")

        assert short(socket.expect("battles:changed")) == ("cancelled", 2)

    def test_who_stops_watching_hears_nothing_more(self, create, watch_list):
        _, socket = watch_list()
        _, other = watch_list()

        assert socket.call("battles:unwatch") == {"status": True}
        create()
        other.expect("battles:changed")

        assert socket.call("battles:watch")["status"]
        assert "battles:changed" not in [name for name, _ in socket.seen]

    def test_a_change_without_a_signal_is_found(self, create, watch_list):
        battle = create()
        listed, socket = watch_list()

        with writing():
            Battle.update(version=7).where(Battle.public_id == battle["id"]).execute()

        assert [each["version"] for each in listed] == [1]
        assert short(socket.expect("battles:changed")) == ("open", 7)


class TestOneBattle:
    def test_its_watchers_get_all_of_it_whenever_it_changes(self, create, join, settle, client, watch):
        battle = create(private=True)
        socket = watch(battle)

        locked = join(battle)
        assert socket.expect("battle:changed") == locked

        settled = settle(locked)
        changed = socket.expect("battle:changed")
        while changed["state"] != "settled":
            assert changed["version"] > locked["version"]
            changed = socket.expect("battle:changed")
        assert changed == settled

    def test_an_ended_one_can_be_watched_too(self, create, send, player, watch):
        _, cancelled = send(player, "POST", f"/battles/{create()['id']}/leave")

        assert watch(cancelled)

    def test_a_change_without_a_signal_is_found(self, create, watch, client):
        battle = create(private=True)
        socket = watch(battle)

        with writing():
            Battle.update(version=7).where(Battle.public_id == battle["id"]).execute()

        assert socket.expect("battle:changed") == battle | {"version": 7}
        assert client.get(f"/battles/{battle['id']}").json["version"] == 7

    @pytest.mark.parametrize(
        ("payload", "error"),
        [
            ({"id": "AAAAAAAAAAAAAAAAAAAAAA"}, "Battle not found"),
            ({"id": "\0"}, "Battle not found"),
            ({"id": 7}, "Invalid request"),
            ({}, "Invalid request"),
            ("x", "Invalid request"),
            (None, "Invalid request"),
        ],
    )
    def test_anything_else_is_refused(self, connect, payload, error):
        assert connect().call("battle:watch", payload) == {"status": False, "error": error}

    def test_a_socket_watches_twenty_at_most(self, create, new_player, connect):
        players = [new_player(f"player-{number}") for number in range(5)]
        battles = [create(by=player) for player in players for _ in range(5)][:21]
        socket = connect()

        def watch(number):
            return socket.call("battle:watch", {"id": battles[number]["id"]})

        assert all(watch(number)["status"] for number in range(20))
        assert watch(0)["status"], "it is watched already"
        assert watch(20) == {"status": False, "error": "Too many watched battles"}
        assert socket.call("battle:unwatch", {"id": battles[0]["id"]}) == {"status": True}
        assert watch(20)["status"]

    def test_who_stops_watching_hears_nothing_more(self, create, join, watch):
        battle = create()
        socket, other = watch(battle), watch(battle)

        assert socket.call("battle:unwatch", {"id": battle["id"]}) == {"status": True}
        other_battle = join(battle)
        other.expect("battle:changed")

        assert socket.call("battle:watch", {"id": battle["id"]})["battle"]["id"] == other_battle["id"]
        assert "battle:changed" not in [name for name, _ in socket.seen]


class TestThePlayers:
    @pytest.fixture
    def balances(self):
        """The next balances that a socket is sent, until one is this; what came before."""

        def balances(socket, until):
            seen = [socket.expect("balance")]
            while seen[-1]["balance"] != until:
                seen.append(socket.expect("balance"))
            return [balance["version"] for balance in seen]

        return balances

    def test_their_balances_follow_seats_and_the_end(self, create, join, settle, connect, player, balances):
        socket = connect(player)
        balances(socket, until=100)

        battle = create()
        balances(socket, until=100 - PRICE)
        settled = settle(join(battle))
        versions = balances(socket, until=100 - PRICE + settled["payouts"][0])

        assert versions == sorted(versions)

    def test_a_seat_that_is_given_back_is_in_the_balance(self, create, join, send, connect, bob, balances):
        battle = join(create(teams="1v1v1"))
        socket = connect(bob)
        balances(socket, until=100 - PRICE)

        send(bob, "POST", f"/battles/{battle['id']}/leave")

        balances(socket, until=100)

    def test_they_get_the_receipt_of_the_lock_and_nobody_else_does(
        self, create, join, services, send, connect, watch, player, bob
    ):
        battle = create()
        sockets, spectator = [connect(player), connect(bob)], watch(battle)

        join(battle)
        services.log.append_now()
        services.log.decide_locks()

        _, receipt = send(bob, "GET", f"/battles/{battle['id']}/receipt")
        assert [socket.expect("log:receipt") for socket in sockets] == [receipt, receipt]
        while spectator.expect("battle:changed")["entry"] is None:
            pass
        assert "log:receipt" not in [name for name, _ in spectator.seen]

    def test_their_seats_are_live_bets(self, create, join, settle, connect, player, bob):
        spectator = connect()

        settled = settle(join(create()))

        bets = [spectator.expect("live-bets:new") for _ in range(2)]
        assert {bet["user"] for bet in bets} == {player.username, bob.username}
        assert {(bet["game"], bet["wager"]) for bet in bets} == {("battle", PRICE)}
        assert sorted(bet["payout"] for bet in bets) == sorted(settled["payouts"])
