"""Security headers of every answer: no sniffing, framing or referrers, and only own scripts."""

import base64
import hashlib
import re

import pytest

# Nothing here uses a database.

API_PATHS = ["/healthz", "/auth/me", "/no-such-path", "/upgrader/items"]
PAGES = ["/", "/docs/", "/docs/try/", "/verify"]
POLICY = "Content-Security-Policy"
EXPECTED = {"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer"}


@pytest.mark.security("Other pages in the browser")
def test_every_response_has_the_security_headers(client):
    for path in (*API_PATHS, *PAGES, "/media/neutral/item.webp"):
        headers = client.get(path, buffered=True).headers

        assert {name: headers.get(name) for name in EXPECTED} == EXPECTED, path
        assert "frame-ancestors 'none'" in headers[POLICY], path
        assert "Strict-Transport-Security" not in headers, path


def test_the_policy_of_api_responses_allows_no_content(client):
    policies = {path: client.get(path).headers[POLICY] for path in API_PATHS}

    assert policies == dict.fromkeys(API_PATHS, "default-src 'none'; frame-ancestors 'none'")


@pytest.mark.security("Other pages in the browser")
@pytest.mark.parametrize("path", ["/", "/docs/", "/verify"])
def test_a_page_may_only_run_its_own_scripts(client, path):
    page = client.get(path, buffered=True)

    policy = page.headers[POLICY]
    inline = re.findall(r"<script>(.*?)</script>", page.text, re.DOTALL)
    hashes = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in inline]
    assert [digest for digest in hashes if f"'sha256-{digest}'" not in policy] == []
    assert "script-src" not in policy or "unsafe" not in policy.split("script-src")[1].split(";")[0]


def test_no_page_may_connect_to_another_host(client):
    for path in PAGES:
        allowed = dict(part.strip().split(" ", 1) for part in client.get(path).headers[POLICY].split(";"))

        connections = allowed.get("connect-src", allowed["default-src"])
        assert connections in {"'self'", "'none'"}, path


@pytest.mark.security("Eavesdropping")
@pytest.mark.parametrize("address", ["https://api.example.com", "HTTPS://API.example.com"])
def test_strict_transport_security_is_sent_under_https(make_app, address):
    client = make_app(BASE_URL=address).test_client()

    assert client.get("/healthz").headers["Strict-Transport-Security"] == "max-age=31536000"


def test_no_cache_stores_a_poll_of_a_socket(client):
    poll = client.get("/socket.io/?EIO=4&transport=polling")

    assert poll.headers["Cache-Control"] == "no-store"
