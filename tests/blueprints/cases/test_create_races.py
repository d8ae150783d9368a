"""Concurrent creation of cases, and price changes during it."""

import threading
from collections import Counter
from functools import partial

import pytest

from models.cases import Case
from models.db.connection import reading, writing
from models.items import Item
from models.users import User
from services.cases import creating, version
from services.cases.contents import reprice_cases_holding
from services.shared.clock import now_ms
from tests.blueprints.cases.conftest import GLOVES, RED, body, wanted
from tests.support.at_once import all_at_once

pytestmark = pytest.mark.usefixtures("inventory")

CROWD = 8


@pytest.fixture
def create_at_once(app):
    """Sends these bodies at the same moment, each for a player; what each was answered."""

    def create(player, content):
        answer = app.test_client().post("/api/cases/create", headers=player.headers, json=content)
        return answer.status_code, answer.json

    return lambda pairs: all_at_once([partial(create, *pair) for pair in pairs])


ONE_NAME = ["The Same"] * CROWD
ONE_ID = [f"One{a}Two{b}Three{c}Four" for a in " -" for b in " -" for c in " -"]


@pytest.mark.both_databases("a race")
@pytest.mark.parametrize("named", [ONE_NAME, ONE_ID], ids=["name", "id"])
def test_one_of_many_concurrent_cases_with_one_name_is_created(client, create_at_once, new_player, named):
    players = [new_player(f"player{number}", level=25) for number in range(CROWD)]

    answers = create_at_once(list(zip(players, map(body, named), strict=True)))

    refused = {"status": False, "message": "A case with this name already exists"}
    assert [answer for answer in answers if answer == (400, refused)] == [(400, refused)] * (CROWD - 1)
    assert len(client.get("/api/cases").json) == 1


@pytest.mark.both_databases("a race")
def test_concurrent_requests_never_exceed_50_cases(client, create, create_at_once, veteran):
    for number in range(48):
        create(body(f"Number {number}"))

    answers = create_at_once([(veteran, body(f"Last {number}")) for number in range(CROWD)])

    assert Counter(status for status, _ in answers) == {200: 2, 400: CROWD - 2}
    assert {answer["message"] for status, answer in answers if status == 400} == {
        "You can only create up to 50 cases"
    }
    assert client.get("/api/cases/pagination").json["pagination"]["totalItems"] == 50


@pytest.mark.both_databases("a race")
def test_a_price_change_during_creation_reaches_the_case(app, veteran, monkeypatch):
    """The price change begins when the case has counted its change, and has to wait for it."""
    began = version.begin_change
    changing = []

    def change_price():
        with writing():
            version.begin_change()
            red = Item.get(Item.market_hash_name == RED)
            Item.update(price_cents=10_000).where(Item.id == red.id).execute()
            reprice_cases_holding([red.id])

    def begin_and_be_overtaken():
        began()
        if not changing:
            changing.append(threading.Thread(target=change_price))
            changing[0].start()

    monkeypatch.setattr(version, "begin_change", begin_and_be_overtaken)
    with reading():
        creator = User.get_by_id(veteran.id)
    creating.create(creator=creator, name="Case", items=wanted({RED: 50, GLOVES: 50}), now=now_ms())
    changing[0].join()

    with reading():
        # (100 * 50% + 0.5 * 50%) / 0.95
        assert Case.get().price_cents == 52_90
