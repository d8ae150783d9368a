"""The log line about a proxy that TRUSTED_PROXIES does not count."""

import pytest

from tests.support.markers import sqlite_only

FORWARDED = {"X-Forwarded-For": "192.0.2.7"}


def warnings(log_lines):
    return [line for line in log_lines() if line["logger"] == "platform.proxies"]


@sqlite_only
@pytest.mark.parametrize("header", ["X-Forwarded-For", "Forwarded"])
def test_forwarding_headers_without_trusted_proxies_are_logged_once(client, log_lines, header):
    for _ in range(3):
        client.get("/healthz", headers={header: "192.0.2.7"})

    [line] = warnings(log_lines)
    assert line["level"] == "warning"
    assert "TRUSTED_PROXIES" in line["message"]
    assert "192.0.2.7" not in str(line)


@sqlite_only
def test_requests_without_forwarding_headers_are_not_logged(client, log_lines):
    client.get("/healthz")

    assert warnings(log_lines) == []


class TestBehindATrustedProxy:
    @pytest.fixture
    def app(self, make_app):
        return make_app(TRUSTED_PROXIES="1")

    def test_forwarding_headers_behind_a_trusted_proxy_are_not_logged(self, client, log_lines):
        client.get("/healthz", headers=FORWARDED)

        assert warnings(log_lines) == []
