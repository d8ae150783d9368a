"""flask ledger audit: finds every difference between balances and ledger entries."""

import pytest

from models.db.connection import reading
from models.ledger import LedgerTransaction
from services.cases.kinds import FREE_CASE_ID
from services.wallet import affiliates
from tests.support.audits import check_reports
from tests.support.openings import Openings, chest

pytestmark = pytest.mark.settings(AFFILIATE_SPECIAL_CODE="WELCOME")


@pytest.fixture
def alice(new_player):
    return new_player("alice")


@pytest.fixture
def bob(new_player, alice):  # after alice, so that the order of their grants is known
    return new_player("bob")


def test_an_audit_of_no_player_and_grants_finds_no_mismatch(run, new_player):
    assert run("ledger", "audit") == {"users": 0, "transactions": 0, "entries": 0, "mismatches": 0}

    new_player("alice")
    new_player("bob")

    assert run("ledger", "audit") == {"users": 2, "transactions": 2, "entries": 4, "mismatches": 0}


def test_a_free_opening_without_payout_has_no_ledger_entries(app, run, alice):
    affiliates.use_code(user_id=alice.id, code="WELCOME", special="WELCOME", now=1)

    Openings(app).open(alice, chest(FREE_CASE_ID, items=[("Dust", 0, 100)]))

    assert run("ledger", "audit") == {"users": 1, "transactions": 3, "entries": 4, "mismatches": 0}


SET = "UPDATE users SET "
INSERT = "INSERT INTO ledger_entries (transaction_id, account, user_id, amount_cents) VALUES "
ADD = "UPDATE ledger_entries SET amount_cents = amount_cents "
DELETE = "DELETE FROM ledger_entries WHERE "
OF_HOUSE = "user_id IS NULL AND transaction_id = "

BALANCE = "the balance of {alice} differs from its entries"
BOBS_BALANCE = "the balance of {bob} differs from its entries"
VAULT = "the vault of {alice} differs from its entries"
SWEEPSTAKE = "the sweepstake of {alice} differs from its entries"
FIRST_SUM = "transaction {first} does not sum to zero"
SECOND_SUM = "transaction {second} does not sum to zero"
NO_ENTRIES = "transaction {first} has no entries"

TAMPERED = [
    ([SET + "balance_cents = balance_cents + 1 WHERE id = {alice}"], [BALANCE]),
    ([SET + "sweepstake_cents = 1 WHERE id = {alice}"], [SWEEPSTAKE]),
    ([SET + "balance_cents = 9000, vault_cents = 1000 WHERE id = {alice}"], [BALANCE, VAULT]),
    (
        [SET + "balance_cents = 9000 WHERE id = {alice}", SET + "balance_cents = 11000 WHERE id = {bob}"],
        [BALANCE, BOBS_BALANCE],
    ),
    ([ADD + "+ 1 WHERE user_id = {alice}"], [FIRST_SUM, BALANCE]),
    ([ADD + "- 1 WHERE " + OF_HOUSE + "{first}"], [FIRST_SUM]),
    ([ADD + "+ 1 WHERE user_id = {alice}", ADD + "- 1 WHERE " + OF_HOUSE + "{first}"], [BALANCE]),
    (
        [ADD + "- 1 WHERE " + OF_HOUSE + "{first}", ADD + "+ 1 WHERE " + OF_HOUSE + "{second}"],
        [FIRST_SUM, SECOND_SUM],
    ),
    ([DELETE + "user_id = {alice}"], [FIRST_SUM, BALANCE]),
    ([DELETE + OF_HOUSE + "{first}"], [FIRST_SUM]),
    ([DELETE + "transaction_id = {first}"], [NO_ENTRIES, BALANCE]),
    (
        [DELETE + "transaction_id = {first}", "DELETE FROM ledger_transactions WHERE id = {first}"],
        [BALANCE],
    ),
    ([INSERT + "({first}, 'vault', {alice}, 5)"], [FIRST_SUM, VAULT]),
    ([INSERT + "({first}, 'house.bets', NULL, 5)"], [FIRST_SUM]),
    ([INSERT + "({first}, 'balance', {alice}, 5), ({first}, 'house.bets', NULL, -5)"], [BALANCE]),
    (["UPDATE ledger_entries SET account = 'vault' WHERE user_id = {alice}"], [BALANCE, VAULT]),
    (["UPDATE ledger_entries SET user_id = {bob} WHERE user_id = {alice}"], [BALANCE, BOBS_BALANCE]),
]


@pytest.mark.both_databases("services/ledger/audit.py")
@pytest.mark.guarantee("Every read")
@pytest.mark.security("Coins")
@pytest.mark.regulation("2.5.6 Financial transactions")
def test_an_audit_prints_a_line_for_each_tampered_row(app, alice, bob):
    with reading():
        first, second = [row.id for row in LedgerTransaction.select().order_by(LedgerTransaction.id)]
    rows = {"first": first, "second": second} | {player.username: player.id for player in (alice, bob)}
    names = rows | {player.username: player.platform_id for player in (alice, bob)}

    check_reports(app, TAMPERED, rows, names)
