"""A database that refuses writes is unavailable: one line in the log, no traceback, and no lost bet."""

from urllib.parse import urlsplit

import pytest

from models.bets import Bet
from models.db.connection import database, reading, writing
from models.db.new_connections import RolledBack
from tests.harness.databases import administer
from tests.harness.spins import play_spin
from tests.support.apps import import_item
from tests.support.markers import postgresql_only

pytestmark = postgresql_only

UNAVAILABLE = {"error": "The service is temporarily unavailable"}
READ_ONLY = "the database is read-only, and the server must write to it"
CONFLICT = "the database has rolled back a transaction because of concurrent ones (40001)"


@pytest.fixture
def read_only(player, env):  # the player is there already
    """Makes the database refuse writes of new connections, or take them again."""
    name, url = urlsplit(env["DATABASE_URL"]).path[1:], env["DATABASE_URL"]

    def set_to(*, on):
        setting = "SET default_transaction_read_only = on" if on else "RESET default_transaction_read_only"
        administer(url, "SET default_transaction_read_only = off", f'ALTER DATABASE "{name}" {setting}')

    set_to(on=True)
    database.obj.close_all()
    yield set_to
    set_to(on=False)


CONFLICT_OF_BETS = """
CREATE SEQUENCE tries;
CREATE FUNCTION conflict() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF nextval('tries') <= {tries} THEN RAISE 'a row of a player' USING ERRCODE = '40001'; END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER conflict BEFORE INSERT ON bets FOR EACH ROW EXECUTE FUNCTION conflict()
"""
CONFLICT_OF_PLAYERS = """
CREATE FUNCTION conflict() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    RAISE 'a row of a player' USING ERRCODE = '40001';
END $$;
CREATE TRIGGER conflict BEFORE UPDATE ON users FOR EACH ROW EXECUTE FUNCTION conflict()
"""


def put_client_seed(client, player):
    return client.put("/profile/client-seed", json={"clientSeed": "another-seed"}, headers=player.headers)


@pytest.mark.usefixtures("read_only")
def test_a_request_that_writes_to_a_read_only_database_is_answered_503(client, player, log_lines):
    answer = put_client_seed(client, player)

    (line,) = [line for line in log_lines() if line["logger"] == "platform.errors"]
    assert (answer.status_code, answer.json, answer.headers["Retry-After"]) == (503, UNAVAILABLE, "1")
    assert line["message"] == "database unavailable"
    assert READ_ONLY in line["failure"]


@pytest.mark.usefixtures("read_only")
def test_a_command_says_in_one_line_that_the_database_is_read_only(fails):
    assert fails("users", "create", "bob") == f"Error: DATABASE_URL: {READ_ONLY}"


def test_a_database_that_takes_writes_again_is_used_at_once(client, player, read_only):
    put_client_seed(client, player)
    read_only(on=False)

    assert put_client_seed(client, player).status_code == 200


@pytest.fixture
def conflicts(app):
    """Makes the next tries to write a bet fail, as among serializable transactions."""

    def fail(tries):
        with writing():
            database.execute_sql(CONFLICT_OF_BETS.format(tries=tries))

    return fail


def test_a_bet_whose_transaction_was_rolled_back_is_tried_once_more(app, player, conflicts):
    item = import_item()
    conflicts(1)

    settled = play_spin(app, player, item)

    with reading():
        assert [bet.nonce for bet in Bet.select()] == [settled.bet.nonce] == [1]


def test_a_bet_is_not_tried_a_third_time(app, player, conflicts):
    item = import_item()
    conflicts(2)

    with pytest.raises(RolledBack, match=r"\(40001\)"):
        play_spin(app, player, item)
    assert play_spin(app, player, item).bet.nonce == 1


def test_a_rolled_back_request_is_answered_503_without_its_values_in_the_log(client, player, log_lines):
    with writing():
        database.execute_sql(CONFLICT_OF_PLAYERS)

    answer = put_client_seed(client, player)

    (line,) = [line for line in log_lines() if line["logger"] == "platform.errors"]
    assert (answer.status_code, answer.json) == (503, UNAVAILABLE)
    assert CONFLICT in line["failure"]
    assert "a row" not in str(line)
