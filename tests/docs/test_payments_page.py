"""docs/payments.md has every status, discrepancy and refusal, and its examples work."""

import json
import re
import runpy
from datetime import UTC, datetime

import pytest
from standardwebhooks import Webhook
from standardwebhooks.webhooks import WebhookVerificationError

from models.payments import DepositStatus, WithdrawalStatus
from services.payments import errors
from services.payments.discrepancies import DiscrepancyKind
from services.shared.errors import Refusal
from tests.harness.servers import ROOT

PAGE = (ROOT / "docs" / "payments.md").read_text()
SEND, CHECK = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
SECRET, OTHER_SECRET = "whsec_c2VjcmV0IG9mIHRoZSB0ZXN0cyBvZiBhIHBhZ2U=", "whsec_" + "b3RoZXIgc2Vj" * 3


def section(heading):
    """The text below a heading of the second or third level, or below another line."""
    return re.split(r"\n##+ ", PAGE.partition(f"\n{heading}\n")[2])[0]


@pytest.fixture
def example(tmp_path, monkeypatch):
    """Runs a program of the page with this environment, and gives its names."""

    def run_example(program, name, **environment):
        file = tmp_path / "example.py"
        file.write_text(program)
        for variable, value in environment.items():
            monkeypatch.setenv(variable, value)
        return runpy.run_path(str(file), run_name=name)

    return run_example


@pytest.mark.parametrize(
    ("heading", "statuses"), [("## A deposit", DepositStatus), ("## A withdrawal", WithdrawalStatus)]
)
def test_a_table_has_every_status_and_names_no_other_as_the_next(heading, statuses):
    rows = re.findall(r"^\| `(\w+)` \|.*\| (.*?) ?\|$", section(heading), re.MULTILINE)

    assert [status for status, _ in rows] == list(statuses)
    assert {name for _, cell in rows for name in re.findall(r"`(\w+)`", cell)} < set(statuses)


def test_the_page_has_every_kind_of_discrepancy_and_says_what_to_do_about_it():
    listed = re.findall(r"^\| `([\w-]+)` \|", section("### Discrepancies"), re.MULTILINE)
    advice = re.findall(r"^- \*\*(.+?)\*\*", section("What to do:"), re.MULTILINE)

    assert listed == list(DiscrepancyKind)
    assert sorted(re.findall(r"`([\w-]+)`", " ".join(advice))) == sorted(DiscrepancyKind)


def test_the_page_has_every_refusal_of_deposits_and_withdrawals():
    refusals = {
        (str(error.status), error.text)
        for error in vars(errors).values()
        if isinstance(error, type) and error.__module__ == errors.__name__ and issubclass(error, Refusal)
    }
    of_webhooks = {
        ("401", "Unauthorized"),
        ("400", "Malformed message"),
        ("409", "Webhook id was used for another message"),
    }

    rows = re.findall(r"^\| (\d{3}) `([^`…]+)(?: …)?` \|", section("### Errors"), re.MULTILINE)

    assert refusals - of_webhooks < set(rows)


@pytest.mark.settings(PAYMENTS_WEBHOOK_SECRET=SECRET)
def test_the_example_records_a_payment_once(client, player, server, example):
    player_and_server = {"PLAYER": player.platform_id, "PLATFORM_URL": server}

    for _ in range(2):
        example(SEND, "__main__", PAYMENTS_WEBHOOK_SECRET=SECRET, **player_and_server)

    payments = client.get("/stats/payments", headers=player.headers).get_json()["data"]["payments"]
    assert [(payment["usdAmount"], payment["txhash"]) for payment in payments] == [(25, "charge-4711")]


def test_the_example_of_a_check_answers_signed_requests_only(example):
    app = example(CHECK, "check", PAYMENTS_WEBHOOK_SECRET=SECRET)["app"]
    app.testing = True

    def ask(usd, secret=SECRET):
        body, now = json.dumps({"type": "withdrawal.requested", "data": {"usd": usd}}), datetime.now(UTC)
        headers = {
            "Content-Type": "application/json",
            "webhook-id": "withdrawal-1",
            "webhook-timestamp": str(int(now.timestamp())),
            "webhook-signature": Webhook(secret).sign("withdrawal-1", now, body),
        }
        return app.test_client().post("/withdrawals", data=body, headers=headers).get_json()

    assert ask(25) == {"decision": "approve"}
    assert ask(501) == {"decision": "review", "reason": "above 500"}
    with pytest.raises(WebhookVerificationError):
        ask(25, OTHER_SECRET)
