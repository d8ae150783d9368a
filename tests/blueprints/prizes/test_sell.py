"""POST /prizes/:id/sell: a prize's value goes to the balance."""

import pytest

from models.db.connection import reading
from models.ledger import LedgerEntry, LedgerTransaction

NOT_FOUND = (404, {"error": "Prize not found"})
NOT_AVAILABLE = (400, {"error": "Prize is no longer available"})
NO_IDS = ["0", "-1", "1.5", "abc", "%D9%A1", "9223372036854775807", "9223372036854775808", "9" * 5_000]


@pytest.mark.both_databases("money postings")
def test_the_house_account_for_prizes_pays_a_sold_prize(win, post, player, statuses, balance, ledger):
    prize_id = win(value=24.9)
    assert balance() == 95

    assert post(prize_id, "sell") == (200, {"success": True, "amount": 24.9})

    assert statuses() == ["sold"]
    assert balance() == 119.9
    # The grant, the opening and the sale.
    assert ledger() == 3
    with reading():
        sale = LedgerTransaction.get(LedgerTransaction.kind == "prize-sale")
        entries = LedgerEntry.select().where(LedgerEntry.transaction == sale)
        posted = {(entry.account, entry.user_id, entry.amount_cents) for entry in entries}
    assert posted == {("house.prizes", None, -2490), ("balance", player.id, 2490)}


def test_a_prize_without_a_value_is_sold_for_nothing(win, post, statuses, balance, ledger):
    prize_id = win(value=0)

    assert post(prize_id, "sell") == (200, {"success": True, "amount": 0})

    assert statuses() == ["sold"]
    assert balance() == 95
    # The grant and the opening.
    assert ledger() == 2


@pytest.mark.usefixtures("addressed")
def test_only_a_kept_prize_can_be_sold_or_shipped(win, post, run, balance, change_details):
    sold, shipping, shipped = win(), win(), win()
    post(sold, "sell")
    post(shipping, "ship")
    post(shipped, "ship")
    run("prizes", "ship", str(shipped))
    before = balance()
    # Whether the prize is available comes before the details.
    change_details({"firstName": ""})

    answers = [post(prize, action) for prize in (sold, shipping, shipped) for action in ("sell", "ship")]

    assert answers == [NOT_AVAILABLE] * 6
    assert balance() == before


@pytest.mark.security("Prizes")
def test_the_prize_of_another_player_is_not_found(new_player, win, post, statuses):
    prize_id, bob = win(), new_player("bob")

    assert [post(prize_id, action, by=bob) for action in ("sell", "ship")] == [NOT_FOUND] * 2
    assert statuses() == ["kept"]


def test_an_id_of_no_prize_is_not_found(post):
    answers = [post(prize_id, action) for prize_id in NO_IDS for action in ("sell", "ship")]

    assert answers == [NOT_FOUND] * len(answers)
