"""What goes on after a restore, a promotion and in a copy: each row of the table of restores."""

import json
from functools import partial

import pytest

from models.announced_seeds import AnnouncedSeed
from models.bets import Bet
from models.db.connection import reading, writing
from models.log import Log, WaitingBet
from models.processes import Process
from services.log.restore import BetsPaused
from services.shared.errors import Unavailable
from tests.blueprints.log.conftest import ORIGIN
from tests.support.lost_log import (
    checkpoints,
    epoch,
    is_paused,
    let_confirm,
    restore_log,
    resume,
    stored_log,
)
from tests.support.lost_log import redraw as redraw_seeds

pytestmark = [pytest.mark.usefixtures("signed"), pytest.mark.security("Restored database")]

on_both = pytest.mark.both_databases("the table of restores")

DAY_SECONDS = 24 * 3600
MOVED = "it is not the database that was used last"
LOST = "it lacks the end of the log"
UNKNOWN = "there is no record of the database on this machine"


@pytest.fixture
def restarted(make_app, clock):
    """Starts another process of this machine."""
    return lambda **settings: make_app(clock=clock, **settings)


@pytest.fixture
def machine(restarted, tmp_path, log):
    """Starts a process of another machine, which the first one can confirm the database to."""

    def start(name="other", **settings):
        other = restarted(INSTANCE_DIR=str(tmp_path / name), **settings)
        let_confirm(log_of(other), log)
        return other

    return start


@pytest.fixture
def file(tmp_path):
    """The file of this machine."""
    return tmp_path / "instance" / "log.checkpoint"


@pytest.fixture
def lost(log, logged_spin):
    """The last entry of the log is lost."""
    logged_spin()
    backup = stored_log()
    logged_spin()
    restore_log(backup)


def log_of(app):
    return app.extensions["services"].log


def commitment(app, player):
    """What the player is answered."""
    answer = app.test_client().get("/upgrader/commitment", headers=player.headers)
    return answer.status_code, answer.json


def held(app):
    """What /readyz says of it; with its status."""
    answer = app.test_client().get("/readyz")
    assert answer.status_code == 200
    return answer.json.get("held", "")


PAUSED = (503, {"error": "Bets are paused"})


@on_both
def test_the_same_database_goes_on(restarted, player, logged_spin, app):
    logged_spin()
    told, before = commitment(app, player), stored_log()

    again = restarted()
    log_of(again).watch()

    assert commitment(again, player) == told
    assert (stored_log(), held(again)) == (before, "")


@on_both
def test_another_database_with_the_checkpoint_goes_on_with_redrawn_seeds(
    restarted, player, logged_spin, app, file, log
):
    logged_spin()
    (status, told), size = commitment(app, player), log.checkpoint().size
    file.write_text(json.dumps(json.loads(file.read_text()) | {"database": "another"}))

    again = restarted()
    log_of(again).watch()
    log_of(again).watch()

    assert log_of(again).checkpoint().origin == ORIGIN
    assert log_of(again).checkpoint().size == size + 1, "one entry"
    status, redrawn = commitment(again, player)
    assert (status, redrawn["nonce"]) == (200, told["nonce"])
    assert redrawn["serverSeedCommitment"] != told["serverSeedCommitment"]
    assert held(again).startswith(f"Withdrawals are held because of the database: {MOVED}.")


@on_both
def test_a_database_without_the_checkpoint_pauses_bets(restarted, player, lost, signed, spin):
    before = len(signed.trees)

    again = restarted()
    log_of(again).watch()
    log_of(again).append_waiting()

    assert commitment(again, player) == PAUSED
    assert LOST in held(again)
    assert "flask log continue (docs/runbook.md#betspaused)" in held(again)
    with pytest.raises(BetsPaused):
        spin()
    assert len(signed.trees) == before


@on_both
def test_a_machine_without_a_file_that_another_one_confirms_goes_on(machine, player, logged_spin, app):
    logged_spin()
    told = commitment(app, player)

    other = machine()

    assert commitment(other, player) == told
    assert (held(other), log_of(other).checkpoint().origin) == ("", ORIGIN)


@on_both
def test_a_machine_without_a_file_pauses_bets_and_holds_withdrawals(restarted, player, logged_spin, file):
    logged_spin()
    before = stored_log()
    file.unlink()

    again = restarted()
    log_of(again).watch()

    assert commitment(again, player) == PAUSED
    assert f"held because of the database: {UNKNOWN}. An operator ends the pause: flask log trust" in held(
        again
    )
    assert stored_log()[Log][0]["checkpoint"] == before[Log][0]["checkpoint"]
    assert not file.exists()


def test_a_database_with_an_announced_seed_is_not_new(restarted, player, app, file):
    """The log has no entry yet."""
    assert commitment(app, player)[0] == 200
    file.unlink()

    assert commitment(restarted(), player) == PAUSED


def test_an_empty_database_in_the_place_of_the_log_pauses_all_machines(
    machine, player, app, log, logged_spin
):
    empty = stored_log()
    logged_spin()
    restore_log(empty)
    with writing():
        AnnouncedSeed.delete().execute()
    log.watch()

    assert commitment(machine(), player) == PAUSED
    assert resume(log).checkpoint.origin.startswith(f"{ORIGIN}-")
    assert commitment(app, player)[0] == 200


@pytest.mark.parametrize("content", [None, "{"], ids=["missing", "damaged"])
def test_a_running_process_whose_file_is_gone_pauses_bets(app, player, logged_spin, file, content):
    logged_spin()
    file.unlink()
    if content:
        file.write_text(content)

    assert commitment(app, player) == PAUSED


@on_both
def test_the_log_of_a_new_database_begins(app, log, player, file):
    status, _ = commitment(app, player)

    assert (status, log.checkpoint().size, held(app)) == (200, 0, "")
    assert file.exists()


@on_both
def test_a_running_process_finds_that_a_logged_bet_is_lost(app, player, log, lost):
    assert commitment(app, player) == PAUSED
    assert is_paused()


def test_a_running_process_finds_that_a_bet_is_lost_that_was_not_logged_yet(
    app, player, log, logged_spin, spin
):
    """Within the same file."""
    logged_spin()
    with reading():
        row = AnnouncedSeed.select().where(AnnouncedSeed.user == player.id).dicts().get()
    bet = spin()
    with writing():
        WaitingBet.delete().execute()
        Bet.delete().where(Bet.id == bet.id).execute()
        AnnouncedSeed.update(row).where(AnnouncedSeed.user == player.id).execute()

    with pytest.raises(BetsPaused):
        log.append_now()

    assert commitment(app, player) == PAUSED
    assert resume(log).checkpoint.origin == ORIGIN, "the log itself has lost nothing"
    assert commitment(app, player)[0] == 200


def test_a_socket_is_told_that_bets_are_paused(connect, player, item, lost, app):
    socket = connect(player)

    answer = socket.spin({"amount": 1, "item": item})

    assert answer == {"status": False, "error": "Bets are paused"}
    assert socket.expect("balance")
    assert [name for name, _ in socket.seen if name == "upgrader:commitment"] == []


def test_new_players_and_pages_are_served_while_bets_are_paused(app, log, lost, new_player, client):
    log.watch()
    bob = new_player("bob")

    assert client.get("/auth/me", headers=bob.headers).status_code == 200
    assert client.get("/stats/live-bets").status_code == 200
    assert commitment(app, bob) == PAUSED
    resume(log)
    assert commitment(app, bob)[0] == 200


def test_no_seed_is_revealed_while_bets_are_paused(app, log, logged_spin, spin):
    logged_spin()
    backup = stored_log()
    logged_spin()
    waits = spin()
    restore_log(backup)

    with pytest.raises(BetsPaused):
        app.extensions["services"].proofs.reveal([waits.id])


@on_both
def test_other_machines_pause_and_go_on_with_the_one_that_finds_it(machine, player, log, logged_spin, signed):
    logged_spin()
    other = machine()
    log_of(other).watch()
    backup = stored_log()
    logged_spin()
    restore_log(backup)
    log.watch()
    assert commitment(other, player) == PAUSED

    resume(log)
    log_of(other).watch()

    assert commitment(other, player)[0] == 200
    assert log_of(other).checkpoint().origin == log.checkpoint().origin == signed.origins[-1]
    assert len(signed.origins) == 2


def test_a_machine_without_a_file_pauses_others_only_until_one_of_them_looks(
    restarted, tmp_path, player, log, logged_spin, app
):
    """It could not ask them in time."""
    logged_spin()
    other = restarted(INSTANCE_DIR=str(tmp_path / "other"))
    log_of(other).watch()
    assert is_paused()

    log.watch()

    assert commitment(app, player)[0] == 200
    assert "The next reconciliation" in held(app)


def test_each_of_two_restores_of_one_backup_has_a_successor(app, player, log, logged_spin, signed):
    logged_spin()
    backup = stored_log()
    for _ in range(2):
        commitment(app, player)
        logged_spin()
        restore_log(backup)
        resume(log)

    assert signed.origins[0] == ORIGIN
    assert len(signed.origins) == 3
    assert list(log.file().ended) == signed.origins[:2]


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
    resume(log)
    other = log_of(machine())
    other.watch()
    restore_log(early)
    with writing():
        Log.update(epoch=99).execute()

    other.watch()

    assert is_paused()


def test_a_machine_without_a_file_waits_while_it_cannot_ask_others(log, logged_spin, restarted, tmp_path):
    logged_spin()
    before = stored_log()
    with writing():
        Process.create(address="elsewhere:1", pool_size=1, redis="none", seen_at_ms=2**60)
    other = log_of(restarted(INSTANCE_DIR=str(tmp_path / "other")))

    for step in (other.watch, other.append_now, partial(redraw_seeds, other), other.file):
        with pytest.raises(Unavailable):
            step()

    assert stored_log() == before
    log.append_now()
    assert log.checkpoint().origin == ORIGIN


@on_both
@pytest.mark.parametrize("command", ["key", "verify"])
def test_commands_that_look_never_change_the_log(logged_spin, lost, restarted, tmp_path, command):
    """Not on a machine without a file either, and not after a restore."""
    before = stored_log()

    for directory in (tmp_path / "instance", tmp_path / "other"):
        app = restarted(INSTANCE_DIR=str(directory))
        result = app.test_cli_runner().invoke(args=["log", command])
        assert result.exit_code in (0, 1), result.output

    assert stored_log() == before
    assert not (tmp_path / "other" / "log.checkpoint").exists()


def test_a_checkpoint_that_was_removed_because_of_its_age_redraws_nothing(
    app, player, new_player, log, logged_spin, machine, clock
):
    logged_spin()
    other = machine()
    log_of(other).watch()
    told, before = commitment(other, player), epoch()
    for name in ("bob", "carol"):
        clock.advance(seconds=DAY_SECONDS + 1)
        new_player(name)
        log.append_now()
    assert checkpoints() == 3, "the first one, of size 0, and the last two"

    assert commitment(other, player) == told
    log_of(other).watch()
    assert (epoch(), log_of(other).checkpoint().origin) == (before, ORIGIN)
