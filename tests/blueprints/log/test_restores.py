"""After a restore the log goes on under another name, on all machines under the same one."""

import pytest

from models.announced_seeds import AnnouncedSeed
from models.bets import Bet
from models.db.connection import reading, writing
from models.log import BETS, Log, WaitingBet
from models.processes import Process
from services.shared.errors import Unavailable
from tests.blueprints.log.conftest import ORIGIN
from tests.support.lost_log import checkpoints, epoch, restore_log, stored_log

pytestmark = pytest.mark.usefixtures("signed")

DAY_SECONDS = 24 * 3600


@pytest.fixture
def machine(app, make_app, clock, tmp_path, log):
    """Starts another machine on the same database; it can ask the first one. The app."""

    def start(name="other", **settings):
        other = make_app(clock=clock, INSTANCE_DIR=str(tmp_path / name), **settings)
        log_of(other)._ask_for_confirmation = lambda: log.confirm() or True
        return other

    return start


def log_of(app):
    return app.extensions["services"].log


def announced(app, player):
    return app.extensions["services"].seeds.announced(user_id=player.id)


def origin_of(log):
    return log.current().checkpoint.origin


@pytest.mark.security("Restored database")
def test_a_backup_of_an_empty_log_restored_without_the_file_has_a_successor(app, log, make_app, tmp_path):
    log.current()

    other = log_of(make_app(INSTANCE_DIR=str(tmp_path / "other")))

    assert origin_of(other).startswith(f"{ORIGIN}-")


@pytest.mark.security("Restored database")
def test_each_of_two_restores_of_one_backup_has_a_successor(app, player, log, logged_spin, signed):
    logged_spin()
    backup = stored_log()
    for _ in range(2):
        announced(app, player)
        logged_spin()
        restore_log(backup)
        log.watch()

    assert signed.origins[0] == ORIGIN
    assert len(signed.origins) == 3
    assert list(log.current().kept.ended) == signed.origins[:2]


@pytest.mark.both_databases("models/log.py")
@pytest.mark.security("Restored database")
def test_a_second_machine_adopts_the_successor_of_the_first(log, logged_spin, machine, signed):
    logged_spin()
    other = log_of(machine())
    other.watch()
    backup = stored_log()
    logged_spin()
    other.watch()
    restore_log(backup)

    for each in (log, other, log):
        each.watch()

    assert origin_of(other) == origin_of(log) == signed.origins[-1]
    assert len(signed.origins) == 2


@pytest.mark.security("Restored database")
def test_two_machines_agree_after_two_restores_that_one_has_missed(
    app, player, log, logged_spin, machine, signed
):
    logged_spin()
    backup = stored_log()
    logged_spin()
    other = log_of(machine())
    other.watch()
    restore_log(backup)
    log.watch()
    restore_log(backup)
    log.watch()

    for each in (other, log, other, log):
        each.watch()

    assert origin_of(other) == origin_of(log)
    assert len(signed.origins) <= 4


@pytest.mark.security("The public log")
def test_a_machine_does_not_go_back_to_a_log_that_ended_before_it_came(
    app, player, log, logged_spin, machine
):
    """Somebody puts a genuine earlier checkpoint of the first log into the database."""
    logged_spin()
    early = stored_log()
    logged_spin()
    backup = stored_log()
    logged_spin()
    restore_log(backup)
    log.watch()
    other = log_of(machine())
    other.watch()
    known = other.current()
    restore_log(early)
    with writing():
        Log.update(epoch=99).where(Log.name == BETS).execute()

    other.watch()

    assert origin_of(other) not in (ORIGIN, known.checkpoint.origin)


@pytest.mark.security("Restored database")
def test_a_machine_without_a_record_waits_while_it_cannot_ask_others(log, logged_spin, make_app, tmp_path):
    logged_spin()
    before = stored_log()
    with writing():
        Process.create(address="elsewhere:1", pool_size=1, redis="none", seen_at_ms=2**60)
    other = log_of(make_app(INSTANCE_DIR=str(tmp_path / "other")))

    for step in (other.watch, other.append_now, other.redraw, other.current):
        with pytest.raises(Unavailable):
            step()

    assert stored_log() == before
    log.append_now()
    assert origin_of(log) == ORIGIN


@pytest.mark.both_databases("models/log.py")
@pytest.mark.security("Restored database")
@pytest.mark.parametrize("command", ["key", "verify"])
def test_commands_never_change_the_log(logged_spin, make_app, tmp_path, command):
    """Not on a machine without a record either, and not after a restore."""
    logged_spin()
    backup = stored_log()
    logged_spin()
    restore_log(backup)
    before = stored_log()

    for directory in (tmp_path / "instance", tmp_path / "other"):
        app = make_app(INSTANCE_DIR=str(directory))
        result = app.test_cli_runner().invoke(args=["log", command])
        assert result.exit_code in (0, 1), result.output

    assert stored_log() == before
    assert not (tmp_path / "other" / "log.checkpoint").exists()


@pytest.mark.security("Restored database")
def test_a_bet_that_was_lost_before_it_was_logged_is_redrawn_by_an_append(
    app, player, log, logged_spin, spin
):
    """Within the same file. The append comes before the next watch."""
    logged_spin()
    told = announced(app, player)
    with reading():
        row = AnnouncedSeed.select().where(AnnouncedSeed.user == player.id).dicts().get()
    bet = spin()
    with writing():
        WaitingBet.delete().execute()
        Bet.delete().where(Bet.id == bet.id).execute()
        AnnouncedSeed.update(row).where(AnnouncedSeed.user == player.id).execute()

    log.append_now()

    again = announced(app, player)
    assert again.nonce == told.nonce
    assert again.server_seed_commitment != told.server_seed_commitment


def test_a_checkpoint_that_was_removed_because_of_its_age_redraws_nothing(
    app, player, new_player, log, logged_spin, machine, clock
):
    logged_spin()
    other = machine()
    log_of(other).watch()
    told, before = announced(other, player), epoch()
    clock.advance(seconds=DAY_SECONDS + 1)
    new_player("bob")
    log.append_now()
    assert checkpoints() == 2, "the first one, of size 0, and the newest one"

    assert announced(other, player) == told
    log_of(other).watch()
    assert (epoch(), origin_of(log_of(other))) == (before, ORIGIN)
