"""flask ledger audit: the sums of referrals and claims equal the payments, bonuses and ledger entries."""

import pytest

from models.db.connection import reading
from models.payments import PaymentRecord
from tests.support.audits import check_reports

DEPOSITS = "the referral's deposits of {alice} differ from their payments or bonuses"
WITHDRAWALS = "the referral's withdrawals of {alice} differ from their payments or bonuses"
BONUSES = "the referral's bonuses of {bob} differ from their payments or bonuses"
PAYMENT = "transaction {deposit} differs from its payment"
OWNER = "the referral of {bob} belongs to another player than the owner of the code"
LOSS = "the referral's theoretical loss of {alice} differs from the bets before it"
CLAIMS = "the claimed earnings of {owner} differ from the ledger"

TAMPERED = {
    "UPDATE referrals SET deposited_cents = deposited_cents + 1 WHERE user_id = {alice}": [DEPOSITS],
    "UPDATE referrals SET withdrawn_cents = 0 WHERE user_id = {alice}": [WITHDRAWALS],
    "UPDATE referrals SET bonus_cents = 40 WHERE user_id = {bob}": [BONUSES],
    "UPDATE referrals SET theoretical_loss_before_ucents = 1 WHERE user_id = {alice}": [LOSS],
    "UPDATE payments SET usd_cents = 1 WHERE user_id = {alice} AND type = 'deposit'": [PAYMENT, DEPOSITS],
    "UPDATE referrals SET owner_id = {alice} WHERE user_id = {bob}": [OWNER],
    "UPDATE users SET used_affiliate_code = 'OWNER' WHERE id = {owner}": [
        "the bonuses of {owner} do not match the use of a code",
    ],
    "UPDATE users SET used_affiliate_code = NULL WHERE id = {bob}": [
        "the bonuses of {bob} do not match the use of a code",
        OWNER,
    ],
    "UPDATE affiliates SET claimed_cents = claimed_cents + 1 WHERE user_id = {owner}": [CLAIMS],
    "DELETE FROM affiliates WHERE user_id = {owner}": [CLAIMS],
}


@pytest.mark.both_databases("services/wallet/affiliates/audit.py")
def test_the_audit_reports_changed_referrals_and_claims(app, client, run, owner, refer, pay, lose_a_bet):
    players = {"owner": owner, "alice": refer("alice"), "bob": refer("bob")}
    pay(players["alice"], "deposit", "100.50")
    lose_a_bet(players["alice"], 50)
    pay(players["alice"], "withdraw", "20.25")
    assert client.post("/affiliate/claim", headers=owner.headers).status_code == 200
    assert run("ledger", "audit")["mismatches"] == 0

    ids = {name: player.id for name, player in players.items()}
    names = {name: player.platform_id for name, player in players.items()}
    with reading():
        deposit = PaymentRecord.select(PaymentRecord.ledger_transaction).where(
            PaymentRecord.type == "deposit"
        )
        names["deposit"] = deposit.scalar()
    check_reports(app, TAMPERED.items(), ids, names)
