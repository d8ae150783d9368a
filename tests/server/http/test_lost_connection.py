"""PostgreSQL breaks a connection in the middle of a statement, before the driver notices."""

import peewee
import psycopg2.extensions
import pytest

from models.db.connection import reading, writing
from models.db.new_connections import Connection
from tests.support.markers import postgresql_only

pytestmark = postgresql_only


@pytest.mark.parametrize("block", [reading, writing])
def test_an_unspecific_error_of_a_lost_connection_is_503(client, add_view, block):
    def view():
        with block():
            # As psycopg2 tells it when the connection's own state still says that it is fine.
            raise peewee.DatabaseError("server closed the connection unexpectedly")

    add_view("/probe", view)

    assert client.get("/probe").status_code == 503


def test_a_statement_that_the_database_refuses_is_500(app, client, add_view):
    app.config["PROPAGATE_EXCEPTIONS"] = False

    def view():
        with reading():
            raise peewee.DataError("integer out of range")

    add_view("/probe", view)

    assert client.get("/probe").status_code == 500


class Unanswered(psycopg2.extensions.cursor):
    """What the driver leaves, without any error, of some statements that the server never answered."""

    def execute(self, *_: object) -> None:
        """Nothing comes back, not even that nothing was found."""


def test_a_lost_player_row_makes_a_valid_token_503(client, player, monkeypatch):
    def cursor(connection):
        return Unanswered(connection)

    monkeypatch.setattr(Connection, "cursor", cursor, raising=False)

    answer = client.get("/auth/me", headers=player.headers)

    assert (answer.status_code, answer.json) == (503, {"error": "The service is temporarily unavailable"})
