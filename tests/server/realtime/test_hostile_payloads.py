"""Hostile payloads of spins (tests/support/hostile.py) and their answers."""

import json

import pytest

from tests.harness.sockets import Transport
from tests.support.hostile import MALFORMED, REPEATED, VALUES
from tests.support.sample_data import DEAR

KEYS = ("amount", "item", "clientSeed", "serverSeedCommitment", "price", "requestId")


TOO_DEEP = "[" * 500
"""Whether this deep can be read depends on the version of Python, and how deep the reader is called from."""


def texts(kinds):
    """Those of these that a websocket may carry as a text at all."""
    for body in kinds.values():
        try:
            yield body.decode()
        except UnicodeDecodeError:
            continue


def exchange(socket, payload):
    """What a spin's acknowledgement says to this text as a payload."""
    socket.transport.send(f'427["upgrader:spin",{payload}]')
    while not (packet := socket.transport.receive()).startswith("437"):
        pass
    return json.loads(packet.removeprefix("437"))[0]


def spin(socket, texts_of_keys):
    return exchange(socket, "{" + ",".join(f'"{key}":{text}' for key, text in texts_of_keys.items()) + "}")


def is_answer(answer):
    """Whether a spin was played, or refused for a reason that somebody thought of."""
    if answer["status"]:
        return set(answer) == {"status", "result"}
    return set(answer) == {"status", "error"} and answer["error"] != "Something went wrong"


def test_a_malformed_or_ambiguous_message_ends_the_connection(server):
    payloads = [*texts(MALFORMED), *texts(REPEATED)]

    still_open = []
    for payload in payloads:
        transport = Transport(server)
        transport.send("40")
        # One that would be answered, had the first not ended it.
        transport.send(f'42["upgrader:spin",{payload}]')
        if not transport.closed():
            still_open.append(payload[:40])
        transport.close()

    assert len(payloads) > 30
    assert still_open == []


@pytest.mark.security("Input")
def test_a_spin_with_a_hostile_value_is_refused_or_played(connect, sample_player):
    socket = connect(sample_player)
    good = {"amount": "1", "item": f'"{DEAR}"', "requestId": '"used"'}
    assert spin(socket, good)["status"] is True

    values = [value for value in VALUES if not value.startswith(TOO_DEEP)]
    answers = {}
    for key in KEYS:
        for number, value in enumerate(values):
            # Every second spin repeats the request id of the first one, and is compared with it.
            others = good if number % 2 else good | {"requestId": f'"{key} {number}"'}
            answers[key, value[:40]] = spin(socket, others | {key: value})
    instead_of_the_object = {value[:40]: exchange(socket, value) for value in values}

    assert {case: answer for case, answer in answers.items() if not is_answer(answer)} == {}
    refused = {"status": False, "error": "Invalid request"}
    assert {value: answer for value, answer in instead_of_the_object.items() if answer != refused} == {}
