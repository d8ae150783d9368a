"""The locks and ends of battles in the log, and whether a lock was signed in time."""

import base64
from hashlib import sha256

import pytest

from models import battle_locks, beacons
from models.battles import State, VoidReason
from services.battles import receipts
from services.battles.refusals import NoSeat
from services.log import file, published
from services.log.bet_log import ReceiptNotFound
from tests.blueprints.log.conftest import ORIGIN, content
from tests.support.battle_locks import LockedBattles, now
from tests.support.lost_log import let_confirm

pytestmark = [pytest.mark.security("The public log"), pytest.mark.usefixtures("signed")]

IMMUTABLE = "public, max-age=31536000, immutable"


@pytest.fixture
def player(new_player):
    return new_player(coins=10_000)


@pytest.fixture
def battles(app, player, clock):
    return LockedBattles(app, player, clock)


@pytest.fixture
def logged(log, entries_of):
    """The contents of the entries about battles, by their indexes."""

    def read():
        found = enumerate(map(content, entries_of(f"000.p/{log.checkpoint().size}")))
        return {index: entry for index, entry in found if "battle" in entry}

    return read


@pytest.fixture
def restarted(make_app, clock):
    """Starts another process of this machine."""
    return lambda **settings: make_app(clock=clock, **settings)


@pytest.fixture
def other_machine(restarted, tmp_path, log):
    """The services of a process of another machine."""
    other = restarted(INSTANCE_DIR=str(tmp_path / "other")).extensions["services"]
    log.watch()
    let_confirm(other.log, log)
    other.log.watch()
    return other


@pytest.mark.both_databases("models/battle_locks.py")
def test_the_lock_and_the_end_are_entries(battles, log, logged, player):
    battle = battles.lock()
    log.append_now()

    ended = battles.end(battle)

    (lock_index, lock), (end_index, end) = logged().items()
    name = sha256(battle.public_id.encode()).hexdigest()
    chain = battles.services.beacons.chain
    seats = [
        {"clientSeed": player.user.client_seed, "player": log.pseudonyms.of(player.platform_id), "team": 0},
        {"clientSeed": "bot-1", "player": "bot", "team": 1},
    ]
    assert lock == {
        "at": battle.locked_at_ms,
        "battle": name,
        "beacon": {"chain": chain.hash, "round": chain.first_round_at(battle.locked_at_ms + 6_000)},
        "cases": [case.snapshot_hash for case in battle.cases],
        "commitment": battle.commitment,
        "crazy": False,
        "mode": "normal",
        "playersOnly": False,
        "seats": seats,
        "terminal": False,
        "v": 2,
    }
    assert (ended.state, ended.lock_index, ended.end_index) == (State.SETTLED, lock_index, end_index)
    assert end == {
        "at": ended.ended_at_ms,
        "battle": name,
        "lock": lock_index,
        "seed": ended.server_seed,
        "signature": ended.signature,
        "v": 2,
    }
    assert sha256(end["seed"].encode()).hexdigest() == lock["commitment"]


# -- in time or late ------------------------------------------------------------------------------------


def test_a_lock_that_is_signed_before_its_deadline_is_in_time(battles, log, clock):
    decided = []
    log.locks.on_decided.append(lambda *decision: decided.append(decision))
    battle = battles.lock()
    clock.now = battles.deadline(battle) - 1
    log.append_now()
    clock.now += 1
    log.decide_locks()

    assert now(battle).is_lock_in_time is True
    assert decided == [(battle.id, True)]


@pytest.mark.security("Battles")
def test_a_lock_that_is_signed_at_its_deadline_is_late(battles, log, clock, logged):
    battle = battles.lock()
    clock.now = battles.deadline(battle)
    log.append_now()

    assert now(battle).is_lock_in_time is False
    ended = battles.end(battle)
    (lock_index, _), (_, end) = logged().items()
    assert (ended.state, ended.void_reason) == (State.VOID, VoidReason.LATE)
    assert (end["lock"], end["reason"], end["seed"]) == (lock_index, "late", ended.server_seed)


def test_a_lock_that_is_not_appended_by_its_deadline_is_late(battles, log, clock):
    battle = battles.lock()
    clock.now = battles.deadline(battle) - 1
    log.decide_locks()
    before = now(battle).is_lock_in_time
    clock.now += 1
    log.decide_locks()

    assert (before, now(battle).is_lock_in_time) == (None, False)


def test_a_lock_is_late_if_writing_the_file_lasts_until_its_deadline(battles, log, clock, monkeypatch):
    battle, write = battles.lock(), file.write
    clock.now = battles.deadline(battle) - 1_000

    def slowly(*arguments):
        clock.advance(seconds=1)
        write(*arguments)

    monkeypatch.setattr(file, "write", slowly)
    log.append_now()

    assert now(battle).is_lock_in_time is False


@pytest.mark.security("Battles")
def test_a_lock_is_late_if_its_beacon_came_before_the_deadline(battles, log, clock):
    """The clock of this server is slow."""
    battle = battles.lock()
    clock.now = battles.deadline(battle) - 1
    beacons.store(battle.round, "ab" * 48, "cd" * 32, now=clock.now, is_by_hand=False)
    log.append_now()

    assert now(battle).is_lock_in_time is False


def test_a_beacon_that_comes_after_the_deadline_changes_nothing(battles, log, clock, monkeypatch, restarted):
    battle = battles.lock()
    kill(monkeypatch, battle_locks, "decide", log.append_now)
    clock.now = battles.time(battle)
    beacons.store(battle.round, "ab" * 48, "cd" * 32, now=clock.now, is_by_hand=False)

    restarted().extensions["services"].log.append_now()

    assert now(battle).is_lock_in_time is True


# -- killed processes -----------------------------------------------------------------------------------


class Killed(BaseException):
    """The process dies here."""


def kill(monkeypatch, module, name, step):
    """Kill a process within a step, when it would call this function."""

    def die(*_, **__):
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(module, name, die)
        with pytest.raises(Killed):
            step()


@pytest.mark.parametrize(("wait_ms", "expected"), [(-1, True), (0, False)], ids=["in time", "late"])
def test_after_a_kill_before_the_file_is_written_the_next_process_decides(
    battles, log, clock, monkeypatch, restarted, wait_ms, expected
):
    battle = battles.lock()
    kill(monkeypatch, file, "write", log.append_now)
    clock.now = battles.deadline(battle) + wait_ms

    restarted().extensions["services"].log.watch()

    assert now(battle).is_lock_in_time is expected


def test_after_a_kill_behind_the_write_the_file_decides(battles, log, clock, monkeypatch, restarted, signed):
    """Also after the beacon is published, and before anything is signed."""
    battle = battles.lock()
    kill(monkeypatch, battle_locks, "decide", log.append_now)
    assert now(battle).is_lock_in_time is None
    clock.now = battles.time(battle) + 60_000
    before = len(signed.trees)

    restarted().extensions["services"].log.decide_locks()

    assert now(battle).is_lock_in_time is True
    assert len(signed.trees) == before


def test_a_late_end_waits_for_the_lock(battles, log, clock, logged):
    """The entry of the end has the index of the lock."""
    battle = battles.lock()
    clock.now = battles.time(battle)
    log.decide_locks()
    battles.services.battle_upkeep.end_due()
    assert (now(battle).is_lock_in_time, now(battle).state) == (False, State.LOCKED)

    assert battles.end(battle).state == State.VOID
    assert [entry.get("reason") for entry in logged().values()] == [None, "late"]


# -- several machines -----------------------------------------------------------------------------------


@pytest.mark.both_databases("services/log/battle_locks.py")
def test_another_machine_takes_a_lock_over_before_its_deadline(battles, log, other_machine):
    battle = battles.lock()
    log.append_now()

    other_machine.log.decide_locks()

    assert other_machine.log.file().checkpoint.size > now(battle).lock_index
    assert now(battle).is_lock_in_time is True


def test_a_lock_that_comes_to_another_machine_after_its_deadline_is_late(
    battles, log, other_machine, clock, monkeypatch
):
    """The machine that has signed it was killed before it wrote its file."""
    battle = battles.lock()
    kill(monkeypatch, file, "write", log.append_now)
    clock.now = battles.deadline(battle)

    other_machine.log.watch()

    assert now(battle).is_lock_in_time is False


def test_the_first_decision_stays(battles, log, other_machine, clock):
    """The checkpoint comes to another machine after the deadline."""
    battle = battles.lock()
    log.append_now()
    clock.now = battles.time(battle)

    other_machine.log.watch()
    other_machine.log.decide_locks()

    assert other_machine.log.file().checkpoint.size > now(battle).lock_index
    assert now(battle).is_lock_in_time is True


# -- what is served -------------------------------------------------------------------------------------


def test_the_outcome_is_revealed_at_the_index_of_the_end(battles, log, client, add_waiting):
    battle = battles.lock()
    log.append_now()

    ended = battles.end(battle)
    add_waiting(300)
    log.append_now()

    answer = client.get("/log/revealed/0")
    (revealed,) = answer.json
    drawn, outcome = revealed["battle"]["drawn"], ended.outcome
    assert revealed["index"] == ended.end_index
    assert revealed["battle"].keys() == {"drawn", "payouts"}
    assert revealed["battle"]["payouts"] == [cents / 100 for cents in outcome.payouts_cents]
    assert [[int(each["ticket"]) for each in seat] for seat in drawn] == outcome.tickets
    assert sum(each["price"] for seat in drawn for each in seat) == sum(revealed["battle"]["payouts"])
    assert answer.headers["Cache-Control"] == IMMUTABLE


def test_a_void_battle_has_no_outcome(battles, client):
    ended = battles.end(battles.lock())

    assert ended.void_reason == VoidReason.LATE
    assert client.get("/log/revealed/0").json == []


def test_the_receipt_proves_the_lock(battles, log, player, open_note, new_player):
    battle = battles.lock()
    log.append_now()

    receipt = receipts.receipt(now(battle), user_id=player.id, bet_log=log)

    head, _, signed = receipt.partition("\n\n")
    _, extra, place, *_ = head.split("\n")
    entry = content(base64.b64decode(extra.removeprefix("extra ")))
    assert entry["commitment"] == battle.commitment
    assert place == f"index {now(battle).lock_index}"
    assert open_note(signed).size > now(battle).lock_index
    with pytest.raises(NoSeat):
        receipts.receipt(now(battle), user_id=new_player("bob").id, bet_log=log)


def test_a_lock_without_a_decision_has_no_receipt(battles, log, player, clock):
    battle = battles.lock()
    for _ in range(2):
        with pytest.raises(ReceiptNotFound):
            receipts.receipt(now(battle), user_id=player.id, bet_log=log)
        # Now it is late.
        clock.now = battles.deadline(battle)
        log.append_now()


def test_the_place_of_an_end_is_in_the_checkpoint(battles, log, clock):
    """It is appended if it waits."""
    battle = battles.lock()
    log.append_now()
    clock.now = battles.time(battle)
    battles.services.battle_ending.settle(battle.id, battles.played.learn_beacon(battle.public_id))

    place = published.place_of_entry(now(battle).end_entry_id, bet_log=log)

    assert (place.origin, place.index) == (ORIGIN, log.checkpoint().size - 1)
    assert f"index {place.index}\n" in published.proof_of_entry(now(battle).end_entry_id, bet_log=log)
