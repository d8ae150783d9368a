"""Proofs are sent when they are due, to the right socket, and after a restart."""

import hashlib
import time

import peewee
import pytest

from models import proof_queries
from models.announced_seeds import AnnouncedSeed
from models.bets import Bet
from models.db.connection import reading, writing
from services.shared.clock import now_ms
from sockets import proofs as delivery
from tests.harness.servers import threaded_server
from tests.harness.spins import Clock, play_spin
from tests.harness.waiting import wait_until

BEGINNING = 1_800_000_000_000


@pytest.fixture
def no_look_up(app, server, monkeypatch):
    """No look-up of overdue bets after the first one."""
    monkeypatch.setattr(delivery, "LOOK_UP_SECONDS", 3600)
    wait_until(lambda: app.extensions["proofs"]._looked_up_at is not None)


@pytest.fixture
def release_a_proof(app, player, item):
    """Plays a spin whose proof was released long ago."""

    def release():
        proofs = app.extensions["services"].proofs
        (proof,) = proofs.claim({play_long_ago(app, player, item).bet.id: None})
        proofs.release({proof.id: proof.server_seed})

    return release


def play_long_ago(app, player, item):
    """A spin that was due long ago, and of which this process does not know."""
    return play_spin(app, player, item, clock=lambda: now_ms() - 60_000)


def bet(client, player, nonce=1):
    return client.get(f"/upgrader/bets/{nonce}", headers=player.headers).json


@pytest.mark.guarantee("Every bet")
def test_the_revealed_seed_matches_the_announced_commitment(connect, player, item):
    socket = connect(player)
    socket.spin({"amount": 1, "item": item, "clientSeed": "my-own-seed"})
    pf = socket.expect("upgrader:pf")

    proof = socket.expect("upgrader:proof")

    assert hashlib.sha256(proof["serverSeed"].encode()).hexdigest() == pf["serverSeedCommitment"]
    assert proof == {
        "serverSeed": proof["serverSeed"],
        "serverSeedCommitment": pf["serverSeedCommitment"],
        "clientSeed": "my-own-seed",
        "nonce": 1,
    }


def test_the_proof_goes_only_to_the_socket_that_asked(connect, new_player, player, item):
    asking, watching, stranger = connect(player), connect(player), connect(new_player("stranger"))
    for _ in range(2):
        asking.spin({"amount": 1, "item": item})
        asking.expect("upgrader:proof")

    for socket in (watching, stranger):
        for _ in range(2):
            socket.expect("live-bets:new")
        assert "upgrader:proof" not in [name for name, _ in socket.seen]


def test_a_seed_that_no_key_decrypts_is_logged_and_delays_no_other_proof(
    app, open_socket, new_player, player, item, caplog
):
    lost = play_long_ago(app, new_player("bob"), item).bet
    with writing():
        Bet.update(encrypted_server_seed="of a lost key").where(Bet.id == lost.id).execute()
    play_long_ago(app, player, item)

    with threaded_server(app) as url:
        assert open_socket(url, player).expect("upgrader:proof")["nonce"] == 1
        wait_until(lambda: app.extensions["proofs"].undecryptable == 1)

    assert f"no key decrypts the server seed of bet {lost.id}" in caplog.text


def test_the_revealed_seed_is_stored_although_the_player_is_offline(connect, player, item):
    socket, spectator = connect(player), connect()
    socket.spin({"amount": 1, "item": item})

    socket.close()
    spectator.expect("live-bets:new")

    wait_until(lambda: _unrevealed(player) == 0)
    assert _undelivered(player) == 1


@pytest.mark.settings(UPGRADER_PROOF_DELAY="6")
class TestWithAStoppedClock:
    """The app's clock moves only when the test moves it."""

    @pytest.fixture
    def clock(self):
        return Clock(BEGINNING)

    @pytest.mark.both_databases("models/proof_queries.py")
    @pytest.mark.security("Fairness")
    @pytest.mark.regulation("B.6 Cryptographic controls")
    @pytest.mark.regulation("(c)(1) Unpredictable outputs")
    def test_a_bet_and_its_seed_are_hidden_until_its_proof_is_due(self, connect, client, player, item, clock):
        def stored():
            with reading():
                return str([list(table.select().dicts()) for table in (Bet, AnnouncedSeed)])

        before = stored()
        connect(player).spin({"amount": 1, "item": item})
        after = stored()
        assert bet(client, player)["completedAt"] == clock.now + 6_000

        clock.now += 5_999
        assert bet(client, player)["pf"]["serverSeed"] == ""
        assert connect().expect("live-bets") == []

        clock.now += 1
        seed = bet(client, player)["pf"]["serverSeed"]
        assert len(seed) == 64
        assert seed not in before + after
        assert len(connect().expect("live-bets")) == 1


@pytest.mark.settings(UPGRADER_PROOF_DELAY="1")
class TestWithADelayOfASecond:
    def test_a_proof_does_not_come_before_its_delay(self, connect, player, item):
        socket = connect(player)
        began = time.monotonic()

        socket.spin({"amount": 1, "item": item})
        socket.expect("upgrader:proof")

        assert time.monotonic() - began >= 1


@pytest.mark.one_process
def test_a_bet_pending_at_a_restart_is_announced(make_app, player, item, open_socket):
    clock = Clock(BEGINNING)
    first, second = (make_app(clock=clock, UPGRADER_PROOF_DELAY="600") for _ in range(2))
    token = first.extensions["services"].tokens.issue(player.user, now=clock.now)
    with threaded_server(first) as url:
        open_socket(url, auth={"token": token}).spin({"amount": 1, "item": item})
    clock.advance(ms=600_000)

    with threaded_server(second) as url:
        announced = open_socket(url).expect("live-bets")

    assert [bet["user"] for bet in announced] == [player.username]


def _undelivered(player):
    with reading():
        return Bet.select().where(Bet.user == player.id, Bet.proof_delivered_at_ms.is_null()).count()


def _unrevealed(player):
    with reading():
        return Bet.select().where(Bet.user == player.id, Bet.server_seed.is_null()).count()


@pytest.mark.both_databases("models/proof_queries.py")
def test_an_unscheduled_bets_proof_is_sent(monkeypatch, app, connect, player, item):
    """As after a commit whose answer was lost, or the end of another process."""
    socket = connect(player)
    socket.expect("live-bets")

    play_spin(app, player, item)

    assert socket.expect("upgrader:proof")["nonce"] == 1


def test_missed_proofs_are_sent_although_another_bet_falls_due_during_each_claim(
    monkeypatch, app, connect, player, item, no_look_up, release_a_proof
):
    services, delivery = app.extensions["services"], app.extensions["proofs"]
    for _ in range(2):
        release_a_proof()
    claim = services.proofs.claim

    def claim_while_another_falls_due(holders):
        delivery.after_bet("", play_long_ago(app, player, item))
        return claim(holders)

    monkeypatch.setattr("sockets.proofs.PROOFS_AT_ONCE", 1)
    with monkeypatch.context() as while_claims_are_slow:
        while_claims_are_slow.setattr(services.proofs, "claim", claim_while_another_falls_due)
        socket = connect(player)

        received = {socket.expect("upgrader:proof")["nonce"]}
        while not received >= {1, 2}:
            received.add(socket.expect("upgrader:proof")["nonce"])


@pytest.mark.both_databases("models/proof_queries.py")
def test_a_due_proof_whose_claim_was_not_answered_is_announced_once(
    monkeypatch, connect, player, item, no_look_up
):
    lost = lose_the_first_answer(monkeypatch)
    socket = connect(player)

    for _ in range(2):
        socket.spin({"amount": 1, "item": item})
        socket.expect("upgrader:proof")
    # A bet that is announced a little later.
    socket.spin({"amount": 1, "item": item})
    announced = []
    while announced[-1:] != ["3"]:
        socket.next()
        announced = [bet["id"] for name, bet in socket.seen if name == "live-bets:new"]

    assert lost
    assert announced == ["1", "2", "3"]


def lose_the_first_answer(monkeypatch):
    """Lose the answer of the first claim, which is committed."""
    claim, lost = proof_queries.claim, []

    def claim_without_answer(holders, **options):
        claimed = claim(holders, **options)
        if not lost:
            lost.extend(claimed)
            raise peewee.OperationalError("the connection was lost")
        return claimed

    monkeypatch.setattr(proof_queries, "claim", claim_without_answer)
    return lost


def test_a_long_overdue_bet_is_not_announced(monkeypatch, app, connect, player, item):
    spectator = connect()

    play_long_ago(app, player, item)
    wait_until(lambda: not _unrevealed(player))
    connect(player).spin({"amount": 1, "item": item})

    assert spectator.expect("live-bets:new")["id"] == "2"
