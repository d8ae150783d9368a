"""The seed witness of several processes, on one machine or on several: here apps of one process."""

import json

import pytest

from bench.harness.spins import play_spin
from models.db.connection import reading, writing
from models.seed_marks import SeedMark
from models.users import AnnouncedSeed
from tests.services.fairness.conftest import marks, reveal


@pytest.fixture(params=["one machine", "several machines"])
def processes(request, app, make_app, tmp_path):
    """Three processes with one instance directory, or with one each; their seeds are trusted."""
    started = [app]
    for number in range(2):
        own = {"INSTANCE_DIR": str(tmp_path / str(number))} if request.param == "several machines" else {}
        started.append(make_app(**own))
    for process in started:
        witness(process).watch()
    return started


@pytest.fixture
def two(app, make_app):
    """Two processes of one machine."""
    for process in (pair := [app, make_app()]):
        witness(process).watch()
    return pair


@pytest.fixture
def spin(item):
    """Plays a spin of the player at a process; the bet. Its commitment may have been redrawn before."""

    def play(process, player):
        announced(process, player)
        return play_spin(process, player, item).bet

    return play


def witness(process):
    return process.extensions["services"].seeds.witness


def announced(process, player):
    return process.extensions["services"].seeds.announced(user_id=player.id)


@reading()
def epochs():
    return SeedMark.select(SeedMark.epoch).distinct().count()


def announce_again(player, nonce):
    """Set the player's announced seed back, as a restore does."""
    with writing():
        AnnouncedSeed.update(nonce=nonce).where(AnnouncedSeed.user == player.id).execute()


def lose_last_mark():
    """Leave the database as a restore from before the last mark does."""
    with writing():
        last = SeedMark.select(SeedMark.number).order_by(SeedMark.number.desc()).limit(1).scalar()
        SeedMark.delete().where(SeedMark.number == last).execute()


def test_busy_processes_append_one_mark_each(processes, new_player, spin):
    players = [new_player(f"player-{number}") for number in range(3)]
    bets = [
        [spin(process, player) for _ in range(4)] for process, player in zip(processes, players, strict=True)
    ]
    before = marks()

    for turn in range(4):
        for process, settled in zip(processes, bets, strict=True):
            reveal(process, settled[turn])
            witness(process).watch()

    assert marks() - before == len(processes)


@pytest.mark.security("Restored database")
def test_another_process_bets_revealed_together_need_one_mark(processes, new_player, spin):
    here, there, _ = processes
    players = [new_player(f"player-{number}") for number in range(3)]
    bets = [spin(there, player) for player in players]
    before = marks()

    reveal(here, *bets)
    for bet, player in zip(bets, players, strict=True):
        witness(here).cover({player.id: bet.nonce})

    assert marks() - before == 1


def test_a_restore_without_another_process_reveals_is_recognised(two, new_player, spin):
    here, there = two
    player = new_player()
    reveal(here, spin(there, player))
    told = announced(there, player)
    lose_last_mark()

    assert announced(there, player).server_seed_commitment != told.server_seed_commitment


def test_a_restore_without_another_machines_bets_is_recognised(app, make_app, new_player, spin, tmp_path):
    other = make_app(INSTANCE_DIR=str(tmp_path / "other"))
    player = new_player()
    witness(other).watch()
    reveal(app, spin(app, player))
    witness(other).watch()
    told = announced(other, player)
    lose_last_mark()

    assert announced(other, player).server_seed_commitment != told.server_seed_commitment


def test_processes_that_start_and_stop_keep_the_commitments(processes, make_app, new_player, spin):
    player = new_player()
    bets = [spin(process, player) for process in processes]
    told = announced(processes[0], player)

    witness(processes[0]).cover_all()
    reveal(processes[1], *bets)
    started = make_app()
    witness(started).watch()

    assert [announced(process, player) for process in (*processes, started)] == [told] * 4


def test_a_process_notices_lost_bets_of_departed_players(two, new_player, spin):
    """The player asks another process, which does not know of the bet."""
    here, there = two
    player = new_player()
    spin(there, player)
    told = announced(here, player)
    announce_again(player, nonce=1)

    witness(there).watch()

    again = announced(here, player)
    assert again.nonce == 1
    assert again.server_seed_commitment != told.server_seed_commitment


def test_a_machines_processes_redraw_once_after_a_restore(two, new_player, spin):
    players = [new_player(f"player-{number}") for number in range(2)]
    for process, player in zip(two, players, strict=True):
        spin(process, player)
    before = epochs()
    for player in players:
        announce_again(player, nonce=1)

    for process, player in zip(two, players, strict=True):
        announced(process, player)
        witness(process).watch()

    assert epochs() - before == 1


def test_a_machine_without_file_ignores_marks_before_a_redraw(app, make_app, new_player, spin, tmp_path):
    other = make_app(INSTANCE_DIR=str(tmp_path / "other"))
    player = new_player()
    reveal(app, bet := spin(app, player))
    witness(other).watch()
    with writing():
        SeedMark.update(token="another history").execute()
    (tmp_path / "instance" / "seeds.witness").unlink()
    witness(app)._ask_for_mark = lambda: witness(other).vouch() or True
    announced(app, player)
    before = marks()

    witness(app).cover({player.id: bet.nonce})

    assert marks() - before == 1


def test_a_mark_is_refused_within_a_transaction(app, new_player, spin):
    bet = spin(app, new_player())

    with pytest.raises(RuntimeError, match="committed"), writing():
        reveal(app, bet)


def test_a_witness_file_of_an_earlier_release_is_read(app, make_app, new_player, spin, tmp_path):
    player = new_player()
    spin(app, player)
    told = announced(app, player)
    path = tmp_path / "instance" / "seeds.witness"
    content = json.loads(path.read_bytes())
    del content["history"]
    path.write_text(json.dumps(content))

    assert announced(make_app(), player) == told
