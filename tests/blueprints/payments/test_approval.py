"""Who approves a withdrawal: the settings up to an amount, and staff."""

import pytest

from tests.harness.spins import DAY_MS
from tests.support.at_once import all_at_once

for_staff = pytest.mark.settings(WITHDRAWAL_AUTO_APPROVE="0")
up_to_50 = pytest.mark.settings(WITHDRAWAL_AUTO_APPROVE="50")


@pytest.fixture
def rich(player, run):
    """The player has coins for many withdrawals."""
    run("users", "adjust", player.platform_id, "900", "--reason", "a gift")


@pytest.fixture
def statuses(withdraw):
    """The statuses of new withdrawals of these amounts."""
    return lambda *amounts: [withdraw(amount)["status"] for amount in amounts]


@for_staff
def test_without_the_settings_every_request_waits_for_staff(statuses):
    assert statuses(1, 25) == ["requested"] * 2


@pytest.mark.both_databases("services/payments/withdrawals.py")
@up_to_50
@pytest.mark.usefixtures("rich")
def test_small_requests_are_approved_until_the_sum_of_the_day(statuses, clock):
    assert statuses(50.01, 20, 20, 10.01, 10, 1) == [
        "requested",
        "approved",
        "approved",
        "requested",
        "approved",
        "requested",
    ]

    clock.now += DAY_MS // 2

    assert statuses(20) == ["approved"]


@up_to_50
@pytest.mark.usefixtures("rich")
def test_the_sum_is_of_one_player(statuses, withdraw, new_player):
    assert statuses(20, 20, 10) == ["approved"] * 3

    assert withdraw(20, by=new_player("bob"))["status"] == "approved"


@up_to_50
@pytest.mark.usefixtures("rich")
def test_what_has_failed_and_what_staff_approve_do_not_count(
    withdraw, statuses, fake, send_payouts, payout_of, run
):
    failed = withdraw(20)
    send_payouts()
    fake.cancel(payout_of(failed))
    send_payouts(2)
    by_staff = withdraw(51)
    run("payments", "approve", by_staff["id"], "--reason", "known")

    assert statuses(20, 20, 10, 1) == ["approved"] * 3 + ["requested"]


@pytest.mark.both_databases("a race")
@up_to_50
@pytest.mark.usefixtures("rich")
def test_requests_at_once_are_not_all_approved(post_withdrawal):
    answers = all_at_once([lambda: post_withdrawal(20)] * 6)

    statuses = [body["withdrawal"]["status"] for _, body in answers]
    assert sorted(statuses) == ["approved"] * 2 + ["requested"] * 4


@for_staff
def test_staff_approve_a_request_which_is_sent_then(withdraw, run, send_payouts, fake, status_of):
    made = withdraw()
    send_payouts(2)
    assert (status_of(made), fake.payouts) == ("requested", [])

    printed = run("payments", "approve", made["id"], "--reason", " a known player ")

    assert printed == made | {
        "type": "withdrawal",
        "status": "approved",
        "reason": "a known player",
        "check": None,
        "checkReason": "",
        "payoutId": None,
    }
    send_payouts()
    assert status_of(made) == "sent"


@for_staff
def test_staff_reject_a_request_and_the_coins_come_back(
    withdraw, run, status_of, balance, titles, client, player, send_payouts, fake
):
    made = withdraw()

    printed = run("payments", "reject", made["id"], "--reason", "not the player's own address")

    assert (printed["status"], printed["reason"]) == ("rejected", "not the player's own address")
    send_payouts(2)
    assert (status_of(made), balance(), fake.payouts) == ("rejected", 100, [])
    (told,) = client.get("/profile/notifications", headers=player.headers).json
    assert told["title"] == "Withdrawal rejected"
    assert told["message"] == "Your withdrawal of $25.00 was rejected. The coins are back on your balance."


@for_staff
def test_a_decision_is_made_once(withdraw, run, fails, balance):
    approved, rejected = withdraw(), withdraw()
    run("payments", "approve", approved["id"], "--reason", "known")
    run("payments", "reject", rejected["id"], "--reason", "unknown")

    said = [
        fails("payments", action, made["id"], "--reason", "again")
        for made in (approved, rejected)
        for action in ("approve", "reject")
    ]

    assert (
        said
        == ["Error: the withdrawal is approved, not requested"] * 2
        + ["Error: the withdrawal is rejected, not requested"] * 2
    )
    assert balance() == 75


@pytest.mark.both_databases("a race")
@for_staff
def test_one_of_many_decisions_at_once_counts(app, withdraw, balance, status_of):
    made = withdraw()
    runner = app.test_cli_runner()

    def decide(action):
        return runner.invoke(args=["payments", action, made["id"], "--reason", "so"]).exit_code

    codes = all_at_once([lambda action=action: decide(action) for action in ("approve", "reject") * 3])

    assert sorted(codes) == [0] + [1] * 5
    assert balance() == {"approved": 75, "rejected": 100}[status_of(made)]


@for_staff
def test_a_reason_and_a_known_withdrawal_are_needed(withdraw, fails, status_of, app):
    made = withdraw()

    for reason in ("", " ", "x" * 201):
        said = fails("payments", "reject", made["id"], "--reason", reason)
        assert said == "Error: the reason must be a text of 1 to 200 characters"
    assert fails("payments", "approve", "none", "--reason", "known") == "Error: Payment not found"
    assert "Missing option '--reason'" in fails("payments", "approve", made["id"])
    assert status_of(made) == "requested"


@for_staff
def test_the_decisions_are_in_the_audit_trail(withdraw, run, player):
    first, second = withdraw(), withdraw()
    run("payments", "approve", first["id"], "--reason", "known")
    run("payments", "reject", second["id"], "--reason", "unknown")

    found = [event for event in run("audit", "export")[1:] if event["what"].startswith("withdrawal.")]

    assert [(each["what"], each["after"]["withdrawal"]) for each in found] == [
        ("withdrawal.requested", first["id"]),
        ("withdrawal.requested", second["id"]),
        ("withdrawal.approved", first["id"]),
        ("withdrawal.rejected", second["id"]),
    ]
    assert [each["after"].get("reason") for each in found] == [None, None, "known", "unknown"]
    assert {each["player"] for each in found} == {player.platform_id}
    assert [each["who"].partition(":")[0] for each in found[2:]] == ["operator"] * 2
