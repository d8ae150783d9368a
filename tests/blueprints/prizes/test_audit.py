"""flask ledger audit: the house holds the value of the prizes that are not sold."""

import pytest

from models.bets import Prize
from models.db.connection import reading
from models.ledger import LedgerTransaction
from tests.support.audits import check_reports

PRIZES = "house.prizes differs from the prizes that are kept or shipping"
SHIPPED = "house.shipped differs from the prizes that are shipped"
SOLD = "prize {sold} differs from its bet"

TAMPERED = {
    "UPDATE prizes SET status = 'sold' WHERE id = {kept}": [PRIZES],
    "UPDATE prizes SET status = 'kept' WHERE id = {sold}": [PRIZES],
    "UPDATE prizes SET status = 'shipped' WHERE id = {shipping}": [PRIZES, SHIPPED],
    "UPDATE prizes SET value_cents = value_cents + 1 WHERE id = {kept}": [
        PRIZES,
        "prize {kept} differs from its bet",
    ],
    "UPDATE prizes SET value_cents = value_cents + 1 WHERE id = {sold}": [SOLD],
    "UPDATE prizes SET name = 'Car' WHERE id = {sold}": [SOLD],
    "DELETE FROM prizes WHERE id = {sold}": ["bet {bet} has no prize"],
    "UPDATE ledger_entries SET amount_cents = amount_cents + 1 WHERE account = 'house.shipped'": [
        SHIPPED,
        "transaction {parcel} does not sum to zero",
    ],
}


@pytest.fixture
def prizes(win, post, run, addressed):
    """A prize of each status; the ids."""
    ids = {status: win(value=25) for status in ("kept", "sold", "shipping", "shipped")}
    post(ids["sold"], "sell")
    post(ids["shipping"], "ship")
    post(ids["shipped"], "ship")
    run("prizes", "ship", str(ids["shipped"]))
    return ids


@pytest.mark.both_databases("services/maintenance/ledger_audit.py")
def test_the_audit_reports_each_changed_prize_and_nothing_else(app, run, prizes):
    assert run("ledger", "audit")["mismatches"] == 0
    with reading():
        names = prizes | {
            "bet": Prize.get_by_id(prizes["sold"]).bet_id,
            "parcel": LedgerTransaction.get(LedgerTransaction.kind == "prize-shipped").id,
        }

    check_reports(app, TAMPERED.items(), prizes, names)
