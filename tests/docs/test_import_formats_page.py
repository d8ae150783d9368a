"""docs/import-formats.md: its examples can be imported, and its tables have the fields that are read."""

import json
import re

import pytest

from tests.harness.servers import ROOT

PAGE = (ROOT / "docs" / "import-formats.md").read_text()
ITEMS, FEED, CASES, IRL_CASES, GIFTS = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
HELP = {"items": "nextPriceFetch?", "cases": "level?", "irl": "percentage?", "rewards": "case?"}


@pytest.fixture
def put(run, tmp_path):
    """Imports an example as it is printed."""

    def put_example(group, example, *options):
        path = tmp_path / "example.json"
        path.write_text(example)
        return run(group, "import", str(path), *options)

    return put_example


def test_the_examples_can_be_imported_and_are_shown(put, client):
    assert put("items", ITEMS)["created"] == 3
    assert put("items", FEED, "--appid", "730")["created"] == 1
    assert put("cases", CASES)["created"] == 3
    assert put("irl", IRL_CASES)["created"] == 1
    assert put("rewards", GIFTS) == {"levels": 3, "cases": 1, "coins": 35}

    prices = {item["marketHashName"]: item["price"] for item in client.get("/upgrader/items").json}
    assert prices["AK-47 | Copper Tide (Field-Tested)"] == "$12.40"
    assert prices["Bolt Rifle | Salt Marsh"] == "$3.50"
    assert [case["id"] for case in client.get("/api/cases?type=true").json] == ["veterans"]
    garage = client.get("/irl/garage").json
    assert (garage["price"], len(garage["items"])) == (20, 3)


@pytest.mark.parametrize(
    ("group", "example"),
    [("items", ITEMS), ("cases", CASES), ("irl", IRL_CASES), ("rewards", GIFTS)],
    ids=HELP,
)
def test_a_required_field_of_the_table_cannot_be_left_out(put, fails, tmp_path, group, example):
    put("items", ITEMS)
    required = re.findall(r"^\| `(\w+)` \| [^|]+ \| bad row \|", PAGE, re.MULTILINE)
    row, path = json.loads(example)[0], tmp_path / "bad.json"

    for field in row.keys() & set(required):
        path.write_text(json.dumps([{name: value for name, value in row.items() if name != field}]))
        assert "Error: row 1: " in fails(group, "import", str(path)), field


def test_each_imports_help_shows_its_fields_and_page(app):
    for group, field in HELP.items():
        text = app.test_cli_runner().invoke(args=[group, "import", "--help"]).stdout

        assert field in text
        assert "docs/import-formats.md" in " ".join(text.split())
