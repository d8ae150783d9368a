"""Battles after a restore that has lost the end of the log."""

import json

import pytest

from models.announced_seeds import AnnouncedSeed
from models.battles import Battle, State, VoidReason
from models.bets import Bet
from models.db.connection import reading, writing
from models.log import WaitingBet
from services.battles.refusals import BattleCancelled
from services.log import file
from tests.blueprints.log.conftest import ORIGIN
from tests.support.battle_locks import LockedBattles, let_lock_wait, now
from tests.support.lost_log import is_paused, restore_log, resume, stored_log

pytestmark = [pytest.mark.usefixtures("signed"), pytest.mark.security("Restored database")]


@pytest.fixture
def player(new_player):
    return new_player(coins=10_000)


@pytest.fixture
def battles(app, player, clock):
    return LockedBattles(app, player, clock)


@pytest.fixture
def lost_lock(battles, log, logged_spin):
    """A battle whose lock the database lets wait again, although the log had it. Another one is open."""
    logged_spin()
    battles.open()
    backup = stored_log()
    battle = battles.lock()
    log.append_now()
    assert now(battle).is_lock_in_time
    restore_log(backup)
    let_lock_wait(battle)
    return battle


@pytest.fixture
def entries(log, entries_of):
    """The kinds of the last entries in the present log, and their bytes."""

    def read(count):
        checkpoint = log.checkpoint()
        name = checkpoint.origin.removeprefix(ORIGIN.removesuffix("log"))
        found = entries_of(f"000.p/{checkpoint.size}", f"/{name}")[-count:]
        return [_kind(json.loads(entry)) for entry in found], found

    return read


def _kind(entry):
    keys = {"forkOf": "fork", "redraw": "epoch", "seats": "lock", "signature": "end", "lock": "void"}
    return next((kind for key, kind in keys.items() if key in entry), "other")


@pytest.mark.both_databases("battles after a restore")
def test_a_battle_whose_lock_was_lost_is_logged_again_and_void(battles, lost_lock, log, entries, run):
    resume(log)

    kinds, (_, lock, _) = entries(3)
    ended = battles.end(lost_lock)

    assert kinds == ["fork", "lock", "epoch"]
    assert lock == text_of(lost_lock)
    assert (ended.state, ended.void_reason) == (State.VOID, VoidReason.RESTORE)
    (kind, *_), (void, *_) = entries(1)
    assert kind == "void"
    assert (
        json.loads(void).items()
        >= {
            "lock": ended.lock_index,
            "reason": "restore",
            "seed": ended.server_seed,
        }.items()
    )
    assert run("log", "verify")["problems"] == 0


@reading()
def text_of(battle):
    return battle.lock_entry.text.encode()


def test_a_lock_that_was_kept_decides_its_battle(battles, log, logged_spin, clock):
    battle = battles.lock()
    log.append_now()
    backup = stored_log()
    logged_spin()
    restore_log(backup)
    resume(log)

    assert battles.end(battle).state == State.SETTLED


def test_a_kept_lock_that_was_not_decided_about_is_in_time(battles, log, logged_spin, clock):
    """The backup is of the moment between the two transactions. The file of the log has the lock."""
    battle = battles.lock()
    log.append_now()
    backup = stored_log()
    logged_spin()
    restore_log(backup)
    with writing():
        Battle.update(is_lock_in_time=None).execute()
    clock.now = battles.time(battle)
    resume(log)

    assert battles.end(battle).state == State.SETTLED


def test_an_open_battle_is_cancelled_and_publishes_its_seed(
    battles, log, logged_spin, new_player, balance, player
):
    """The part of the log that was lost may have locked it."""
    logged_spin()
    before = balance(player)
    battle = battles.open()
    backup = stored_log()
    logged_spin(new_player("carol"))
    restore_log(backup)
    resume(log)

    with pytest.raises(BattleCancelled):
        battles.played.join(battle.public_id, new_player("bob", coins=1_000))
    battles.services.battle_upkeep.cancel_due()

    ended = now(battle)
    assert (ended.state, len(ended.server_seed)) == (State.CANCELLED, 64)
    assert balance(player) == before


def test_a_battle_that_is_opened_afterwards_goes_on(battles, lost_lock, log):
    resume(log)
    battle = battles.lock()
    log.append_now()

    assert battles.end(battle).state == State.SETTLED


def test_the_operator_sees_how_many_battles_end(app, battles, lost_lock):
    result = app.test_cli_runner().invoke(args=["log", "continue", "--reason", "the disk failed"])

    assert json.loads(result.stdout)["battles"] == {"cancelled": 1, "void": 1}


def test_without_a_successor_battles_go_on(battles, log, logged_spin, spin, player):
    """Only a bet is lost that was not in the log yet."""
    logged_spin()
    battle = battles.open()
    with reading():
        seed = AnnouncedSeed.select().where(AnnouncedSeed.user == player.id).dicts().get()
    waits = spin()
    with writing():
        WaitingBet.delete().execute()
        Bet.delete().where(Bet.id == waits.id).execute()
        AnnouncedSeed.update(seed).where(AnnouncedSeed.user == player.id).execute()
    log.watch()
    assert is_paused()

    assert resume(log).checkpoint.origin == ORIGIN
    battles.services.battle_upkeep.cancel_due()
    assert now(battle).state == State.OPEN


class Killed(BaseException):
    """The process dies here."""


def _die(*_):
    raise Killed


def test_a_kill_before_the_commit_marks_nothing(battles, lost_lock, log):
    log.watch()
    with pytest.raises(Killed):
        log.restores.resume(lost=1, reason="the disk failed", record=_die)

    assert (now(lost_lock).is_restored, is_paused()) == (False, True)
    resume(log)
    assert battles.end(lost_lock).void_reason == VoidReason.RESTORE


def test_a_kill_after_the_commit_loses_nothing(battles, lost_lock, log, monkeypatch, make_app, clock):
    with monkeypatch.context() as patch:
        patch.setattr(file, "write", _die)
        with pytest.raises(Killed):
            resume(log)
    next_process = make_app(clock=clock).extensions["services"]
    next_process.log.watch()

    ended = battles.end(lost_lock, next_process)

    assert ended.void_reason == VoidReason.RESTORE
    assert next_process.log.checkpoint().origin != ORIGIN
