"""verify/monitor.py with witnesses: what they have cosigned must be in the log that everybody sees."""

import json
import threading
from hashlib import sha256

import pytest

from tests.support.cosigners import Cosigner, cosigned
from tests.support.monitoring import contradictions, not_checked, play, replace
from tests.support.public_log import BEGAN_MS, ORIGIN, Key, PublicLog
from verify import monitor

ONE, TWO, THREE = Cosigner("w1.example"), Cosigner("w2.example"), Cosigner("w3.example", 6)
THEN = BEGAN_MS // 1_000
LATER = THEN + 1_000
TWO_OF_THREE = [option for each in (ONE, TWO, THREE) for option in ("--witness", each.key)]


def witness(log, *cosigners, seconds=THEN):
    """Let the log have a newest witnessed checkpoint: that of now."""
    log.texts["/log/witnessed"] = cosigned(log.checkpoint(), seconds, *cosigners)


def path_at(name, origin=ORIGIN):
    return f"/{name}/{sha256(origin.encode()).hexdigest()}/checkpoint"


@pytest.fixture
def asked(site):
    """The options that name one witness and its address, which the site plays."""
    return ["--witness", f"{ONE.key} {site.address}/w1"]


@pytest.fixture
def shows(log, asked):
    """Lets the witness show a checkpoint as its newest one, which it has cosigned."""

    def shows(note, *cosigners, origin=ORIGIN):
        log.texts[path_at("w1", origin)] = cosigned(note, THEN, *(cosigners or [ONE]))

    return shows


@pytest.mark.guarantee("The public log")
def test_a_checkpoint_that_a_quorum_has_cosigned_passes(log, watch):
    play(log)
    witness(log, ONE, THREE)

    status, lines = watch(log, options=TWO_OF_THREE)

    assert (status, contradictions(lines)) == (0, [])
    at = "2025-06-15T15:06:40Z"
    assert f"witnessed: 11 entries, cosigned by w1.example at {at}, w3.example at {at}" in lines


def test_lines_of_unknown_keys_are_ignored(log, watch):
    play(log)
    witness(log, Cosigner("w9.example"), ONE, TWO)

    assert watch(log, options=TWO_OF_THREE)[0] == 0


@pytest.mark.parametrize("cosigners", [(), (ONE,), (ONE, ONE), (ONE, Cosigner("w9.example"))])
def test_less_than_a_quorum_is_not_checked(log, watch, cosigners):
    play(log)
    witness(log, *cosigners)

    status, lines = watch(log, options=TWO_OF_THREE)

    count = len(set(cosigners) & {ONE})
    line = f"the witnessed checkpoint of size 11 has {count} cosignatures of 2"
    assert (status, not_checked(lines)) == (2, [line])


def test_a_witness_with_two_keys_is_one(log, watch):
    play(log)
    second = Cosigner("w1.example", 6)
    witness(log, ONE, second)

    status, lines = watch(log, options=[*TWO_OF_THREE, "--witness", second.key])

    line = "the witnessed checkpoint of size 11 has 1 cosignatures of 2"
    assert (status, not_checked(lines)) == (2, [line])


def test_the_quorum_may_be_given(log, watch):
    play(log)
    witness(log, ONE)

    assert watch(log, options=[*TWO_OF_THREE, "--quorum", "1"])[0] == 0


def test_no_witnessed_checkpoint_is_not_checked(log, site, watch):
    play(log)

    status, lines = watch(log, options=TWO_OF_THREE)

    line = f"{site.url}/witnessed is missing: not enough witnesses have cosigned a checkpoint"
    assert (status, not_checked(lines)) == (2, [line])


@pytest.mark.parametrize("forge", ["another text", "another key", "no time"])
def test_a_forged_cosignature_is_not_checked(log, watch, forge):
    play(log)
    forger = Cosigner("w1.example")
    note, seconds = log.checkpoint(), THEN
    if forge == "another text":
        note = note.replace("\n11\n", "\n12\n")
    elif forge == "no time":
        seconds = 0
    else:
        forger._private = Cosigner("w9.example")._private
    log.texts["/log/witnessed"] = (
        log.checkpoint() + forger.line(note, seconds) + TWO.line(log.checkpoint(), THEN)
    )

    status, lines = watch(log, options=TWO_OF_THREE)

    assert (status, not_checked(lines)) == (
        2,
        [
            "a cosignature of w1.example is not right",
            "the witnessed checkpoint of size 11 has 1 cosignatures of 2",
        ],
    )


def test_without_its_library_the_cosignatures_of_a_type_are_not_checked(log, watch, monkeypatch):
    play(log)
    witness(log, ONE, TWO, THREE)
    monkeypatch.setattr(monitor, "MLDSA44PublicKey", None)

    status, lines = watch(log, options=TWO_OF_THREE)

    line = "cosignatures of w3.example need the package cryptography, 47 or later"
    assert (status, not_checked(lines)) == (2, [line])
    assert any(line.startswith("witnessed: 11 entries, cosigned by w1.example") for line in lines)


@pytest.mark.parametrize(("waited", "expected"), [(119, []), (121, ["entries from 11 on have waited for"])])
def test_entries_that_wait_for_witnesses_for_two_minutes_are_not_checked(log, watch, waited, expected):
    alice, _ = play(log)
    witness(log, ONE, TWO)
    index = log.spin(alice)
    at = json.loads(log.entries[index])["at"]

    status, lines = watch(log, options=TWO_OF_THREE, now=at / 1_000 + waited)

    assert [line[:34] for line in not_checked(lines)] == expected
    assert (status == 2) == bool(expected)


@pytest.mark.security("The public log")
def test_a_witnessed_checkpoint_of_another_history_is_reported_with_both_notes(log, watch, tmp_path):
    play(log)
    other = PublicLog()
    play(other)
    replace(other, 2, clientSeed="another")
    log.texts["/log/witnessed"] = shown = cosigned(other.checkpoint(), THEN, ONE, TWO)

    status, lines = watch(log, options=TWO_OF_THREE)

    line = "two histories: the witnessed checkpoint of size 11 does not fit size 11"
    assert (status, contradictions(lines)) == (1, [line])
    assert json.loads((tmp_path / "state").read_text())["evidence"] == [log.checkpoint(), shown]


# The witness itself


@pytest.mark.guarantee("The public log")
def test_what_a_witness_shows_of_the_same_history_passes(log, watch, asked, shows):
    alice, _ = play(log)
    shows(log.checkpoint())
    log.spin(alice)
    witness(log, ONE)

    status, lines = watch(log, options=asked)

    assert (status, contradictions(lines)) == (0, [])


@pytest.mark.security("The public log")
@pytest.mark.parametrize("more", [-1, 0, 1])
def test_a_witness_that_was_shown_another_log_finds_the_split(log, watch, tmp_path, asked, shows, more):
    """Larger than what the log shows here, as large, and smaller."""
    alice, _ = play(log)
    other = PublicLog()
    player, _ = play(other)
    replace(other, 2, clientSeed="another")
    for _ in range(more):
        other.spin(player)
    for _ in range(-more):
        log.spin(alice)
    witness(log, ONE)
    shows(other.checkpoint())

    def pause(_):
        # The log gets there, with entries of its own.
        while len(log.entries) < len(other.entries):
            log.spin(alice)
        watch.site.files.update(log.files())

    status, lines = watch(log, options=asked, pause=pause)

    size = len(other.entries)
    line = f"two histories: the checkpoint of w1.example of size {size} does not fit size {len(log.entries)}"
    assert (status, contradictions(lines)) == (1, [line])
    evidence = json.loads((tmp_path / "state").read_text())["evidence"]
    assert log.texts[path_at("w1")] in evidence
    assert log.checkpoint() in evidence


@pytest.mark.security("The public log")
def test_a_checkpoint_of_a_witness_that_the_log_does_not_reach_is_reported(log, watch, asked, shows):
    play(log)
    witness(log, ONE)
    longer = PublicLog()
    play(longer)
    longer.spin(longer.new_player("carol"))
    shows(longer.checkpoint())
    pauses = []

    status, lines = watch(log, options=asked, pause=pauses.append)

    assert (status, contradictions(lines)) == (1, ["size 13 is signed, but the log has 11"])
    assert sum(pauses) > 30


def test_a_witness_that_is_a_little_ahead_passes(log, watch, asked, shows):
    alice, _ = play(log)
    witness(log, ONE)
    behind = log.files()
    log.spin(alice)
    shows(log.checkpoint())
    watch.site.files.update(behind | {path_at("w1"): log.texts[path_at("w1")].encode()})

    status, lines = watch(options=asked, pause=lambda _: watch.site.files.update(log.files()))

    assert (status, contradictions(lines)) == (0, [])


def test_a_witness_that_does_not_know_the_log_is_not_checked(log, watch, asked):
    play(log)
    witness(log, ONE)

    status, lines = watch(log, options=asked)

    assert (status, not_checked(lines)) == (2, [f"w1.example has cosigned no checkpoint of {ORIGIN}"])


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        (b"<!doctype html>", "a checkpoint is not a signed note"),
        (b"", "a checkpoint is not a signed note"),
        (503, "{address}: status 503"),
    ],
)
def test_a_witness_that_is_away_proves_nothing(log, site, watch, asked, answer, line):
    play(log)
    witness(log, ONE)
    path = path_at("w1")
    if isinstance(answer, int):
        site.failing[path] = answer
    else:
        site.files[path] = answer

    status, lines = watch(log, options=asked)

    assert (status, not_checked(lines)) == (2, [line.format(address=site.address + path)])


def test_silent_witnesses_are_waited_for_together(log, site, watch, asked, shows, monkeypatch):
    monkeypatch.setattr(monitor, "WITNESS_SECONDS", 0.2)
    play(log)
    witness(log, ONE, TWO)
    waiting, released = threading.Barrier(2), threading.Event()
    for name in ("w1", "w2"):
        site.faults[path_at(name)] = lambda _: (waiting.wait(10), released.wait(10))

    status, lines = watch(log, options=[*asked, "--witness", f"{TWO.key} {site.address}/w2"])
    released.set()

    assert (status, len(not_checked(lines))) == (2, 2)
    assert not waiting.broken


def test_a_checkpoint_that_only_the_witness_has_signed_proves_nothing(log, watch, asked, shows):
    """A witness that lies can't accuse the log."""
    play(log)
    witness(log, ONE)
    forged = PublicLog(key="forged")
    play(forged)
    replace(forged, 2, clientSeed="another")
    shows(forged.checkpoint())

    status, lines = watch(log, options=asked)

    line = f"a checkpoint of {ORIGIN} is not signed by a known key: give --key"
    assert (status, not_checked(lines)) == (2, [line])


def test_a_checkpoint_without_the_cosignature_of_the_witness_is_not_checked(log, watch, asked, shows):
    play(log)
    witness(log, ONE)
    shows(log.checkpoint(), TWO)

    status, lines = watch(log, options=asked)

    line = "the checkpoint of w1.example does not have its cosignature"
    assert (status, not_checked(lines)) == (2, [line])


# Rotations and successors


def test_what_was_cosigned_before_a_rotation_passes(log, watch, asked, shows):
    alice, _ = play(log)
    shows(log.checkpoint())
    witness(log, ONE)
    watch(log, options=asked)
    second = Key("second")
    log.append(nextKey=second.verifier())
    log.keys = [*log.keys, second]
    watch(log, options=asked)
    log.keys = [second]
    log.spin(alice)
    witness(log, ONE)

    status, lines = watch(log, options=asked)

    assert (status, contradictions(lines)) == (0, [])


@pytest.fixture
def follow(log, watch, asked, successor):
    """Reads a log with 11 entries, and then its successor, which keeps 9 of them and is cosigned."""

    def follow(seen, **changed):
        """``seen`` is called with the log before the witness has cosigned its end."""
        play(log, bets=3)
        last = log.checkpoint()
        following = successor(9, **changed)
        seen(last, following)
        following.texts |= log.texts
        following.texts["/log-2/witnessed"] = cosigned(following.checkpoint(), THEN, ONE)
        following.texts[path_at("w1", following.origin)] = following.texts["/log-2/witnessed"]
        return watch(log, following, options=asked)

    return follow


def test_a_successor_has_a_name_of_its_own_at_the_witness(log, follow, shows):
    status, lines = follow(lambda last, _: shows(last))

    assert (status, contradictions(lines), not_checked(lines)) == (0, [], [])


@pytest.mark.security("The public log")
def test_a_successor_that_keeps_back_what_a_witness_has_cosigned_is_reported(log, follow, shows):
    def seen(last, _):
        shows(last)

    status, lines = follow(seen, size=10)

    line = f"w1.example has a checkpoint of {ORIGIN} of size 11, which does not fit what {ORIGIN}-2"
    line += " says of that log"
    assert (status, contradictions(lines)) == (1, [line])


@pytest.mark.security("The public log")
def test_a_successor_with_other_entries_than_a_witness_has_cosigned_is_reported(log, follow, shows):
    def seen(_, following):
        earlier = PublicLog()
        earlier.entries = following.entries[:8]
        replace(earlier, 2, clientSeed="another")
        shows(earlier.checkpoint())

    status, lines = follow(seen)

    assert (status, len(contradictions(lines))) == (1, 1)
    assert contradictions(lines)[0].startswith(f"w1.example has a checkpoint of {ORIGIN} of size 8, which")


# Battles


@pytest.mark.security("Battles")
def test_locks_that_were_witnessed_before_their_rounds_are_counted(log, battles, watch):
    locks = [battles.lock(), battles.lock()]
    published = battles.published_ms(locks[0])
    for lock, seconds in zip(
        locks, (published // 1_000 - 1, battles.published_ms(locks[1]) // 1_000), strict=True
    ):
        log_then = PublicLog()
        log_then.entries = log.entries[: lock + 1]
        log.texts["/log/witnessed"] = cosigned(log_then.checkpoint(), seconds, ONE, TWO)
        watch(log, options=TWO_OF_THREE, now=seconds)
    for lock in locks:
        battles.settle(lock)
    witness(log, ONE, TWO, seconds=LATER)

    status, lines = watch(log, options=TWO_OF_THREE)

    assert (status, contradictions(lines)) == (0, [])
    assert "witnessed before their rounds: the locks of 1 of 2 settled battles" in lines


def test_the_time_of_a_lock_is_when_the_last_of_a_quorum_had_it(log, battles, watch):
    lock = battles.lock()
    published = battles.published_ms(lock) // 1_000
    note = log.checkpoint()
    log.texts["/log/witnessed"] = note + ONE.line(note, published - 3) + TWO.line(note, published + 1)
    watch(log, options=TWO_OF_THREE, now=published + 1)
    battles.settle(lock)
    witness(log, ONE, TWO, seconds=LATER)

    _, lines = watch(log, options=TWO_OF_THREE)

    assert "witnessed before their rounds: the locks of 0 of 1 settled battles" in lines


@pytest.mark.security("Battles")
@pytest.mark.parametrize(("early", "is_wrong"), [(4, True), (3, False)])
def test_late_of_a_lock_that_witnesses_had_cosigned_in_time_is_reported(
    log, battles, watch, tmp_path, early, is_wrong
):
    """The monitor itself has read the lock too late to know."""
    lock = battles.lock()
    published = battles.published_ms(lock)
    log.texts["/log/witnessed"] = shown = cosigned(log.checkpoint(), published // 1_000 - early, ONE, TWO)
    watch(log, options=TWO_OF_THREE, now=published / 1_000)
    battles.pass_round(lock)
    end = battles.void(lock)
    witness(log, ONE, TWO, seconds=LATER)

    status, lines = watch(log, options=TWO_OF_THREE)

    line = (
        f"entry {end}: the battle is void as late, but witnesses had cosigned its lock {early}000 ms"
        f" before round {battles.entry(lock)['beacon']['round']}"
    )
    assert contradictions(lines) == ([line] if is_wrong else [])
    assert status == is_wrong
    assert json.loads((tmp_path / "state").read_text())["evidence"] == ([shown] if is_wrong else [])


@pytest.mark.parametrize("behind", ["the lock", "a reading without it"])
def test_witnesses_whose_clocks_are_behind_accuse_nobody(log, battles, watch, behind):
    play(log)
    if behind == "a reading without it":
        watch(log, now=battles.network.time_ms(battles.network.round_after(log.now_ms)) / 1_000 - 1)
    lock = battles.lock()
    published = battles.published_ms(lock)
    early = 5 if behind == "a reading without it" else 12
    log.texts["/log/witnessed"] = cosigned(log.checkpoint(), published // 1_000 - early, ONE, TWO)
    watch(log, options=TWO_OF_THREE, now=published / 1_000)
    battles.pass_round(lock)
    battles.void(lock)
    witness(log, ONE, TWO, seconds=LATER)

    status, lines = watch(log, options=TWO_OF_THREE)

    assert (status, contradictions(lines)) == (0, [])


def test_the_witnessed_checkpoint_is_read_at_the_time_of_each_round(log, battles, site, tmp_path, capsys):
    """The newest one of a later reading would have a time after the round."""
    battles.settle(battles.lock())
    witness(log, ONE, TWO, seconds=LATER)
    site.files.update(log.files())
    locked_at = log.now_ms
    published = battles.network.time_ms(battles.network.round_after(locked_at))
    now = [locked_at / 1_000]

    def pause(length):
        now[0] += length
        if len(log.entries) == 2:
            battles.lock(at=locked_at)
            witness(log, ONE, TWO, seconds=published // 1_000 - 2)
        elif now[0] > published / 1_000 + 1 and len(log.entries) == 3:
            battles.settle(2)
            witness(log, ONE, TWO, seconds=published // 1_000 + 1)
        elif now[0] > published / 1_000 + 30:
            raise KeyboardInterrupt
        site.files.update(log.files())

    arguments = [site.url, "--state", str(tmp_path / "state"), *TWO_OF_THREE]
    monitor.main(arguments, now=lambda: now[0], pause=pause)

    lines = capsys.readouterr().out.splitlines()
    assert "witnessed before their rounds: the locks of 1 of 2 settled battles" in lines


# Options


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--witness", "w1.example"], "not the verifier key of a witness: 'w1.example'"),
        (["--witness", f"{ONE.key[:-4]}AAA="], "not the verifier key of a witness"),
        (["--witness", Key("first").verifier()], "not the verifier key of a witness"),
        (["--witness", f"{ONE.key} w1.example"], "not the URL of a witness: 'w1.example'"),
        (["--witness", ONE.key, "--witness", ONE.key], "--witness: a key is given twice"),
        (["--witness", ONE.key, "--quorum", "2"], "--quorum is a number from 1 to that of the witnesses"),
        (["--quorum", "1"], "--quorum is a number from 1 to that of the witnesses"),
    ],
)
def test_options_that_name_no_witnesses_are_refused(tmp_path, capsys, options, problem):
    with pytest.raises(SystemExit, match="2"):
        monitor.main(["http://127.0.0.1:1/log", "--state", str(tmp_path / "state"), *options])

    assert problem in capsys.readouterr().err
