"""GET /api/cases: the list of all cases."""

import threading
from concurrent.futures import ThreadPoolExecutor, as_completed

import pytest

from models.db import waiting
from services.cases import queries as case_queries
from services.shared.clock import now_ms
from tests.blueprints.cases.conftest import GLOVES, RED, body, names

PATH = "/api/cases"

pytestmark = pytest.mark.usefixtures("inventory")


def test_a_case_is_shown_with_its_items(client, put):
    assert client.get(PATH).json == []
    put("Odds & Ends", {RED: 33.3, GLOVES: 66.7})

    (case,) = client.get(PATH).json

    times = [item.pop("nextPriceFetch") for item in case["items"]]
    assert case == {
        "id": "odds-&-ends",
        "name": "Odds & Ends",
        "price": 3.86,
        "creator": "",
        "items": [
            {
                "appid": 730,
                "marketHashName": RED,
                "gunName": "Gun",
                "skinName": "Red",
                "image": "http://127.0.0.1:5000/media/neutral/item.webp",
                "price": "$10.00",
                "percentage": 33.3,
            },
            {
                "appid": 730,
                "marketHashName": GLOVES,
                "gunName": "Gloves",
                "skinName": "",
                "image": "http://127.0.0.1:5000/media/neutral/item.webp",
                "price": "$0.50",
                "percentage": 66.7,
            },
        ],
    }
    assert all(abs(time - now_ms()) < 60_000 for time in times)


@pytest.mark.parametrize(
    ("path", "parameter", "names_of"),
    [(PATH, "type", names), (f"{PATH}/pagination", "caseType", lambda page: names(page["cases"]))],
    ids=["list", "page"],
)
def test_a_parameter_selects_the_kinds(client, put, path, parameter, names_of):
    put("Level 10", kind="level")
    put("Daily", kind="free")
    put("Old")
    put("New")

    def shown(query=""):
        return names_of(client.get(path + query).json)

    regular = ["New", "Old"]
    assert shown(f"?{parameter}=all") == ["New", "Old", "Daily", "Level 10"]
    assert shown(f"?{parameter}=true") == ["Level 10"]
    assert [shown(), shown(f"?{parameter}="), shown(f"?{parameter}=false")] == [regular] * 3
    refused = client.get(f"{path}?{parameter}=True")
    error = f"{parameter}: must be one of all, true, false"
    assert (refused.status_code, refused.json) == (400, {"error": error})


def test_cases_of_the_same_time_keep_their_import_order(client, put):
    for name in ("First", "Second", "Third"):
        put(name, now=1_700_000_000_000)

    assert names(client.get(PATH).json) == ["Third", "Second", "First"]


def test_a_new_case_is_shown_at_once(client, create):
    before = client.get(PATH)
    create(body("Mine"))

    after = client.get(PATH, headers={"If-None-Match": before.headers["ETag"]})

    assert (names(before.json), names(after.json)) == ([], ["Mine"])


def test_a_new_price_shows_at_once(client, put, prices):
    put("Case", {RED: 100})
    client.get(PATH)

    prices({RED: 19})

    (case,) = client.get(PATH).json
    assert (case["price"], case["items"][0]["price"]) == (20, "$19.00")


def test_a_cached_list_takes_one_query(client, put, queries):
    put("Case")
    client.get(PATH)
    queries.clear()

    client.get(PATH)

    assert len(queries) == 1


@pytest.fixture
def go_on():
    """Set it to let a list be read."""
    event = threading.Event()
    yield event
    event.set()


def test_waiting_for_another_requests_list_uses_the_wait_budget(app, go_on, monkeypatch):
    monkeypatch.setattr(waiting, "ANSWER_SECONDS", 0.1)
    begun, read = threading.Event(), case_queries.listed

    def read_late(**options):
        begun.set()
        assert go_on.wait(20)
        return read(**options)

    monkeypatch.setattr(case_queries, "listed", read_late)
    with ThreadPoolExecutor(2) as threads:
        first, second = (threads.submit(lambda: app.test_client().get(PATH).status_code) for _ in range(2))
        assert begun.wait(10)
        refused = next(as_completed([first, second], timeout=10)).result()
        go_on.set()

    assert sorted([first.result(), second.result()]) == [200, 503]
    assert refused == 503
