"""Imports in the back office: a preview of what changes, then a proposal that a second person approves."""

import json
from io import BytesIO

import pytest

from bench.harness.players import import_case, import_prices
from models.audit_trail import AuditEvent
from models.cases import Case
from models.db.connection import reading
from models.items import Item
from services.cases import importing
from services.irl_cases import importing as irl_importing
from services.items import importing as items_importing
from services.shared.import_changes import ChangeKind
from tests.support.apps import import_irl_case
from tests.support.locks import writers_held_up
from tests.support.office import csrf_token, signed_in

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


@pytest.fixture
def editor(app):
    return signed_in(app, "content", "ed")


@pytest.fixture
def second(app):
    return signed_in(app, "content", "sue")


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


def events(*kinds):
    with reading():
        found = AuditEvent.select().where(AuditEvent.what.in_(kinds)).order_by(AuditEvent.id)
        return [(event.what, event.who, json.loads(event.after or "null")) for event in found]


def test_a_preview_shows_what_changes_and_changes_nothing(editor):
    before = events("cases.imported", "case.changed")

    page = preview(editor, CASES, [case_of("Box", gun=75), case_of("Chest")]).text

    assert "1 new, 1 changed, 0 unchanged" in page
    assert "Gun, <span" in page
    assert "75%" in page
    assert "18.43" in page  # (20 * 0.75 + 10 * 0.25) / 0.95
    assert prices() == {"Box": 1579}
    assert events("cases.imported", "case.changed") == before


def test_a_preview_of_what_is_there_shows_no_change(editor):
    assert "0 new, 0 changed, 1 unchanged" in preview(editor, CASES, [case_of("Box")]).text


def test_a_preview_has_the_texts_of_all_bad_rows(editor, fails, tmp_path):
    file = tmp_path / "cases.json"
    rows = [case_of("Box"), case_of("Chest", kind="odd"), case_of("Box"), "text"]

    page = preview(editor, CASES, rows).text

    assert "row 2: kind must be regular, level, free" in page
    assert "row 3: the file has this case twice: box" in page
    assert "row 4: must be an object" in page
    assert 'name="previewed"' not in page
    file.write_text(json.dumps(rows))
    assert fails("cases", "import", str(file)) == "Error: row 2: kind must be regular, level, free"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", "The document is not JSON"),
        ("{}", "The document is not a JSON array"),
        ('[{"a": 1, "a": 2}]', "an object has the key &#39;a&#39; more than once"),
        ("1" * 1_000_001, "at most 1000000 characters"),
    ],
    ids=["cut off", "no array", "repeated key", "long"],
)
def test_a_document_that_cannot_be_read_is_refused_and_kept(editor, text, problem):
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


def test_a_document_of_half_a_megabyte_is_previewed(editor):
    rows = [item_of(f"Item {number:06} {'x' * 100}", 1) for number in range(3_000)]

    assert "3,000 new, 0 changed" in preview(editor, ITEMS, rows).text


def test_nobody_else_may_send_a_large_form(app):
    support = signed_in(app, "support")
    fields = {"csrf_token": csrf_token(support.get("/office/")), "document": "x" * 100_000}

    assert support.client.post(CASES, data=fields).status_code == 413


def test_an_import_of_cases_waits_for_a_second_person(editor, second):
    rows = [case_of("Box", gun=75), case_of("Chest")]

    assert confirm(editor, CASES, rows).status_code == 303
    assert prices() == {"Box": 1579}
    assert "Proposed as number 1" in editor.get("/office/cases").text

    shown = second.get("/office/proposals/1").text
    assert "1 new, 1 changed, 0 unchanged" in shown
    second.post("/office/proposals/1/approve", of="/office/proposals/1")

    assert prices() == {"Box": 1843, "Chest": 1579}
    assert events("case.changed")[-1][1] == "staff:sue"
    assert events("cases.imported")[-1] == (
        "cases.imported",
        "staff:sue",
        {"created": 1, "updated": 1, "reason": REASON},
    )


def test_nobody_approves_their_own_import(editor):
    confirm(editor, CASES, [case_of("Chest")])

    answer = editor.post("/office/proposals/1/approve", of="/office/proposals/1")

    assert answer.status_code == 400
    assert "Chest" not in prices()


def test_the_second_person_sees_what_changes_at_that_moment(editor, second):
    confirm(editor, CASES, [case_of("Box", gun=75)])
    import_prices({GUN: 40})

    shown = second.get("/office/proposals/1").text

    assert "34.22" in shown  # (40 * 0.75 + 10 * 0.25) / 0.95
    assert "18.43" not in shown


def test_a_proposal_that_cannot_be_imported_any_more_says_why(editor, second, run):
    confirm(editor, CASES, [case_of("Chest")])
    run("items", "withdraw", GUN)

    assert "row 1: the item Gun is withdrawn" in second.get("/office/proposals/1").text


def test_a_document_is_not_imported_unless_it_was_previewed(editor):
    page = preview(editor, CASES, [case_of("Chest")])

    answer = confirm(editor, CASES, [case_of("Trunk")], page=page)

    assert answer.status_code == 400
    assert "changed after the preview" in answer.text
    assert "Trunk" in answer.text
    assert events("proposal.made") == []


def test_a_form_that_is_sent_twice_proposes_once(editor):
    rows = [case_of("Chest")]
    page = preview(editor, CASES, rows)
    key = page.text.split('name="form_key" value="')[1].split('"')[0]

    for _ in range(2):
        confirm(editor, CASES, rows, page=page, form_key=key)
    assert len(events("proposal.made")) == 1
    confirm(
        editor, CASES, rows, form_key=preview(editor, CASES, rows).text.split('"form_key" value="')[1][:32]
    )

    assert len(events("proposal.made")) == 2


def test_an_import_needs_a_reason_and_keeps_the_document(editor):
    answer = confirm(editor, CASES, [case_of("Chest")], reason="new")

    assert answer.status_code == 400
    assert "The reason must be a text of 5 to 200 characters" in answer.text
    assert "Chest" in answer.text
    assert 'value="new"' in answer.text


@pytest.mark.settings(OFFICE_FOUR_EYES="0")
def test_one_person_imports_if_four_eyes_are_off(editor):
    confirm(editor, CASES, [case_of("Chest")])

    assert "Chest" in prices()
    assert events("cases.imported")[-1][1:] == ("staff:ed", {"created": 1, "updated": 0, "reason": REASON})


def test_items_are_imported_by_one_person(editor):
    assert confirm(editor, ITEMS, [item_of(GUN, 40), item_of("New", 1)]).status_code == 303

    assert "Items added: 1, updated: 1" in editor.get("/office/items").text
    assert prices() == {"Box": 2632}
    assert events("items.imported")[-1] == (
        "items.imported",
        "staff:ed",
        {"created": 1, "updated": 1, "reason": REASON},
    )


def test_a_preview_of_items_shows_which_prices_of_cases_follow(editor):
    page = preview(editor, ITEMS, [item_of(GUN, 40), item_of(ROCK, 10)]).text

    assert "0 new, 1 changed, 1 unchanged" in page
    assert "Cases whose prices follow: 1" in page
    assert "26.32" in page
    assert prices() == {"Box": 1579}


def test_a_preview_shows_that_a_custom_price_is_kept(editor):
    import_prices({GUN: 20}, customPrice=True)

    assert "0 new, 0 changed, 1 unchanged" in preview(editor, ITEMS, [item_of(GUN, 99)]).text


def test_a_preview_shows_that_a_withdrawn_item_is_sold_again(editor, run):
    run("items", "withdraw", ROCK)

    assert "<del>withdrawn</del> → <ins>on sale</ins>" in preview(editor, ITEMS, [item_of(ROCK, 10)]).text


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
    second.post("/office/proposals/1/approve", of="/office/proposals/1")

    assert "25.00" in editor.get("/office/irl-cases").text
    assert "0 new, 0 changed, 1 unchanged" in preview(editor, IRL, [dearer]).text


def test_the_role_support_may_not_import(app):
    support = signed_in(app, "support")

    assert support.get(CASES).status_code == 403
    assert support.post(CASES, of="/office/", document="[]").status_code == 403
    assert "Add or change cases" not in support.get("/office/cases").text


def test_markup_in_a_document_is_shown_as_text(editor):
    page = preview(editor, CASES, [case_of("<b>Box</b></textarea>")]).text

    assert "<b>Box" not in page
    assert "&lt;b&gt;Box" in page


def test_what_an_import_does_is_what_its_preview_has_shown():
    rows = [case_of("Box", gun=1), case_of("Level 3", kind="level"), case_of("Daily", kind="free")]
    before = importing.preview(rows, now=1)
    importing.import_cases(rows, now=1)
    after = importing.preview(rows, now=1)

    assert [change.kind for change in before.changes] == ["changed", "new", "new"]
    assert {change.kind for change in after.changes} == {ChangeKind.UNCHANGED}
    assert [change.after for change in before.changes] == [change.before for change in after.changes]


def test_no_item_is_lost_by_a_preview(editor):
    preview(editor, ITEMS, [item_of("New", 1)])

    with reading():
        assert Item.select().count() == 2


def test_a_preview_waits_for_no_change_of_cases_and_items(app, database_url):
    row = {"id": "desk", "name": "Desk", "price": 25, "items": [{"name": "Desk", "price": 10}]}

    with writers_held_up(database_url, "UPDATE case_version SET version = version"):
        previews = (
            importing.preview([case_of("Box")], now=1),
            irl_importing.preview([row], now=1),
            items_importing.preview([item_of(GUN, 1)], app_id=None, now=1),
        )

    assert [preview.changes[0].kind for preview in previews] == ["unchanged", "new", "changed"]
