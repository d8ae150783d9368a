"""Battles over HTTP, until they are locked."""

import pytest

from tests.blueprints.battles.conftest import PICTURE, PRICE

pytestmark = pytest.mark.both_databases("blueprints/battles/routes.py")


def test_a_new_battle_is_answered_with_all_of_its_seats(create, player, case):
    battle = create(clientSeed="my-seed")

    taken, free = battle["seats"]
    assert taken == {
        "seat": 0,
        "team": 0,
        "bot": False,
        "player": {"username": player.username, "avatar": taken["player"]["avatar"]},
        "clientSeed": "my-seed",
    }
    assert free == {"seat": 1, "team": 1, "bot": False, "player": None, "clientSeed": None}
    [held] = battle["cases"]
    assert (held["id"], held["name"], held["price"], held["image"]) == (case, "Box", PRICE, PICTURE)
    assert (battle["state"], battle["version"], battle["cost"]) == ("open", 1, PRICE)


def test_a_battle_has_no_fields_of_later_states(create, client):
    battle = create()

    shown = client.get(f"/battles/{battle['id']}").json
    assert shown == battle
    assert not {"lockedAt", "round", "serverSeed", "drawn", "reason", "isPrivate"} & shown.keys()


def test_the_last_seat_locks_a_battle(locked):
    assert locked["state"] == "locked"
    assert locked["entry"] is None
    assert locked["round"] > 0
    assert "serverSeed" not in locked
