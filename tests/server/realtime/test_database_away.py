"""Sockets while the database is unavailable, and afterwards."""

from contextlib import contextmanager
from urllib.parse import urlsplit, urlunsplit

import pytest

from server.realtime import repeated_task
from tests.harness.databases import administer
from tests.harness.servers import threaded_server
from tests.harness.sockets import Closed, Refused
from tests.support.apps import ITEM, fresh_app, import_item

SPIN = {"amount": 1, "item": ITEM}


@pytest.fixture(scope="module")
def app(postgres, tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch, fresh_app(postgres, tmp_path_factory.mktemp("away")) as app:
        patch.setattr(repeated_task, "RETRY_SECONDS", 0.05)
        import_item()
        yield app


@pytest.fixture(scope="module")
def server(app):
    with threaded_server(app) as url:
        yield url


@pytest.fixture
def away(app):
    """The database refuses new connections, and has ended all others, while the block runs."""
    parts = urlsplit(app.extensions["services"].settings.database_url)
    name = parts.path.removeprefix("/")

    address = urlunsplit(parts._replace(path="/postgres"))

    @contextmanager
    def gone():
        administer(
            address,
            f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS false',
            f"SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '{name}'",  # noqa: S608
        )
        yield
        administer(address, f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS true')

    return gone


def test_a_spin_without_the_database_fails_until_it_returns(connect, player, away):
    socket = connect(player)
    assert socket.spin(SPIN)["status"] is True

    with away():
        assert socket.spin(SPIN) == {
            "status": False,
            "error": "Something went wrong",
        }

    assert socket.spin(SPIN)["status"] is True


@pytest.mark.guarantee("A missing database")
def test_a_valid_token_is_disconnected_so_the_client_retries(connect, player, away):
    with away(), pytest.raises(Closed):
        connect(player)

    assert connect(player).expect("balance")["balance"] == 100


def test_a_bad_token_is_refused_without_the_database(connect, away):
    with away(), pytest.raises(Refused, match="Unauthorized"):
        connect(auth={"token": "not-a-token"})


def test_a_proof_due_without_the_database_is_sent_later(connect, player, away):
    socket = connect(player)
    with away():
        pass
    assert socket.spin(SPIN)["status"] is True

    with away():
        # Fails, and so shows that the proof's round has had its chance to fail as well.
        assert socket.spin(SPIN)["status"] is False

    assert socket.expect("upgrader:proof")["nonce"] == 1
