"""flask db upgrade on a database with bets and payments: totals include the older rows."""

import pytest

from bench.harness.spins import Clock, Table, at
from models.db.connection import database, writing

ROLLUPS = ("period_wagers", "live_bet_counts", "payment_totals")
INDEXES = (
    "bets_high_rolls",
    "bets_of_player_least_earned",
    "payments_of_player_by_type",
    "payments_of_player_highest",
    "payments_of_player_lowest",
    "payments_of_player_by_type_highest",
    "payments_of_player_by_type_lowest",
)


@pytest.fixture
def clock():
    return Clock(at("2026-02-28 23:59:59.999"))


@pytest.fixture
def app(make_app, clock):
    return make_app(clock=clock)


@pytest.fixture
def history(app, new_player, run, clock):
    """Players who have played and paid, on both sides of the edges of weeks and months."""
    table = Table(app)
    players = [new_player(name, coins=1000) for name in ("alice", "bertha", "caesar")]
    for moment in (
        "2026-02-28 23:59:59.999",
        "2026-03-01 00:00",
        "2026-03-01 23:59:59.999",
        "2026-03-02 00:00",
    ):
        clock.now = at(moment)
        for wager, player in enumerate(players[:2], start=1):
            table.spin(player, wager=wager, wins=wager == 1)
    table.spin(players[0], wager=50, price=100)
    run("payments", "record", players[0].platform_id, "deposit", "10")
    run("payments", "record", players[1].platform_id, "withdraw", "3")
    clock.advance(days=1)
    return players


@pytest.fixture
def before_the_rollups(history):
    """The same platform as it was before the migration that keeps sums and counts."""
    with writing():
        for table in ROLLUPS:
            database.execute_sql(f"DROP TABLE {table}")
        for index in INDEXES:
            database.execute_sql(f"DROP INDEX {index}")
        database.execute_sql("DELETE FROM schema_migration WHERE name = '0005_statistics'")
    return history


def test_an_upgrade_computes_the_totals_of_older_rows_and_players_can_spin(run, app, before_the_rollups):
    run("db", "upgrade")

    assert run("ledger", "audit")["mismatches"] == 0

    Table(app).spin(before_the_rollups[0])
    run("payments", "record", before_the_rollups[0].platform_id, "deposit", "1")

    assert run("ledger", "audit")["mismatches"] == 0
