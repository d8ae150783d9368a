"""Withdrawals, deposits in review, discrepancies and webhooks in the back office."""

import json
import re
from dataclasses import replace

import pytest

from models.db.connection import reading, writing
from models.payments import Deposit, WebhookDelivery, Withdrawal
from services.payments import discrepancies
from services.payments.discrepancies import DiscrepancyKind
from services.payments.provider import PayoutState
from services.payments.providers.demo import Demo
from services.shared.money import Cents
from tests.support.office import last_event, signed_in

REASON = "looked at it"
ADDRESS = "demo-address-of-a-player"


@pytest.fixture
def settings():
    return {"PAYMENT_METHODS": "demo", "PAYMENTS_MAX_USD": "5000"}


@pytest.fixture
def player(new_player):
    return new_player(coins=10_000)


@pytest.fixture
def services(app):
    return app.extensions["services"]


@pytest.fixture
def staff(app):
    return signed_in(app, "payments")


@pytest.fixture
def second(app):
    return signed_in(app, "payments", "second-person")


@pytest.fixture
def request_withdrawal(services, player):
    """Requests a withdrawal of so many coins; its id."""

    def request(coins=50):
        withdrawal, _ = services.withdrawals.request(
            user_id=player.id,
            method="demo",
            amount=Cents(coins * 100),
            to=ADDRESS,
            idempotency_key=None,
            now=services.clock(),
        )
        return withdrawal.id

    return request


@pytest.fixture
def decide(staff):
    """Sends a form of a withdrawal's page."""

    def send(withdrawal_id, form, *, by=staff, reason=REASON, **fields):
        return by.act(f"/office/withdrawals/{withdrawal_id}", form, reason=reason, **fields)

    return send


@pytest.fixture
def in_review(services, player):
    """A deposit of 25 USD that staff must decide about; its id."""
    deposit = services.deposits.create(
        user_id=player.id, method="demo", amount=Cents(2500), idempotency_key=None, now=services.clock()
    )[0]
    with writing():
        Deposit.update(status="review", reason="underpaid").where(Deposit.id == deposit.id).execute()
    return deposit.id


@pytest.fixture
def review_page(in_review):
    return f"/office/deposits/{in_review}"


def status_of(withdrawal_id):
    with reading():
        return Withdrawal.get_by_id(withdrawal_id).status


def test_the_queue_shows_a_withdrawal_with_its_player_and_a_masked_address(staff, request_withdrawal, player):
    withdrawal_id = request_withdrawal()

    page = staff.get("/office/withdrawals").text

    assert withdrawal_id[:8] in page
    assert f"{player.username}</a>" in page
    assert "50.00" in page
    assert ADDRESS not in page
    assert withdrawal_id[:8] not in staff.get("/office/withdrawals?status=completed").text


@pytest.mark.both_databases("services/staff/payment_lists.py")
def test_withdrawals_are_listed_by_status_change_and_amount(staff, decide, request_withdrawal, clock):
    rejected, requested, larger = (request_withdrawal(coins) for coins in (20, 60, 70))
    clock.move(minutes=1)
    decide(rejected, "reject")

    def listed(query):
        page = staff.get(f"/office/withdrawals?{query}").text
        return re.findall(r'/withdrawals/([0-9a-f]+)".*?<td>(?:requested|rejected)</td>', page, re.DOTALL)

    assert listed("status=all")[0] == rejected
    assert set(listed("status=all")) == {rejected, requested, larger}
    assert listed("status=rejected") == [rejected]
    assert listed("status=requested&sort=-amount") == [larger, requested]


def why(staff, withdrawal_id):
    """What the page of a withdrawal says about an automatic approval."""
    page = staff.get(f"/office/withdrawals/{withdrawal_id}").text
    return page.partition("<dt>Approved automatically</dt><dd>")[2].partition("</dd>")[0]


@pytest.mark.settings(WITHDRAWAL_AUTO_APPROVE="50")
def test_the_page_says_why_a_withdrawal_was_not_approved_automatically(staff, request_withdrawal):
    large, approved, second = request_withdrawal(51), request_withdrawal(30), request_withdrawal(21)

    assert why(staff, large) == "no. It is above WITHDRAWAL_AUTO_APPROVE ($50.00)"
    assert why(staff, approved) == "yes"
    assert why(staff, second) == (
        "no. With $30.00 that were approved automatically on this day it is above"
        " WITHDRAWAL_AUTO_APPROVE ($50.00)"
    )


@pytest.mark.settings(
    WITHDRAWAL_AUTO_APPROVE="50",
    WITHDRAWAL_CHECK_URL="http://127.0.0.1:9/check",
    PAYMENTS_WEBHOOK_SECRET="whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
)
def test_the_page_says_that_the_check_leaves_a_withdrawal_to_staff(staff, request_withdrawal):
    assert why(staff, request_withdrawal(20)) == "no. The check leaves it to staff"


def test_a_look_at_the_address_of_a_withdrawal_is_recorded(staff, request_withdrawal):
    path = f"/office/withdrawals/{request_withdrawal()}"
    assert ADDRESS not in staff.get(path).text

    assert ADDRESS in staff.get(f"{path}?personal=shown").text

    assert last_event("personal-details.seen")[0] == "staff:payments-person"


def test_a_small_withdrawal_is_approved_by_one_person(decide, request_withdrawal):
    withdrawal_id = request_withdrawal()

    assert decide(withdrawal_id, "approve").status_code == 303

    assert status_of(withdrawal_id) != "requested"
    assert last_event("withdrawal.approved")[1]["reason"] == REASON


def test_a_large_withdrawal_needs_two_people(decide, request_withdrawal, second, staff):
    withdrawal_id = request_withdrawal(1001)
    decide(withdrawal_id, "approve")
    assert status_of(withdrawal_id) == "requested"
    assert "has proposed to approve it" in staff.get(f"/office/withdrawals/{withdrawal_id}").text

    second.approve(1)

    assert status_of(withdrawal_id) != "requested"
    assert last_event("withdrawal.approved")[0] == "staff:second-person"


@pytest.mark.both_databases("services/staff/money_actions.py")
@pytest.mark.security("Four eyes")
def test_a_large_withdrawal_in_small_parts_needs_a_second_person(decide, request_withdrawal, second):
    first, other = request_withdrawal(600), request_withdrawal(600)

    decide(first, "approve")
    decide(other, "approve", by=second)

    assert (status_of(first), status_of(other)) == ("approved", "requested")


@pytest.mark.both_databases("services/staff/money_actions.py")
@pytest.mark.security("Four eyes")
def test_the_credit_of_a_deposit_counts_together_with_grants(staff, review_page, player, balance):
    staff.act(review_page, "credit", amount="60", reason=REASON)
    assert balance() == 10_060

    staff.act(f"/office/players/{player.platform_id}", "balance", amount="60", reason=REASON)

    assert balance() == 10_060
    assert "Change the balance" in staff.get("/office/proposals").text


def test_a_rejected_withdrawal_gives_the_coins_back_and_is_not_approved(
    decide, request_withdrawal, second, balance
):
    withdrawal_id = request_withdrawal(1001)
    decide(withdrawal_id, "approve")
    decide(withdrawal_id, "reject", by=second)
    assert (status_of(withdrawal_id), balance()) == ("rejected", 10_000)

    refused = second.approve(1)

    assert refused.status_code == 400
    assert "The withdrawal is rejected, not requested." in refused.text


def test_a_deposit_in_review_is_credited(staff, in_review, review_page, balance):
    assert in_review[:8] in staff.get("/office/payments").text
    refused = staff.act(review_page, "credit", amount="ten", reason=REASON)
    assert refused.status_code == 400
    assert 'value="ten"' in refused.text
    assert f'value="{REASON}"' in refused.text

    staff.act(review_page, "credit", amount="24.50", reason=REASON)

    assert balance() == 10_024.5
    assert last_event("deposit.credited")[1]["reason"] == REASON


def test_a_large_credit_needs_two_people(staff, second, review_page, balance):
    staff.act(review_page, "credit", amount="100.01", reason=REASON)
    assert balance() == 10_000

    second.approve(1)

    assert balance() == 10_100.01


def test_a_deposit_in_review_is_ended_without_a_credit(staff, review_page, balance):
    staff.act(review_page, "fail", reason=REASON)

    assert "failed</h1>" in staff.get(review_page).text
    assert balance() == 10_000


@pytest.mark.security("Four eyes")
def test_a_discrepancy_has_a_masked_address_and_is_closed_with_a_reason(staff, services, player):
    path, kind, now = "/office/payments/discrepancies", DiscrepancyKind.UNKNOWN_PAYOUT, services.clock()
    about = {"platform_id": player.platform_id, "address": ADDRESS}
    discrepancies.report(kind, "payout/1?", ours="no withdrawal", theirs="paid <b>", now=now, **about)
    page = staff.get(path).text
    assert (player.platform_id in page, "paid &lt;b&gt;" in page, ADDRESS in page) == (True, True, False)
    assert ADDRESS in staff.get(f"{path}?personal=shown").text
    assert last_event("personal-details.seen")[1] == {"what": "addresses of discrepancies"}

    staff.post(f"{path}/1/close", of=path, reason=REASON)

    assert "There are none" in staff.get(path).text
    assert last_event("payment-discrepancy.dismissed")[1]["reason"] == REASON


@pytest.fixture
def failed_webhook(player, services):
    """Stores a message of the operator's service that could not be recorded; its number."""
    body = {"type": "deposit.credited", "data": {"platformid": player.platform_id, "usd": 25}}
    with writing():
        delivery = WebhookDelivery.create(
            provider="payments",
            delivery_id="m1",
            body=json.dumps(body),
            received_at_ms=services.clock(),
            processed_at_ms=services.clock(),
            error="User not found",
        )
    discrepancies.report(
        DiscrepancyKind.MESSAGE, "m1", ours="User not found", theirs="sent", now=services.clock()
    )
    return delivery.id


WEBHOOKS = "/office/payments/webhooks"


@pytest.fixture
def retry(staff, failed_webhook):
    """Has the failed message processed again."""
    return lambda **fields: staff.post(
        f"{WEBHOOKS}/{failed_webhook}/retry", of=WEBHOOKS, reason=REASON, **fields
    )


def test_a_failed_webhook_is_processed_again_and_recorded_once(staff, retry, balance):
    assert "User not found" in staff.get(WEBHOOKS).text

    first, again = retry(), retry()

    assert (first.status_code, again.status_code) == (303, 400)
    assert balance() == 10_025
    assert discrepancies.open_discrepancies() == []
    assert last_event("webhook.retried")[1]["reason"] == REASON


@pytest.mark.security("Four eyes")
def test_a_look_at_the_messages_of_a_payment_service_is_recorded(staff, failed_webhook):
    assert "deposit.credited" not in staff.get(WEBHOOKS).text

    assert "deposit.credited" in staff.get(f"{WEBHOOKS}?personal=shown").text

    assert last_event("personal-details.seen") == (
        "staff:payments-person",
        {"what": "bodies of webhooks"},
    )


@writing()
def change_message(**data):
    """Let the failed message say something else."""
    body = json.loads(WebhookDelivery.get().body)
    body["data"] |= data
    WebhookDelivery.update(body=json.dumps(body)).execute()


def test_a_retry_that_would_credit_much_needs_a_second_person(retry, second, balance):
    change_message(usd=100.01)

    assert retry().status_code == 303

    assert balance() == 10_000
    assert second.approve(1).status_code == 303
    assert balance() == 10_100.01
    assert discrepancies.open_discrepancies() == []


def test_a_retry_counts_together_with_other_grants(retry, staff, review_page, second, balance):
    staff.act(review_page, "credit", amount="90", reason=REASON)

    retry()

    assert balance() == 10_090
    assert "Process the webhook" in second.get("/office/proposals").text


@pytest.mark.security("Webhooks")
@pytest.mark.parametrize("txhash", ["", "ab" * 32])
def test_a_payment_that_was_recorded_by_hand_is_not_credited_by_a_retry(txhash, retry, run, player, balance):
    change_message(txhash=txhash)
    run("payments", "record", player.platform_id, "deposit", "25")

    refused = retry()

    assert (refused.status_code, balance()) == (400, 10_025)
    assert "was recorded by hand after the message had come" in refused.text


def test_a_payment_with_another_txhash_does_not_hinder_a_retry(retry, run, player, balance):
    change_message(txhash="ab" * 32)
    run("payments", "record", player.platform_id, "deposit", "25", "--txhash", "cd" * 32)

    assert retry().status_code == 303

    assert balance() == 10_050


def test_two_equal_messages_are_both_retried(retry, staff, failed_webhook, balance):
    with writing():
        values = WebhookDelivery.select().dicts().get() | {"id": None, "delivery_id": "m2"}
        other = WebhookDelivery.create(**values)

    retry()
    staff.post(f"{WEBHOOKS}/{other.id}/retry", of=WEBHOOKS, reason=REASON)

    assert balance() == 10_050


def test_a_message_whose_discrepancy_was_closed_is_not_retried(retry, run, staff, balance):
    run("payments", "dismiss", "message", "m1", "--reason", "recorded by hand")

    assert retry().status_code == 400

    assert balance() == 10_000
    assert "There are none" in staff.get(WEBHOOKS).text


def test_a_retry_that_fails_again_changes_nothing(retry, staff):
    change_message(platformid="nobody")

    refused = retry()

    assert refused.status_code == 400
    assert "It failed again: User not found" in refused.text
    assert "User not found" in staff.get(WEBHOOKS).text
    assert [discrepancy.kind for discrepancy in discrepancies.open_discrepancies()] == ["message"]


@pytest.fixture
def sent(request_withdrawal, services):
    """A withdrawal that the provider has accepted; its id."""
    withdrawal_id = request_withdrawal()
    now = services.clock()
    services.staff_decisions.approve(withdrawal_id=withdrawal_id, reason=REASON, now=now)
    services.payout_sender.run(now=now)
    assert status_of(withdrawal_id) == "sent"
    return withdrawal_id


@pytest.mark.parametrize(
    ("form", "status", "coins"), [("complete", "completed", 9_950), ("fail", "failed", 10_000)]
)
def test_staff_end_a_withdrawal_whose_payout_was_cancelled(
    form, status, coins, sent, decide, balance, monkeypatch
):
    shown, cancelled = Demo.get_payout, {"state": PayoutState.CANCELLED}
    monkeypatch.setattr(
        Demo, "get_payout", lambda *args, **options: replace(shown(*args, **options), **cancelled)
    )

    decide(sent, form)

    assert (status_of(sent), balance()) == (status, coins)


def test_a_payout_that_may_be_paid_is_not_ended(sent, decide):
    refused = decide(sent, "fail")

    assert refused.status_code == 400
    assert "The provider has the payout" in refused.text
    assert status_of(sent) == "sent"


def test_a_deposit_shows_what_was_paid(staff, review_page):
    assert '<dt>Paid</dt><dd class="number">not known</dd>' in staff.get(review_page).text
    with writing():
        Deposit.update(paid_cents=1234).execute()

    assert "12.34" in staff.get(review_page).text
    assert "12.34" in staff.get("/office/payments").text
