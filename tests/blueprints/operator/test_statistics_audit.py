"""flask ledger audit and rebuild: totals, counts and leaderboard places equal the sums of their rows."""

import threading

import pytest

from models.bets import Bet
from models.db.connection import database, reading, writing
from models.payments import PaymentRecord
from models.users import User
from services.maintenance import statistics_audit
from tests.harness.players import import_case, import_prices
from tests.harness.spins import Clock, at
from tests.support.apps import import_irl_case
from tests.support.audits import check_reports
from tests.support.openings import Openings, chest
from tests.support.table import Table

NOW = at("2026-03-18 12:00")


@pytest.fixture
def clock():
    return Clock(NOW)


@pytest.fixture
def alice(new_player):
    return new_player("alice")


@pytest.fixture
def bob(new_player):
    return new_player("bob")


@pytest.fixture
def cases(app, client, alice):
    """A case of an operator's, and one that a player has made."""
    with writing():
        User.update(granted_experience=10**9).where(User.id == alice.id).execute()
    import_prices({"Red": 10, "Blue": 10})
    import_case("House", {"Red": 50, "Blue": 50})
    content = [{"marketHashName": name, "percentage": 50} for name in ("Red", "Blue")]
    body = {"name": "Mine", "items": content}
    assert client.post("/api/cases/create", headers=alice.headers, json=body).status_code == 200


@pytest.fixture
def history(app, run, alice, bob, cases):
    """Two players who have played and paid, and one of them has made a case."""
    table = Table(app)
    table.spin(alice, wager=1, wins=True)
    table.spin(bob, wager=2)
    run("payments", "record", alice.platform_id, "deposit", "10")
    run("payments", "record", alice.platform_id, "withdraw", "3")


@pytest.fixture
def ids(alice, bob):
    """The ids that statements name."""
    players = {"alice": alice.id, "bob": bob.id}
    return players | {"shard": alice.id % 64, "alices": f"WHERE user_id = {alice.id}"}


@pytest.fixture
def spoil(ids):
    """Runs a statement directly on the database."""

    def execute(statement):
        with writing():
            database.execute_sql(statement.format(**ids))

    return execute


PLAY = ["the statistics of {alice} differ from the bets"]
SUMS = ["the sums of the current periods of {alice} differ from the bets"]
PERIODS = ["the current periods of {alice} are not those of the last bet"]
ERASE = """
UPDATE users SET {0}_starts_at_ms = 0, {0}_wagered_cents = 0, {0}_paid_cents = 0 WHERE id = {{alice}}
"""
COUNTS = ["the live bet counts of shard {shard} differ from the bets"]
PAYMENTS = [f"transaction {{{kind}}} differs from its payment" for kind in ("deposit", "withdraw")]

# A payment whose transaction is that of a bet.
PAY_A_BET = """
INSERT INTO payments (
    user_id, type, chain, asset, amount, usd_cents, txhash, "to", ledger_transaction_id, created_at_ms
)
SELECT user_id, 'withdraw', '', '', '', wager_cents, '', '', ledger_transaction_id, created_at_ms
FROM bets {alices}
"""
OF_A_BET = ["transaction {spin} differs from its payment"]

PRICES = [f"the price of the case {slug} differs from its items'" for slug in ("house", "mine")]
TYPES = [f"the type of the case {slug} differs from its items'" for slug in ("house", "mine")]

SPOILED = {
    "UPDATE users SET wagered_cents = wagered_cents + 1 WHERE id = {alice}": PLAY,
    "UPDATE users SET earned_cents = earned_cents - 1 WHERE id = {alice}": PLAY,
    "UPDATE users SET theoretical_loss_ucents = theoretical_loss_ucents - 1 WHERE id = {alice}": PLAY,
    "UPDATE users SET day_wagered_cents = 101 WHERE id = {alice}": SUMS,
    "UPDATE users SET month_paid_cents = 0 WHERE id = {alice}": SUMS,
    "UPDATE users SET play_wagered_cents = 0 WHERE id = {alice}": SUMS,
    ERASE.format("day"): PERIODS,
    ERASE.format("week"): PERIODS,
    ERASE.format("month"): PERIODS,
    "UPDATE live_bet_counts SET bets = bets + 1 WHERE shard = {shard}": COUNTS,
    "UPDATE live_bet_counts SET high_rolls = 0 WHERE shard = {shard}": COUNTS,
    "UPDATE payments SET usd_cents = usd_cents + 1 {alices}": PAYMENTS,
    "UPDATE payments SET user_id = {bob} {alices}": PAYMENTS,
    "DELETE FROM payments {alices}": PAYMENTS,
    PAY_A_BET: OF_A_BET,
    "DELETE FROM bets {alices}": [*PLAY, *SUMS, *COUNTS],
    "UPDATE cases SET price_cents = 1 WHERE slug = 'house'": PRICES[:1],
    "UPDATE items SET price_cents = 2000 WHERE market_hash_name = 'Red'": PRICES,
    "UPDATE items SET app_id = 252490 WHERE market_hash_name = 'Red'": TYPES,
}


@pytest.mark.both_databases("services/maintenance/statistics_audit.py")
@pytest.mark.usefixtures("history")
def test_each_wrong_total_is_reported_on_its_own_line(app, run, ids, alice):
    with reading():
        transactions = dict(
            PaymentRecord.select(PaymentRecord.type, PaymentRecord.ledger_transaction).tuples()
        )
        transactions["spin"] = Bet.get(Bet.user == alice.id).ledger_transaction_id
    names = {"alice": alice.platform_id, "shard": alice.id % 64} | transactions

    check_reports(app, SPOILED.items(), ids, names)

    assert run("ledger", "audit") == {"users": 2, "transactions": 6, "entries": 14, "mismatches": 0}


@pytest.mark.both_databases("services/maintenance/statistics_audit.py")
@pytest.mark.usefixtures("history")
@pytest.mark.parametrize("period", ["week", "month"])
def test_a_rebuild_brings_an_erased_player_back_to_the_leaderboard(run, client, spoil, period):
    board = client.get(f"/leaderboard?period={period}ly").json
    spoil(ERASE.format(period))

    assert run("ledger", "rebuild")["correctedPlayers"] == 1

    assert run("ledger", "audit")["mismatches"] == 0
    assert client.get(f"/leaderboard?period={period}ly").json == board


@pytest.mark.both_databases("services/maintenance/statistics_audit.py")
@pytest.mark.usefixtures("history")
def test_a_rebuild_corrects_wrong_totals(run, fails, spoil):
    for statement in (
        "UPDATE users SET wagered_cents = 7, earned_cents = 7",
        "UPDATE users SET day_wagered_cents = 7, week_paid_cents = 7, play_paid_cents = 7 WHERE id = {alice}",
        "UPDATE live_bet_counts SET bets = bets + 1",
        "INSERT INTO live_bet_counts VALUES (({shard} + 9) & 63, 1, 0)",
    ):
        spoil(statement)
    fails("ledger", "audit")

    said = run("ledger", "rebuild")

    assert said == {
        "correctedPlayers": 2,
        "liveBetCounts": 2,
        "caseSpins": 0,
        # No bet is in the public log yet.
        "dailyFigures": 0,
    }
    assert run("ledger", "audit")["mismatches"] == 0
    assert run("ledger", "rebuild")["correctedPlayers"] == 0


# When the clock is set back, the current periods go on.
TIMES = {
    "a pause within a day": ("2026-03-18 12:00", "2026-03-18 12:29", "2026-03-18 12:59"),
    "the end of a day": ("2026-03-18 23:59", "2026-03-19 00:00"),
    "the end of a month": ("2026-03-31 23:59", "2026-04-01 00:00", "2026-04-01 00:01"),
    "a day back": ("2026-03-19 00:01", "2026-03-18 23:59", "2026-03-19 00:02"),
    "a month back": ("2026-04-01 00:01", "2026-03-31 23:59", "2026-04-01 00:01", "2026-04-01 00:31"),
    "a pause after the clock was set back": ("2026-03-18 15:00", "2026-03-18 12:00", "2026-03-18 15:00"),
}


def test_the_sums_of_bets_at_any_times_pass_the_audit(app, run, new_player):
    table = Table(app)

    for player, (case, times) in enumerate(TIMES.items()):
        alice = new_player(f"alice-{player}")
        for number, time in enumerate(times):
            app.extensions["services"].clock.now = at(time)
            table.spin(alice, wager=1 + number, wins=number == 1)
            assert run("ledger", "audit")["mismatches"] == 0, (case, time)


def test_a_cent_moved_between_past_bets_is_reported(app, fails, alice, spoil):
    table = Table(app)
    for time in ("2026-03-02 12:00", "2026-03-10 12:00", "2026-04-15 12:00"):
        app.extensions["services"].clock.now = at(time)
        table.spin(alice, wager=1)
    spoil("UPDATE bets SET wager_cents = CASE nonce WHEN 1 THEN 101 ELSE 99 END {alices} AND nonce <= 2")

    lines = fails("ledger", "audit").splitlines()

    with reading():
        first, second = [bet.ledger_transaction_id for bet in Bet.select().order_by(Bet.nonce).limit(2)]
    assert sorted(lines[:-1]) == [f"transaction {each} differs from its bet" for each in (first, second)]


@pytest.mark.both_databases("locks")
def test_spins_during_a_rebuild_are_counted_once(app, run, alice, bob):
    """They wait for it, or it for them; none fails and none is missed."""
    table = Table(app)
    rebuilding = threading.Thread(target=lambda: [statistics_audit.rebuild(now=NOW) for _ in range(10)])
    rebuilding.start()
    for _ in range(10):
        table.spin(alice, wager=1)
        table.spin(bob, wager=1)
    rebuilding.join()

    assert run("ledger", "audit")["mismatches"] == 0


@pytest.fixture
def opened(app, client, alice, bob, cases):
    """Openings of two cases, of one that does not exist, and of the free case, which has no wager."""
    openings = Openings(app)
    import_irl_case("desk", price=12)
    for player, path in ((alice, "set-code"), (bob, "use-code")):
        body = {"code": "FRIEND"}
        assert client.post(f"/affiliate/{path}", headers=player.headers, json=body).status_code == 200
    openings.open(alice, chest("house"))
    openings.open(alice, chest("house", price=20), wins="Crown")
    openings.open(bob, chest("house"))
    openings.open(bob, chest("desk"), game="irl")
    openings.open(bob, chest("gone"))
    openings.open(bob, chest("free-case"), wins="Crown")


@pytest.mark.both_databases("models/figures.py")
@pytest.mark.usefixtures("opened")
def test_openings_that_are_not_counted_are_reported_and_corrected(run, fails, spoil, alice):
    assert run("ledger", "audit")["mismatches"] == 0
    assert run("fairness", "audit")["mismatches"] == 0
    spoil("UPDATE case_spins SET spins = spins + 1 WHERE game = 'case' AND case_id > 0 AND shard = {shard}")
    spoil("DELETE FROM case_spins WHERE game = 'irl'")

    lines = fails("ledger", "audit").splitlines()

    assert lines[-1] == "Error: 2 mismatches"
    assert f"the openings of case case 1 in shard {alice.id % 64} differ from the bets" in lines
    rebuilt = run("ledger", "rebuild")
    assert (rebuilt["caseSpins"], rebuilt["correctedPlayers"]) == (4, 0)
    assert run("ledger", "audit")["mismatches"] == 0
