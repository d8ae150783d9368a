"""A log with witnesses, as others see it: verify/monitor.py, a public witness, and Go's modules."""

import os
import signal
import subprocess
from contextlib import ExitStack
from types import SimpleNamespace

import pytest

from models.battles import State, VoidReason
from services.log.notes import Checkpoint
from tests.harness.servers import ROOT, free_port, serving
from tests.support.battle_locks import LockedBattles
from tests.support.lost_log import redraw, restore_log, resume, stored_log
from tests.support.witness_programs import AICS, ML_DSA_44, make_key, running_program
from tests.support.witnesses import running_witness, say
from verify import monitor, witness
from verify.witness import LogKey

pytestmark = [pytest.mark.guarantee("The public log")]


@pytest.fixture
def running(tmp_path):
    """Three witnesses. They know no log yet."""
    with ExitStack() as stack:
        names = ("w1.example", "w2.example", "w3.example")
        yield [stack.enter_context(running_witness(tmp_path / name, name)) for name in names]


@pytest.fixture
def named(running):
    """The witnesses as LOG_WITNESSES and --witness name them."""
    return [f"{each.key} {each.url}" for each in running]


@pytest.fixture
def settings(settings, named):
    return settings | {"LOG_WITNESSES": ", ".join(named)}


@pytest.fixture
def introduce(client, running):
    """The operators of these witnesses add the keys of the present log."""

    def introduce(*numbers):
        name = client.get("/log/current").json["origin"].rpartition("/")[2]
        for number in numbers or range(len(running)):
            running[number].logs += [LogKey(line) for line in client.get(f"/{name}/key").text.splitlines()]

    return introduce


@pytest.fixture
def submit(app):
    def submit_to(*numbers):
        witnesses = app.extensions["services"].witnesses
        for number in numbers or range(len(witnesses.all)):
            witnesses.submit(witnesses.all[number])

    return submit_to


@pytest.fixture
def address(app):
    """Of a server that does nothing in the background: the tests do it, by their clock."""
    with serving(app) as url:
        yield url


@pytest.fixture
def watch(address, clock, named, tmp_path, capsys):
    """Runs the monitor once, a minute later, with all witnesses; its status and its lines."""

    def watch():
        clock.advance(seconds=60)
        options = [part for each in named for part in ("--witness", each)]
        arguments = [f"{address}/log", "--state", str(tmp_path / "state"), "--once", *options]
        status = monitor.main(arguments, now=lambda: clock.now / 1_000, pause=lambda _: None)
        captured = capsys.readouterr()
        return status, (captured.out + captured.err).splitlines()

    return watch


def not_checked(lines):
    assert not [line for line in lines if line.startswith(("contradiction", "problem"))]
    return [line.removeprefix("not checked: ") for line in lines if line.startswith("not checked")]


def test_the_monitor_follows_a_log_that_witnesses_cosign(logged_spin, introduce, submit, watch):
    introduce()
    for _ in range(3):
        logged_spin()
        submit()

        status, lines = watch()

        assert (status, not_checked(lines)) == (0, [])
    assert [line for line in lines if line.startswith("witnessed: ") and line.count(".example at 20") == 3]


def test_a_witness_that_is_away_or_lags_is_no_contradiction(logged_spin, introduce, running, submit, watch):
    introduce()
    logged_spin()
    submit()
    running[0].mishaps = [say(500), say(409, "999999\n")]
    for _ in range(2):
        logged_spin()
        submit()

        assert watch()[0] == 0


def test_without_a_quorum_the_entries_that_wait_are_named(clock, logged_spin, introduce, submit, watch):
    introduce()
    logged_spin()
    submit()
    logged_spin()
    submit(1)
    clock.advance(minutes=2)

    status, lines = watch()

    assert (status, not_checked(lines)) == (2, ["entries from 2 on have waited for 180 s to be witnessed"])


@pytest.mark.security("The public log")
def test_a_house_that_shows_a_witness_another_log_is_found(
    app, log, logged_spin, introduce, running, submit, watch
):
    introduce()
    logged_spin()
    submit(1, 2)
    other = Checkpoint(log.checkpoint().origin, 2, b"2" * 32)
    note = log.keys.sign_checkpoint(other)
    running[0].add_checkpoint(f"old 0\n\n{note}".encode())

    status, lines = watch()

    assert status == 1
    assert "contradiction: two histories: the checkpoint of w1.example of size 2 does not fit size 2" in lines


@pytest.mark.parametrize("is_known", [False, True])
def test_after_a_restore_witnesses_follow_when_their_operators_add_the_successor(
    log, logged_spin, introduce, submit, watch, is_known
):
    introduce()
    logged_spin()
    backup = stored_log()
    redraw(log)
    log.append_now()
    submit()
    assert watch()[0] == 0
    restore_log(backup)
    resume(log)
    if is_known:
        introduce()
    submit()

    status, lines = watch()

    missing = [line.partition(" has cosigned no checkpoint of ")[0] for line in not_checked(lines)][1:]
    assert (status, missing) == ((0, []) if is_known else (2, ["w1.example", "w2.example", "w3.example"]))


@pytest.mark.security("Battles")
def test_honest_battles_and_late_ones_pass_and_their_witnesses_are_counted(
    app, clock, log, monkeypatch, new_player, introduce, submit, watch
):
    """The witnesses have the clock of the test."""
    monkeypatch.setattr(witness, "time", SimpleNamespace(time=lambda: clock.now / 1_000))
    battles = LockedBattles(app, new_player("carol", coins=10_000), clock)
    introduce()
    for _ in range(3):
        battle = battles.lock()
        log.append_now()
        submit()
        clock.now = battles.time(battle)
        clock.advance(seconds=-60)
        assert watch()[0] == 0
        assert battles.end(battle).state == State.SETTLED
        log.append_now()
        submit()
    late = battles.lock()
    assert battles.end(late).void_reason == VoidReason.LATE
    log.append_now()
    submit()

    status, lines = watch()

    assert (status, not_checked(lines)) == (0, [])
    assert "witnessed before their rounds: the locks of 3 of 3 settled battles" in lines


# Programs of others


class TestPublicWitness:
    """A public witness, and ours with ML-DSA-44, each a process: as soon as one is back it goes on."""

    pytestmark = [pytest.mark.thorough, pytest.mark.process]

    @pytest.fixture
    def running(self, tmp_path):
        return []

    @pytest.fixture
    def places(self, tmp_path):
        return {kind: (tmp_path / kind, free_port()) for kind in (AICS, ML_DSA_44)}

    @pytest.fixture
    def named(self, places):
        return [
            f"{make_key(kind, folder)} http://127.0.0.1:{port}" for kind, (folder, port) in places.items()
        ]

    def test_they_follow_the_running_log_through_kills(
        self, client, places, spin, logged_spin, submit, watch
    ):
        keys = client.get("/log/key").text.splitlines()
        for _ in range(4):
            for _ in range(70):
                spin()
            logged_spin()
            with ExitStack() as stack:
                started = [
                    stack.enter_context(running_program(kind, folder, keys, port=port))
                    for kind, (folder, port) in places.items()
                ]
                submit()
                logged_spin()
                submit()

                status, lines = watch()

                assert (status, not_checked(lines)) == (0, [])
                for each in started:
                    each.end(signal.SIGKILL)
            logged_spin()
            submit()
        assert int(client.get("/log/checkpoint").text.split("\n")[1]) > 256


@pytest.mark.thorough
@pytest.mark.golang
@pytest.mark.parametrize("is_witnessed", [False, True])
def test_gos_modules_read_the_running_log(
    address, client, clock, tmp_path, add_waiting, logged_spin, introduce, submit, is_witnessed
):
    introduce()
    bets = [logged_spin() for _ in range(3)]
    add_waiting(600)
    bets.append(logged_spin())
    if is_witnessed:
        submit()
    clock.advance(minutes=1)
    files = [tmp_path / f"{bet.id}.tlog-proof" for bet in bets]
    for bet, file in zip(bets, files, strict=True):
        file.write_text(client.get(f"/bets/{bet.id}/tlog-proof").text)
    key = client.get("/log/key").text.split("\n")[0]
    # Debian's modules are found as in the time before modules.
    environment = os.environ | {
        "GO111MODULE": "off",
        "GOPATH": "/usr/share/gocode",
        "GOCACHE": str(tmp_path / "cache"),
    }
    command = ["go", "run", ROOT / "tests" / "go" / "read_log.go", f"{address}/log", key, *files]

    finished = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=300, check=False
    )

    assert (finished.returncode, finished.stderr) == (0, "")
    assert int(finished.stdout) == int(client.get("/log/checkpoint").text.split("\n")[1]) > 600
    note = client.get("/log/checkpoint").text.partition("\n\n")[2]
    assert len(note.splitlines()) == (4 if is_witnessed else 1)
