"""The pages of cases and items: lists with filters and orders, a case, an item, and their forms."""

import re

import pytest

from models.cases import Case, IrlCase
from models.db.connection import reading, writing
from models.items import Item
from services.cases import creating
from services.cases.creating import MIN_LEVEL
from tests.harness.players import import_case, import_prices
from tests.support.apps import import_irl_case
from tests.support.office import events

GUN, ROCK, PLAIN = "Gun", "Rock", "Pebble"
HALVES = {GUN: 50, ROCK: 50}
REASON = "the picture is wrong"


@pytest.fixture(autouse=True)
def content(app):
    import_prices({GUN: 20, ROCK: 10, PLAIN: None})
    import_case("Box", HALVES, now=1_000)
    import_case("Cheap", {ROCK: 100}, now=2_000)
    import_case("Level 7", HALVES, kind="level", now=3_000)
    import_case("Daily", HALVES, kind="free", now=4_000)
    import_irl_case("desk", {"name": "Car", "price": 10}, price=20)


def id_of(name, table=Case, column=Case.name):
    with reading():
        return table.select(table.id).where(column == name).scalar()


def path_of(name):
    return f"/office/cases/{id_of(name)}"


def item_path(name):
    return f"/office/items/{id_of(name, Item, Item.market_hash_name)}"


def names(page):
    """The names of the rows of a list, in their order."""
    return re.findall(r'<th scope="row"><a href="[^"]+">([^<]+)</a></th>', page.text)


CASE_LISTS = {
    "": ["Daily", "Level 7", "Cheap", "Box"],
    "sort=created": ["Box", "Cheap", "Level 7", "Daily"],
    "sort=-name": ["Level 7", "Daily", "Cheap", "Box"],
    "sort=price": ["Cheap", "Box", "Level 7", "Daily"],
    "sort=odd": ["Daily", "Level 7", "Cheap", "Box"],
    "kind=level": ["Level 7"],
    "kind=odd&sale=odd&maker=odd": ["Daily", "Level 7", "Cheap", "Box"],
    "maker=players": [],
    "sale=retired": [],
    "q=LEVEL-7": ["Level 7"],
    "q=free-case": ["Daily"],
    "page=2": [],
}
ITEM_LISTS = {
    "": [GUN, PLAIN, ROCK],
    "sort=-price": [GUN, ROCK, PLAIN],
    "sort=price": [PLAIN, ROCK, GUN],
    "source=none": [PLAIN],
    "source=import": [GUN, ROCK],
    "source=custom": [],
    "game=gameb": [],
    "sale=retired": [],
    "q=EBB": [PLAIN],
}


@pytest.mark.both_databases("services/staff/item_lists.py")
@pytest.mark.parametrize(("path", "lists"), [("cases", CASE_LISTS), ("items", ITEM_LISTS)])
def test_a_list_is_filtered_and_sorted_by_its_address(auditor, path, lists):
    shown = {query: names(auditor.get(f"/office/{path}?{query}")) for query in lists}

    assert shown == lists


def test_cases_are_sorted_by_their_openings(auditor, connect, player):
    assert connect(player).call("case:open", {"case": "cheap"})["status"]

    page = auditor.get("/office/cases?sort=-openings")

    assert names(page)[0] == "Cheap"


def test_the_list_shows_price_return_and_house_edge_and_who_made_a_case(auditor, new_player):
    maker = new_player("maker", level=MIN_LEVEL)
    held = [{"marketHashName": item, "percentage": 50} for item in HALVES]
    creating.create(creator=maker.user, name="My own", items=held, now=1)

    own, box = (auditor.get(f"/office/cases?{query}") for query in ("maker=players", "q=box"))

    assert (names(own), "maker</a>" in own.text) == (["My own"], True)
    assert [text for text in ("15.79", "95.00%", "5.00%", "house") if text not in box.text] == []


def test_a_case_shows_its_items_chances_and_only_its_own_history(auditor):
    page = auditor.get(path_of("Box")).text

    assert "50%" in page
    assert page.count("case.changed") == 1
    assert "Gun 50%, Rock 50%" in page
    assert "Retire from sale" not in page


def test_there_is_no_page_of_an_unknown_row(auditor):
    for path in ("cases", "irl-cases", "items"):
        for number in ("0", "999", "99999999999999999999999", "x"):
            assert auditor.get(f"/office/{path}/{number}").status_code == 404, (path, number)


def test_one_person_withdraws_a_case_at_once(editor, client):
    assert editor.act(path_of("Box"), "retire", reason=REASON).status_code == 303

    assert client.get("/api/cases/box").status_code == 404
    assert names(editor.get("/office/cases?sale=retired")) == ["Box"]
    assert events("case.retired") == [("case.retired", "staff:ed", {"case": "box", "reason": REASON})]
    assert REASON in editor.get(path_of("Box")).text


def test_a_retired_case_is_sold_again_after_a_second_person_agreed(editor, second, client):
    path = path_of("Box")
    editor.act(path, "retire", reason=REASON)

    editor.act(path, "restore", reason="the picture is right")
    assert client.get("/api/cases/box").status_code == 404
    assert "waits for a second person" in editor.get(path).text
    second.approve(2)

    assert client.get("/api/cases/box").status_code == 200
    assert events("case.restored")[0][1] == "staff:sue"


def test_a_case_of_real_life_items_is_shown_and_retired(editor):
    path = f"/office/irl-cases/{id_of('desk', IrlCase, IrlCase.slug)}"
    assert names(editor.get("/office/irl-cases?sort=return&q=DES")) == ["Desk"]
    page = editor.get(path).text
    assert "Car" in page
    assert "50.00%" in page

    editor.act(path, "retire", reason=REASON)

    assert names(editor.get("/office/irl-cases?sale=on+sale")) == []
    assert events("irl-case.retired")[0][1:] == ("staff:ed", {"case": "desk", "reason": REASON})
    assert "irl-case.retired" in editor.get(path).text


@pytest.mark.parametrize("search", ["jormungandr awp", "AWP | J\u00f6rmungandr (", "field tested jorm"])
def test_items_are_found_by_words_of_their_full_names(editor, search):
    found, other = "AWP | J\u00f6rmungandr (Field Tested)", "AWP | Asiimov (Field-Tested)"
    import_prices({found: 20, other: 30})

    assert names(editor.get("/office/items", query_string={"q": search})) == [found]
    assert names(editor.get("/office/items?q=awp&sort=-price&page=1")) == [other, found]


def test_an_item_is_retired_and_its_cases_are_said_not_to_be_openable(editor):
    path = item_path(GUN)
    assert "puts it on sale again: 3." in editor.get(path).text

    editor.act(path, "retire", reason=REASON)

    page = editor.get(path).text
    assert "be opened meanwhile: 3." in page
    assert REASON in page
    assert names(editor.get("/office/items?sale=retired")) == [GUN]
    assert "on sale, can't be opened" in editor.get("/office/cases").text
    assert "Gun is retired" in editor.get(path_of("Box")).text
    assert events("item.retired") == [("item.retired", "staff:ed", {"item": GUN, "reason": REASON})]


def test_items_are_published_with_a_reason(editor):
    assert editor.act("/office/items", "publish", reason="no").status_code == 400

    editor.act("/office/items", "publish", reason=REASON)

    assert events("items.published") == [("items.published", "staff:ed", {"items": 2, "reason": REASON})]


def test_a_name_with_markup_is_shown_as_text(auditor):
    with writing():
        Case.update(name="<b>bold</b>").where(Case.name == "Box").execute()

    for path in ("/office/cases", path_of("<b>bold</b>")):
        page = auditor.get(path).text
        assert "<b>bold" not in page
        assert "&lt;b&gt;bold" in page
