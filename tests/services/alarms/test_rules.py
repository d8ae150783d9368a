"""Each rule raises an alarm when it should, and none when it should not."""

import random
import re
from math import sqrt

import pytest

from models import beacons
from models.db.connection import writing
from models.items import PriceSource
from models.payments import Withdrawal
from models.staff import StaffAccount
from services.alarms.returns import furthest
from services.alarms.rules import HOUR, MINUTE, RULES
from services.figures.bet_figures import BetFigures
from services.rewards import grants
from services.staff.money_actions import AdjustBalance
from tests.harness.servers import ROOT
from tests.services.alarms.conftest import alarms, change, task_of
from tests.support.battle_rows import add_battle
from tests.support.markers import postgresql_only
from tests.support.openings import chest
from verify.witness import ED25519, Signer


def test_a_site_without_trouble_has_no_alarm(check, table, openings, player, log, run):
    run("payments", "record", player.platform_id, "deposit", "10")
    check()
    table.spin(player, wager=1, wins=True)
    openings.open(player, chest("desk"))
    log.append_now()
    change("UPDATE bets SET proof_held_by = 0")

    check()

    assert alarms() == {}


@pytest.mark.parametrize(
    ("coins", "wagered", "raised"),
    [
        # The expected win is 5 % of what is wagered.
        (100, 20, False),  # no more than the floor
        (101, 2_300, False),
        (101, 2_200, True),
    ],
)
def test_rewards_that_cost_nearly_the_expected_win_raise_an_alarm(
    app, check, clock, table, player, log, coins, wagered, raised
):
    check()
    change("UPDATE users SET balance_cents = balance_cents + 1000000")
    table.spin(player, wager=wagered / 4, price=1000, wins=True)
    for _ in range(3):
        table.spin(player, wager=wagered / 4, price=1000)
    log.append_now()
    grant = grants.grant(user_id=player.id, coins=coins * 100, reason="for being here", now=clock())
    app.extensions["services"].rewards.claim(user_id=player.id, reward_id=str(grant.id))

    check()

    assert list(alarms("reward-costs")) == (["7 days"] if raised else [])


@pytest.fixture
def won(table, player, log):
    """Many spins with a chance of 19 % that are all won."""

    def play(count):
        for _ in range(count):
            table.spin(player, wager=2, price=10, wins=True)
        log.append_now()

    return play


@pytest.mark.regulation("4.7 Return to player in operation")
def test_a_return_to_player_outside_its_band_raises_an_alarm_for_each_period(check, won):
    won(40)

    check()

    found = alarms("return-to-player")
    periods = ("2026-03-18", "7 days", "30 days")
    assert list(found) == sorted(
        f"{period}: upgrader{price}" for period in periods for price in ("", " under-100")
    )
    assert found["7 days: upgrader"].text == (
        "The return to player of the last 7 days of upgrader is 500.00%; by the chances of the 40 bets it"
        " should be 95.00% (+13.1 standard deviations)"
    )


@pytest.mark.regulation("4.7 Return to player in operation")
def test_a_case_that_pays_too_little_raises_an_alarm(check, openings, player, log):
    """Half of the openings would pay 20 coins, and none does."""
    content = chest("desk", price=12, items=[("Dust", 1, 50), ("Crown", 20, 50)])
    for _ in range(60):
        openings.open(player, content)
        change("UPDATE users SET balance_cents = balance_cents + 1100")
    log.append_now()

    check()

    assert "7 days: case desk" in alarms("return-to-player")


def test_a_single_large_win_raises_no_alarm(check, openings, player, log):
    """It is 31 standard deviations from its mean, and happens once in a thousand times."""
    content = chest("rare", price=50, items=[("Dust", 1, "99.9"), ("Crown", 40_000, "0.1")])
    openings.open(player, content, wins="Crown")
    log.append_now()

    check()

    assert alarms("return-to-player") == {}


def test_an_alarm_of_a_return_ends_when_its_period_is_over(check, won):
    won(40)
    check()

    check(after_minutes=3 * 24 * 60)

    found = alarms("return-to-player")
    assert found["2026-03-18: upgrader"].ended_at_ms is not None
    assert found["7 days: upgrader"].ended_at_ms is None


@pytest.mark.regulation("4.7 Return to player in operation")
def test_fair_bets_stay_within_the_band_of_the_alarms(effort, seed, note_figure):
    """A site with three games, four classes and 500 cases: 2,000 comparisons an hour, by random fair bets.

    Cases that rarely pay much are the hardest: their payouts are far from a normal distribution.
    """
    draw = random.Random(seed)
    comparisons = 2 * 31 * 24 * 4 * 507
    outside, most = 0, 0.0
    for _ in range(500 * effort):
        chance, bets = 10 ** draw.uniform(-4, -0.1), int(10 ** draw.uniform(0, 3.5))
        price = 100
        wins = sum(draw.random() < chance for _ in range(bets))
        expected, variance = bets * chance * price, bets * chance * (1 - chance) * price**2
        sums = BetFigures(bets, bets, wins * price, expected, variance, price)
        outside += abs(sums.paid - expected) > furthest(sums, comparisons=comparisons)
        most = max(most, abs(sums.paid - expected) / sqrt(variance))

    note_figure(f"fair returns: {outside} outside of the band; the furthest had {most:.1f} deviations")
    assert outside == 0


def test_the_band_finds_a_bias_of_a_few_percent():
    """Of 100,000 bets of one coin on two, a return of 98 % instead of 95 % is 9.5 deviations away."""
    comparisons, bets = 2 * 31 * 24 * 4 * 507, 100_000
    sums = BetFigures(bets, 100 * bets, 98 * bets, 95 * bets, bets * 0.475 * 0.525 * 200**2, 200)

    assert abs(sums.paid - sums.expected) > furthest(sums, comparisons=comparisons)


@pytest.mark.both_databases("services/alarms/rules.py")
@pytest.mark.settings(ALARM_PAYOUT="100")
def test_each_large_payout_raises_an_alarm_once(check, table, player):
    # One from before the first check raises no alarm.
    table.spin(player, wager=40, price=100, wins=True)
    check(after_minutes=2)
    table.spin(player, wager=9, price=20, wins=True)
    large = table.spin(player, wager=40, price=100, wins=True)

    for minutes in (0.5, 1, 1, 61):
        check(after_minutes=minutes + 0.6)

    (alarm,) = alarms("large-payout").values()
    assert alarm.text == f"Bet {large.id} (upgrader) paid $100.00"


@pytest.fixture
def grant(app, clock):
    """Lets a member of staff change a player's balance, alone if that needs no second person."""
    proposals = app.extensions["services"].proposals

    def change_balance(player, cents, *, by):
        proposals.perform_or_propose(
            AdjustBalance.name,
            {"platformId": player.platform_id, "amountCents": cents},
            reason="an apology",
            by=StaffAccount(name=by, role="support"),
            now=clock(),
        )

    return change_balance


@pytest.mark.both_databases("services/alarms/rules.py")
@pytest.mark.security("Four eyes")
def test_grants_by_one_person_of_seven_days_raise_an_alarm_that_names_the_person(check, grant, new_player):
    for _ in range(5):
        grant(new_player(), 100_00, by="anna")
        grant(new_player(), 60_00, by="berta")
        check(after_minutes=24 * 60)
    assert alarms("large-grants") == {}

    grant(new_player(), -1, by="anna")
    check(after_minutes=1)

    (alarm,) = alarms("large-grants").values()
    assert (alarm.subject, alarm.staff_name) == ("anna, 1 times", "anna")
    assert alarm.text == (
        "Staff: anna has changed the balances of 6 players by $500.01 in 7 days without a second person"
    )


@pytest.mark.security("Four eyes")
@pytest.mark.settings(OFFICE_FOUR_EYES="0")
def test_the_alarm_about_grants_rises_again_with_each_further_multiple(check, grant, new_player):
    grant(new_player(), 1_000_00, by="anna")
    check(after_minutes=1)
    check(after_minutes=1)
    assert list(alarms("large-grants")) == ["anna, 1 times"]

    grant(new_player(), 1, by="anna")
    check(after_minutes=1)

    assert list(alarms("large-grants")) == ["anna, 1 times", "anna, 2 times"]


DIFFERENCES = {
    "does not sum to zero": "UPDATE ledger_entries SET amount_cents = amount_cents - 1"
    " WHERE account = 'house.grants'",
    "has no entries": "INSERT INTO ledger_transactions (kind, created_at_ms) VALUES ('grant', 1000000000000)",
    "differs from its bet": "UPDATE bets SET wager_cents = wager_cents + 1",
}


@pytest.mark.both_databases("services/alarms/ledger.py")
@pytest.mark.parametrize("difference", DIFFERENCES)
def test_a_difference_in_new_transactions_raises_an_alarm_once(check, table, player, difference):
    table.spin(player, wager=9, price=20)
    change(DIFFERENCES[difference])

    for _ in range(3):
        check()

    (line,) = alarms("ledger-transactions")
    assert line.endswith(difference)


def test_the_ledger_is_checked_from_where_the_last_check_has_come(check, table, player, queries):
    for _ in range(3):
        table.spin(player, wager=1)
    check()
    table.spin(player, wager=1)
    check()
    queries.clear()

    check()

    assert [text for text, _ in queries if "HAVING" in text and "ledger_entries" in text] == []


@pytest.mark.both_databases("services/alarms/ledger.py")
@pytest.mark.parametrize("account", ["balance", "vault", "sweepstake"])
def test_coins_without_an_entry_raise_an_alarm_that_ends_with_them(check, table, player, account):
    table.spin(player, wager=1)
    check()
    change(f"UPDATE users SET {account}_cents = {account}_cents + 1")  # noqa: S608
    table.spin(player, wager=1)
    check()
    assert list(alarms("ledger-balances")) == [account]
    assert alarms()[account].ended_at_ms is None

    change(f"UPDATE users SET {account}_cents = {account}_cents - 1")  # noqa: S608
    check()

    assert alarms()[account].ended_at_ms is not None


def test_open_discrepancies_of_payments_raise_one_alarm_of_each_kind(check):
    insert = (
        "INSERT INTO payment_discrepancies (kind, subject, ours, theirs, found_at_ms, is_dismissed)"
        " VALUES ('{}', '{}', '', '', 1, FALSE)"
    )
    change(insert.format("deposit", "a"), insert.format("deposit", "b"), insert.format("payout-missing", "a"))

    check()

    found = alarms("payment-discrepancies")
    assert found["deposit"].text == "Payments: 2 open discrepancies of deposit"
    assert list(found) == ["deposit", "payout-missing"]


@pytest.mark.both_databases("services/alarms/rules.py")
@pytest.mark.settings(PAYMENT_METHODS="demo")
def test_a_withdrawal_that_is_sent_and_not_paid_for_a_day_raises_an_alarm(check, client, player, clock):
    body = {"method": "demo", "amount": 25, "to": "a wallet"}
    answer = client.post("/payments/withdrawals", json=body, headers=player.headers)
    withdrawal = answer.json["withdrawal"]["id"]
    with writing():
        Withdrawal.update(status="sent", changed_at_ms=clock()).execute()
    check(after_minutes=24 * 60)
    assert alarms("unpaid-withdrawals") == {}

    check(after_minutes=1)

    (alarm,) = alarms("unpaid-withdrawals").values()
    assert (alarm.subject, alarm.text) == (
        withdrawal,
        f"Payments: the withdrawal {withdrawal} of $25.00 was sent a day ago and is not paid",
    )


def test_failed_logins_of_staff_raise_an_alarm(check, clock):
    insert = "INSERT INTO staff_login_failures (name_digest, network, at_ms) VALUES ('{}', '{}', {})"
    change(*(insert.format("a" * 64, "192.0.2.1", clock()) for _ in range(4)))
    check(after_minutes=1)
    assert alarms("failed-logins") == {}
    change(insert.format("b" * 64, "192.0.2.1", clock()))
    change(*(insert.format("c" * 64, f"192.0.2.{number}", clock()) for number in range(2, 52)))

    check(after_minutes=1)

    assert sorted(alarms("failed-logins")) == ["192.0.2.1", f"name {'c' * 16}"]
    check(after_minutes=2 * 24 * 60)
    assert all(alarm.ended_at_ms for alarm in alarms("failed-logins").values())


@writing()
def feed_has_succeeded(at):
    PriceSource.update(succeeded_at_ms=at).where(PriceSource.name == "feed").execute()


@pytest.mark.settings(PRICE_FEED_URL="http://127.0.0.1:9/prices")
def test_an_old_price_feed_raises_an_alarm_that_ends_with_the_next_success(check, clock):
    feed_has_succeeded(clock())
    check(after_minutes=179)
    assert alarms("old-prices") == {}

    check(after_minutes=2)
    assert alarms("old-prices")["feed"].ended_at_ms is None

    feed_has_succeeded(clock())
    check(after_minutes=2)
    assert alarms("old-prices")["feed"].ended_at_ms == clock()


def test_bets_that_wait_for_a_minute_raise_alarms_about_log_and_proofs(check, table, player, log):
    table.spin(player)
    check(after_minutes=1)
    assert alarms() == {}

    check(after_minutes=1.2)
    assert sorted(alarms()) == ["log", "proofs"]

    log.append_now()
    change("UPDATE bets SET proof_held_by = 0")
    check(after_minutes=1)
    assert all(alarm.ended_at_ms for alarm in alarms().values())


def keep_beacon(round_, *, now):
    """Store a row of a beacon. Alarms do not look into it."""
    beacons.store(round_, "ab" * 48, "ab" * 32, now=now, is_by_hand=False)


@pytest.mark.both_databases("models/beacons.py")
def test_a_round_that_locked_battles_wait_for_raises_an_alarm_when_it_is_a_minute_late(app, check, clock):
    for _ in range(2):
        add_battle(app, created_at_ms=clock.now, round_=7)
    check(after_minutes=1)
    assert alarms("late-beacons") == {}

    check(after_minutes=1)

    found = alarms("late-beacons")["round 7"]
    assert found.text == "Battles: round 7 of the beacon is more than a minute late, and battles wait for it"
    keep_beacon(7, now=clock.now)
    check(after_minutes=1)
    assert alarms("late-beacons")["round 7"].ended_at_ms == clock.now


@pytest.mark.both_databases("models/beacons.py")
def test_relays_that_are_silent_for_a_minute_raise_an_alarm_while_a_battle_is_open(app, check, clock):
    check(after_minutes=1)
    add_battle(app, created_at_ms=clock.now)
    check(after_minutes=1)
    assert alarms("late-beacons") == {}

    check(after_minutes=1)

    assert alarms("late-beacons")["relays"].text == "Battles: no relay has given a new beacon for a minute"
    keep_beacon(1, now=clock.now)
    check(after_minutes=1)
    assert alarms("late-beacons")["relays"].ended_at_ms == clock.now


def test_an_open_alarm_is_a_metric_and_a_line_in_the_log_also_if_another_rule_fails(
    check, table, player, client, log_lines, monkeypatch
):
    monkeypatch.setattr("services.payments.discrepancies.open_discrepancies", lambda: 1 / 0)
    table.spin(player)
    check()
    check()

    shown = client.get("/metrics").text
    for rule, count in (("old-checkpoint", 1), ("late-proofs", 1), ("large-payout", 0)):
        assert f'alarms_open{{rule="{rule}"}} {count}.0' in shown
    assert len([line for line in log_lines() if line.get("event") == "alarm:old-checkpoint"]) == 1


def shown_rules(app):
    text = app.test_client().get("/metrics").text
    return re.findall(r'^alarms_open\{rule="(.+)"\}', text, re.MULTILINE)


# SQLite serves one process.
@postgresql_only
def test_one_process_checks_and_another_takes_over_when_it_stops(app, make_app, clock, tmp_path):
    other = make_app(clock=clock, INSTANCE_DIR=str(tmp_path / "other"))
    for each in (app, other):
        task_of(each, "alarms not checked")()
    assert (len(shown_rules(app)), shown_rules(other)) == (len(RULES), [])

    (stopping,) = [
        each for each in app.extensions["realtime"].tasks if each._on_failure == "alarms not checked"
    ]
    stopping._after_stop()
    for each in (other, app):
        task_of(each, "alarms not checked")()

    assert (shown_rules(app), len(shown_rules(other))) == ([], len(RULES))


def test_a_server_that_starts_has_a_minute_to_do_what_has_waited(app, table, player, clock, log):
    table.spin(player)
    clock.advance(minutes=30)
    start = task_of(app, "alarms not checked")
    start()
    assert alarms() == {}
    log.append_now()
    change("UPDATE bets SET proof_held_by = 0")

    clock.advance(minutes=1)
    start()

    assert alarms() == {}


def test_the_document_explains_each_rule_with_its_interval():
    text = (ROOT / "docs/office.md").read_text().partition("## Alarms")[2].partition("## ")[0]
    explained = re.findall(r"^\| `([a-z-]+)` \| .* \| each (minute|hour) \|$", text, re.MULTILINE)

    intervals = {MINUTE: "minute", HOUR: "hour"}
    assert sorted(explained) == sorted((rule.name, intervals[rule.every_ms]) for rule in RULES)


@pytest.mark.both_databases("services/witnesses/freshness.py")
def test_entries_that_no_witness_has_cosigned_for_two_minutes_raise_an_alarm(make_app, clock, table, player):
    key = Signer("w1.example", ED25519, b"." * 32).verifier_key
    app = make_app(clock=clock, LOG_WITNESSES=f"{key} http://127.0.0.1:1")
    work = task_of(app, "alarms not checked")
    work()
    table.spin(player)
    app.extensions["services"].log.append_now()
    clock.advance(minutes=1)
    work()
    assert alarms("unwitnessed") == {}
    clock.advance(minutes=2)
    work()

    text = "The public log: witnesses have cosigned no new checkpoint for more than two minutes"
    assert alarms("unwitnessed")["log"].text == text
