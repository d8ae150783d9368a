"""A log with real bets, and a reader of it that shares no code with it."""

import base64
import json
from dataclasses import dataclass
from hashlib import sha256

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from models.db.connection import writing
from models.log import let_wait
from services.log import entries
from tests.harness.spins import Clock, at, play_spin
from tests.support.signed_trees import signed_trees
from tests.support.witnesses import THREE, running_witness
from verify.witness import ML_DSA_44, LogKey

NOW = at("2026-03-18 12:00")
ORIGIN = "127.0.0.1:5000/log"


@pytest.fixture
def clock():
    return Clock(NOW)


@pytest.fixture
def log(app):
    return app.extensions["services"].log


@pytest.fixture
def signed(app, monkeypatch):
    """Everything that the log signs in the test; no log may have two histories."""
    with signed_trees(monkeypatch) as trees:
        yield trees
    trees.assert_one_history_each()


@pytest.fixture
def item(app, add_item):
    return add_item(price=10)


@pytest.fixture
def spin(app, player, item, clock):
    """Plays a spin that is not in the log yet."""

    def play(by=None):
        clock.advance(seconds=5)
        return play_spin(app, by or player, item, clock=clock).bet

    return play


@pytest.fixture
def logged_spin(log, spin):
    """Plays a spin, and appends it to the log."""

    def play(by=None):
        bet = spin(by)
        log.append_now()
        return bet

    return play


@pytest.fixture
def add_waiting():
    """Lets so many entries wait for the log that are not about bets."""

    def add(count):
        with writing():
            for number in range(count):
                entry = entries.commitment(
                    at=NOW,
                    commitment="c" * 64,
                    nonce=1,
                    player=f"{number:032x}",
                    reason=entries.Reason.NEW,
                )
                let_wait(entry.decode())

    return add


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
def with_witnesses(running):
    """The setting for a log that these witnesses follow."""
    return {"LOG_WITNESSES": ", ".join(f"{each.key} {each.url}" for each in running)}


@pytest.fixture
def witnesses(app, client, running):
    """The witnesses of the server. They know its log."""
    let_know(running, client.get("/log/key").text)
    return app.extensions["services"].witnesses


@pytest.fixture
def submit(witnesses):
    """Submits the newest checkpoint to some of the witnesses, by default to all."""

    def submit_to(*numbers):
        for number in numbers or (0, 1, 2):
            witnesses.submit(witnesses.all[number])

    return submit_to


def let_know(running, keys):
    """Give the witnesses the keys of the log, one a line."""
    for each in running:
        each.logs[:] = [LogKey(line) for line in keys.splitlines()]


@dataclass(frozen=True)
class Note:
    """A signed note, whose first signature a key of the log has made."""

    text: str
    key_name: str

    @property
    def origin(self):
        return self.text.split("\n")[0]

    @property
    def size(self):
        return int(self.text.split("\n")[1])

    @property
    def root(self):
        return base64.b64decode(self.text.split("\n")[2], validate=True)


@pytest.fixture
def open_note(client):
    """Checks the signature of a note with the current verifier key; returns the note."""

    def check(note, prefix="/log"):
        key_name, _, rest = client.get(f"{prefix}/key").text.split("\n")[0].partition("+")
        public_key = base64.b64decode(rest.partition("+")[2])[1:]
        text, _, signatures = note.rpartition("\n\n")
        dash, name, signature = signatures.split("\n")[0].split(" ")
        assert (dash, name) == ("\u2014", key_name)
        # Raises for a wrong signature.
        Ed25519PublicKey.from_public_bytes(public_key).verify(
            base64.b64decode(signature)[4:], f"{text}\n".encode()
        )
        return Note(f"{text}\n", key_name)

    return check


@pytest.fixture
def checkpoint(client, open_note):
    """Gets the checkpoint of a log."""
    return lambda prefix="/log": open_note(client.get(f"{prefix}/checkpoint").text, prefix)


@pytest.fixture
def entries_of(client):
    """The entries of a bundle, by its path below the prefix."""

    def read(path, prefix="/log"):
        answer = client.get(f"{prefix}/tile/entries/{path}", headers={"Accept-Encoding": "identity"})
        assert answer.status_code == 200
        data, entries = answer.data, []
        while data:
            length = int.from_bytes(data[:2], "big")
            entries.append(data[2 : 2 + length])
            data = data[2 + length :]
        return entries

    return read


@pytest.fixture
def hashes_of(client):
    """The hashes of a tile, by its path below the prefix."""

    def read(path):
        data = client.get(f"/log/tile/{path}").data
        return [data[start : start + 32] for start in range(0, len(data), 32)]

    return read


def leaf_hash(entry):
    return sha256(b"\x00" + entry).digest()


def content(entry):
    """The content of an entry, which must be canonical."""
    found = json.loads(entry)
    assert json.dumps(found, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode() == entry
    return found


def not_found(answer):
    return (answer.status_code, answer.json, answer.headers["Cache-Control"]) == (
        404,
        {"error": "Not found"},
        "no-store",
    )
