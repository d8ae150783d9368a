"""Security headers of every answer: no sniffing, framing or referrers, and only own scripts."""

import base64
import hashlib
import re

import pytest

# Nothing here asks a database.
pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)

PATHS = [
    "/",
    "/healthz",
    "/auth/me",
    "/no-such-path",
    "/upgrader/items",
    "/docs/",
    "/docs/try/",
    "/verify",
    "/media/neutral/item.webp",
]
POLICY = "Content-Security-Policy"


@pytest.mark.parametrize("path", PATHS)
def test_every_response_has_the_security_headers(client, path):
    answer = client.get(path, buffered=True)

    told = {
        name: answer.headers.get(name)
        for name in ("X-Content-Type-Options", "X-Frame-Options", "Referrer-Policy")
    }
    assert told == {
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
        "Referrer-Policy": "no-referrer",
    }
    assert "frame-ancestors 'none'" in answer.headers[POLICY]


@pytest.mark.parametrize("path", ["/healthz", "/auth/me", "/no-such-path", "/upgrader/items"])
def test_the_policy_of_api_responses_allows_no_content(client, path):
    assert "default-src 'none'" in client.get(path, buffered=True).headers[POLICY]


@pytest.mark.parametrize("path", ["/", "/docs/", "/verify"])
def test_a_page_may_only_run_its_own_scripts(client, path):
    page = client.get(path, buffered=True)

    policy = page.headers[POLICY]
    inline = re.findall(r"<script>(.*?)</script>", page.text, re.DOTALL)
    hashes = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in inline]
    assert [digest for digest in hashes if f"'sha256-{digest}'" not in policy] == []
    assert "script-src" not in policy or "unsafe" not in policy.split("script-src")[1].split(";")[0]


@pytest.mark.parametrize("address", ["https://api.example.com", "HTTPS://API.example.com"])
def test_strict_transport_security_is_sent_under_https(make_app, address):
    client = make_app(BASE_URL=address).test_client()

    assert client.get("/healthz").headers["Strict-Transport-Security"] == "max-age=31536000"


def test_strict_transport_security_is_not_sent_under_http(client):
    assert "Strict-Transport-Security" not in client.get("/healthz").headers
