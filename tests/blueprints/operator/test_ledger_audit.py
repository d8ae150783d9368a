"""flask ledger audit: finds every difference between balances and ledger entries."""

import json

import pytest

from models.db.connection import database, reading, writing
from models.ledger import LedgerTransaction
from services.cases.kinds import FREE_CASE_ID
from services.upgrader.spin import SpinRequest
from tests.support.openings import Openings, chest


@pytest.fixture
def app(make_app):
    return make_app(AFFILIATE_SPECIAL_CODE="WELCOME")


@pytest.fixture
def alice(new_player):
    return new_player("alice")


@pytest.fixture
def bob(new_player, alice):  # after alice, so that the order of their grants is known
    return new_player("bob")


@pytest.fixture
def tamper(alice, bob):
    """Changes the database behind the platform's back; the ids of players and grants can be named."""

    def execute(*statements):
        with reading():
            first, second = [row.id for row in LedgerTransaction.select().order_by(LedgerTransaction.id)]
        ids = {"alice": alice.id, "bob": bob.id, "first": first, "second": second}
        with writing():
            for statement in statements:
                database.execute_sql(statement.format(**ids))

    return execute


@pytest.fixture
def play(app, add_item):
    """Plays spins of a player."""
    item = add_item(price=2)

    def spins(player, count):
        services = app.extensions["services"]
        for _ in range(count):
            request = SpinRequest(amount=1, item=item)
            services.upgrader.play(user_id=player.id, request=request, clock=services.clock)

    return spins


def test_an_audit_of_an_empty_database_finds_no_mismatch(run):
    assert run("ledger", "audit") == {"users": 0, "transactions": 0, "entries": 0, "mismatches": 0}


@pytest.mark.usefixtures("alice", "bob")
def test_an_audit_of_grants_finds_no_mismatch(run):
    assert run("ledger", "audit") == {"users": 2, "transactions": 2, "entries": 4, "mismatches": 0}


def test_an_audit_of_spins_finds_no_mismatch(run, alice, play):
    play(alice, 12)

    audit = run("ledger", "audit")

    won = run("users", "show", alice.platform_id)["balance"] - (100 - 12)
    assert audit == {"users": 1, "transactions": 13, "entries": 2 + 12 * 2 + won, "mismatches": 0}


def test_a_free_opening_that_paid_nothing_is_a_transaction_without_entries(app, run, alice):
    app.extensions["services"].promo_codes.use(user_id=alice.id, code="WELCOME", now=1)

    Openings(app).open(alice, chest(FREE_CASE_ID, items=[("Dust", 0, 100)]))

    assert run("ledger", "audit") == {"users": 1, "transactions": 3, "entries": 4, "mismatches": 0}


def test_an_audit_changes_nothing(run, tamper, fails):
    tamper("UPDATE users SET balance_cents = balance_cents + 1 WHERE id = {alice}")

    assert fails("ledger", "audit") == fails("ledger", "audit")
    assert run("users", "create", "carol")["username"] == "carol"


INSERT = "INSERT INTO ledger_entries (transaction_id, account, user_id, amount_cents) VALUES "
ADD = "UPDATE ledger_entries SET amount_cents = amount_cents "
DELETE = "DELETE FROM ledger_entries WHERE transaction_id = {first}"

ALICES_BALANCE = "the balance of {alice} differs from its entries"
FIRST_SUM = "transaction {first} does not sum to zero"

TAMPERED = {
    "a cent more in a balance": (
        ["UPDATE users SET balance_cents = balance_cents + 1 WHERE id = {alice}"],
        [ALICES_BALANCE],
    ),
    "an emptied balance": (["UPDATE users SET balance_cents = 0 WHERE id = {alice}"], [ALICES_BALANCE]),
    "a cent in a vault": (
        ["UPDATE users SET vault_cents = 1 WHERE id = {alice}"],
        ["the vault of {alice} differs from its entries"],
    ),
    "a cent of sweepstake": (
        ["UPDATE users SET sweepstake_cents = 1 WHERE id = {alice}"],
        ["the sweepstake of {alice} differs from its entries"],
    ),
    "coins moved to the vault without an entry": (
        ["UPDATE users SET balance_cents = 9000, vault_cents = 1000 WHERE id = {alice}"],
        [ALICES_BALANCE, "the vault of {alice} differs from its entries"],
    ),
    "coins moved between players without an entry": (
        [
            "UPDATE users SET balance_cents = 9000 WHERE id = {alice}",
            "UPDATE users SET balance_cents = 11000 WHERE id = {bob}",
        ],
        [ALICES_BALANCE, "the balance of {bob} differs from its entries"],
    ),
    "another amount of a player's entry": (
        [ADD + "+ 1 WHERE user_id = {alice}"],
        [FIRST_SUM, ALICES_BALANCE],
    ),
    "another amount of a house's entry": (
        [ADD + "- 1 WHERE user_id IS NULL AND transaction_id = {first}"],
        [FIRST_SUM],
    ),
    "other amounts of both entries": (
        [
            ADD + "+ 1 WHERE user_id = {alice}",
            ADD + "- 1 WHERE user_id IS NULL AND transaction_id = {first}",
        ],
        [ALICES_BALANCE],
    ),
    "amounts moved between transactions": (
        [
            ADD + "- 1 WHERE user_id IS NULL AND transaction_id = {first}",
            ADD + "+ 1 WHERE user_id IS NULL AND transaction_id = {second}",
        ],
        [FIRST_SUM, "transaction {second} does not sum to zero"],
    ),
    "a deleted entry of a player": (
        ["DELETE FROM ledger_entries WHERE user_id = {alice}"],
        [FIRST_SUM, ALICES_BALANCE],
    ),
    "a deleted entry of the house": (
        ["DELETE FROM ledger_entries WHERE user_id IS NULL AND transaction_id = {first}"],
        [FIRST_SUM],
    ),
    "an inserted entry of a player": (
        [INSERT + "({first}, 'vault', {alice}, 5)"],
        [FIRST_SUM, "the vault of {alice} differs from its entries"],
    ),
    "an inserted entry of the house": ([INSERT + "({first}, 'house.bets', NULL, 5)"], [FIRST_SUM]),
    "a pair of inserted entries": (
        [INSERT + "({first}, 'balance', {alice}, 5), ({first}, 'house.bets', NULL, -5)"],
        [ALICES_BALANCE],
    ),
    "a transaction without its entries": (
        [DELETE],
        ["transaction {first} has no entries", ALICES_BALANCE],
    ),
    "a deleted transaction": (
        [DELETE, "DELETE FROM ledger_transactions WHERE id = {first}"],
        [ALICES_BALANCE],
    ),
    "an entry of another account": (
        ["UPDATE ledger_entries SET account = 'vault' WHERE user_id = {alice}"],
        [ALICES_BALANCE, "the vault of {alice} differs from its entries"],
    ),
    "an entry of another player": (
        ["UPDATE ledger_entries SET user_id = {bob} WHERE user_id = {alice}"],
        [ALICES_BALANCE, "the balance of {bob} differs from its entries"],
    ),
}


@pytest.fixture
def told(alice, bob):
    """The lines that name these players and their grants."""

    def lines(texts):
        with reading():
            first, second = [row.id for row in LedgerTransaction.select().order_by(LedgerTransaction.id)][:2]
        ids = {"alice": alice.platform_id, "bob": bob.platform_id, "first": first, "second": second}
        return sorted(text.format(**ids) for text in texts)

    return lines


@pytest.mark.parametrize("case", TAMPERED)
def test_an_audit_prints_a_line_for_each_tampered_row(fails, tamper, told, case):
    statements, texts = TAMPERED[case]
    expected = told(texts)
    tamper(*statements)

    *lines, last = fails("ledger", "audit").splitlines()

    assert sorted(lines) == expected
    assert last == f"Error: {len(expected)} mismatches"


def test_the_mismatches_are_counted_on_standard_output(app, tamper):
    tamper("UPDATE users SET balance_cents = 1, vault_cents = 1")

    result = app.test_cli_runner().invoke(args=["ledger", "audit"])

    assert result.exit_code == 1
    assert json.loads(result.stdout) == {"users": 2, "transactions": 2, "entries": 4, "mismatches": 4}
