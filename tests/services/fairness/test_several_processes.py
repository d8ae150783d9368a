"""The log of several processes, on one machine or on several: here apps of one process."""

import fcntl
from threading import Event, Thread

import pytest

from bench.harness.spins import play_spin
from models.db.connection import writing
from models.log import BETS
from models.users import AnnouncedSeed
from services.log import checkpoint_file, sequencer
from services.shared.errors import Unavailable
from tests.services.fairness.conftest import reveal
from tests.support.lost_log import checkpoints, epoch, replace_log, restore_log, stored_log


@pytest.fixture(params=["one machine", "several machines"])
def processes(request, app, make_app, tmp_path):
    """Three processes with one instance directory, or with one each; their seeds are trusted."""
    started = [app]
    for number in range(2):
        own = {"INSTANCE_DIR": str(tmp_path / str(number))} if request.param == "several machines" else {}
        started.append(make_app(**own))
    for process in started:
        bet_log(process).watch()
    return started


@pytest.fixture
def two(app, make_app):
    """Two processes of one machine."""
    for process in (pair := [app, make_app()]):
        bet_log(process).watch()
    return pair


@pytest.fixture
def spin(item):
    """Plays a spin of the player at a process; the bet. Its commitment may have been redrawn before."""

    def play(process, player):
        announced(process, player)
        return play_spin(process, player, item).bet

    return play


def bet_log(process):
    return process.extensions["services"].log


def announced(process, player):
    return process.extensions["services"].seeds.announced(user_id=player.id)


def announce_again(player, nonce):
    """Set the player's announced seed back, as a restore does."""
    with writing():
        AnnouncedSeed.update(nonce=nonce).where(AnnouncedSeed.user == player.id).execute()


def test_processes_append_the_bets_of_all_at_once(processes, new_player, spin):
    players = [new_player(f"player-{number}") for number in range(3)]
    bets = [
        [spin(process, player) for _ in range(4)] for process, player in zip(processes, players, strict=True)
    ]
    before = checkpoints()

    for turn in range(4):
        for process, settled in zip(processes, bets, strict=True):
            reveal(process, settled[turn])
            bet_log(process).watch()

    assert checkpoints() - before == 1


@pytest.mark.security("Restored database")
def test_another_process_bets_revealed_together_need_one_checkpoint(processes, new_player, spin):
    here, there, _ = processes
    players = [new_player(f"player-{number}") for number in range(3)]
    bets = [spin(there, player) for player in players]
    before = checkpoints()

    reveal(here, *bets)
    for bet in bets:
        bet_log(here).cover([bet.id])

    assert checkpoints() - before == 1


def test_a_bet_that_another_process_logs_needs_no_lock_of_the_file(two, new_player, spin, monkeypatch):
    here, there = two
    bet = spin(here, new_player())
    append, write, flock = sequencer.append, checkpoint_file.write, fcntl.flock
    waiting = Thread(target=bet_log(here).cover, args=([bet.id],))
    is_locked_out, waited_for_the_lock = Event(), []

    def try_lock(*arguments):
        try:
            flock(*arguments)
        except BlockingIOError:
            is_locked_out.set()
            raise

    def append_while_the_other_waits(*arguments, **options):
        waiting.start()
        is_locked_out.wait(timeout=30)
        return append(*arguments, **options)

    def write_before_the_lock_is_released(*arguments):
        write(*arguments)
        waiting.join(timeout=30)
        waited_for_the_lock.append(waiting.is_alive())

    monkeypatch.setattr(fcntl, "flock", try_lock)
    monkeypatch.setattr(sequencer, "append", append_while_the_other_waits)
    monkeypatch.setattr(checkpoint_file, "write", write_before_the_lock_is_released)
    bet_log(there).append_now()

    assert waited_for_the_lock == [False]


def test_a_restore_without_another_process_reveals_is_recognised(two, new_player, spin):
    here, there = two
    player = new_player()
    bet = spin(there, player)
    before = stored_log()
    reveal(here, bet)
    told = announced(there, player)
    restore_log(before)

    assert announced(there, player).server_seed_commitment != told.server_seed_commitment


def test_a_restore_without_another_machines_bets_is_recognised(app, make_app, new_player, spin, tmp_path):
    other = make_app(INSTANCE_DIR=str(tmp_path / "other"))
    player = new_player()
    bet_log(other).watch()
    bet = spin(app, player)
    before = stored_log()
    reveal(app, bet)
    bet_log(other).watch()
    told = announced(other, player)
    restore_log(before)

    assert announced(other, player).server_seed_commitment != told.server_seed_commitment


def test_processes_that_start_and_stop_keep_the_commitments(processes, make_app, new_player, spin):
    player = new_player()
    bets = [spin(process, player) for process in processes]
    told = announced(processes[0], player)

    bet_log(processes[0]).append_now()
    reveal(processes[1], *bets)
    started = make_app()
    bet_log(started).watch()

    assert [announced(process, player) for process in (*processes, started)] == [told] * 4


def test_a_process_notices_lost_bets_of_departed_players(two, new_player, spin):
    """The player asks another process, which does not know of the bet."""
    here, there = two
    player = new_player()
    spin(there, player)
    told = announced(here, player)
    announce_again(player, nonce=1)

    bet_log(there).watch()

    again = announced(here, player)
    assert again.nonce == 1
    assert again.server_seed_commitment != told.server_seed_commitment


def test_a_machines_processes_redraw_once_after_a_restore(two, new_player, spin):
    players = [new_player(f"player-{number}") for number in range(2)]
    for process, player in zip(two, players, strict=True):
        spin(process, player)
    before = epoch()
    for player in players:
        announce_again(player, nonce=1)

    for process, player in zip(two, players, strict=True):
        announced(process, player)
        bet_log(process).watch()

    assert epoch() - before == 1


def test_a_machine_without_file_reveals_a_bet_after_writing_its_own_checkpoint(
    app, make_app, new_player, spin, tmp_path
):
    """The log has another history than what both machines have signed, so the other one can't confirm it."""
    other = make_app(INSTANCE_DIR=str(tmp_path / "other"))
    reveal(app, bet := spin(app, new_player()))
    bet_log(other).watch()
    signed = bet_log(app).known()
    replace_log()
    file = tmp_path / "instance" / "log.checkpoint"
    file.unlink()
    bet_log(app)._ask_for_confirmation = lambda: bet_log(other).confirm() or True
    before = epoch()

    bet_log(app).cover([bet.id])

    assert epoch() - before == 1
    assert bet_log(app).known().size > signed.size
    assert checkpoint_file.read(file).checkpoint == sequencer.stored_log(BETS).checkpoint


def test_a_process_refuses_a_database_that_its_machine_has_left(two, caplog):
    """Otherwise two processes with an address of two hosts would take the log from each other."""
    here, _ = two
    file = bet_log(here)._path
    kept = checkpoint_file.read(file)
    moved = kept._replace(database="another")
    checkpoint_file.write(file, moved)

    with pytest.raises(Unavailable):
        bet_log(here).known()

    assert checkpoint_file.read(file) == moved
    assert "another process of this machine has changed to another database" in caplog.messages
    checkpoint_file.write(file, kept)
    assert bet_log(here).known()


def test_an_append_is_refused_within_a_transaction(app, new_player, spin):
    bet = spin(app, new_player())

    with pytest.raises(RuntimeError, match="committed"), writing():
        reveal(app, bet)
