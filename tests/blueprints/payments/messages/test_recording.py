"""What the operator's own payment service has done is recorded once."""

import json

import pytest

from services.payments import inbox
from tests.blueprints.payments.messages.conftest import GOOD
from tests.support.at_once import all_at_once

HASH = "ab" * 32
REUSED = (409, {"error": "Webhook id was used for another message"})


def test_a_deposit_is_recorded_with_all_that_the_message_says(
    post, deposited, client, player, balance, titles, events, stored
):
    details = {
        "chain": "ethereum",
        "asset": "USDT",
        "amount": "25.0000000000000001",
        "txhash": HASH,
        "to": "0xA",
    }

    assert post(deposited(25.5, **details)) == GOOD

    (payment,) = client.get("/stats/payments", headers=player.headers).json["data"]["payments"]
    assert {name: payment[name] for name in details} == details
    assert (payment["type"], payment["usdAmount"]) == ("deposit", 25.5)
    assert (balance(), titles(), events()) == (125.5, ["Deposit credited"], ["payment.recorded"])
    assert stored() == [("m1", None)]


def test_a_message_counts_once_for_each_id_and_each_txhash(post, deposited, balance, statistics):
    assert [post(deposited(txhash=HASH)) for _ in range(2)] == [GOOD] * 2
    assert post(deposited(txhash=f"0x{HASH.upper()}"), message_id="m2") == GOOD
    assert (balance(), len(statistics())) == (125, 1)

    # Without a txhash only the id tells them apart.
    assert [post(deposited(), message_id=f"m{number}") for number in (3, 4, 4)] == [GOOD] * 3
    assert (balance(), len(statistics())) == (175, 3)


@pytest.mark.settings(BONUS_PERCENT="50")
def test_a_deposit_has_the_bonus_if_the_message_says_that_the_player_takes_it(
    post, deposited, ask, change_player
):
    change_player(deposit_bonus=True)

    def bonus():
        return ask("GET", "/rewards")[1]["data"]["bonus"]

    assert post(deposited(25, bonus="yes"))[0] == 400
    assert post(deposited(25, bonus=False), message_id="m2") == GOOD
    assert bonus()["state"] == "available"
    assert post(deposited(25, bonus=True), message_id="m3") == GOOD
    assert (bonus()["state"], bonus()["amount"]) == ("offered", 12.5)


@pytest.mark.both_databases("a race")
def test_messages_at_once_about_one_transaction_count_once(post, deposited, balance, stored, reconcile):
    messages = [
        lambda number=number: post(deposited(txhash=HASH), message_id=f"m{number}") for number in range(8)
    ]

    assert all_at_once(messages) == [GOOD] * 8

    assert balance() == 125
    assert [error for _, error in stored()] == [None] * 8
    assert reconcile()[1] == []


@pytest.mark.both_databases("a race")
def test_withdrawals_at_once_of_one_transaction_take_all_coins_once(
    post, withdrawn, balance, stored, statistics
):
    messages = [
        lambda number=number: post(withdrawn(100, txhash=HASH), message_id=f"m{number}")
        for number in range(6)
    ]

    assert all_at_once(messages) == [GOOD] * 6

    assert (balance(), len(statistics())) == (0, 1)
    assert [error for _, error in stored()] == [None] * 6


@pytest.mark.both_databases("a race")
def test_the_inbox_and_the_command_record_a_transaction_once(post, deposited, balance, run, player):
    def record():
        run("payments", "record", player.platform_id, "deposit", "25", "--txhash", HASH)

    answers = all_at_once([lambda: post(deposited(txhash=HASH)), record] * 3)

    assert (answers[::2], balance()) == ([GOOD] * 3, 125)


def test_a_message_about_an_unknown_player_is_a_discrepancy(post, deposited, reconcile, stored, statistics):
    assert post(deposited(platformid="76561198000000999")) == GOOD

    assert stored() == [("m1", "User not found")]
    assert reconcile()[1] == [("message", "m1")]
    assert statistics() == []


def test_too_little_balance_is_a_discrepancy_until_staff_dismiss_it(
    post, withdrawn, reconcile, stored, balance, run
):
    assert post(withdrawn(150)) == GOOD
    assert (stored(), balance()) == ([("m1", "Insufficient balance")], 100)
    assert post(withdrawn(150)) == GOOD
    assert reconcile()[1] == [("message", "m1")]

    run("payments", "dismiss", "message", "m1", "--reason", "recorded by hand")

    assert reconcile()[1] == []
    assert balance() == 100


def test_a_message_of_a_dead_process_is_recorded_next_round(
    post, deposited, services, balance, monkeypatch, stored, poll_now
):
    with monkeypatch.context() as patch:
        patch.setattr(services.payment_inbox, "_record_once", lambda *_, **__: None)
        post(deposited())
    assert balance() == 100

    for _ in range(2):
        poll_now()

    assert (balance(), stored()) == (125, [("m1", None)])


def test_processed_messages_are_deleted_after_ninety_days(post, deposited, stored, clock, services):
    post(deposited())
    clock.advance(days=90)
    inbox.delete_old(now=clock())
    assert len(stored()) == 1

    clock.advance(ms=1)
    inbox.delete_old(now=clock())

    assert stored() == []


@pytest.mark.parametrize("message_id", ["m1", "m" * 200])
def test_an_id_that_was_used_for_another_content_is_refused_and_a_discrepancy(
    message_id, post, deposited, balance, reconcile, run
):
    post(deposited(), message_id=message_id)

    assert [post(deposited(30), message_id=message_id) for _ in range(2)] == [REUSED] * 2

    ((kind, subject),) = reconcile()[1]
    assert (kind, balance()) == ("reused-id", 125)
    run("payments", "dismiss", kind, subject, "--reason", "the service is mended")
    post(deposited(30), message_id=message_id)
    assert reconcile()[1] == []
    post(deposited(31), message_id=message_id)
    assert reconcile()[1] == [(kind, subject)]


def test_the_same_content_in_another_form_is_the_same_message(post, deposited, balance):
    message = deposited()
    turned = {"data": dict(reversed(message["data"].items())), "type": message["type"]}

    assert [post(message), post(json.dumps(turned, indent=2))] == [GOOD] * 2

    assert balance() == 125
