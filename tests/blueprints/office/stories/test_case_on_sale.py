"""Items and a case, from documents to the sale, with a second person."""

import json

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

CHEAP, DEAR = "Story Pebble", "Story Crown"
ITEMS = [{"appid": 730, "marketHashName": name, "price": price} for name, price in ((CHEAP, 1), (DEAR, 20))]
CASE = [
    {
        "name": "Story Case",
        "items": [{"marketHashName": CHEAP, "percentage": 95}, {"marketHashName": DEAR, "percentage": 5}],
    }
]


def test_a_case_goes_from_import_to_sale_by_two_people(site, new_person, tmp_path):
    editor, second = new_person("content"), new_person("content")

    # Items, by a file.
    tab = editor.open("Cases and items")
    tab.get_by_role("link", name="Items", exact=True).click()
    tab.get_by_role("link", name="Import items").click()
    file = tmp_path / "items.json"
    file.write_text(json.dumps(ITEMS))
    tab.get_by_label("File").set_input_files(file)
    tab.get_by_role("button", name="Preview").click()
    expect(tab.get_by_text("2 new, 0 changed, 0 unchanged")).to_be_visible()
    tab.get_by_label("Reason").fill("items of the story")
    tab.get_by_role("button", name="Import").click()
    expect(tab.get_by_role("status")).to_contain_text("Items added: 2")

    # The case, typed.
    tab.get_by_role("link", name="Cases", exact=True).click()
    tab.get_by_role("link", name="Import cases").click()
    tab.get_by_label("or JSON").fill(json.dumps(CASE))
    tab.get_by_role("button", name="Preview").click()
    expect(tab.get_by_role("row").filter(has_text="Story Case")).to_contain_text("2.06")
    tab.get_by_label("Reason").fill("the case of the story")
    tab.get_by_role("button", name="Propose").click()
    expect(tab.get_by_role("status")).to_contain_text("A second person must approve it")

    said = second.approve("Story Case")

    expect(said).to_contain_text("Cases added: 1, changed: 0")
    assert "story-case" in {case["id"] for case in site.get("/api/cases").json()}
