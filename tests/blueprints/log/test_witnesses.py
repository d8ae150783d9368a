"""Witnesses cosign the newest checkpoint, whatever happens to their answers."""

import base64

import pytest

from services.log.notes import Checkpoint
from services.witnesses import freshness
from services.witnesses.client import OTHER_TREE
from tests.support.raw_server import dribbling, raw_server
from tests.support.witnesses import (
    THREE,
    instead,
    lose_answer,
    names_below,
    problems,
    say,
    size_of,
)
from verify.witness import ED25519, Signer, parse_note


@pytest.fixture
def settings(settings, with_witnesses):
    return settings | with_witnesses


MORE = "it has cosigned 9 entries of this log, which has 3"
FORGED = base64.b64encode(b"\0" * 76).decode()


@pytest.mark.both_databases("models/witnesses.py", "services/witnesses/service.py")
@pytest.mark.guarantee("The public log")
def test_a_checkpoint_that_two_of_three_cosign_is_the_witnessed_one(client, logged_spin, submit):
    logged_spin()
    submit(0)
    assert client.get("/log/witnessed").status_code == 404

    submit(2)

    witnessed = client.get("/log/witnessed")
    assert names_below(witnessed.text)[1:] == ["w1.example", "w3.example"]
    assert size_of(witnessed.text) == size_of(client.get("/log/checkpoint").text)
    assert witnessed.headers["Cache-Control"] == "public, max-age=1"
    listed = client.get("/log/witnesses").json
    assert listed["quorum"] == 2
    assert [each["size"] for each in listed["witnesses"]] == [
        size_of(witnessed.text),
        None,
        size_of(witnessed.text),
    ]


def test_a_newer_checkpoint_is_submitted_with_the_proof_that_it_continues(
    client, logged_spin, running, submit
):
    logged_spin()
    submit()
    for _ in range(5):
        logged_spin()

    submit()

    assert [len(each.asked) for each in running] == [2, 2, 2]
    assert names_below(client.get("/log/witnessed").text)[1:] == [*THREE]


def test_a_checkpoint_without_new_entries_is_not_submitted_again(logged_spin, running, submit):
    logged_spin()
    submit()

    submit()

    assert [len(each.asked) for each in running] == [1, 1, 1]


@pytest.mark.both_databases("models/witnesses.py")
def test_a_witness_whose_answer_was_lost_says_what_it_has(client, logged_spin, running, submit):
    logged_spin()
    running[0].mishaps = [lose_answer]
    submit(0)
    logged_spin()

    submit(0)

    assert [body.split(b"\n")[0] for body in running[0].asked] == [b"old 0", b"old 0", b"old 2"]
    assert (
        size_of(client.get("/log/checkpoint").text)
        == client.get("/log/witnesses").json["witnesses"][0]["size"]
    )


def test_the_same_checkpoint_after_a_lost_answer_needs_no_proof(client, logged_spin, running, submit):
    logged_spin()
    running[0].mishaps = [lose_answer]
    submit(0)

    submit(0)

    assert client.get("/log/witnesses").json["witnesses"][0]["size"] == 2
    assert running[0].asked[-1].startswith(b"old 2\n\n")


def test_a_cosignature_is_asked_for_until_its_answer_comes(client, logged_spin, running, submit):
    logged_spin()
    running[0].mishaps = [lose_answer, lambda answer: answer(), lose_answer]

    for _ in range(3):
        submit(0)

    assert client.get("/log/witnesses").json["witnesses"][0]["size"] == 2


def test_a_cosignature_that_could_not_be_stored_is_asked_for_again(
    client, logged_spin, running, submit, monkeypatch
):
    logged_spin()
    with monkeypatch.context() as patch:
        patch.setattr("models.witnesses.set_state", lambda *_args, **_state: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            submit(0)
    assert names_below(client.get("/log/checkpoint").text)[1:] == []

    submit(0)

    assert names_below(client.get("/log/checkpoint").text)[1:] == ["w1.example"]


def test_a_body_has_the_signature_of_the_current_key_only(logged_spin, running, submit):
    logged_spin()

    submit(0)

    _, _, note = running[0].asked[0].decode().partition("\n\n")
    assert len(parse_note(note)[1]) == 1


@pytest.mark.parametrize(
    ("mishap", "problem"),
    [
        (say(404, "unknown"), "it does not know the log: ask its operator to add the log's key"),
        (say(403, "unknown"), "it does not know the log: ask its operator to add the log's key"),
        (say(422), "it has signed another tree of this size or a smaller one, and refuses this one"),
        (say(500, "a stack trace"), "it answered with status 500"),
        (say(429), "it answered with status 429"),
        (say(409, "many"), "it answered with a conflict, and not with its size"),
        (instead(""), "its answer has no cosignature of its key"),
        (instead(f"\u2014 w1.example {FORGED}\n"), "its answer has no cosignature of its key"),
        (instead(f"\u2014 else.example {FORGED}\n"), "its answer has no cosignature of its key"),
        (instead("x" * 100_000), "it did not answer"),
        (say(302, "http://127.0.0.1:1/"), "it answered with status 302"),
        (say(409, "-1\n"), "it answered with a conflict, and not with its size"),
        (say(409, "99999999999999999999\n"), "it answered with a conflict, and not with its size"),
    ],
)
def test_what_a_witness_does_wrong_is_said_without_a_word_of_its_answer(
    client, clock, logged_spin, running, submit, mishap, problem
):
    logged_spin()
    running[0].mishaps = [mishap]

    submit(0)

    clock.advance(minutes=3)
    assert problems(client) == f"no checkpoint of this log has been witnessed yet: w1.example: {problem}"


@pytest.mark.security("Witnesses")
@pytest.mark.parametrize(
    ("change", "seconds", "number"),
    [
        ({"text": "x\n1\n\n"}, 5, 0),
        ({}, 0, 0),
        ({}, 2**63, 0),
        ({"root": b"!" * 32}, 5, 2),
        ({"size": 3}, 5, 2),
        ({"origin": "another.example/log"}, 5, 2),
        ({}, 0, 2),
    ],
)
def test_a_cosignature_of_something_else_or_without_a_time_is_not_taken(
    client, clock, logged_spin, running, submit, change, seconds, number
):
    logged_spin()
    witness = running[number]
    checkpoint = parse_note(client.get("/log/checkpoint").text)[0]._replace(**change)
    witness.mishaps = [instead(f"{witness.signer.cosign(checkpoint, seconds)}\n")]

    submit(number)

    clock.advance(minutes=3)
    assert problems(client).endswith(f"{THREE[number]}: its cosignature is not valid")
    assert client.get("/log/witnesses").json["witnesses"][number]["size"] is None


def test_lines_of_unknown_keys_are_left_out(client, logged_spin, running, submit):
    logged_spin()

    def with_others(answer):
        return f"\u2014 else.example {FORGED}\n{answer()}\u2014 w1.example {FORGED}\n\u2014\n"

    running[0].mishaps = [with_others]
    submit(0, 1)

    assert names_below(client.get("/log/witnessed").text)[1:] == ["w1.example", "w2.example"]


@pytest.mark.parametrize("beginning", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n"])
def test_a_witness_that_says_nothing_or_little_at_a_time_is_left(
    app, make_app, clock, logged_spin, monkeypatch, beginning
):
    logged_spin()
    monkeypatch.setattr("services.witnesses.client.SECONDS", 0.2)
    key = Signer("slow.example", ED25519, b"." * 32).verifier_key
    with raw_server(dribbling(beginning, b"x" if beginning else b"")) as url:
        client = make_app(clock=clock, LOG_WITNESSES=f"{key} {url}").test_client()
        witnesses = client.application.extensions["services"].witnesses

        witnesses.submit(witnesses.all[0])

    clock.advance(minutes=3)
    assert problems(client).endswith("slow.example: it did not answer")


def test_a_witness_that_names_other_sizes_again_and_again_is_left(
    client, clock, logged_spin, running, submit
):
    logged_spin()
    submit(0)
    cosigned = client.get("/log/witnesses").json["witnesses"][0]
    logged_spin()
    running[0].mishaps = [say(409, "1\n"), say(409, "0\n"), say(409, "1\n")]

    submit(0)

    clock.advance(minutes=3)
    assert problems(client).endswith("w1.example: it names another size at each try")
    assert client.get("/log/witnesses").json["witnesses"][0] == cosigned


@pytest.mark.security("Witnesses")
@pytest.mark.parametrize(("size", "problem"), [(2, OTHER_TREE), (1, OTHER_TREE), (9, MORE)])
def test_a_witness_that_has_cosigned_another_tree_is_named(
    client, clock, log, logged_spin, running, submit, size, problem
):
    """As when another server has signed with the key of the log."""
    logged_spin()
    other = Checkpoint(log.checkpoint().origin, size, b"!" * 32)
    note = log.keys.sign(other.text, name=other.origin)
    running[0].add_checkpoint(f"old 0\n\n{note}".encode())

    submit()

    assert size_of(client.get("/log/witnessed").text) == 2
    logged_spin()
    submit(0)
    clock.advance(minutes=3)
    assert problems(client).startswith("entries have waited for 180 s to be witnessed: w1.example: ")
    assert problem in problems(client)


def test_a_witness_that_has_more_entries_than_the_log_is_named(client, clock, logged_spin, running, submit):
    logged_spin()
    running[0].mishaps = [say(409, "4711\n")]

    submit(0)

    clock.advance(minutes=3)
    assert (
        "w1.example: it has cosigned 4711 entries of this log, which has 2: the end of the log is lost,"
        " another server signs with its key, or the witness lies"
    ) in problems(client)


def test_a_witness_that_works_again_ends_the_problem(client, clock, logged_spin, running, submit):
    logged_spin()
    running[0].mishaps = [say(500)]
    running[1].mishaps = [say(500)]
    submit()
    clock.advance(minutes=3)
    assert problems(client)

    submit()

    assert problems(client) is None
    assert freshness.freshness(now=clock.now).waits_ms == 0


def test_the_proof_of_a_bet_has_the_newest_witnessed_checkpoint(client, clock, logged_spin, submit):
    bet = logged_spin()
    submit()
    logged_spin()
    clock.advance(seconds=60)

    proof = client.get(f"/bets/{bet.id}/tlog-proof").text

    _, _, note = proof.partition("\n\n")
    assert size_of(note) == 2
    assert names_below(note)[1:] == [*THREE]


def test_a_proof_does_not_wait_for_witnesses(client, clock, logged_spin, submit):
    logged_spin()
    submit()
    bet = logged_spin()
    clock.advance(seconds=60)

    _, _, note = client.get(f"/bets/{bet.id}/tlog-proof").text.partition("\n\n")

    assert size_of(note) == 3
    assert len(names_below(note)) == 1
