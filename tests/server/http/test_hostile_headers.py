"""Hostile headers at every endpoint.

What is wrong with a request's framing, and heads over 16 KiB, are tests/server/worker's.
"""

import re

import pytest

from bench.harness.sample_data import live_in
from blueprints.api.errors import envelope

# Nothing here depends on the database.
pytestmark = [pytest.mark.slow, pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)]

LONG = "a" * 8_000
HEADERS = [
    *(
        ("Authorization", value)
        for value in (f"Bearer {LONG}", LONG, "Bearer \xff\xfe", "Bearer a.b.c", "Basic Og==")
    ),
    *(
        ("Authorization", value)
        for value in ("Bearer ..", "Bearer e30.e30.", 'Digest a="b', "\t", "Bearer\xa0a")
    ),
    *(
        ("If-None-Match", value)
        for value in ('"', "W/", "*", '"a", W/"b', LONG, "\xff", ",,,,", 'W/"' + LONG + '"')
    ),
    *(("If-Match", value) for value in ("*", '"a"', "\xff")),
    *(
        ("If-Modified-Since", value)
        for value in ("never", "Thu, 01 Jan 1970 00:00:00 GMT", "9" * 400, "\xff")
    ),
    *(
        ("Range", value)
        for value in ("bytes=0-0", "bytes=-1", "bytes=9999999-", "bytes=b-a", "items=0-1", "bytes=")
    ),
    *(("Range", value) for value in ("bytes=0-0,0-0", "bytes=" + "9" * 400 + "-", "\xff")),
    *(("If-Range", value) for value in ('"a"', "never")),
    *(
        ("Accept-Encoding", value)
        for value in ("gzip;q=nan", "gzip;q=1e400", "gzip;q=-1", ";;,,", "*;q=0", LONG, "\xff")
    ),
    *(("Accept", value) for value in ("text/html", "*/*;q=nan", "///", LONG, "\xff")),
    *(("Accept-Language", value) for value in ("xx-;q=9", "\xff")),
    *(
        ("Content-Type", value)
        for value in ("multipart/form-data", "a" * 400, "\xff", 'text/plain; charset="')
    ),
    *(("Cookie", value) for value in ("session=.", "session=" + LONG, "=;=;", "\xff", "login=a; login=b")),
    *(("Origin", value) for value in ("null", "https://evil.example.com", "\xff", "http://[", "*")),
    *(("Host", value) for value in ("evil.example.com", "[", "a b", "127.0.0.1:99999", "-", "\xff")),
    *(("X-Forwarded-For", value) for value in ("127.0.0.1", "' OR 1=1", LONG)),
    *(("X-Forwarded-Host", value) for value in ("evil.example.com",)),
    *(("X-HTTP-Method-Override", value) for value in ("DELETE",)),
    *(("Content-Encoding", value) for value in ("gzip", "br")),
    *(("Expect", value) for value in ("100-continue", "a miracle")),
]


def addresses(app):
    """One address of every route that can be asked for."""
    return sorted(
        re.sub(r"<[^>]+>", "1", rule.rule) for rule in app.url_map.iter_rules() if "GET" in rule.methods
    )


@pytest.fixture
def resident(app):
    """The player of a platform that is lived in."""
    return live_in(app)


def test_no_header_makes_an_endpoint_fail(client, app, resident):
    wrong = []
    for number, address in enumerate(addresses(app)):
        # Every address gets every eighth header, and every header reaches addresses of many areas.
        for name, value in HEADERS[number % 8 :: 8]:
            answer = client.get(address, headers=resident.headers | {name: value}, buffered=True)
            failed = answer.status_code >= 500 and answer.status_code != 501
            if failed or (
                answer.status_code >= 400
                and (not answer.is_json or set(answer.json) != set(envelope(address, "")))
            ):
                wrong.append((address, name, value[:40], answer.status_code, answer.text[:200]))

    assert wrong == []


def test_if_match_is_ignored_by_get_requests(client, resident):
    paths = ["/upgrader/items", "/api/cases", "/irl", "/media/neutral/item.webp"]

    answers = {path: client.get(path, headers={"If-Match": '"another"'}, buffered=True) for path in paths}

    assert {path: answer.status_code for path, answer in answers.items()} == dict.fromkeys(paths, 200)


def test_every_malformed_authorization_header_is_refused(client, resident):
    bad = [value for name, value in HEADERS if name == "Authorization"]

    statuses = {value: client.get("/auth/me", headers={"Authorization": value}).status_code for value in bad}

    assert statuses == dict.fromkeys(bad, 401)


def test_a_host_in_a_header_does_not_appear_in_a_response(client, app, resident):
    hostile = dict.fromkeys(["Host", "X-Forwarded-Host", "Origin"], "evil.example.com")
    answers = {
        address: client.get(address, headers=resident.headers | hostile, buffered=True)
        for address in addresses(app)
    }

    repeated = [
        address
        for address, answer in answers.items()
        if "evil.example.com" in answer.get_data(as_text=False).decode(errors="replace") + str(answer.headers)
    ]
    assert repeated == []
