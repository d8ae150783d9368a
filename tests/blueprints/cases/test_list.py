"""GET /api/cases: the list of all cases."""

import pytest

from services.shared.clock import now_ms
from tests.blueprints.cases.conftest import GLOVES, RED, names

PATH = "/api/cases"

pytestmark = pytest.mark.usefixtures("inventory")


@pytest.mark.both_databases("services/cases/queries.py")
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
