"""GET /prizes: the caller's prizes, newest first."""

import pytest

from tests.support.openings import win_prize


def test_a_prize_has_its_items_name_picture_and_value(app, win, listed):
    assert listed() == {
        "success": True,
        "data": {"prizes": [], "total": 0, "totalPages": 0, "currentPage": 1},
        "hasMore": False,
    }
    before = app.extensions["services"].clock()
    prize_id = win(name="Kettle", image="/media/items/kettle.webp", value=24.9)

    (prize,) = listed()["data"]["prizes"]

    assert before <= prize.pop("wonAt") <= app.extensions["services"].clock()
    assert prize == {
        "id": str(prize_id),
        "name": "Kettle",
        "image": "http://127.0.0.1:5000/media/items/kettle.webp",
        "value": 24.9,
        "status": "kept",
    }


@pytest.mark.usefixtures("addressed")
def test_prizes_are_filtered_by_status(win, post, run, listed):
    kept, sold, shipping, shipped = ids = [win() for _ in range(4)]
    post(sold, "sell")
    post(shipping, "ship")
    post(shipped, "ship")
    run("prizes", "ship", str(shipped))

    found = {
        status: [int(prize["id"]) for prize in listed(status=status)["data"]["prizes"]]
        for status in ("", "all", "kept", "sold", "shipping", "shipped")
    }

    assert found == {
        "": ids[::-1],
        "all": ids[::-1],
        "kept": [kept],
        "sold": [sold],
        "shipping": [shipping],
        "shipped": [shipped],
    }
    assert listed(status="sold", page=2)["data"]["total"] == 1


def test_a_bad_parameter_is_refused_by_name(client, player):
    errors = {
        query: client.get(f"/prizes?{query}", headers=player.headers).json["error"]
        for query in ("status=lost", "status=Kept", "page=0", "limit=101")
    }

    one_of = "status: must be one of all, kept, sold, shipping, shipped"
    assert errors == {
        "status=lost": one_of,
        "status=Kept": one_of,
        "page=0": "page: must be a whole number from 1",
        "limit=101": "limit: must be a whole number from 1 to 100",
    }


def test_a_player_sees_only_their_own_prizes(app, new_player, win, listed):
    win(name="Kettle")
    bob = new_player("bob")
    win_prize(app, bob, name="Toaster")

    assert [prize["name"] for prize in listed(by=bob)["data"]["prizes"]] == ["Toaster"]
