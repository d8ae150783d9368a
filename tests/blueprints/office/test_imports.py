"""Imports in the back office: a preview of what changes, then a proposal that a second person approves."""

import json
from io import BytesIO

import pytest

from models.cases import Case
from models.db.connection import reading
from models.items import Item
from services.cases import importing
from services.cases import irl as irl_importing
from services.items import importing as items_importing
from services.shared.imports import ChangeKind
from tests.harness.players import import_case, import_prices
from tests.support.apps import import_irl_case
from tests.support.locks import writers_held_up
from tests.support.office import csrf_token, events

GUN, ROCK = "Gun", "Rock"
CASES, ITEMS, IRL = "/office/imports/cases", "/office/imports/items", "/office/imports/irl-cases"
REASON = "the autumn collection"


def case_of(name, gun=50, **more):
    chances = {GUN: gun, ROCK: 100 - gun}
    held = [{"marketHashName": item, "percentage": chance} for item, chance in chances.items()]
    return {"name": name, "items": held} | more


def item_of(name, price, **more):
    return {"appid": 730, "marketHashName": name, "price": price} | more


@pytest.fixture(autouse=True)
def content(app):
    import_prices({GUN: 20, ROCK: 10})
    import_case("Box", {GUN: 50, ROCK: 50})


def preview(person, path, rows):
    text = rows if isinstance(rows, str) else json.dumps(rows)
    return person.post(path, document=text)


def confirm(person, path, rows, *, reason=REASON, page=None, **fields):
    """Send the form that the preview shows."""
    page = page or preview(person, path, rows)
    digest = page.text.split('name="previewed" value="')[1].split('"')[0]
    typed = {"document": json.dumps(rows), "previewed": digest, "reason": reason} | fields
    return person.post(f"{path}/confirm", of=path, **typed)


def prices():
    with reading():
        return dict(Case.select(Case.name, Case.price_cents).tuples())


def test_a_preview_shows_what_changes_and_changes_nothing(editor):
    before = events("cases.imported", "case.changed")

    page = preview(editor, CASES, [case_of("Box", gun=75), case_of("<b>Chest</b></textarea>")]).text

    assert "1 new, 1 changed, 0 unchanged" in page
    assert "Gun, <span" in page
    assert "75%" in page
    assert "18.43" in page  # (20 * 0.75 + 10 * 0.25) / 0.95
    assert "<b>Chest" not in page
    assert "&lt;b&gt;Chest" in page
    assert prices() == {"Box": 1579}
    assert events("cases.imported", "case.changed") == before


def test_a_preview_has_the_texts_of_all_bad_rows(editor):
    rows = [case_of("Box"), case_of("Chest", kind="odd"), case_of("Box"), "text"]

    page = preview(editor, CASES, rows).text

    assert "row 2: kind must be regular, level, free" in page
    assert "row 3: the file has this case twice: box" in page
    assert "row 4: must be an object" in page
    assert 'name="previewed"' not in page


def test_a_document_that_cannot_be_read_is_refused_and_kept(editor):
    for text, problem in (
        ("{", "The document is not JSON"),
        ("{}", "The document is not a JSON array"),
        ('[{"a": 1, "a": 2}]', "an object has the key &#39;a&#39; more than once"),
        ("1" * 1_000_001, "at most 1000000 characters"),
    ):
        answer = preview(editor, CASES, text)

        assert answer.status_code == 400
        assert problem in answer.text
        assert text[:20].replace('"', "&#34;") in answer.text


def test_a_file_can_be_uploaded(editor):
    token = csrf_token(editor.get(CASES))
    upload = (BytesIO(b"\xef\xbb\xbf" + json.dumps([case_of("Chest")]).encode()), "cases.json")

    page = editor.client.post(CASES, data={"csrf_token": token, "file": upload}).text

    assert "1 new, 0 changed, 0 unchanged" in page
    assert "Chest" in page


def test_only_who_may_import_may_send_a_large_form(editor, support):
    rows = [item_of(f"Item {number:06} {'x' * 100}", 1) for number in range(3_000)]
    fields = {"csrf_token": csrf_token(support.get("/office/")), "document": "x" * 100_000}

    assert "3,000 new, 0 changed" in preview(editor, ITEMS, rows).text
    assert support.client.post(CASES, data=fields).status_code == 413


def test_an_import_of_cases_waits_for_a_second_person(editor, second):
    rows = [case_of("Box", gun=75), case_of("Chest")]

    assert confirm(editor, CASES, rows).status_code == 303
    assert prices() == {"Box": 1579}
    assert "Proposed as number 1" in editor.get("/office/cases").text
    assert "1 new, 1 changed, 0 unchanged" in second.get("/office/proposals/1").text
    second.approve(1)

    assert prices() == {"Box": 1843, "Chest": 1579}
    assert events("case.changed")[-1][1] == "staff:sue"
    assert events("cases.imported")[-1] == (
        "cases.imported",
        "staff:sue",
        {"created": 1, "updated": 1, "reason": REASON},
    )


def test_the_second_person_sees_what_the_import_would_do_at_that_moment(editor, second, run):
    confirm(editor, CASES, [case_of("Box", gun=75)])

    import_prices({GUN: 40})
    shown = second.get("/office/proposals/1").text
    assert "34.22" in shown  # (40 * 0.75 + 10 * 0.25) / 0.95
    assert "18.43" not in shown
    run("items", "retire", GUN)
    assert "row 1: the item Gun is retired" in second.get("/office/proposals/1").text


def test_an_import_needs_its_preview_and_a_reason_and_keeps_the_document(editor):
    page = preview(editor, CASES, [case_of("Chest")])

    for name, reason, problem in (
        ("Trunk", REASON, "changed after the preview"),
        ("Chest", "new", "The reason must be a text of 5 to 200 characters"),
    ):
        answer = confirm(editor, CASES, [case_of(name)], page=page, reason=reason)

        assert answer.status_code == 400
        assert problem in answer.text
        assert name in answer.text
        assert f'value="{reason}"' in answer.text
    assert events("proposal.made") == []


def test_a_preview_that_is_sent_twice_proposes_once(editor):
    rows = [case_of("Chest")]
    page = preview(editor, CASES, rows)
    key = page.text.split('name="form_key" value="')[1].split('"')[0]

    for _ in range(2):
        confirm(editor, CASES, rows, page=page, form_key=key)

    assert len(events("proposal.made")) == 1


def test_items_are_imported_by_one_person_who_sees_which_prices_of_cases_follow(editor):
    rows = [item_of(GUN, 40), item_of(ROCK, 10), item_of("New", 1)]
    page = preview(editor, ITEMS, rows).text
    assert "1 new, 1 changed, 1 unchanged" in page
    assert "Cases whose prices follow: 1" in page
    assert "26.32" in page
    with reading():
        assert Item.select().count() == 2

    assert confirm(editor, ITEMS, rows).status_code == 303

    assert "Items added: 1, updated: 2" in editor.get("/office/items").text
    assert prices() == {"Box": 2632}
    assert events("items.imported")[-1][1:] == ("staff:ed", {"created": 1, "updated": 2, "reason": REASON})


def price_of(name):
    with reading():
        return Item.get(Item.market_hash_name == name).price_cents


@pytest.mark.security("Four eyes")
def test_an_import_of_items_that_makes_the_free_case_worth_more_waits_for_a_second_person(editor, second):
    import_case("Daily", {ROCK: 100}, kind="free")
    dearer = [item_of(ROCK, 5_000)]
    assert "A second person must approve it" in preview(editor, ITEMS, dearer).text

    confirm(editor, ITEMS, dearer)

    assert price_of(ROCK) == 10_00
    assert "5,000.00" in second.get("/office/proposals/1").text
    assert second.approve(1).status_code == 303
    assert price_of(ROCK) == 5_000_00


def test_an_import_of_items_that_leaves_the_free_case_as_it_is_needs_one_person(editor):
    import_case("Daily", {ROCK: 100}, kind="free")

    confirm(editor, ITEMS, [item_of(ROCK, 9), item_of(GUN, 5_000)])

    assert (price_of(ROCK), price_of(GUN)) == (9_00, 5_000_00)


def test_a_preview_knows_custom_prices_and_withdrawn_items(editor, run):
    import_prices({GUN: 20}, customPrice=True)
    run("items", "retire", ROCK)

    page = preview(editor, ITEMS, [item_of(GUN, 99), item_of(ROCK, 10)]).text

    assert "0 new, 1 changed, 1 unchanged" in page
    assert "<del>retired</del> → <ins>on sale</ins>" in page


def test_a_price_feed_needs_its_game(editor):
    feed = json.dumps({"metadata": {"currency": "USD"}, "prices": {GUN: 4000}})

    assert "a price feed needs" in editor.post(ITEMS, document=feed).text.lower()
    assert "0 new, 1 changed" in editor.post(ITEMS, document=feed, game="730").text


def test_cases_of_real_life_items_are_previewed_and_proposed(editor, second):
    import_irl_case("desk", {"name": "Desk", "price": 10}, price=20)
    dearer = {"id": "desk", "name": "Desk", "price": 25, "items": [{"name": "Desk", "price": 10}]}

    page = preview(editor, IRL, [dearer]).text
    assert "0 new, 1 changed" in page
    assert "50.00% → 40.00%" in page
    confirm(editor, IRL, [dearer])
    second.approve(1)

    assert "25.00" in editor.get("/office/irl-cases").text
    assert "0 new, 0 changed, 1 unchanged" in preview(editor, IRL, [dearer]).text


def test_what_an_import_does_is_what_its_preview_has_shown():
    rows = [case_of("Box", gun=1), case_of("Level 3", kind="level"), case_of("Daily", kind="free")]
    before = importing.preview(rows, now=1)
    importing.import_cases(rows, now=1)
    after = importing.preview(rows, now=1)

    assert [change.kind for change in before.changes] == ["changed", "new", "new"]
    assert {change.kind for change in after.changes} == {ChangeKind.UNCHANGED}
    assert [change.after for change in before.changes] == [change.before for change in after.changes]


@pytest.mark.both_databases("locks")
def test_a_preview_waits_for_no_change_of_cases_and_items(app, database_url):
    row = {"id": "desk", "name": "Desk", "price": 25, "items": [{"name": "Desk", "price": 10}]}

    with writers_held_up(database_url, "UPDATE case_version SET version = version"):
        previews = (
            importing.preview([case_of("Box")], now=1),
            irl_importing.preview([row], now=1),
            items_importing.preview([item_of(GUN, 1)], app_id=None, now=1),
        )

    assert [preview.changes[0].kind for preview in previews] == ["unchanged", "new", "changed"]
