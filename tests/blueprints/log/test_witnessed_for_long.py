"""Witnesses through the life of a log: restores, new keys, several processes, and what is kept."""

import pytest

from models.db.connection import reading, writing
from models.witnesses import CosignedCheckpoint
from tests.blueprints.log.conftest import let_know
from tests.blueprints.log.test_keys import NEXT_KEY, log_of
from tests.harness.waiting import wait_until
from tests.support.battle_locks import LockedBattles, now
from tests.support.lost_log import let_confirm, restore_log, resume, stored_log
from tests.support.markers import postgresql_only
from tests.support.witnesses import THREE, lose_answer, names_below, problems, say, size_of
from verify.witness import ED25519, Signer

pytestmark = pytest.mark.usefixtures("signed")

UNKNOWN = "it does not know the log: ask its operator to add the log's key"


@pytest.fixture
def settings(settings, with_witnesses):
    return settings | with_witnesses


@pytest.fixture
def player(new_player):
    return new_player(coins=10_000)


def witnesses_of(app):
    return app.extensions["services"].witnesses


def name_of(log):
    return log.checkpoint().origin.rpartition("/")[2]


# -- restores -------------------------------------------------------------------------------------------


def test_nothing_is_submitted_while_bets_are_paused(client, log, logged_spin, running, submit):
    logged_spin()
    backup = stored_log()
    logged_spin()
    submit()
    restore_log(backup)
    log.watch()

    submit()

    assert [len(each.asked) for each in running] == [1, 1, 1]


@pytest.mark.security("Witnesses")
def test_a_successor_is_witnessed_when_the_witnesses_know_it(client, log, logged_spin, running, submit):
    logged_spin()
    backup = stored_log()
    logged_spin()
    submit()
    restore_log(backup)
    log.watch()
    resume(log)
    name = name_of(log)

    submit()
    assert client.get(f"/{name}/witnessed").status_code == 404
    assert client.get("/log/witnessed").status_code == 404
    assert problems(client) is None
    assert {each["size"] for each in client.get(f"/{name}/witnesses").json["witnesses"]} == {None}
    let_know(running, client.get(f"/{name}/key").text)
    submit()

    witnessed = client.get(f"/{name}/witnessed").text
    assert witnessed.startswith(log.checkpoint().text)
    assert names_below(witnessed)[1:] == [*THREE]
    # What the witnesses have cosigned of the log before is still there.
    assert names_below(client.get("/log/checkpoint").text)[1:] == [*THREE]


def test_readyz_says_that_the_witnesses_do_not_know_a_successor(client, clock, log, logged_spin, submit):
    logged_spin()
    backup = stored_log()
    logged_spin()
    restore_log(backup)
    log.watch()
    resume(log)

    submit(0)

    clock.advance(minutes=3)
    assert problems(client) == f"no checkpoint of this log has been witnessed yet: w1.example: {UNKNOWN}"


# -- keys -----------------------------------------------------------------------------------------------


def test_a_witnessed_checkpoint_is_signed_by_the_next_key_too(
    client, make_app, clock, logged_spin, submit, with_witnesses
):
    logged_spin()
    submit()

    announcing = make_app(clock=clock, LOG_NEXT_KEY=NEXT_KEY, **with_witnesses).test_client()

    names = names_below(announcing.get("/log/witnessed").text)
    assert names == [names[0]] * 2 + [*THREE]


def test_a_witness_that_does_not_know_the_new_key_refuses_it_until_it_does(
    make_app, clock, logged_spin, spin, submit, running, with_witnesses
):
    logged_spin()
    submit()
    log_of(make_app(clock=clock, LOG_NEXT_KEY=NEXT_KEY)).append_waiting()
    spin()
    changed = make_app(clock=clock, LOG_SIGNING_KEY=NEXT_KEY, **with_witnesses)
    log_of(changed).watch()
    log_of(changed).append_waiting()
    witnesses, client = witnesses_of(changed), changed.test_client()

    for each in witnesses.all:
        witnesses.submit(each)
    clock.advance(minutes=3)
    assert problems(client).endswith(f"w3.example: {UNKNOWN}")
    let_know(running, client.get("/log/key").text)
    for each in witnesses.all:
        witnesses.submit(each)

    assert problems(client) is None
    assert size_of(client.get("/log/witnessed").text) == log_of(changed).checkpoint().size


# -- the database ---------------------------------------------------------------------------------------


@pytest.mark.security("Witnesses")
def test_a_cosigned_checkpoint_that_somebody_has_changed_is_not_signed(client, clock, logged_spin, submit):
    logged_spin()
    submit()
    logged_spin()
    with writing():
        CosignedCheckpoint.update(root="0" * 64).execute()
    clock.advance(seconds=60)

    assert client.get("/log/witnessed").status_code == 404


@reading()
def kept_sizes():
    return sorted(size for (size,) in CosignedCheckpoint.select(CosignedCheckpoint.size).tuples())


@pytest.mark.both_databases("models/witnesses.py")
def test_after_a_day_the_first_checkpoint_after_each_lock_and_the_newest_are_kept(
    app, player, clock, log, logged_spin, submit, witnesses
):
    battles, sizes = LockedBattles(app, player, clock), []

    def witnessed():
        submit()
        sizes.append(log.checkpoint().size)

    logged_spin()
    witnessed()
    battle = battles.lock()
    logged_spin()
    submit(0)
    logged_spin()
    for _ in range(3):
        witnessed()
        logged_spin()
    assert sizes[0] <= now(battle).lock_index < sizes[1]

    clock.advance(hours=25)
    witnesses.delete_old()

    assert kept_sizes() == [sizes[1], sizes[3]]


@pytest.mark.security("Battles")
def test_the_receipt_of_a_battle_has_the_first_witnessed_checkpoint_with_its_lock(
    app, client, player, clock, log, logged_spin, submit
):
    battle = LockedBattles(app, player, clock).lock()
    log.append_now()
    first = log.checkpoint().size
    submit()
    logged_spin()
    submit()
    log.decide_locks()

    receipt = client.get(f"/battles/{battle.public_id}/receipt", headers=player.headers).json

    _, _, note = receipt["proof"].partition("\n\n")
    assert size_of(note) == first
    assert names_below(note)[1:] == [*THREE]


# -- several processes ----------------------------------------------------------------------------------


def test_a_machine_that_is_behind_does_not_take_a_witness_for_a_liar(
    make_app, clock, tmp_path, client, log, logged_spin, running, submit, with_witnesses
):
    other = make_app(clock=clock, INSTANCE_DIR=str(tmp_path / "other"), **with_witnesses)
    let_confirm(log_of(other), log)
    logged_spin()
    log_of(other).watch()
    running[0].mishaps = [lose_answer]
    logged_spin()
    submit(0)
    witnesses = witnesses_of(other)

    for _ in range(2):
        witnesses.submit(witnesses.all[0])

    assert witnesses.all[0].failures == 0
    assert client.get("/log/witnesses").json["witnesses"][0]["size"] == log.checkpoint().size


def tasks_of(app):
    """The tasks of the app that submit checkpoints, and the one that holds the lease."""
    texts = ("witnesses not looked at", "checkpoint not submitted")
    return [task for task in app.extensions["realtime"].tasks if task._on_failure in texts]


@postgresql_only
@pytest.mark.both_databases("tasks/witnesses.py")
def test_one_process_submits_and_another_takes_over_when_it_stops(
    make_app, clock, logged_spin, running, witnesses, with_witnesses, monkeypatch
):
    monkeypatch.setattr("tasks.witnesses.HELD_EVERY_SECONDS", 0.05)
    monkeypatch.setattr("services.witnesses.service.SUBMITTED_EVERY_SECONDS", 0.05)
    first, second = (make_app(clock=clock, **with_witnesses) for _ in range(2))
    logged_spin()

    def asked():
        return [len(each.asked) for each in running]

    started = {app: tasks_of(app) for app in (first, second)}
    for app, some in started.items():
        for task in some:
            task.start(app, app.extensions["realtime"].socketio)
    wait_until(lambda: asked() == [1, 1, 1])
    for task in reversed(started[first]):
        task.stop()
    logged_spin()
    wait_until(lambda: asked() == [2, 2, 2])
    for task in reversed(started[second]):
        task.stop()

    assert asked() == [2, 2, 2]


# -- flask check ----------------------------------------------------------------------------------------


@pytest.fixture
def warnings(app):
    """What the command says about witnesses."""

    def run():
        lines = app.test_cli_runner().invoke(args=["check"]).stderr.splitlines()
        return [line.removeprefix("warning: ") for line in lines if "witness" in line.lower()]

    return run


def test_the_check_has_a_line_for_each_witness_that_fails_and_for_the_quorum(
    clock, logged_spin, running, submit, warnings
):
    logged_spin()
    running[0].mishaps, running[1].mishaps = [say(500)], [say(404)]
    submit()
    clock.advance(minutes=3)

    since = "2026-03-18T12:00:05Z"
    assert warnings() == [
        f"the witness w1.example has given no cosignature since {since}: it answered with status 500",
        f"the witness w2.example has given no cosignature since {since}: {UNKNOWN}",
        warnings()[2],
        "1 of 3 witnesses work, and LOG_QUORUM is 2",
    ]
    assert warnings()[2].startswith("the clock of the witness w3.example is ")
    assert warnings()[2].endswith(" s ahead of this one")


def test_the_check_says_which_witnesses_were_not_asked_yet(warnings):
    assert warnings() == [f"the witness {name} has not been asked yet" for name in THREE]


def test_the_check_says_that_a_witness_has_the_name_of_the_house(make_app, clock):
    key = Signer("127.0.0.1:5000/w1", ED25519, b"." * 32).verifier_key
    app = make_app(clock=clock, LOG_WITNESSES=f"{key} http://127.0.0.1:1")
    app.extensions["services"].log.file()

    lines = app.test_cli_runner().invoke(args=["check"]).stderr

    text = "LOG_WITNESSES: 127.0.0.1:5000/w1 has the name of this house, whose own witness proves nothing"
    assert text in lines
