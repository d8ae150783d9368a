"""A new case, from a document to the first opening, with a second person; and a wrong one withdrawn."""

import json

import pytest
from playwright.sync_api import expect

from tests.support.chromium import violations

pytestmark = pytest.mark.browser

CHEAP, DEAR = "Story Pebble", "Story Crown"


def document(name, dear):
    chances = {CHEAP: 100 - dear, DEAR: dear}
    items = [{"marketHashName": item, "percentage": chance} for item, chance in chances.items()]
    return json.dumps([{"name": name, "items": items}], indent=2)


def items():
    prices = {CHEAP: 1, DEAR: 20}
    return [{"appid": 730, "marketHashName": name, "price": price} for name, price in prices.items()]


def ids(site):
    return {case["id"] for case in site.get("/api/cases").json()}


def test_a_case_goes_from_import_to_sale_by_two_people(site, player, new_person, tmp_path):
    editor, second = new_person("content"), new_person("content")

    # Items, by a file.
    tab = editor.open("Cases and items")
    tab.get_by_role("link", name="Items", exact=True).click()
    tab.get_by_role("link", name="Import items").click()
    file = tmp_path / "items.json"
    file.write_text(json.dumps(items()))
    tab.get_by_label("File").set_input_files(file)
    tab.get_by_role("button", name="Preview").click()
    expect(tab.get_by_text("2 new, 0 changed, 0 unchanged")).to_be_visible()
    assert violations(tab) == {}
    tab.get_by_label("Reason").fill("items of the story")
    tab.get_by_role("button", name="Import").click()
    expect(tab.get_by_role("status")).to_contain_text("Items added: 2")

    # The case, typed; the first document has a mistake.
    tab.get_by_role("link", name="Cases", exact=True).click()
    tab.get_by_role("link", name="Add or change cases").click()
    tab.get_by_label("or JSON").fill(document("Story Case", 5).replace("95", "96"))
    tab.get_by_role("button", name="Preview").click()
    expect(tab.get_by_text("row 1: The percentages must sum to exactly 100")).to_be_visible()
    assert violations(tab) == {}
    tab.get_by_label("or JSON").fill(document("Story Case", 5))
    tab.get_by_role("button", name="Preview").click()
    expect(tab.get_by_role("row").filter(has_text="Story Case")).to_contain_text("2.06")
    tab.get_by_label("Reason").fill("the case of the story")
    tab.get_by_role("button", name="Propose").click()
    expect(tab.get_by_role("status")).to_contain_text("A second person must approve it")
    assert "story-case" not in ids(site)

    # The second person looks at what changes, and approves.
    tab = second.open("Proposals")
    tab.get_by_role("row").filter(has_text="Story Case").get_by_role("link").click()
    expect(tab.get_by_text("1 new, 0 changed, 0 unchanged")).to_be_visible()
    expect(tab.get_by_role("row").filter(has_text=DEAR)).to_contain_text("5%")
    assert violations(tab) == {}
    tab.get_by_role("button", name="Approve, and do it now").click()
    expect(tab.get_by_role("status")).to_contain_text("Cases added: 1, changed: 0")
    assert "story-case" in ids(site)

    # It is on sale, with its figures and its history.
    tab = editor.open("Cases and items")
    tab.get_by_label("Name or id").fill("story")
    tab.keyboard.press("Enter")
    row = tab.get_by_role("row").filter(has_text="Story Case")
    expect(row).to_contain_text("on sale")
    row.get_by_role("link", name="Story Case").click()
    expect(tab.get_by_role("row").filter(has_text="case.changed")).to_contain_text(f"staff:{second.name}")
    assert violations(tab) == {}

    # One person stops it at once.
    tab.get_by_label("Reason").fill("the picture is missing")
    tab.get_by_role("button", name="Withdraw from sale").click()
    expect(tab.get_by_role("status")).to_contain_text("was withdrawn from sale")
    assert "story-case" not in ids(site)
    expect(tab.get_by_role("button", name="Put on sale again")).to_be_visible()
