"""POST /affiliate/claim: the owner of a code takes the available earnings as coins."""

import pytest

from models.db.connection import reading
from models.ledger import Affiliate, LedgerEntry, LedgerTransaction

NOTHING = (400, {"status": False, "message": "There is nothing to claim"})


@pytest.fixture
def claim(send):
    """Claims as a player; status and body."""
    return lambda player: send(player, "POST", "/affiliate/claim")


@pytest.mark.both_databases("money postings")
def test_a_claim_moves_all_available_earnings_to_the_balance(
    claim, app, connect, overview, owner, refer, pay, lose_a_bet, run
):
    alice = refer(coins=4_000)
    pay(alice, "deposit", "154.45")
    lose_a_bet(alice, 3_085)
    before = app.extensions["services"].clock()
    socket = connect(owner)
    assert socket.expect("balance")["balance"] == 100

    # 0.08 * 154.25, and of the bet 0.08 * 0.05 * 3085.
    assert claim(owner) == (200, {"status": True, "message": "You claimed 12.34 coins", "amount": 12.34})

    assert float(socket.expect("balance")["balance"]) == 112.34
    assert (overview(owner)["totalEarnings"], overview(owner)["availableEarnings"]) == (12.34, 0)
    assert run("ledger", "audit")["mismatches"] == 0
    with reading():
        transaction = LedgerTransaction.get(LedgerTransaction.kind == "affiliate-claim")
        entries = LedgerEntry.select().where(LedgerEntry.transaction == transaction)
        posted = {(entry.account, entry.user_id, entry.amount_cents) for entry in entries}
        claimed_at = Affiliate.get_by_id(owner.id).last_claimed_at_ms
    assert posted == {("house.affiliates", None, -1234), ("balance", owner.id, 1234)}
    assert before <= claimed_at == transaction.created_at_ms


def test_a_second_claim_gets_what_was_earned_since(claim, me, owner, refer, pay, lose):
    alice = refer()
    assert claim(alice) == NOTHING
    lose(alice, 10_000_00)
    pay(alice, "deposit", "100.20")
    claim(owner)
    pay(alice, "deposit", "50")

    assert claim(owner)[1]["amount"] == 4
    assert claim(owner) == NOTHING
    # 0.25 instead of 0.08 of 150.
    lose(owner, 100_000_00)
    assert claim(owner)[1]["amount"] == 25.5
    assert me(owner)["balance"] == 137.5


def test_one_cent_can_be_claimed_and_less_cannot(claim, owner, refer, pay, lose):
    alice = refer()
    lose(alice, 100_00)
    pay(alice, "deposit", "0.32")
    assert claim(owner) == NOTHING

    pay(alice, "deposit", "0.01")

    assert claim(owner) == (200, {"status": True, "message": "You claimed 0.01 coins", "amount": 0.01})


def test_the_message_of_a_claim_has_two_decimals(claim, owner, refer, pay, lose):
    alice = refer()
    lose(alice, 100_00)
    pay(alice, "deposit", "2.70")

    assert claim(owner)[1] == {"status": True, "message": "You claimed 0.20 coins", "amount": 0.2}


@pytest.mark.security("Claims")
def test_earnings_below_past_claims_leave_nothing_to_claim(claim, overview, me, owner, refer, pay, lose, run):
    alice = refer(coins=1_000)
    lose(alice, 10_000_00)
    pay(alice, "deposit", "100.20")
    claim(owner)
    pay(alice, "withdraw", "50")
    assert overview(owner)["availableEarnings"] == 0
    assert claim(owner) == NOTHING

    pay(alice, "deposit", "50")
    assert claim(owner) == NOTHING
    pay(alice, "deposit", "25")

    assert claim(owner)[1]["amount"] == 2
    assert me(owner)["balance"] == 110


@pytest.mark.security("Claims")
def test_a_deposit_that_is_withdrawn_unplayed_pays_the_owner_nothing(claim, me, overview, owner, refer, pay):
    alice = refer()

    pay(alice, "deposit", "1000.20")
    assert claim(owner) == NOTHING
    pay(alice, "withdraw", "1000.20")

    assert claim(owner) == NOTHING
    assert me(owner)["balance"] == 100


@pytest.mark.security("Claims")
def test_claims_are_within_the_commission_of_the_house_edge_of_the_wagers(
    claim, overview, owner, refer, pay, lose
):
    alice = refer()
    pay(alice, "deposit", "1000.20")
    # 0.08 * 0.05 * 312.49 is 1.24996.
    lose(alice, 312_49)

    told = overview(owner)
    assert (told["totalEarnings"], told["availableEarnings"]) == (80, 1.24)
    assert claim(owner)[1]["amount"] == 1.24

    # Whether alice wins or loses changes nothing, so a second account that keeps its wins gains nothing.
    lose(alice, 312_49, 10_000_00)
    assert overview(owner)["availableEarnings"] == 0
    lose(alice, 812_49, 0)
    assert claim(owner)[1]["amount"] == 2


@pytest.mark.security("Claims")
def test_bets_from_before_the_use_of_a_code_do_not_count(
    overview, owner, new_player, use_code, pay, lose_a_bet
):
    alice = new_player("alice", coins=10_000)
    lose_a_bet(alice, 5_000)
    use_code(alice, "OWNER")
    pay(alice, "deposit", "1000.20")
    assert overview(owner)["availableEarnings"] == 0

    lose_a_bet(alice, 1_000)

    assert overview(owner)["availableEarnings"] == 4


def test_wagers_of_one_referred_player_do_not_count_for_another(overview, owner, refer, pay, lose):
    alice, bob = refer("alice"), refer("bob")
    pay(alice, "deposit", "1000.20")
    lose(bob, 500_00)

    assert overview(owner)["availableEarnings"] == 0
