"""No bet settles with a new commitment before the commitment is in a signed checkpoint on disk."""

import pytest

from models.bets import Bet
from models.db.connection import reading
from services.log import file, sequencer
from services.shared.errors import Unavailable
from tests.support.lost_log import redraw as redraw_seeds

pytestmark = pytest.mark.security("The public log")


@pytest.fixture
def fill_disk(log):
    """Lets the file of the checkpoint fail from now on; returns what makes it writable again."""
    log.watch()

    def fail(*_):
        raise OSError("no space left on device")

    def fill():
        patch = pytest.MonkeyPatch()
        patch.setattr(file, "write", fail)
        patches.append(patch)
        return patch.undo

    patches = []
    yield fill
    for patch in patches:
        patch.undo()


@reading()
def bets():
    return Bet.select().count()


def test_a_new_players_bet_is_refused(spin, balance, fill_disk, new_player):
    fill_disk()
    bob = new_player("bob")
    before = balance(bob)

    with pytest.raises(Unavailable):
        spin(bob)

    assert (bets(), balance(bob)) == (0, before)


def test_a_bet_on_a_redrawn_commitment_is_refused(app, log, logged_spin, spin, player, fill_disk):
    logged_spin()
    redraw_seeds(log)
    app.extensions["services"].seeds.announced(user_id=player.id)
    fill_disk()

    with pytest.raises(Unavailable):
        spin()

    assert bets() == 1


def test_a_bet_is_settled_once_the_file_can_be_written(log, spin, fill_disk, new_player):
    undo = fill_disk()
    bob = new_player("bob")
    with pytest.raises(Unavailable):
        spin(bob)
    undo()

    assert spin(bob).nonce == 1
    assert log.file().note == sequencer.stored_log().checkpoint


def test_the_player_is_told_that_something_went_wrong(connect, fill_disk, new_player, item, log):
    fill_disk()
    bob = new_player("bob")

    answer = connect(bob).spin({"amount": 1, "item": item})

    assert answer == {"status": False, "error": "Something went wrong"}
    assert bets() == 0
