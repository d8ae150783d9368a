"""A PostgreSQL that goes away in the middle of a statement, before the driver knows that it did."""

import peewee
import pytest

from models.database import reading, writing

pytestmark = pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)


@pytest.mark.parametrize("block", [reading, writing])
def test_what_the_driver_calls_by_no_better_name_is_a_database_that_is_away(client, add_view, block):
    def view():
        with block():
            # As psycopg2 tells it when the connection's own state still says that it is fine.
            raise peewee.DatabaseError("server closed the connection unexpectedly")

    add_view("/probe", view)

    assert client.get("/probe").status_code == 503


def test_a_statement_that_the_database_refuses_is_no_database_that_is_away(app, client, add_view):
    app.config["PROPAGATE_EXCEPTIONS"] = False

    def view():
        with reading():
            raise peewee.DataError("integer out of range")

    add_view("/probe", view)

    assert client.get("/probe").status_code == 500
