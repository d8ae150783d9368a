"""verify/witness.py keeps to https://c2sp.org/tlog-witness, as a public witness does."""

import re
import signal
import socket
import threading
from base64 import b64decode
from contextlib import suppress
from itertools import count

import pytest
import requests
from hypothesis import given
from hypothesis import strategies as st

from services.log.notes import Checkpoint as ServersCheckpoint
from services.witnesses.keys import WitnessKey
from tests.harness.waiting import wait_until
from tests.support.public_log import ORIGIN, Key
from tests.support.witness_programs import AICS, ED25519, ML_DSA_44, SmallLog, running_program
from tests.support.witnesses import running_witness
from verify import witness as program
from verify.witness import Checkpoint, LogKey, Refused, Signer, Witness, continues

EVERY_PROGRAM = [ED25519, ML_DSA_44, pytest.param(AICS, marks=pytest.mark.thorough)]


@pytest.fixture
def log():
    return SmallLog()


@pytest.fixture(params=EVERY_PROGRAM)
def witness(request, log, tmp_path):
    """A running witness that knows the log, and has cosigned nothing."""
    with running_program(request.param, tmp_path / "state", [log.keys[0].verifier()]) as running:
        yield running


@pytest.fixture
def ours(log, tmp_path):
    """A function that starts our program, each time with the same state."""

    def start(*keys):
        keys = keys or (log.keys[0],)
        return running_program(ED25519, tmp_path / "state", [key.verifier() for key in keys])

    return start


def is_cosigned(answer, witness, note):
    """Whether an answer is a cosignature of the witness, by the server's own reading of it."""
    (line,) = answer.text.removesuffix("\n").split("\n")
    checkpoint = ServersCheckpoint.parse(note.partition("\n\n")[0] + "\n")
    return bool(WitnessKey.parse(witness.key).time_of(line, checkpoint))


def size_of(answer):
    return int(answer.text.split("\n")[1])


# What is cosigned


@pytest.mark.process
def test_checkpoints_that_continue_each_other_are_cosigned(witness, log):
    for old, size in [(0, 3), (3, 3), (3, 4), (4, 11), (11, 256)]:
        answer = witness.submit(log.body(old, size))

        assert answer.status_code == 200, (old, size)
        assert answer.text.endswith("\n")
        assert is_cosigned(answer, witness, log.note(size))


@pytest.mark.process
def test_the_empty_tree_is_cosigned(witness, log):
    assert witness.submit(log.body(0, 0)).status_code == 200
    assert witness.submit(log.body(0, 5)).status_code == 200


@pytest.mark.process
def test_signatures_of_unknown_keys_are_ignored(witness, log):
    note = log.note(5)
    unknown = [Key("stranger").line(ORIGIN, "x\n"), Key("first").line("other.example/log", "x\n")]
    many = "".join(Key(str(number)).line(ORIGIN, "x\n") for number in range(14))

    assert witness.submit(log.body(0, 5, note=note + "".join(unknown) + many)).status_code == 200


@pytest.mark.process
def test_the_newest_checkpoint_is_shown_with_both_signatures(witness, log):
    before = witness.shown()
    line = witness.submit(log.body(0, 5)).text

    assert before.status_code == 404
    assert witness.shown().text == log.note(5) + line
    assert witness.shown("other.example/log").status_code == 404


# What is refused


def text(answer):
    return answer.status_code, answer.text, answer.headers["Content-Type"]


@pytest.mark.process
def test_another_old_size_is_a_conflict_that_names_the_right_one(witness, log):
    never = witness.submit(log.body(2, 5))
    witness.submit(log.body(0, 5))

    assert text(never) == (409, "0\n", "text/x.tlog.size")
    for old, size in [(0, 5), (0, 7), (4, 7), (6, 7), (0, 4), (4, 4)]:
        assert text(witness.submit(log.body(old, size))) == (409, "5\n", "text/x.tlog.size")


@pytest.mark.process
def test_another_log_is_not_found(witness):
    other = SmallLog("other.example/log")

    assert witness.submit(other.body(0, 5)).status_code == 404


@pytest.mark.process
def test_a_checkpoint_that_the_log_has_not_signed_is_forbidden(witness, log):
    stranger = SmallLog(key="stranger")
    forged = log.note(5).replace("\n5\n", "\n6\n")
    both = log.note(5) + log.keys[0].line(ORIGIN, "another text\n")

    for note in (stranger.note(5), forged, both):
        assert witness.submit(log.body(0, 5, note=note)).status_code == 403
    assert witness.shown().status_code == 404


@pytest.mark.process
def test_an_old_size_above_that_of_the_checkpoint_is_a_bad_request(witness, log):
    witness.submit(log.body(0, 5))

    assert witness.submit(log.body(5, 4)).status_code == 400


@pytest.mark.process
def test_what_does_not_continue_the_log_is_unprocessable(witness, log):
    fork = SmallLog(name="fork")
    honest, proof = log.body(5, 9), log.proof(5, 9)
    first = witness.submit(log.body(0, 5, hashes=[bytes(32)]))
    empty = witness.submit(log.body(0, 0, note=log.note(0, root=bytes(32))))
    witness.submit(log.body(0, 5))

    wrong = [
        log.body(5, 9, hashes=[]),
        log.body(5, 9, hashes=proof[:-1]),
        log.body(5, 9, hashes=[*proof, bytes(32)]),
        log.body(5, 9, hashes=[bytes(32), *proof[1:]]),
        log.body(5, 9, hashes=proof[::-1]),
        fork.body(5, 9),
        fork.body(5, 5),
        log.body(5, 5, hashes=proof),
    ]

    assert [first.status_code, empty.status_code] == [422, 422]
    assert {witness.submit(body).status_code for body in wrong} == {422}
    assert size_of(witness.shown()) == 5
    assert witness.submit(honest).status_code == 200


def long_proof(body):
    head, _, note = body.partition("\n\n")
    return head + "\n" + "\n".join(["A" * 43 + "="] * 64) + "\n\n" + note


MALFORMED = {
    "empty": lambda _: "",
    "blank lines": lambda _: "\n\n\n\n",
    "no UTF-8": lambda body: body.encode() + b"\xff",
    "no old size": lambda body: body.partition("\n")[2],
    "another word": lambda body: body.replace("old ", "new ", 1),
    "two blanks": lambda body: body.replace("old ", "old  ", 1),
    "a zero before": lambda body: body.replace("old 5", "old 05", 1),
    "a sign": lambda body: body.replace("old 5", "old +5", 1),
    "other digits": lambda body: body.replace("old 5", "old \u0665", 1),
    "a huge old size": lambda body: body.replace("old 5", f"old {'9' * 30}", 1),
    "a carriage return": lambda body: body.replace("\n", "\r\n"),
    "a short hash": lambda body: re.sub(r"\n(\S{43}=)\n", "\nAAAA\n", body, count=1),
    "no base64": lambda body: re.sub(r"\n(\S{43}=)\n", "\n!\n", body, count=1),
    "base64 of another form": lambda body: re.sub(r"\n\S{43}=\n", f"\n{'A' * 42}B=\n", body, count=1),
    "64 hashes": long_proof,
    "no blank line before the note": lambda body: body.replace("\n\n", "\n", 1),
    "no signature": lambda body: body[: body.rindex("\u2014")],
    "no line end": lambda body: body[:-1],
    "a size that is no number": lambda body: body.replace("\n9\n", "\nnine\n"),
    "a size with a zero": lambda body: body.replace("\n9\n", "\n09\n"),
    "a hyphen as the dash": lambda body: body.replace("\u2014", "-"),
    "a signature that is no base64": lambda body: body[:-10] + "!" + body[-9:],
    "a checkpoint of two lines": lambda body: re.sub(r"\n9\n\S+\n\n", "\n9\n\n", body),
}


@pytest.mark.process
def test_malformed_bodies_are_bad_requests_and_change_nothing(witness, log):
    witness.submit(log.body(0, 5))
    body = log.body(5, 9)

    for why, change in MALFORMED.items():
        changed = change(body)
        assert changed != body, why
        assert witness.submit(changed).status_code == 400, why
    assert size_of(witness.shown()) == 5
    assert witness.submit(body).status_code == 200


@pytest.mark.process
@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"POST /add-checkpoint HTTP/1.1\r\nContent-Length: 1000000\r\n\r\n", b"413"),
        (b"POST /add-checkpoint HTTP/1.1\r\nContent-Length: -1\r\n\r\n", b"411"),
        (b"POST /add-checkpoint HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", b"411"),
        (b"POST /else HTTP/1.1\r\nContent-Length: 20\r\n\r\nGET / HTTP/1.1\r\n\r\n", b"404"),
        (b"\xff\xff\xff\r\n\r\n", b"400"),
        (b"PUT /add-checkpoint HTTP/1.1\r\nContent-Length: 0\r\n\r\n", b"501"),
    ],
)
def test_requests_of_another_kind_get_one_answer(ours, log, sent, status):
    with ours() as witness:
        host, port = witness.url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=20) as connection:
            connection.sendall(sent)
            connection.shutdown(socket.SHUT_WR)
            answer = b"".join(iter(lambda: connection.recv(65_536), b""))

        assert answer.count(b"HTTP/1.1 ") + answer.count(b"HTTP/1.0 ") <= 1
        assert status in answer[:400]
        assert witness.submit(log.body(0, 5)).status_code == 200


@pytest.mark.process
def test_a_body_that_ends_early_is_refused(ours, log):
    with ours() as witness:
        host, port = witness.url.removeprefix("http://").split(":")
        body = log.body(0, 5).encode()
        head = f"POST /add-checkpoint HTTP/1.1\r\nContent-Length: {len(body) + 1}\r\n\r\n".encode()
        with socket.create_connection((host, int(port)), timeout=20) as connection:
            connection.sendall(head + body)
            connection.shutdown(socket.SHUT_WR)
            answer = b"".join(iter(lambda: connection.recv(65_536), b""))

        # What came is whole: a note that is cut would be malformed.
        assert answer.startswith((b"HTTP/1.1 200", b"HTTP/1.1 400"))
        assert witness.submit(log.body(0, 5)).status_code in (200, 409)


def test_a_client_that_sends_a_byte_at_a_time_is_cut_off(tmp_path, monkeypatch):
    monkeypatch.setattr(program, "REQUEST_SECONDS", 0.1)
    with running_witness(tmp_path / "state") as witness:
        host, port = witness.url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=20) as connection, suppress(OSError):
            connection.sendall(b"POST /add-checkpoint HTTP/1.1\r\nContent-Length: 99999\r\n\r\n")
            wait_until(lambda: connection.send(b"o") == 0, step_seconds=0.05)


# Races, and crashes


@pytest.mark.process
def test_of_parallel_submissions_one_wins_and_the_others_are_told_its_size(witness, log):
    for turn in range(3):
        size = size_of(witness.shown()) if turn else 0
        bodies = [log.body(size, each) for each in range(size + 1, size + 13)]
        answers = submit_together(witness, bodies)

        won = [number for number, answer in enumerate(answers) if answer.status_code == 200]
        shown = size_of(witness.shown())
        assert [size + 1 + number for number in won] == [shown]
        assert {answer.text for answer in answers if answer.status_code != 200} == {f"{shown}\n"}


def submit_together(witness, bodies):
    """The answers to submissions on connections of their own, which begin at once."""
    answers = [None] * len(bodies)
    barrier = threading.Barrier(len(bodies))

    def submit(number):
        barrier.wait()
        url = f"{witness.url}/add-checkpoint"
        answers[number] = requests.post(url, data=bodies[number].encode(), timeout=30)

    threads = [threading.Thread(target=submit, args=[number]) for number in range(len(bodies))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


@pytest.mark.process
@pytest.mark.parametrize("kills", [3, pytest.param(25, marks=pytest.mark.thorough)])
def test_a_killed_witness_has_not_forgotten_what_it_has_cosigned(ours, log, kills):
    acknowledged = 0
    for kill in range(kills):
        with ours() as witness:
            told = witness.submit(log.body(0, 1))
            size = int(told.text) if told.status_code == 409 else 1
            assert size >= acknowledged
            acknowledged = size
            timer = threading.Timer(0.05 + 0.02 * (kill % 7), witness.process.kill)
            timer.start()
            with suppress(requests.RequestException):
                for following in count(size + 1):
                    answer = witness.submit(log.body(following - 1, following))
                    assert answer.status_code == 200
                    acknowledged = following
            timer.join()
            witness.process.wait(30)
    with ours() as witness:
        assert size_of(witness.shown()) in (acknowledged, acknowledged + 1)


@pytest.mark.process
def test_sigterm_ends_it_in_order_and_it_goes_on(ours, log):
    with ours() as witness:
        witness.submit(log.body(0, 5))
        key = witness.key
        assert witness.end(signal.SIGTERM) == 0

    with ours() as witness:
        assert witness.key == key
        assert witness.submit(log.body(5, 9)).status_code == 200


@pytest.mark.process
def test_two_witnesses_never_share_a_state(ours):
    with ours(), pytest.raises(AssertionError, match="the witness has ended"), ours():
        pass


@pytest.mark.process
def test_a_log_may_have_its_present_and_its_next_key(ours, log):
    first, second = Key("first"), Key("second")
    with ours(first, second) as witness:
        assert witness.submit(log.body(0, 5)).status_code == 200
        log.keys = [first, second]
        assert witness.submit(log.body(5, 6)).status_code == 200
        assert len(witness.shown().text.partition("\n\n")[2].splitlines()) == 3
        log.keys = [second]
        assert witness.submit(log.body(6, 7)).status_code == 200


@pytest.mark.process
def test_two_trees_of_one_size_are_kept_as_a_proof(ours, log):
    with ours() as witness:
        witness.submit(log.body(0, 5))
        other = SmallLog(name="fork").note(5)

        assert witness.submit(log.body(3, 5, note=other)).status_code == 409

        (kept,) = witness.folder.glob("*.other")
        assert kept.read_text() == other
        assert log.note(5) in witness.shown().text


# Of the program's own parts


def test_the_keys_of_a_log_may_be_given_as_it_shows_them():
    lines = f"{Key('first').verifier()}\n{Key('second').verifier()}\n"

    parsed = program.arguments(["--name", "w1.example", "--state", "x", "--log", lines])

    assert [key.origin for key in parsed.log] == [ORIGIN, ORIGIN]


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--log", "example.com/log"),
        ("--log", Key("first").verifier()[:-1]),
        ("--name", "w 1"),
        ("--name", "w+1"),
    ],
)
def test_options_that_name_nothing_are_refused(capsys, option, value):
    given = {"--name": "w1.example", "--state": "x", "--log": Key("first").verifier(), option: value}

    with pytest.raises(SystemExit, match="2"):
        program.arguments([part for pair in given.items() for part in pair])

    assert f"{option}: " in capsys.readouterr().err


@pytest.fixture
def parts(log, tmp_path):
    return Witness(
        Signer("w1.example", program.ED25519, bytes(32)), [LogKey(log.keys[0].verifier())], tmp_path
    )


@pytest.mark.parametrize("name", ["write", "time"])
def test_what_can_not_be_stored_or_dated_is_not_cosigned(parts, log, monkeypatch, name):
    parts.add_checkpoint(log.body(0, 5).encode())
    before = parts.newest_note(next(iter(parts._directory.glob("*.checkpoint"))).stem)
    with monkeypatch.context() as patch:
        if name == "write":
            patch.setattr("os.fsync", fail)
        else:
            patch.setattr("time.time", lambda: 1_000_000_000.0)
        with pytest.raises((OSError, Refused)):
            parts.add_checkpoint(log.body(5, 9).encode())

    assert parts.newest_note(next(iter(parts._directory.glob("*.checkpoint"))).stem) == before
    assert parts.add_checkpoint(log.body(5, 9).encode())


def fail(_):
    raise OSError("No space left on device")


@given(st.integers(1, 300), st.integers(1, 300), st.data())
def test_a_proof_holds_for_its_two_trees_only(one, other, data):
    log, fork = SmallLog(), SmallLog(name="fork")
    old, size = sorted((one, other))
    proof = log.proof(old, size)
    trees = [tree(log, old), tree(log, size)]

    assert continues(*trees, proof)

    assert not continues(trees[0], tree(fork, size), proof)
    assert not continues(tree(fork, old), trees[1], proof)
    assert not continues(*trees, [*proof, bytes(32)])
    if proof:
        changed = data.draw(st.integers(0, len(proof) - 1))
        assert not continues(*trees, [*proof[:changed], bytes(32), *proof[changed + 1 :]])
        assert not continues(*trees, proof[:changed] + proof[changed + 1 :])


def tree(log, size):
    return Checkpoint("", ORIGIN, size, b64decode(log.note(size).split("\n")[2]))


@given(st.binary(max_size=300) | st.text(max_size=300).map(str.encode))
def test_no_body_is_more_than_a_bad_request(body):
    with pytest.raises(ValueError):
        program.parse_request(b"old 0\n\n" + body)
