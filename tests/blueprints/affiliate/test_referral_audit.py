"""flask ledger audit: the sums of referrals equal the payments and bonuses."""

from contextlib import contextmanager

import pytest

from models.affiliates import Referral
from models.db.connection import database, reading, writing
from models.payments import Payment
from models.users import User

TAMPERED = {
    "a cent more of deposits": (
        "UPDATE referrals SET deposited_cents = deposited_cents + 1 WHERE user_id = {alice}",
        ["the referral's deposits of {alice} differ from their payments or bonuses"],
    ),
    "withdrawals that are forgotten": (
        "UPDATE referrals SET withdrawn_cents = 0 WHERE user_id = {alice}",
        ["the referral's withdrawals of {alice} differ from their payments or bonuses"],
    ),
    "a bonus that nobody posted": (
        "UPDATE referrals SET bonus_cents = 40 WHERE user_id = {bob}",
        ["the referral's bonuses of {bob} differ from their payments or bonuses"],
    ),
    "a payment of another amount": (
        "UPDATE payments SET usd_cents = usd_cents + 1 WHERE user_id = {alice} AND type = 'deposit'",
        [
            "the payment totals of {alice} differ from the payments",
            "the referral's deposits of {alice} differ from their payments or bonuses",
        ],
    ),
    "a player who counts for somebody else": (
        "UPDATE referrals SET owner_id = {alice} WHERE user_id = {bob}",
        ["the referral of {bob} belongs to another player than the owner of the code"],
    ),
    "a code that was used without a bonus": (
        "UPDATE users SET used_affiliate_code = 'OWNER' WHERE id = {owner}",
        ["the bonuses of {owner} do not match the use of a code"],
    ),
    "a bonus without a code": (
        "UPDATE users SET used_affiliate_code = NULL WHERE id = {bob}",
        [
            "the bonuses of {bob} do not match the use of a code",
            "the referral of {bob} belongs to another player than the owner of the code",
        ],
    ),
}


@pytest.fixture
def players(owner, refer, pay):
    """An owner, a referred player with payments before and after, and one without any."""
    alice = refer("alice")
    pay(alice, "deposit", "100.50")
    pay(alice, "withdraw", "20.25")
    return {"owner": owner, "alice": alice, "bob": refer("bob")}


def test_the_audit_reports_changed_referrals(run, fails, players):
    names = {name: player.platform_id for name, player in players.items()}
    ids = {name: player.id for name, player in players.items()}
    assert run("ledger", "audit")["mismatches"] == 0
    found = {}

    for case, (statement, _) in TAMPERED.items():
        with tampered(statement.format(**ids)):
            found[case] = sorted(fails("ledger", "audit").splitlines()[:-1])

    expected = {case: sorted(text.format(**names) for text in texts) for case, (_, texts) in TAMPERED.items()}
    assert found == expected
    assert run("ledger", "audit")["mismatches"] == 0


@contextmanager
def tampered(statement):
    """Changes rows for the block."""
    with reading():
        before = [*Referral.select(), *Payment.select(), *User.select()]
    with writing():
        database.execute_sql(statement)
    yield
    with writing():
        for row in before:
            row.save()
