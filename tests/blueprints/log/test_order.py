"""The order of entries, as verify/monitor.py checks it: bets before redraws, and epochs before those."""

import pytest

from models.db.connection import reading
from services.log import bundles
from tests.support.lost_log import redraw as redraw_seeds
from tests.support.lost_log import restore_log, resume, stored_log
from verify import monitor

pytestmark = pytest.mark.security("The public log")


@pytest.fixture
def announced(app, player):
    """The announced commitment, which is redrawn if it must be."""
    return lambda by=None: app.extensions["services"].seeds.announced(user_id=(by or player).id)


@pytest.fixture
def appended(log):
    """Appends what waits. The kind of each entry in the log, and what the monitor has to say about it."""

    def entries():
        log.append_now()
        with reading():
            references = bundles.references(0)
            contents = bundles.contents(references, log.pseudonyms)
            texts = [contents[reference] for reference in references]
        commitments = monitor.Commitments(monitor.State())
        check = {
            "bet": commitments.bet,
            "commitment": commitments.commitment,
            "redrawn": commitments.redrawn,
            "epoch": commitments.begin_epoch,
        }
        parsed = [monitor.parse_entry(text) for text in texts]
        problems = [check[kind](entry) for kind, entry in parsed if kind in check]
        kinds = [entry.get("reason", kind) if kind != "epoch" else kind for kind, entry in parsed]
        return kinds, [problem for problem in problems if problem]

    return entries


def test_redrawn_commitments_come_after_their_epoch(log, logged_spin, appended, announced):
    """A second epoch begins before the entries of the first are appended."""
    logged_spin()
    for _ in range(2):
        redraw_seeds(log)
        announced()

    assert appended() == (["new", "bet", "epoch", "redrawn", "epoch", "redrawn"], [])


def test_a_commitment_is_redrawn_after_the_bet_before_it(log, logged_spin, spin, appended, announced):
    logged_spin()
    spin()
    redraw_seeds(log)
    announced()
    spin()

    assert appended() == (["new", "bet", "bet", "epoch", "redrawn", "bet"], [])


def test_an_account_that_is_new_in_an_epoch_is_not_redrawn_in_it(
    log, logged_spin, new_player, appended, announced
):
    logged_spin()
    redraw_seeds(log)
    announced(new_player("bob"))

    assert appended() == (["new", "bet", "epoch", "new"], [])


def test_the_entries_of_a_successor_are_in_order_too(log, logged_spin, spin, appended, announced, new_player):
    logged_spin()
    bob = new_player("bob")
    log.append_now()
    backup = stored_log()
    redraw_seeds(log)
    announced(bob)
    log.append_now()
    restore_log(backup)
    resume(log)
    announced(bob)
    log.append_now()
    spin(bob)

    kinds, problems = appended()
    assert kinds == ["new", "bet", "new", "fork", "epoch", "redrawn", "bet"]
    assert problems == []
