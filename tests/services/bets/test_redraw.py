"""Redrawing announced seeds: by the command, and lazily for one player at a time."""

import stat

import pytest

from models.announced_seeds import AnnouncedSeed
from models.db.connection import writing
from services.shared.errors import Unavailable
from tests.harness.spins import play_spin
from tests.harness.waiting import wait_until
from tests.services.bets.conftest import reveal
from tests.support.lost_log import redraw as redraw_seeds

PATH = "/upgrader/commitment"


def announced(app, player):
    return app.test_client().get(PATH, headers=player.headers).json


def spin(app, player, item):
    return play_spin(app, player, item).bet


@pytest.mark.both_databases("models/announced_seeds.py")
def test_a_player_without_a_commitment_is_announced_one(app, player):
    with writing():
        AnnouncedSeed.delete().execute()

    first = announced(app, player)

    assert first["nonce"] == 1
    assert announced(app, player) == first


def test_the_command_redraws_every_players_commitment(app, new_player, run):
    players = [new_player(name) for name in ("alice", "bob")]
    before = [announced(app, player) for player in players]

    assert run("seeds", "redraw") == {"redrawn": 2}

    after = [announced(app, player) for player in players]
    assert [told["nonce"] for told in after] == [1, 1]
    assert not {told["serverSeedCommitment"] for told in before} & {
        told["serverSeedCommitment"] for told in after
    }


@pytest.fixture(params=["before the spin", "after its seed was read"])
def redraw(request, app, player, monkeypatch):
    """Begins an epoch of redraws before the player's next spin, or while it is under way."""
    services = app.extensions["services"]
    read = services.seeds.load

    def read_and_redraw(*, user_id):
        seed = read(user_id=user_id)
        monkeypatch.setattr(services.seeds, "load", read)
        redraw_seeds(services.log)
        return seed

    def begin():
        # Otherwise the spin would use the remembered seed, and not read the announced one.
        services.seeds.take_remembered(user_id=player.id)
        if request.param == "before the spin":
            redraw_seeds(services.log)
        else:
            monkeypatch.setattr(services.seeds, "load", read_and_redraw)

    return begin


def test_a_spin_without_a_commitment_is_settled_with_the_redrawn_seed(connect, player, item, redraw):
    socket = connect(player)
    before = socket.expect("upgrader:commitment")
    redraw()

    answer = socket.spin({"amount": 1, "item": item})

    told, used = socket.expect("upgrader:commitment"), socket.expect("upgrader:pf")
    assert answer["status"] is True
    assert used["serverSeedCommitment"] == told["serverSeedCommitment"] != before["serverSeedCommitment"]


def test_a_spin_with_the_replaced_commitment_is_refused(connect, player, item, redraw):
    socket = connect(player)
    before = socket.expect("upgrader:commitment")
    redraw()

    answer = socket.spin({"amount": 1, "item": item, **before})

    assert answer == {"status": False, "error": "Commitment does not match"}


def test_after_the_command_no_spin_uses_a_remembered_seed(app, player, item, run):
    spin(app, player, item)
    told = announced(app, player)
    run("seeds", "redraw")

    bet = spin(app, player, item)

    assert bet.nonce == told["nonce"]
    assert bet.server_seed_commitment != told["serverSeedCommitment"]


def test_the_players_sockets_receive_the_commitment_of_a_redrawn_seed(app, player, connect, run):
    socket = connect(player)
    before = socket.expect("upgrader:commitment")
    run("seeds", "redraw")

    over_http = announced(app, player)

    assert socket.expect("upgrader:commitment") == over_http != before


@pytest.mark.security("Restored database")
def test_no_seed_is_revealed_without_a_written_checkpoint(app, player, item, tmp_path):
    announced(app, player)
    bet = spin(app, player, item)
    checkpoint = tmp_path / "instance" / "log.new"
    checkpoint.mkdir()

    with pytest.raises(Unavailable):
        reveal(app, bet)

    checkpoint.rmdir()
    reveal(app, bet)


def test_lists_with_due_seeds_need_a_written_checkpoint(app, player, item, tmp_path, caplog):
    def seeds():
        answer = app.test_client().get("/stats/fairness", headers=player.headers)
        return answer.status_code, answer.json

    announced(app, player)
    spin(app, player, item)
    (tmp_path / "instance" / "log.new").mkdir()

    # From when the proof is due.
    wait_until(lambda: seeds() == (503, {"error": Unavailable.text}))
    assert "checkpoint not written" in caplog.messages

    (tmp_path / "instance" / "log.new").rmdir()
    status, found = seeds()
    assert (status, found["data"]["total"]) == (200, 1)


def test_only_the_owner_can_read_the_checkpoint_file(app, player, tmp_path):
    announced(app, player)

    assert stat.S_IMODE((tmp_path / "instance" / "log.checkpoint").stat().st_mode) == 0o600
