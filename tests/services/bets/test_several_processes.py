"""The log of several processes, on one machine or on several: here apps of one process."""

from dataclasses import replace

import pytest

from models.announced_seeds import AnnouncedSeed
from models.db.connection import writing
from services.log import file
from services.log.restore import BetsPaused
from services.shared.errors import Unavailable
from tests.harness.spins import play_spin
from tests.services.bets.conftest import reveal
from tests.support.lost_log import checkpoints, let_confirm


@pytest.fixture(params=["one machine", "several machines"])
def processes(request, app, make_app, tmp_path):
    """Three processes with one instance directory, or with one each; their seeds are trusted."""
    started = [app]
    for number in range(2):
        own = {"INSTANCE_DIR": str(tmp_path / str(number))} if request.param == "several machines" else {}
        started.append(make_app(**own))
    bet_log(app).watch()
    for process in started[1:]:
        let_confirm(bet_log(process), bet_log(app))
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


@pytest.mark.both_databases("several processes append to one log")
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


@pytest.mark.both_databases("several processes append to one log")
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
    announce_again(player, nonce=1)

    bet_log(there).watch()

    with pytest.raises(BetsPaused):
        announced(here, player)


def test_a_process_refuses_a_database_that_its_machine_has_left(two, caplog):
    """Otherwise two processes with an address of two hosts would take the log from each other."""
    here, _ = two
    path = bet_log(here).machine.path
    kept = file.read(path)
    moved = replace(kept, database="another")
    file.write(path, moved)

    with pytest.raises(Unavailable):
        bet_log(here).checkpoint()

    assert file.read(path) == moved
    assert "another process of this machine has changed to another database" in caplog.messages
    file.write(path, kept)
    assert bet_log(here).checkpoint()


def test_an_append_is_refused_within_a_transaction(app, new_player, spin):
    bet = spin(app, new_player())

    with pytest.raises(RuntimeError, match="committed"), writing():
        reveal(app, bet)
