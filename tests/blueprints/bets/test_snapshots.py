"""The snapshot of a case: its hash on the page of the case, and GET /snapshots/:hash."""

import hashlib
from decimal import Decimal

import pytest

from models.cases import Snapshot
from models.db.connection import reading
from tests.harness.players import import_case
from tests.support.apps import import_irl_case, import_item


@pytest.fixture
def case(app):
    """A case with three items, two of which are equally rare; its address."""
    for name, price in (("Gloves", 0), ("Gun | “Ω”", 10), ("Gun | Red (Field-Tested)", Decimal("0.57"))):
        import_item(name, price=price)
    import_case("My Case", {"Gun | Red (Field-Tested)": 90, "Gun | “Ω”": 5, "Gloves": 5})
    return "/api/cases/my-case"


@pytest.fixture
def irl_case(app):
    """A case whose three items share 100 percent equally; its address."""
    things = [{"name": name, "price": Decimal("1.50")} for name in ("Pen", "Mug", "Mat")]
    import_irl_case("desk", *things, price=2)
    return "/irl/desk"


def text_of(client, case):
    """The snapshot that the page of this case shows, as the client gets it."""
    return client.get(f"/snapshots/{client.get(case).json['snapshot']}").data.decode()


@pytest.mark.regulation("4.4 Information for the player")
def test_a_case_page_names_its_snapshot_by_hash(client, case):
    hash_ = client.get(case).json["snapshot"]

    content = client.get(f"/snapshots/{hash_}").data

    assert hashlib.sha256(content).hexdigest() == hash_
    assert content.decode() == (
        '{"id":"my-case","items":['
        '{"name":"Gun | “Ω”","price":"1000","width":"50000000000000000"},'
        '{"name":"Gloves","price":"0","width":"50000000000000000"},'
        '{"name":"Gun | Red (Field-Tested)","price":"57","width":"900000000000000000"}],"price":"107"}'
    )


def test_percentages_left_out_of_an_import_have_computed_widths(client, irl_case):
    assert text_of(client, irl_case) == (
        '{"id":"desk","items":['
        '{"name":"Mug","price":"150","width":"333333333333333333"},'
        '{"name":"Mat","price":"150","width":"333333333333333333"},'
        '{"name":"Pen","price":"150","width":"333333333333333334"}],"price":"200"}'
    )


def test_a_snapshot_that_was_opened_stays_when_the_case_changes(client, connect, player, case):
    before = client.get(case).json["snapshot"]
    assert connect(player).call("case:open", {"case": "my-case", "snapshot": before})["status"] is True
    import_item("Gloves", price=1)

    assert '"name":"Gloves","price":"0"' in client.get(f"/snapshots/{before}").text


def test_an_unopened_snapshot_is_gone_when_the_case_changes(client, case):
    before = client.get(case).json["snapshot"]
    import_item("Gloves", price=1)

    assert client.get(f"/snapshots/{before}").status_code == 404


@pytest.mark.security("Input")
def test_showing_a_case_and_its_snapshot_stores_nothing(client, case, irl_case):
    for each in (case, irl_case):
        assert text_of(client, each)

    with reading():
        assert Snapshot.select().count() == 0


def test_many_unknown_hashes_do_not_reread_all_cases(client, case, queries):
    client.get("/snapshots/" + "0" * 64)
    queries.clear()

    for number in range(1, 10):
        assert client.get(f"/snapshots/{number:064}").status_code == 404

    assert not [sql for sql, _ in queries if "case_items" in sql]


def test_a_snapshot_may_be_cached_for_ever_and_by_everybody(client, case):
    hash_ = client.get(case).json["snapshot"]

    answer = client.get(f"/snapshots/{hash_}")

    assert answer.content_type == "application/json"
    assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert answer.headers["ETag"] == f'"{hash_}"'
    again = client.get(f"/snapshots/{hash_}", headers={"If-None-Match": f'"{hash_}"'})
    assert (again.status_code, again.data) == (304, b"")


def test_a_case_with_an_unpriced_item_has_no_snapshot(client, case):
    import_item("Gloves", price=None)

    assert client.get(case).json["snapshot"] is None


def test_an_unknown_snapshot_is_not_found_and_not_cached(client, case):
    in_capitals = client.get(case).json["snapshot"].upper()

    for hash_ in ("0" * 64, "none", "é", "a" * 5000, in_capitals):
        answer = client.get(f"/snapshots/{hash_}")

        assert (answer.status_code, answer.json) == (404, {"error": "Snapshot not found"}), hash_
        assert answer.headers["Cache-Control"] == "no-store"
