"""Forms of cases and items: a price, a case with its items, and retiring."""

import json

import pytest

from models.cases import Case
from models.db.connection import reading
from models.items import Item
from models.staff import Proposal
from tests.harness.players import import_case, import_prices
from tests.support.office import csrf_token, events, last_event

GUN, ROCK = "Gun", "Rock"
REASON = "as the market says"


@pytest.fixture(autouse=True)
def content(app):  # its database
    import_prices({GUN: 20, ROCK: 10})
    import_case("Box", {GUN: 50, ROCK: 50})


def item_path(name):
    with reading():
        return f"/office/items/{Item.get(Item.market_hash_name == name).id}"


def price_of_case(name):
    with reading():
        return Case.get(Case.name == name).price_cents


@pytest.mark.both_databases("services/items/pricing.py")
def test_a_price_that_is_set_by_hand_changes_the_cases_and_stays(editor):
    answer = editor.act(item_path(GUN), "price", price="40.00", reason=REASON)

    assert answer.status_code == 303
    page = editor.get(item_path(GUN)).text
    assert "custom" in page
    assert price_of_case("Box") == 2632
    after = {"item": GUN, "priceCents": 4000, "custom": True, "reason": REASON}
    assert last_event("item.priced") == ("staff:ed", after)
    import_prices({GUN: 5})
    assert price_of_case("Box") == 2632


def test_a_price_follows_its_sources_again_when_staff_let_it(editor):
    editor.act(item_path(GUN), "price", price="40", reason=REASON)

    editor.act(item_path(GUN), "follow-sources", reason=REASON)

    import_prices({GUN: 5})
    assert price_of_case("Box") == 790


def test_a_price_that_makes_the_free_case_worth_more_needs_a_second_person(editor, second):
    import_case("Daily", {GUN: 100}, kind="free")
    assert editor.act(item_path(GUN), "price", price="15", reason=REASON).status_code == 303
    assert price_of_case("Box") == 1316

    editor.act(item_path(GUN), "price", price="30", reason=REASON)

    assert price_of_case("Box") == 1316
    assert "waits for a second person" in editor.get(item_path(GUN)).text
    assert "free-case" in second.get("/office/proposals/2").text
    second.approve(2)
    assert price_of_case("Box") == 2106


def test_a_price_of_a_retired_item_is_refused_and_what_was_typed_stays(editor):
    editor.act(item_path(GUN), "retire", reason=REASON)

    answer = editor.post(f"{item_path(GUN)}/price", of="/office/cases/new", price="15", reason=REASON)

    assert answer.status_code == 400
    assert "The item Gun is retired." in answer.text
    assert events("item.priced") == []


def draw(member, **fields):
    """The form of a case after a button."""
    token = csrf_token(member.get("/office/cases/new"))
    return member.client.post("/office/cases/new", data={"csrf_token": token} | fields).text


def test_a_case_is_made_of_picked_items_at_the_price_that_the_form_shows(editor, second):
    assert 'value="Rock" id="offer-' in draw(editor, q="rock")
    assert 'name="item" value="Rock"' in draw(editor, add=ROCK)
    drawn = draw(editor, name="Third", item=[GUN, ROCK], percentage=["", ""], share="yes")
    assert drawn.count('value="50"') == 2
    assert "100 % in all" in drawn
    assert ">15.79<" in drawn

    form = {"name": "Third", "kind": "regular", "item": [GUN, ROCK], "percentage": ["66,6", "33.4"]}
    assert "34 % are left" in draw(editor, **form | {"percentage": ["66", "nonsense"]})
    answer = editor.post("/office/cases/new/propose", of="/office/cases/new", reason=REASON, **form)

    assert answer.status_code == 303
    with reading():
        document = json.loads(json.loads(Proposal.get().arguments)["document"])
    assert [item["percentage"] for item in document[0]["items"]] == [66.6, 33.4]
    second.approve(1)
    assert price_of_case("Third") == 1754


def test_a_case_with_chances_that_do_not_sum_is_refused_with_what_was_typed(editor):
    form = {"name": "Third", "kind": "regular", "item": [GUN], "percentage": ["60"]}

    answer = editor.post("/office/cases/new/propose", of="/office/cases/new", reason=REASON, **form)

    assert answer.status_code == 400
    assert "they sum to 60, 40 is missing" in answer.text
    assert 'value="60"' in answer.text


def test_the_form_has_the_items_of_a_case_that_is_to_be_changed(editor):
    with reading():
        number = Case.get(Case.name == "Box").id

    page = editor.get(f"/office/cases/new?case={number}").text

    assert page.count('value="50"') == 2
    assert "0 new, 0 changed, 1 unchanged" in page
