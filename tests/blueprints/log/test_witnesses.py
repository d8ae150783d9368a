"""Witnesses cosign the newest checkpoint, whatever happens to their answers."""

import base64

import pytest

from services.witnesses import freshness
from tests.support.witnesses import instead, lose_answer, running_witness, say
from verify.witness import ML_DSA_44, LogKey, parse_note

THREE = ("w1.example", "w2.example", "w3.example")


@pytest.fixture
def running(tmp_path):
    """Three witnesses, the last one with ML-DSA-44."""
    first, second, third = (tmp_path / name for name in THREE)
    with (
        running_witness(first, THREE[0]) as one,
        running_witness(second, THREE[1]) as two,
        running_witness(third, THREE[2], ML_DSA_44) as three,
    ):
        yield [one, two, three]


@pytest.fixture
def settings(settings, running):
    return settings | {"LOG_WITNESSES": ", ".join(f"{each.key} {each.url}" for each in running)}


@pytest.fixture
def witnesses(app, client, running):
    """The witnesses of the server. They know its log."""
    for each in running:
        each.logs[:] = [LogKey(line) for line in client.get("/log/key").text.splitlines()]
    return app.extensions["services"].witnesses


@pytest.fixture
def submit(witnesses):
    """Submits the newest checkpoint to some of the witnesses, by default to all."""

    def submit_to(*numbers):
        for number in numbers or (0, 1, 2):
            witnesses.submit(witnesses.all[number])

    return submit_to


def names_below(note):
    return [name for _, name, _ in parse_note(note)[1]]


def size_of(note):
    return parse_note(note)[0].size


def problems(client):
    return client.get("/readyz").json.get("witnesses")


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


def test_a_body_has_the_signature_of_the_current_key_only(logged_spin, running, submit):
    logged_spin()

    submit(0)

    _, _, note = running[0].asked[0].decode().partition("\n\n")
    assert len(parse_note(note)[1]) == 1


FORGED = base64.b64encode(b"\0" * 76).decode()


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
    ],
)
def test_what_a_witness_does_wrong_is_said_without_a_word_of_its_answer(
    client, clock, logged_spin, running, submit, mishap, problem
):
    logged_spin()
    running[0].mishaps = [mishap]

    submit(0)

    clock.advance(minutes=3)
    assert problems(client) == f"entries have waited for 180 s to be witnessed: w1.example: {problem}"


def test_a_forged_cosignature_is_not_taken(client, clock, logged_spin, running, submit):
    logged_spin()
    forged = running[0].signer.cosign(parse_note(client.get("/log/checkpoint").text)[0]._replace(text="x"), 5)
    running[0].mishaps = [instead(f"{forged}\n")]

    submit(0)

    clock.advance(minutes=3)
    assert problems(client).endswith("w1.example: its cosignature is not valid")
    assert client.get("/log/witnesses").json["witnesses"][0]["size"] is None


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
