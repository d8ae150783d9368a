"""The figures of each day: kept with the public log, audited, and made again."""

import threading

import pytest

from models.db.connection import database, reading, writing
from models.figures import DailyFigures
from services.figures import returns
from services.log import sequencer
from services.log.sequencer import Superseded
from services.maintenance import fairness_report, statistics_audit
from tests.services.figures.conftest import NOW
from tests.support.audits import check_reports
from tests.support.backups import back_up, restore
from tests.support.lost_log import let_confirm, resume
from tests.support.openings import chest

DAY_MS = 24 * 3600 * 1000
TODAY = NOW - NOW % DAY_MS


@reading()
def rows():
    """The rows without their days, games and sums of chances: bets, wagers and payouts by case or class."""
    found = DailyFigures.select().order_by(DailyFigures.day_starts_at_ms, DailyFigures.price_class)
    return {
        ((row.day_starts_at_ms - TODAY) // DAY_MS, row.case_id or row.price_class): (
            row.bets,
            row.wagered_cents,
            row.paid_cents,
        )
        for row in found
    }


@pytest.fixture
def history(table, openings, player, log):
    """A spin and two openings of a case, of which the content has changed, that are in the log."""
    table.spin(player, wager=2, price=10, wins=True)
    openings.open(player, chest("desk"))
    openings.open(player, chest("desk", price=20), wins="Crown")
    log.append_now()


@pytest.mark.both_databases("money")
def test_bets_are_summed_by_day_game_case_and_price(table, openings, player, log, clock):
    table.spin(player, wager=1, price=2)
    table.spin(player, wager=2, price=10, wins=True)
    table.spin(player, wager="3.50", price=20)
    openings.open(player, chest("desk"), wins="Crown")
    openings.open(player, chest("desk", price=20))
    log.append_now()
    clock.advance(hours=12)
    table.spin(player, wager=9, price=1000)
    log.append_now()

    assert rows() == {
        (0, "under-10"): (1, 100, 0),
        (0, "under-100"): (2, 550, 1000),
        (0, "desk"): (2, 2500, 4100),
        (1, "from-1000"): (1, 900, 0),
    }


def test_the_totals_equal_a_scan_of_all_bets(history, table, player, log, run):
    table.spin(player, wager=1, price=2)
    log.append_now()

    (line,) = returns.lines(since=TODAY, until=TODAY + DAY_MS, groups=[])
    kept = line.figures.paid_for

    (scanned,) = fairness_report.figures_of_days().values()
    assert (kept.bets, kept.wagered, kept.paid) == (scanned.bets, scanned.wagered, scanned.paid)
    assert kept.expected == pytest.approx(scanned.expected)
    assert kept.variance == pytest.approx(scanned.variance)


def test_a_bet_that_waits_for_the_log_is_in_no_total(table, player, log, run):
    table.spin(player)

    assert rows() == {}
    assert run("ledger", "audit")["mismatches"] == 0
    assert run("ledger", "rebuild")["dailyFigures"] == 0

    log.append_now()

    assert rows() == {(0, "under-100"): (1, 100, 0)}
    assert run("ledger", "audit")["mismatches"] == 0


def test_an_append_that_another_process_has_superseded_adds_nothing(table, player, log):
    table.spin(player)
    with reading():
        outdated = sequencer.stored_log()
        waiting = log.sequencer.waiting(None)
    root = log.checkpoint().root
    log.append_now()

    with pytest.raises(Superseded), reading():
        log.sequencer.append(outdated, root, waiting, now=NOW)

    assert rows() == {(0, "under-100"): (1, 100, 0)}


@pytest.mark.both_databases("a race")
def test_two_processes_that_append_at_once_count_each_bet_once(
    app, make_app, clock, tmp_path, table, player, log, run
):
    other = make_app(clock=clock, INSTANCE_DIR=str(tmp_path / "other")).extensions["services"].log
    let_confirm(other, log)
    log.append_now()
    other.watch()

    for _ in range(3):
        table.spin(player)
        appending = [threading.Thread(target=each.append_now) for each in (log, other)]
        for each in appending:
            each.start()
        for each in appending:
            each.join()

    assert rows() == {(0, "under-100"): (3, 300, 0)}
    assert run("ledger", "audit")["mismatches"] == 0


@pytest.mark.process
@pytest.mark.thorough
def test_a_successor_of_the_log_after_a_restore_loses_and_doubles_no_bet(
    app, env, table, player, log, run, tmp_path
):
    table.spin(player)
    log.append_now()
    table.spin(player, wager=3)
    # The backup has a bet that waits; in this database it is appended, and another one after it.
    back_up(env, tmp_path / "backup")
    log.append_now()
    table.spin(player, wager=5)
    log.append_now()
    database.close_idle()
    restore(tmp_path / "backup", env["DATABASE_URL"])

    resume(log)

    assert len(log.file().ended) == 1
    assert rows() == {(0, "under-100"): (2, 400, 0)}
    table.spin(player, wager=7)
    log.append_now()
    assert rows() == {(0, "under-100"): (3, 1100, 0)}
    assert run("ledger", "audit")["mismatches"] == 0


OF_SPINS = ["the figures of 2026-03-18 upgrader under-100 differ from the bets"]
OF_DESK = ["the figures of 2026-03-18 case desk differ from the bets"]
OF_NOTHING = ["the figures of 1970-01-01 upgrader under-10 differ from the bets"]
SPOILED = {
    "UPDATE daily_figures SET bets = bets + 1 WHERE game = 'case'": OF_DESK,
    "UPDATE daily_figures SET wagered_cents = wagered_cents + 1 WHERE game = 'case'": OF_DESK,
    "UPDATE daily_figures SET paid_cents = 0 WHERE game = 'case'": OF_DESK,
    "UPDATE daily_figures SET expected_cents = expected_cents + 0.01": [*OF_DESK, *OF_SPINS],
    "UPDATE daily_figures SET variance_square_cents = 0 WHERE game = 'upgrader'": OF_SPINS,
    "UPDATE daily_figures SET largest_cents = largest_cents + 1 WHERE game = 'upgrader'": OF_SPINS,
    "DELETE FROM daily_figures WHERE game = 'upgrader'": OF_SPINS,
    "INSERT INTO daily_figures VALUES (0, 'upgrader', '', 'under-10', 1, 1, 0, 0.5, 0.5, 1)": OF_NOTHING,
}


@pytest.mark.both_databases("services/maintenance/statistics_audit.py")
@pytest.mark.usefixtures("history")
def test_the_audit_finds_a_changed_a_missing_and_an_extra_row(app, run):
    check_reports(app, SPOILED.items(), {}, {})

    assert run("ledger", "audit")["mismatches"] == 0


@pytest.mark.both_databases("services/maintenance/statistics_audit.py")
@pytest.mark.usefixtures("history")
def test_a_rebuild_makes_the_totals_again(run):
    before = rows()
    with writing():
        for statement in SPOILED:
            database.execute_sql(statement)

    assert run("ledger", "rebuild")["dailyFigures"] == 2

    assert rows() == before
    assert run("ledger", "audit")["mismatches"] == 0


@pytest.mark.both_databases("locks")
def test_appends_during_a_rebuild_are_counted_once(table, player, log, run):
    rebuilding = threading.Thread(target=lambda: [statistics_audit.rebuild(now=NOW) for _ in range(10)])
    rebuilding.start()
    for _ in range(10):
        table.spin(player)
        log.append_now()
    rebuilding.join()

    assert rows() == {(0, "under-100"): (10, 1000, 0)}
    assert run("ledger", "audit")["mismatches"] == 0


def test_a_snapshot_that_was_changed_does_not_stop_the_log(openings, player, log, run):
    openings.open(player, chest("desk"))
    with writing():
        database.execute_sql("UPDATE snapshots SET content = '{}'")

    log.append_now()

    assert rows() == {(0, ""): (1, 500, 100)}
    assert run("ledger", "audit")["mismatches"] == 0
