"""Every list as a file for spreadsheets: with the rights and filters of its page, and no formulas."""

import csv
import io

import pytest

from models.db.connection import writing
from models.users import User
from services.staff import notes
from tests.harness.players import import_case, import_prices
from tests.support.office import events, signed_in
from tests.support.table import Table

LISTS = (
    *("players", "battles", "withdrawals?status=all", "payments"),
    *("payments/discrepancies", "payments/webhooks", "prizes", "cases", "irl-cases", "items"),
    *("proposals", "proposals?show=decided", "alarms?state=all", "audit-trail", "staff"),
)
TABS = (
    *("ledger", "bets", "payments", "requests", "limits", "logins", "links", "affiliates", "prizes"),
    *("rewards", "notes", "actions", "events"),
)


def rows_of(answer):
    assert answer.mimetype == "text/csv", answer.text[:300]
    return list(csv.DictReader(io.StringIO(answer.text)))


def with_format(path):
    return f"/office/{path}{'&' if '?' in path else '?'}format=csv"


@pytest.mark.settings(PAYMENT_METHODS="demo")
def test_every_list_has_a_file_which_its_page_links_to(app, admin, run, player, clock):
    import_prices({"Gun": 20})
    import_case("Box", {"Gun": 100})
    run("payments", "record", player.platform_id, "deposit", "10")
    app.extensions["services"].withdrawals.request(
        user_id=player.id,
        method="demo",
        amount=500,
        to="there-and-back-again",
        idempotency_key=None,
        now=clock(),
    )
    Table(app).spin(player, wager=2, price=10)
    notes.add_note(user_id=player.id, text="a word", by="admin-person", now=clock())
    admin.act(f"/office/players/{player.platform_id}", "balance", amount="1", reason="a present")
    tabs = [f"players/{player.platform_id}/{tab}" for tab in TABS]

    found = f"players?q={player.platform_id}"
    for path in (*LISTS, found, *tabs):
        page = admin.get(f"/office/{path}").text
        assert "format=csv" in page, path
        rows_of(admin.get(with_format(path)))

    filled = (
        "players",
        "withdrawals?status=all",
        "cases",
        "items",
        "proposals?show=decided",
        "audit-trail",
        "staff",
    )
    for path in (*filled, *(f"players/{player.platform_id}/{tab}" for tab in ("ledger", "bets", "payments"))):
        assert rows_of(admin.get(with_format(path))), path


def test_a_file_has_all_pages_of_the_filtered_list_with_exact_amounts(app, auditor, new_player):
    for number in range(60):
        new_player(f"many-{number}")
    with writing():
        User.update(suspended_at_ms=5_000).where(User.username == "many-7").execute()

    everybody = rows_of(auditor.get("/office/players?format=csv&page=2"))
    (suspended,) = rows_of(auditor.get("/office/players?format=csv&show=suspended"))

    assert len(everybody) == 60
    assert (suspended["player"], suspended["balance"]) == ("many-7", "100.00")
    assert suspended["suspended"] == "1970-01-01T00:00:05Z"


def test_a_text_in_the_file_of_a_list_is_no_formula(app, support, player, clock):
    notes.add_note(user_id=player.id, text="=HYPERLINK(1)", by="support-person", now=clock())

    (row,) = rows_of(support.get(f"/office/players/{player.platform_id}/notes?format=csv"))

    assert row["note"] == "'=HYPERLINK(1)"


@pytest.mark.security("The back office")
def test_a_file_masks_what_its_page_masks_and_records_a_look(app, run, support, player):
    run("payments", "record", player.platform_id, "withdraw", "1", "--to", "bc1qsomebodysaddress99")
    path = f"/office/players/{player.platform_id}/payments?format=csv"

    (masked,), (shown,) = (rows_of(support.get(f"{path}{extra}")) for extra in ("", "&personal=shown"))

    assert (masked["to"], shown["to"]) == ("bc1q\u2026ss99", "bc1qsomebodysaddress99")
    assert [after["what"] for _, _, after in events("personal-details.seen")] == ["payments"]


@pytest.mark.security("The back office")
def test_a_file_needs_the_permission_of_its_page(app):
    content = signed_in(app, "content")

    for path in ("withdrawals", "audit-trail", "staff"):
        assert content.get(with_format(path)).status_code == 403, path
