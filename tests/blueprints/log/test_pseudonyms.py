"""The pseudonyms of players are the same in all processes, whatever became of a transaction."""

from contextlib import suppress

import pytest

from models.db.connection import writing
from tests.harness.players import create_player

pytestmark = pytest.mark.guarantee("The public log")


def pseudonym_in(app):
    return app.extensions["services"].log.pseudonyms.of("76561190000000001")


@pytest.mark.both_databases("a transaction")
def test_an_account_that_was_rolled_back_changes_no_pseudonym(app, make_app):
    with suppress(InterruptedError), writing():
        create_player(app, "alice")
        raise InterruptedError

    assert pseudonym_in(make_app()) == pseudonym_in(app)
