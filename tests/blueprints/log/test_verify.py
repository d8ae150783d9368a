"""flask log verify: nothing to say after real play, and a line for each difference."""

import base64
import struct

import pytest

from models.bets import Bet
from models.db.connection import reading, writing
from models.log import BETS, Log, LogBundle, LogCheckpoint, LogEntry, LogTile, WaitingBet, WaitingEntry
from services.fairness.server_seeds import ServerSeeds
from services.log import bundles
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


@writing()
def swap_references(change):
    """Change the references of the first bundle."""
    references = bundles.references(BETS, 0)
    change(references)
    packed = struct.pack(f">{len(references)}q", *references)
    LogBundle.update(references=packed).where(LogBundle.number == 0).execute()


def test_it_is_clean_after_real_play(app, log, player, new_player, logged_spin, spin, add_waiting, run):
    bob = new_player("bob")
    for by in (None, bob, None):
        logged_spin(by)
    Openings(app).bet(bob, chest("chest"))
    add_waiting(300)
    log.redraw()
    seeds: ServerSeeds = app.extensions["services"].seeds
    seeds.announced(user_id=player.id)
    logged_spin()
    waits = spin()

    assert waits
    assert run("log", "verify") == {"entries": 309, "bets": 6, "problems": 0}


def test_a_log_without_its_row_is_a_line(bets, verified):
    with writing():
        for table in (LogTile, LogBundle, LogCheckpoint, WaitingEntry, LogEntry):
            table.delete().execute()
        Log.delete().where(Log.name == BETS).execute()

    assert verified() == ["the table logs has no row 'bets'"]


def test_a_changed_bet_is_a_line(bets, verified):
    with writing():
        Bet.update(wager_cents=99).where(Bet.id == bets[1].id).execute()

    assert verified() == [f"entry 2: bet {bets[1].id} is not what was logged"]


def test_a_deleted_bet_is_a_line(bets, verified):
    with writing():
        Bet.delete().where(Bet.id == bets[1].id).execute()

    assert verified() == [f"entry 2: bet {bets[1].id} is missing"]


def test_a_deleted_entry_is_a_line(bets, verified):
    with writing():
        entry = LogEntry.get()
        entry.delete_instance()

    assert verified() == [f"entry 0: row {entry.id} of log_entries is missing"]


def test_a_bet_that_neither_waits_nor_is_logged_is_a_line(bets, spin, verified):
    bet = spin()
    with writing():
        WaitingBet.delete().execute()

    assert verified() == [f"bet {bet.id} is not in the log"]


def test_a_bet_that_waits_for_a_minute_is_a_line(bets, spin, verified, clock):
    bet = spin()
    clock.advance(seconds=61)

    assert verified() == [f"bet {bet.id} is not in the log, although it is older than a minute"]


def test_a_bet_that_was_logged_and_waits_again_is_a_line(bets, verified):
    with writing():
        WaitingBet.insert(bet_id=bets[1].id).execute()

    assert verified() == [f"bet {bets[1].id} is in the log, and waits to be appended again"]


def test_a_bet_that_is_in_the_log_twice_is_a_line(bets, log, verified):
    with writing():
        WaitingBet.insert(bet_id=bets[1].id).execute()
    log.append_now()

    assert verified() == [f"bet {bets[1].id} is in the log 2 times"]


def test_a_reference_to_another_bet_is_a_line_for_each(bets, verified):
    swap_references(lambda references: references.__setitem__(2, references[1]))

    assert verified() == [
        f"entry 2: bet {bets[0].id} is not what was logged",
        f"bet {bets[0].id} is in the log 2 times",
        f"bet {bets[1].id} is not in the log",
    ]


def test_a_lost_reference_is_a_line(bets, verified):
    swap_references(lambda references: references.pop())

    assert verified() == ["entry 4 is missing", f"bet {bets[3].id} is not in the log"]


def test_a_changed_tile_is_a_line_about_its_entry_and_for_each_checkpoint(bets, verified):
    with writing():
        hashes = LogTile.get().hashes
        LogTile.update(hashes=bytes(32) + bytes(hashes)[32:]).execute()

    assert verified() == [
        "the checkpoint of 127.0.0.1:5000/log on disk has another root than the first 5 entries",
        "the last checkpoint has another root than the first 5 entries",
        "entry 0: row 1 of log_entries is not what was logged",
    ]


def test_a_changed_leaf_in_a_full_tile_is_a_line_about_the_tile(log, bets, add_waiting, verified):
    """The root of the tree is made from the level above."""
    add_waiting(300)
    log.append_now()
    with writing():
        is_first = (LogTile.level == 0) & (LogTile.number == 0)
        hashes = LogTile.get(is_first).hashes
        LogTile.update(hashes=bytes(32) + bytes(hashes)[32:]).where(is_first).execute()

    assert verified() == [
        "tile 0 of level 0 has another root than level 1 says",
        "entry 0: row 1 of log_entries is not what was logged",
    ]


def test_changed_older_bets_are_a_line(bets, spin, verified):
    bet = spin()
    with writing():
        WaitingBet.delete().execute()
        Bet.update(next_commitment=None).where(Bet.id == bet.id).execute()

    assert verified() == ["the bets that are older than the log are not those of its first entry"]


def test_a_machine_without_a_checkpoint_on_disk_says_so(bets, verified, tmp_path):
    (tmp_path / "instance" / "log.checkpoint").unlink()

    assert verified() == ["there is no checkpoint on disk to compare with"]


def test_a_log_that_is_shorter_than_the_checkpoint_on_disk_is_a_line(bets, logged_spin, verified):
    early = stored_log()
    bet = logged_spin()
    restore_log(early)

    assert verified() == [
        "the checkpoint of 127.0.0.1:5000/log on disk has 6 entries, the log only 5",
        f"bet {bet.id} is not in the log",
    ]


def test_a_last_checkpoint_that_no_key_has_signed_is_a_line(bets, verified):
    with writing():
        note = Log.select(Log.checkpoint).where(Log.name == BETS).scalar()
        Log.update(checkpoint=note.replace("\n5\n", "\n4\n")).where(Log.name == BETS).execute()

    assert verified() == ["the last checkpoint: a signature of a known key fails"]


def test_it_compares_a_log_whose_size_was_set_back(bets, verified):
    with writing():
        Log.update(size=4).where(Log.name == BETS).execute()

    assert verified() == [
        "the last checkpoint is about another log",
        "the checkpoint of 127.0.0.1:5000/log on disk has 5 entries, the log only 4",
        "the last checkpoint has 5 entries, the log only 4",
        f"bet {bets[3].id} is not in the log",
    ]
    with reading():
        assert Log.select(Log.size).where(Log.name == BETS).scalar() == 4


def test_a_key_that_has_signed_nothing_is_a_line(make_app, bets, clock):
    key = base64.b64encode(b"another key of the log of tests!").decode()

    result = make_app(clock=clock, LOG_SIGNING_KEY=key).test_cli_runner().invoke(args=["log", "verify"])

    assert result.exit_code == 1
    assert result.stderr.splitlines()[:-1] == ["the last checkpoint: no known key has signed the note"]


def test_a_damaged_file_is_a_line(bets, verified, tmp_path):
    (tmp_path / "instance" / "log.checkpoint").write_text("{")

    assert verified() == ["there is no checkpoint on disk to compare with"]
