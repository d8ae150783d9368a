"""flask log verify: nothing to say after real play, and a line for each difference."""

import base64
import struct

import pytest

from models.battles import Battle
from models.bets import Bet
from models.db.connection import writing
from models.log import Log, LogBundle, LogCheckpoint, LogEntry, LogTile, WaitingBet, WaitingEntry
from services.bets.seeds import ServerSeeds
from services.log import bundles
from tests.support.battle_locks import LockedBattles
from tests.support.lost_log import redraw as redraw_seeds
from tests.support.lost_log import restore_log, stored_log
from tests.support.openings import Openings, chest

pytestmark = pytest.mark.security("The public log")


@pytest.fixture
def verified(app):
    """What the command finds: how many entries, bets and problems, and a line for each problem."""

    def verify():
        result = app.test_cli_runner().invoke(args=["log", "verify"])
        lines = result.stderr.splitlines()
        assert result.exit_code == (1 if lines else 0), result.output
        return [line for line in lines if not line.startswith("Error: ")]

    return verify


@pytest.fixture
def bets(logged_spin):
    """Entries 1 to 4."""
    return [logged_spin() for _ in range(4)]


def test_it_is_clean_after_real_play(app, log, player, new_player, logged_spin, spin, add_waiting, run):
    bob = new_player("bob")
    for by in (None, bob, None):
        logged_spin(by)
    Openings(app).bet(bob, chest("chest"))
    add_waiting(300)
    redraw_seeds(log)
    seeds: ServerSeeds = app.extensions["services"].seeds
    seeds.announced(user_id=player.id)
    logged_spin()
    waits = spin()

    assert waits
    assert run("log", "verify") == {"entries": 309, "bets": 6, "problems": 0}


def delete_entry(_bets):
    LogEntry.delete().where(LogEntry.id == 1).execute()


def change_tile(_bets):
    is_first = (LogTile.level == 0) & (LogTile.number == 0)
    hashes = LogTile.get(is_first).hashes
    LogTile.update(hashes=bytes(32) + bytes(hashes)[32:]).where(is_first).execute()


def swap_references(change):
    """Change the references of the first bundle."""

    def swap(_bets):
        references = bundles.references(0)
        change(references)
        packed = struct.pack(f">{len(references)}q", *references)
        LogBundle.update(references=packed).where(LogBundle.number == 0).execute()

    return swap


def change_checkpoint(_bets):
    note = Log.select(Log.checkpoint).scalar()
    Log.update(checkpoint=note.replace("\n5\n", "\n4\n")).execute()


DAMAGES = {
    "a changed bet": (
        lambda bets: Bet.update(wager_cents=99).where(Bet.id == bets[1].id).execute(),
        ["entry 2: bet {1} is not what was logged"],
    ),
    "a deleted bet": (
        lambda bets: Bet.delete().where(Bet.id == bets[1].id).execute(),
        ["entry 2: bet {1} is missing"],
    ),
    "a deleted entry": (delete_entry, ["entry 0: row 1 of log_entries is missing"]),
    "a bet that waits again": (
        lambda bets: WaitingBet.insert(bet_id=bets[1].id).execute(),
        ["bet {1} is in the log, and waits to be appended again"],
    ),
    "a reference to another bet": (
        swap_references(lambda references: references.__setitem__(2, references[1])),
        [
            "entry 2: bet {0} is not what was logged",
            "bet {0} is in the log 2 times",
            "bet {1} is not in the log",
        ],
    ),
    "a lost reference": (
        swap_references(lambda references: references.pop()),
        ["entry 4 is missing", "bet {3} is not in the log"],
    ),
    "a changed tile": (
        change_tile,
        [
            "the checkpoint of 127.0.0.1:5000/log on disk has another root than the first 5 entries",
            "the last checkpoint has another root than the first 5 entries",
            "entry 0: row 1 of log_entries is not what was logged",
        ],
    ),
    "a last checkpoint that no key has signed": (
        change_checkpoint,
        ["the last checkpoint: no known key has signed the note"],
    ),
    "a size that was set back": (
        lambda _bets: Log.update(size=4).execute(),
        [
            "the last checkpoint is about another log",
            "the checkpoint of 127.0.0.1:5000/log on disk has 5 entries, the log only 4",
            "the last checkpoint has 5 entries, the log only 4",
            "bet {3} is not in the log",
        ],
    ),
}


@pytest.mark.parametrize(("damage", "lines"), DAMAGES.values(), ids=DAMAGES)
def test_each_difference_is_a_line(bets, verified, damage, lines):
    with writing():
        damage(bets)

    assert verified() == [line.format(*(bet.id for bet in bets)) for line in lines]


def test_a_log_without_its_row_is_a_line(bets, verified):
    with writing():
        for table in (LogTile, LogBundle, LogCheckpoint, WaitingEntry, LogEntry):
            table.delete().execute()
        Log.delete().execute()

    assert verified() == ["the table log has no row"]


def test_a_bet_that_neither_waits_nor_is_logged_is_a_line(bets, spin, verified):
    bet = spin()
    with writing():
        WaitingBet.delete().execute()

    assert verified() == [f"bet {bet.id} is not in the log"]


def test_a_bet_that_waits_for_a_minute_is_a_line(bets, spin, verified, clock):
    bet = spin()
    clock.advance(seconds=61)

    assert verified() == [f"bet {bet.id} is not in the log, although it is older than a minute"]


def test_a_bet_that_is_in_the_log_twice_is_a_line(bets, log, verified):
    with writing():
        WaitingBet.insert(bet_id=bets[1].id).execute()
    log.append_now()

    assert verified() == [f"bet {bets[1].id} is in the log 2 times"]


def test_a_changed_leaf_in_a_full_tile_is_a_line_about_the_tile(log, bets, add_waiting, verified):
    """The root of the tree is made from the level above."""
    add_waiting(300)
    log.append_now()
    with writing():
        change_tile(bets)

    assert verified() == [
        "tile 0 of level 0 has another root than level 1 says",
        "entry 0: row 1 of log_entries is not what was logged",
    ]


@pytest.mark.parametrize("content", [None, "{"], ids=["missing", "damaged"])
def test_a_machine_without_a_checkpoint_on_disk_says_so(bets, verified, tmp_path, content):
    checkpoint = tmp_path / "instance" / "log.checkpoint"
    checkpoint.unlink()
    if content:
        checkpoint.write_text(content)

    assert verified() == ["there is no checkpoint on disk to compare with"]


def test_a_log_that_is_shorter_than_the_checkpoint_on_disk_is_a_line(bets, logged_spin, verified):
    early = stored_log()
    bet = logged_spin()
    restore_log(early)

    assert verified() == [
        "the checkpoint of 127.0.0.1:5000/log on disk has 6 entries, the log only 5",
        f"bet {bet.id} is not in the log",
    ]


def test_a_key_that_has_signed_nothing_is_a_line(make_app, bets, clock):
    key = base64.b64encode(b"another key of the log of tests!").decode()

    result = make_app(clock=clock, LOG_SIGNING_KEY=key).test_cli_runner().invoke(args=["log", "verify"])

    assert result.exit_code == 1
    assert result.stderr.splitlines()[:-1] == ["the last checkpoint: no known key has signed the note"]


@pytest.fixture
def battle(app, log, new_player, clock):
    """A settled battle, whose end waits for the log."""
    battles = LockedBattles(app, new_player("carol", coins=10_000), clock)
    battle = battles.lock()
    log.append_now()
    clock.now = battles.time(battle)
    app.extensions["services"].battle_ending.settle(battle.id, battles.played.learn_beacon(battle.public_id))
    return battle


def change_lock_index():
    Battle.update(lock_index=Battle.lock_index - 1).execute()


def forget_lock():
    Battle.update(lock_index=None).execute()


def forget_end():
    WaitingEntry.delete().execute()


@pytest.mark.parametrize(
    ("damage", "line"),
    [
        (lambda: None, None),
        (change_lock_index, "battle {}: entry 0 is not its lock"),
        (forget_lock, "battle {}: its lock is not in the log"),
        (forget_end, "battle {}: its end is not in the log"),
    ],
    ids=["nothing", "another index", "a lock without an index", "an end that does not wait"],
)
def test_the_entries_of_a_battle_are_where_it_says(battle, verified, damage, line):
    """Its bets are in the log with its end."""
    with writing():
        damage()

    assert verified() == ([line.format(battle.id)] if line else [])
