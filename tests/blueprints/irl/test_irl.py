"""GET /irl and /irl/:id: cases with real-life items."""

import threading
from decimal import Decimal

import pytest

from models.cases import CaseSpins, IrlCase
from models.db.connection import database, writing
from services.cases import irl as irl_importing


@pytest.fixture
def put(app):
    """Imports a case with these items."""
    times = iter(range(1_700_000_000_000, 1_800_000_000_000))

    def one(case_id, *items, name="Desk", price=12.5):
        things = list(items) or [thing("Pen", 1)]
        row = {"id": case_id, "name": name, "price": Decimal(str(price)), "items": things}
        irl_importing.import_cases([row], now=next(times))

    return one


def thing(name, price, percentage=None, image="https://images.example.com/1.png"):
    chance = {} if percentage is None else {"percentage": Decimal(str(percentage))}
    return {"name": name, "image": image, "price": Decimal(str(price))} | chance


def test_a_listed_case_has_all_fields_and_its_spins(client, put):
    assert client.get("/irl").json == []
    put("desk", thing("Pen", 1.5, 75), thing("Lamp", 30, 25))
    with writing():
        CaseSpins.insert(game="irl", case_id=IrlCase.get().id, shard=3, spins=7).execute()

    assert client.get("/irl").json == [
        {
            "id": "desk",
            "name": "Desk",
            "price": 12.5,
            "spins": 7,
            "items": [
                {
                    "name": "Lamp",
                    "image": "https://images.example.com/1.png",
                    "price": "$30.00",
                    "percentage": 25,
                },
                {
                    "name": "Pen",
                    "image": "https://images.example.com/1.png",
                    "price": "$1.50",
                    "percentage": 75,
                },
            ],
        }
    ]


def test_the_newest_case_comes_first(client, put):
    for case_id in ("first", "second", "third"):
        put(case_id)
    put("first", name="Changed")

    assert [case["id"] for case in client.get("/irl").json] == ["third", "second", "first"]


def test_a_single_case_has_all_fields_except_spins(client, put):
    put("desk", thing("Pen", 1, 60), thing("Lamp", 30, 0.5), thing("Mat", 10, 39.5))
    (listed,) = client.get("/irl").json
    listed.pop("spins")

    case = client.get("/irl/desk").json

    assert len(case.pop("snapshot")) == 64
    assert case == listed
    assert [item["percentage"] for item in case["items"]] == [0.5, 39.5, 60]
    # Equal percentages keep their order.
    put("equal", *[thing(name, 1) for name in ("c", "a", "d", "b")])
    assert [item["name"] for item in client.get("/irl/equal").json["items"]] == ["c", "a", "d", "b"]


def test_items_without_a_percentage_share_the_remainder_equally(client, put):
    put("desk", thing("Lamp", 30, 9.5), thing("Pen", 1), thing("Mat", 1))
    put("thirds", thing("a", 1), thing("b", 1), thing("c", 1))

    desk, thirds = (
        [item["percentage"] for item in client.get(f"/irl/{case_id}").json["items"]]
        for case_id in ("desk", "thirds")
    )

    assert desk == [9.5, 45.25, 45.25]
    assert thirds == [pytest.approx(100 / 3)] * 3


def test_an_invalid_id_is_refused(client):
    paths = ("DESK", "a_b", "a%20b", "%C3%A9", "a" * 65, "a%2Fb", "a/b", "desk/", "desk%0A", "%FF")

    answers = {path: client.get(f"/irl/{path}") for path in paths}

    assert {path: (answer.status_code, answer.json) for path, answer in answers.items()} == dict.fromkeys(
        paths, (400, {"error": "Invalid case ID"})
    )


def test_an_unknown_case_is_not_found(client, put):
    put("desk")

    answers = [client.get(f"/irl/{path}") for path in ("none", "-", "0", "a" * 64)]

    assert {answer.status_code for answer in answers} == {404}
    assert [answer.json for answer in answers] == [{"error": "Case not found"}] * 4


def test_a_list_of_any_length_takes_two_queries(client, put, queries):
    counted = []
    for total in (1, 20):
        for number in range(total):
            put(f"case-{number}")
        queries.clear()
        client.get("/irl")
        counted.append(len(queries))

    assert counted == [2, 2]


@pytest.mark.both_databases("a race")
def test_a_case_imported_during_a_list_appears_whole_or_not(client, put, monkeypatch):
    put("desk")
    execute = database.obj.execute_sql
    selects = []

    def import_before_the_second_read(sql, *args, **kwargs):
        if "irl_" in sql and threading.current_thread() is threading.main_thread():
            selects.append(sql)
            if len(selects) == 2:
                importing = threading.Thread(target=put, args=["shelf"])
                importing.start()
                importing.join()
        return execute(sql, *args, **kwargs)

    monkeypatch.setattr(database.obj, "execute_sql", import_before_the_second_read)

    listed = client.get("/irl").json

    assert len(selects) == 2
    assert [(case["id"], len(case["items"])) for case in listed] == [("desk", 1)]
    assert [case["id"] for case in client.get("/irl").json] == ["shelf", "desk"]
