"""A settled bet writes the same rows step by step on SQLite as in one statement of PostgreSQL."""

from functools import partial

import peewee
import pytest

from models.announced_seeds import AnnouncedSeed
from models.bets import Bet
from models.cases import Case, Snapshot
from models.db import connection
from models.db.connection import Table, reading
from models.db.sql import execute
from models.log import Log
from models.rewards import Reward
from models.users import User
from services.bets import snapshots
from services.bets.snapshots import content_of
from services.bets.terms import SeedUsed, StaleCase
from services.rewards.refusals import FreeCaseNotAvailable, NothingToClaim
from services.shared.clock import DAY_MS
from services.shared.errors import AccountSuspended, InsufficientBalance
from tests.harness.spins import at, writer
from tests.support.settlements import MADE_AT, NEXT_COMMITMENT, SHARD, next_bet

pytestmark = pytest.mark.both_databases("services/bets/writer.py")

PERIODS = {
    "day_starts_at_ms": at("2026-03-18 00:00"),
    "week_starts_at_ms": at("2026-03-16 00:00"),
    "month_starts_at_ms": at("2026-03-01 00:00"),
}


@pytest.fixture
def write(app):
    """Writes a settlement at MADE_AT."""
    # Begins the log.
    app.extensions["services"].log.checkpoint()
    return writer(app.extensions["services"], lambda: MADE_AT).write


OPENING = {
    "game": "case",
    "algorithm": "case-1",
    "wager_cents": 500,
    "status": "lost",
    "item": "An item",
    "ticket": 10**18 - 1,
    "case_id": 11,
    "ledger_kind": "opening",
}


@pytest.fixture
def settlement(player):
    """Makes a settlement of the player's next spin, or with other columns."""
    with connection.writing():
        AnnouncedSeed.update(is_logged=True).execute()
    return partial(next_bet, player)


def tables(kind=Table):
    for table in kind.__subclasses__():
        yield table
        yield from tables(table)


@reading()
def rows():
    """All rows of all tables, as (table, column and value pairs)."""
    return {
        # PostgreSQL's driver returns bytes as a memoryview.
        (
            table._meta.table_name,
            tuple((name, bytes(v) if isinstance(v, memoryview) else v) for name, v in row.items()),
        )
        for table in tables()
        for row in table.select().dicts()
    }


@reading()
def database_ms():
    return execute("SELECT {now}", {}).fetchone()[0]


def sums(wagered, paid):
    """The sums of the play session and of each period."""
    return {
        f"{of}_{name}": cents
        for of in ("play", "day", "week", "month")
        for name, cents in (("wagered_cents", wagered), ("paid_cents", paid))
    }


def changed(before, after, table):
    return [dict(row) for name, row in sorted(after - before, key=repr) if name == table]


@pytest.mark.security("Coins")
@pytest.mark.parametrize("won", [True, False], ids=["won", "lost"])
def test_a_settled_spin_writes_these_rows(app, write, settlement, player, won):
    with reading():
        user = User.select().where(User.id == player.id).dicts().get()
        seed = AnnouncedSeed.get_by_id(player.id)
    spin, before = settlement(won=won), rows()

    settled = write(spin)

    after = rows()
    assert {name for name, _ in after - before} == {
        "announced_seeds",
        "bets",
        "ledger_entries",
        "ledger_transactions",
        "live_bet_counts",
        "log_waiting_bets",
        "users",
    }
    balance = 10_000 - 500 + (6_000 if won else 0)
    assert changed(before, after, "users") == [
        user
        | {
            "balance_cents": balance,
            "balance_version": user["balance_version"] + 1,
            "wagered_cents": 500,
            "earned_cents": 6_000 if won else 0,
            "theoretical_loss_ucents": 500 * 50_000,
            "last_bet_at_ms": MADE_AT,
            "play_began_at_ms": MADE_AT,
        }
        | sums(500, 6_000 if won else 0)
        | PERIODS
    ]
    assert changed(before, after, "announced_seeds") == [
        {
            "user": player.id,
            "nonce": 2,
            "server_seed_commitment": NEXT_COMMITMENT.hex(),
            "encrypted_server_seed": "encrypted 2",
            "epoch": seed.epoch,
            "is_logged": True,
        }
    ]
    assert changed(before, after, "log_waiting_bets") == [{"bet_id": settled.id}]
    (transaction,) = changed(before, after, "ledger_transactions")
    assert transaction == {"id": transaction["id"], "kind": "spin", "created_at_ms": MADE_AT}
    entries = sorted(changed(before, after, "ledger_entries"), key=lambda entry: entry["id"])
    assert [(e["transaction"], e["account"], e["user"], e["amount_cents"]) for e in entries] == [
        (transaction["id"], *entry)
        for entry in (
            ("balance", player.id, -500),
            ("house.bets", None, 500),
            ("house.bets", None, -6_000),
            ("balance", player.id, 6_000),
        )[: 4 if won else 2]
    ]
    given = {
        field.name: getattr(spin, field.column_name)
        for field in Bet._meta.sorted_fields
        if hasattr(spin, field.column_name)
    }
    assert changed(before, after, "bets") == [
        given
        | dict.fromkeys(("server_seed", "proof_delivered_at_ms", "proof_held_by"))
        | {
            "id": settled.id,
            "ledger_transaction": transaction["id"],
            "next_commitment": NEXT_COMMITMENT,
            "created_at_ms": MADE_AT,
            "proof_due_at_ms": MADE_AT + app.extensions["services"].settings.upgrader_proof_delay_ms,
        }
    ]
    assert changed(before, after, "live_bet_counts") == [{"shard": SHARD, "bets": 1, "high_rolls": int(won)}]
    assert settled.balances == (balance, 0, 0, user["balance_version"] + 1)


@pytest.mark.regulation("4.3 Game cycle")
def test_a_spin_that_is_refused_changes_nothing(write, settlement):
    refused = {
        "commitment": (SeedUsed, settlement(won=True, server_seed_commitment="another commitment")),
        "nonce": (SeedUsed, settlement(won=True, nonce=2)),
        # Reported before the balance.
        "seed and balance": (SeedUsed, settlement(won=True, nonce=2, wager_cents=10_001)),
        "balance": (InsufficientBalance, settlement(won=True, wager_cents=10_001)),
    }
    before = rows()

    for error, spin in refused.values():
        with pytest.raises(error):
            write(spin)

    assert rows() == before


def test_a_database_without_the_checkpoint_is_not_bet_on(app, write, settlement):
    with connection.writing():
        execute("UPDATE log_checkpoints SET root = :root", {"root": "another root"})

    with pytest.raises(SeedUsed):
        write(settlement(won=True))


def test_a_seed_of_an_earlier_epoch_is_refused(write, settlement):
    spin = settlement(won=True)
    with connection.writing():
        Log.update(epoch=Log.epoch + 1).execute()

    with pytest.raises(SeedUsed):
        write(spin)


CONTENT = content_of(case_id="box", price_cents=500, items=[("An item", 300, 10**18)])
SNAPSHOT = {"id": snapshots.id_of(CONTENT.hash), "hash": CONTENT.hash, "content": CONTENT.text}


@pytest.fixture
def opening(settlement):
    """Makes a settlement of an opening that costs 5 coins and pays 3, or with other columns."""
    return lambda **changes: settlement(
        **OPENING
        | {"snapshot_id": SNAPSHOT["id"], "snapshot_hash": CONTENT.hash, "snapshot_text": CONTENT.text}
        | {"payout_cents": 300}
        | changes
    )


FREE = {"wager_cents": 0, "status": "won", "reward_id": 5}


@pytest.fixture
def offered(player):
    """Adds the reward of FREE, or one with other columns."""
    columns = {"name": "Box", "kind": "regular", "type": "gamea", "price_cents": 500, "created_at_ms": 0}
    times = {"offered_at_ms": MADE_AT, "changed_at_ms": MADE_AT}

    def offer(**changes):
        with connection.writing():
            Case.insert_many(
                columns | {"id": id_, "slug": slug, "name": slug, "name_folded": slug}
                for id_, slug in ((11, "box"), (12, "chest"))
            ).on_conflict_ignore().execute()
            reward = {"id": 5, "user": player.id, "kind": "code", "number": 1, "case": 11, "value_cents": 475}
            Reward.insert(reward | {"state": "offered"} | times | changes).execute()

    return offer


# The entries of the ledger, the player's balance, and the tables besides those of every bet.
OPENINGS = {
    "case": (
        {},
        [("balance", -500), ("house.bets", 500), ("house.bets", -300), ("balance", 300)],
        9_800,
        {"ledger_entries"},
    ),
    "irl": (
        {"game": "irl", "algorithm": "irl-1", "prize_image": ""},
        [("balance", -500), ("house.bets", 500), ("house.bets", -300), ("house.prizes", 300)],
        9_500,
        {"ledger_entries", "prizes"},
    ),
    "irl without a value": (
        {"game": "irl", "algorithm": "irl-1", "prize_image": "/media/pen.webp", "payout_cents": 0},
        [("balance", -500), ("house.bets", 500)],
        9_500,
        {"ledger_entries", "prizes"},
    ),
    "free": (FREE, [("house.bets", -300), ("balance", 300)], 10_300, {"ledger_entries", "rewards"}),
    "free without a payout": (FREE | {"payout_cents": 0, "status": "lost"}, [], 10_000, {"rewards"}),
}


@pytest.mark.parametrize("kind", OPENINGS)
def test_a_settled_opening_writes_these_rows(write, opening, player, offered, kind):
    changes, entries, balance, more_tables = OPENINGS[kind]
    offered()
    bet, before = opening(**changes), rows()

    settled = write(bet)

    after = rows()
    assert {name for name, _ in after - before} == more_tables | {
        "announced_seeds",
        "bets",
        "case_spins",
        "ledger_transactions",
        "live_bet_counts",
        "log_waiting_bets",
        "snapshots",
        "users",
    }
    assert changed(before, after, "snapshots") == [SNAPSHOT]
    (transaction,) = changed(before, after, "ledger_transactions")
    assert transaction["kind"] == "opening"
    posted = sorted(changed(before, after, "ledger_entries"), key=lambda entry: entry["id"])
    assert [(entry["account"], entry["amount_cents"]) for entry in posted] == entries
    assert {entry["user"] for entry in posted if entry["account"].startswith("house")} <= {None}
    (user,) = changed(before, after, "users")
    assert (user["balance_cents"], user["wagered_cents"], user["earned_cents"], user["free_cases"]) == (
        balance,
        bet.wager_cents,
        bet.payout_cents,
        int(bet.reward_id is not None),
    )
    used = [(reward["state"], reward["bet"]) for reward in changed(before, after, "rewards")]
    assert used == ([] if bet.reward_id is None else [("used", settled.id)])
    (stored,) = changed(before, after, "bets")
    assert stored == stored | {
        column: getattr(bet, column)
        for column in ("game", "algorithm", "wager_cents", "payout_cents", "status", "item", "ticket")
    } | {"snapshot": bet.snapshot_id, "price_cents": None, "roll": None}
    assert changed(before, after, "case_spins") == [
        {"game": bet.game, "case_id": 11, "shard": SHARD, "spins": 1}
    ]
    assert changed(before, after, "live_bet_counts") == [{"shard": SHARD, "bets": 1, "high_rolls": 0}]
    assert changed(before, after, "prizes") == (
        []
        if bet.prize_image is None
        else [
            {
                "id": settled.prize_id,
                "user": player.id,
                "bet": settled.id,
                "name": "An item",
                "image": bet.prize_image,
                "value_cents": bet.payout_cents,
                "status": "kept",
                "won_at_ms": MADE_AT,
                "encrypted_address": None,
                "tracking": None,
            }
        ]
    )
    assert settled.balances.balance_cents == balance


def test_a_snapshot_whose_id_another_content_has_fails_the_bet(write, opening):
    with connection.writing():
        Snapshot.insert(SNAPSHOT | {"hash": "0" * 64}).execute()
    before = rows()

    with pytest.raises(peewee.IntegrityError):
        write(opening())

    assert rows() == before


@pytest.mark.parametrize("age_ms", [1_001, 60_000, -60_000], ids=["late", "very late", "clock set back"])
def test_an_opening_of_an_old_case_reading_changes_nothing(write, opening, age_ms):
    late = opening(case_read_at_ms=database_ms() - age_ms)
    before = rows()

    with pytest.raises(StaleCase):
        write(late)

    assert rows() == before


UNUSABLE = {
    "used": {"state": "forfeited"},
    "expired": {"expires_at_ms": MADE_AT},
    "of another case": {"case": 12},
    "gone": {"id": 6},
}


@pytest.mark.parametrize("kind", UNUSABLE)
def test_a_reward_that_can_not_be_used_changes_nothing(write, opening, offered, kind):
    offered(**UNUSABLE[kind] | {"kind": "grant"})
    before = rows()

    with pytest.raises(NothingToClaim):
        write(opening(**FREE))

    assert rows() == before


@pytest.mark.security("Rewards")
def test_nobody_uses_the_reward_of_another_player(write, opening, offered, new_player):
    offered(user=new_player("bob").id)
    before = rows()

    with pytest.raises(FreeCaseNotAvailable):
        write(opening(**FREE))

    assert rows() == before


def test_a_reward_is_used_once(write, opening, offered):
    offered(expires_at_ms=MADE_AT + 1)
    write(opening(**FREE))
    before = rows()

    with pytest.raises(FreeCaseNotAvailable):
        write(opening(**FREE))

    assert rows() == before


def test_only_openings_of_the_free_case_are_counted_as_such(write, opening, offered, player):
    offered(kind="grant")

    write(opening(**FREE))

    with reading():
        assert User.get_by_id(player.id).free_cases == 0


def test_a_suspended_player_is_refused(write, settlement, change_player):
    change_player(suspended_at_ms=MADE_AT)

    with pytest.raises(AccountSuspended):
        write(settlement(won=True))


def test_a_clock_that_was_set_back_delays_no_bet(app, settlement, change_player):
    change_player(last_bet_at_ms=MADE_AT + DAY_MS, play_began_at_ms=MADE_AT)
    limits = {"game_min_cycle_ms": 2_500, "longest_play_ms": 3_600_000}
    limited = writer(app.extensions["services"], lambda: MADE_AT, **limits)

    assert limited.write(settlement(won=False)).balances[0] == 9_500
