"""A request that is never answered does not hold its connection for ever."""

import pytest

from tests.support.raw_http import open_connection, read_until_closed, statuses

pytestmark = pytest.mark.process

STUCK = b"GET /stuck HTTP/1.1\r\nHost: a\r\n\r\n"


@pytest.mark.security("Hostile connections")
def test_a_stuck_requests_connection_is_closed_and_others_are_served(stuck):
    with open_connection(stuck.url) as connection:
        connection.sendall(STUCK)

        assert statuses(stuck.url, b"GET /healthz HTTP/1.0\r\n\r\n") == [200]
        assert read_until_closed(connection) == b""
