"""WITHDRAWAL_CHECK_URL: the operator's own service is asked before anybody approves a withdrawal."""

import json
import threading

import pytest
from standardwebhooks import Webhook
from werkzeug import Request, Response

from services.payments import withdrawal_checks
from services.payments.withdrawals import Withdrawals
from tests.blueprints.payments.conftest import ADDRESS, NOW, RECONCILING, SECRET
from tests.harness.servers import serving
from tests.support.markers import postgresql_only

OTHER_SECRET = "whsec_" + "QUJD" * 8


class CheckingService:
    """Answers each request with ``answer`` once it is free to, and keeps what it was asked."""

    def __init__(self):
        self.free = threading.Event()
        self.free.set()
        self.answer = {"decision": "approve"}
        self.status = 200
        self.asked = []

    def __call__(self, environ, start_response):
        request = Request(environ)
        self.asked.append((request.get_data(), dict(request.headers)))
        self.free.wait()
        body = self.answer if isinstance(self.answer, str | bytes) else json.dumps(self.answer)
        return Response(body, self.status)(environ, start_response)


@pytest.fixture
def service():
    return CheckingService()


@pytest.fixture
def settings(settings, service):
    with serving(service) as url:
        yield settings | {
            "WITHDRAWAL_CHECK_URL": f"{url}/check?key=of-the-operator",
            "PAYMENTS_WEBHOOK_SECRET": f"{SECRET} {OTHER_SECRET}",
        }


@pytest.fixture
def checked(run):
    """Status, answer and reason of the check of each withdrawal."""

    def listed():
        found = run("payments", "list", "--type", "withdrawal")
        found = found if isinstance(found, list) else [found]
        return [(each["status"], each["check"], each["checkReason"]) for each in found]

    return listed


def test_each_request_is_posted_to_the_service_and_signed(withdraw, service, player):
    made = withdraw(25.5)

    ((body, headers),) = service.asked
    # Raises an exception for a wrong signature or time.
    Webhook(SECRET).verify(body, {name.lower(): value for name, value in headers.items()})
    assert headers["Webhook-Id"] == f"withdrawal-{made['id']}"
    assert json.loads(body) == {
        "type": "withdrawal.requested",
        "data": {
            "id": made["id"],
            "platformid": player.platform_id,
            "usd": 25.5,
            "method": "BTC-CHAIN",
            "to": ADDRESS,
            "createdAt": NOW,
        },
    }


@pytest.mark.settings(WITHDRAWAL_AUTO_APPROVE="20")
def test_an_approval_above_the_limits_is_for_staff(withdraw, checked, run):
    made = [withdraw(amount) for amount in (20.01, 10, 10.01)]

    assert [each["status"] for each in made] == ["requested", "approved", "requested"]
    assert run("payments", "approve", made[0]["id"], "--reason", "known")["status"] == "approved"


def test_a_review_is_for_staff(withdraw, service, checked, run):
    service.answer = {"decision": "review", "reason": "new address"}

    made = withdraw()

    assert checked() == [("requested", "review", "new address")]
    run("payments", "approve", made["id"], "--reason", "known")
    assert checked() == [("approved", "review", "new address")]


def test_a_rejection_gives_the_coins_back(withdraw, service, checked, balance, titles, events):
    service.answer = {"decision": "reject", "reason": "on a list of sanctions"}

    assert withdraw()["status"] == "rejected"

    assert checked() == [("rejected", "reject", "on a list of sanctions")]
    assert (balance(), titles()) == (100, ["Withdrawal rejected"])
    assert events() == ["withdrawal.requested", "withdrawal.rejected"]


ANSWERS = [
    *((answer, 200) for answer in ({}, {"decision": "yes"}, {"decision": None}, {"decision": ["approve"]})),
    *((answer, 200) for answer in (["approve"], "approve", b"\xff", "", "x" * (64 * 1024 + 1))),
    *(({"decision": "approve", "reason": reason}, 200) for reason in (5, "nul \x00")),
    *(({"decision": "approve"}, status) for status in (201, 204, 302, 400, 401, 500)),
]


@pytest.mark.parametrize(("answer", "status"), ANSWERS, ids=lambda value: str(value)[:20])
def test_any_other_answer_is_a_review(answer, status, withdraw, service, checked, balance):
    service.answer, service.status = answer, status

    assert withdraw()["status"] == "requested"
    assert (checked(), balance()) == ([("requested", "review", "no answer of the check")], 75)


@pytest.mark.settings(WITHDRAWAL_CHECK_URL="http://127.0.0.1:1/check")
def test_no_answer_is_a_review(withdraw, checked):
    withdraw()

    assert checked() == [("requested", "review", "no answer of the check")]


@pytest.fixture
def unchecked(withdraw, monkeypatch, app):
    """A request whose process died before the check was asked."""
    with monkeypatch.context() as patch:
        patch.setattr(Withdrawals, "decide", lambda *_, **__: None)
        return withdraw()


def test_staff_cannot_approve_what_was_not_checked(unchecked, fails, run, balance):
    said = fails("payments", "approve", unchecked["id"], "--reason", "known")

    assert said == "Error: the withdrawal has not been checked yet"
    assert run("payments", "reject", unchecked["id"], "--reason", "unknown")["status"] == "rejected"
    assert balance() == 100


def test_an_interrupted_check_is_asked_again_with_the_same_id(
    unchecked, service, clock, services, checked, withdraw
):
    clock.advance(seconds=19)
    services.withdrawals.decide_interrupted(now=clock())
    assert service.asked == []
    clock.advance(seconds=1)

    services.withdrawals.decide_interrupted(now=clock())
    services.withdrawals.decide_interrupted(now=clock())

    ((_, headers),) = service.asked
    assert headers["Webhook-Id"] == f"withdrawal-{unchecked['id']}"
    assert checked() == [("approved", "approve", "")]


@postgresql_only
def test_an_interrupted_check_is_asked_again_soon_after_a_reconciling_process_died(
    unchecked, app, make_app, settings, clock, services, monkeypatch, work, age_leases, status_of
):
    def die():
        raise SystemExit

    other = make_app(clock=clock, **settings)
    monkeypatch.setattr(services.payment_providers.by_name["btcpay"], "list_payouts", die)
    with pytest.raises(SystemExit):
        work(app, RECONCILING)

    age_leases(seconds=30)
    clock.advance(seconds=30)
    work(other, RECONCILING)

    assert status_of(unchecked) == "approved"


def test_a_withdrawal_that_staff_decide_meanwhile_stays_decided(
    withdraw, service, app, checked, balance, monkeypatch
):
    ask = withdrawal_checks.CheckService.ask

    def reject_first(self, withdrawal):
        app.test_cli_runner().invoke(args=["payments", "reject", withdrawal.id, "--reason", "unknown"])
        return ask(self, withdrawal)

    monkeypatch.setattr(withdrawal_checks.CheckService, "ask", reject_first)

    assert withdraw()["status"] == "rejected"
    assert (checked(), balance()) == ([("rejected", None, "")], 100)
