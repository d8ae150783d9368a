"""flask ledger audit and flask fairness audit: the money and the outcomes of battles."""

import json

import pytest

from models.battles import BattleSeat
from models.db.connection import database, reading, writing
from tests.harness.spins import Clock, at
from tests.support.audits import check_reports
from tests.support.battles import Battles
from tests.support.table import Table


@pytest.fixture
def clock():
    return Clock(at("2026-03-18 22:00"))


@pytest.fixture
def battles(app):
    return Battles(app)


@pytest.fixture
def alice(new_player):
    return new_player("alice", coins=1_000)


@pytest.fixture
def bob(new_player, alice):
    return new_player("bob", coins=1_000)


@pytest.fixture
def history(app, battles, alice, bob):
    """Battles that are settled, void, cancelled, open and locked, with bots and players who have left."""
    services = app.extensions["services"]
    settled = battles.play(alice, None, bob, wins=1, mode="jackpot", times=3)
    with reading():
        first = BattleSeat.get(BattleSeat.battle == settled.id, BattleSeat.seat == 0)
    played = {
        "settled": settled.id,
        "end": settled.ledger_transaction_id,
        "bet": first.bet_id,
        "won": battles.play(bob, alice, wins=1, terminal=True).id,
        "void": battles.void(battles.open(alice, None)).id,
        "locked": battles.open(alice, bob).id,
        "open": battles.open(bob, None, teams="1v1v1").id,
    }
    left = battles.open(bob, alice, teams="2v2")
    services.battles.leave(public_id=left.public_id, user_id=alice.id)
    cancelled = battles.open(alice, None, teams="1v1v1")
    services.battles.leave(public_id=cancelled.public_id, user_id=alice.id)
    return played


@pytest.mark.both_databases("services/battles/audit.py")
@pytest.mark.usefixtures("history")
def test_the_audits_find_nothing_in_any_state_of_a_battle(run):
    assert run("ledger", "audit")["mismatches"] == 0
    assert run("fairness", "audit")["mismatches"] == 0


SEATS = "the seats in battles of {alice} differ from what is kept of them"
ESCROW = "house.battles differs from the seats in open and locked battles"
END = "transaction {end} differs from its battle"
LEAVE = "UPDATE battle_seats SET left_at_ms = 1 WHERE battle_id = {open} AND user_id IS NULL"
COME_AND_GO = """
    INSERT INTO battle_seats (battle_id, seat, user_id, client_seed, joined_at_ms, left_at_ms)
    VALUES ({open}, 2, {alice}, 'seed', 1, 2)
"""
MORE_ESCROW = """
    UPDATE ledger_entries SET amount_cents = amount_cents + 1
    WHERE account = 'house.battles' AND transaction_id = {end}
"""
LESS_OF_HOUSE = """
    UPDATE ledger_entries SET amount_cents = amount_cents - 1
    WHERE account = 'house.bets' AND transaction_id = {end}
"""

LEDGER = [
    ("UPDATE users SET battle_seats_cents = battle_seats_cents + 1 WHERE id = {alice}", [SEATS]),
    (
        "UPDATE users SET battle_seats_cents = 500",
        [SEATS, "the seats in battles of {bob} differ from what is kept of them"],
    ),
    (
        [MORE_ESCROW, LESS_OF_HOUSE],
        [END, ESCROW],
    ),
    (LEAVE, [ESCROW, "the refunds of seats of bots differ from the seats in battles"]),
    (
        COME_AND_GO,
        [
            "the payments for seats of {alice} differ from the seats in battles",
            "the refunds of seats of {alice} differ from the seats in battles",
        ],
    ),
    ("UPDATE ledger_transactions SET kind = 'adjustment' WHERE id = {end}", [END]),
]


@pytest.mark.both_databases("services/ledger/audit.py")
def test_the_ledger_audit_prints_a_line_for_each_tampered_row(app, history, alice, bob):
    players = {"alice": alice.id, "bob": bob.id}
    names = {"alice": alice.platform_id, "bob": bob.platform_id, "end": history["end"]}

    check_reports(app, LEDGER, history | players, names)


def test_the_ledger_audit_finds_a_seat_of_a_settled_battle_without_its_bet(app, history):
    with writing():
        BattleSeat.update(bet=None, after_nonce=None).where(BattleSeat.bet == history["bet"]).execute()

    result = app.test_cli_runner().invoke(args=["ledger", "audit"])

    lines = result.stderr.splitlines()
    assert f"bet {history['bet']} belongs to no seat of a settled battle" in lines
    assert END.format(**history) in lines
    assert any(line.startswith("seat ") for line in lines)


WINNERS = """
    UPDATE battles SET outcome = replace(outcome, '"winners":[', '"winners":[5,') WHERE id = {settled}
"""
FAIRNESS = [
    (WINNERS, "outcome"),
    ("UPDATE battles SET bot_seats = bot_seats + 1 WHERE id = {settled}", "bots"),
    ("UPDATE battles SET randomness = '00' || substr(randomness, 3) WHERE id = {settled}", "randomness"),
    ("UPDATE battles SET commitment = 'x' || substr(commitment, 2) WHERE id = {locked}", "commitment"),
    ("UPDATE battles SET commitment = 'x' || substr(commitment, 2) WHERE id = {open}", "commitment"),
    ("UPDATE battles SET is_players_only = NOT is_players_only WHERE id = {locked}", "lock"),
    ("UPDATE battle_seats SET client_seed = 'other' WHERE battle_id = {locked}", "lock"),
    ("UPDATE battles SET void_reason = 'restore' WHERE id = {void}", "end"),
    ("UPDATE battles SET cost_cents = cost_cents + 1 WHERE id = {settled}", "cost"),
    ("UPDATE bets SET item = 'Crown, too' WHERE id = {bet}", "bet"),
    ("UPDATE bets SET payout_cents = 1 WHERE id = {bet}", "bet"),
    ("UPDATE snapshots SET content = replace(content, 'Dust', 'Gold')", "snapshot"),
]


@pytest.mark.both_databases("services/maintenance/battle_fairness.py")
@pytest.mark.guarantee("Every battle")
def test_the_fairness_audit_names_each_battle_with_a_tampered_row(app, history):
    for statement, word in FAIRNESS:
        with writing(), database.atomic() as savepoint:
            database.execute_sql(statement.format(**history))
            result = app.test_cli_runner().invoke(args=["fairness", "audit"])
            savepoint.rollback()

        assert json.loads(result.stdout)["mismatches"] >= 1, statement
        reported = [line for line in result.stderr.splitlines() if line.startswith("battle ")]
        assert any(word in line for line in reported), statement


@pytest.mark.both_databases("models/figures.py")
def test_the_sums_of_players_stay_right_whenever_battles_begin_and_end(app, battles, alice, bob, clock, run):
    """Before and after a pause and midnight, with spins around, of players with and without other bets."""
    table = Table(app)

    def check():
        assert run("ledger", "audit")["mismatches"] == 0

    open_for_long = battles.open(alice, bob)
    clock.advance(minutes=10)
    table.spin(alice)
    battles.play(alice, None)
    check()
    clock.advance(minutes=40)
    short = battles.open(bob, alice)
    check()
    table.spin(alice)
    battles.settle(short)
    check()
    clock.advance(minutes=45)
    battles.settle(open_for_long)
    clock.now = at("2026-03-19 00:05")
    late = battles.open(bob, alice, times=2)
    check()
    table.spin(alice, wins=True)
    clock.advance(minutes=1)
    battles.settle(late)
    check()
    clock.advance(hours=-2)
    battles.play(alice, bob)
    table.spin(bob)
    check()

    assert run("ledger", "rebuild")["correctedPlayers"] == 0
