"""Hostile headers at every endpoint.

What is wrong with a request's framing, and heads over 16 KiB, are tests/server/worker's.
"""

import re

import pytest

from tests.support.hostile import is_error_of

LONG = "a" * 8_000
VALUES = {
    "Authorization": [
        *(f"Bearer {LONG}", LONG, "Bearer \xff\xfe", "Bearer a.b.c", "Basic Og==", "Bearer ..", "\t"),
        *("Bearer e30.e30.", 'Digest a="b', "Bearer\xa0a"),
    ],
    "If-None-Match": ['"', "W/", "*", '"a", W/"b', LONG, "\xff", ",,,,", f'W/"{LONG}"'],
    "If-Match": ["*", '"a"', "\xff"],
    "If-Modified-Since": ["never", "Thu, 01 Jan 1970 00:00:00 GMT", "9" * 400, "\xff"],
    "Range": [
        *("bytes=0-0", "bytes=-1", "bytes=9999999-", "bytes=b-a", "items=0-1", "bytes=", "bytes=0-0,0-0"),
        *("bytes=" + "9" * 400 + "-", "\xff"),
    ],
    "If-Range": ['"a"', "never"],
    "Accept-Encoding": ["gzip;q=nan", "gzip;q=1e400", "gzip;q=-1", ";;,,", "*;q=0", LONG, "\xff"],
    "Accept": ["text/html", "*/*;q=nan", "///", LONG, "\xff"],
    "Accept-Language": ["xx-;q=9", "\xff"],
    "Content-Type": ["multipart/form-data", "a" * 400, "\xff", 'text/plain; charset="'],
    "Cookie": ["session=.", f"session={LONG}", "=;=;", "\xff", "login=a; login=b"],
    "Origin": ["null", "https://evil.example.com", "\xff", "http://[", "*"],
    "Host": ["evil.example.com", "[", "a b", "127.0.0.1:99999", "-", "\xff"],
    "X-Forwarded-For": ["127.0.0.1", "' OR 1=1", LONG],
    "X-Forwarded-Host": ["evil.example.com"],
    "X-HTTP-Method-Override": ["DELETE"],
    "Content-Encoding": ["gzip", "br"],
    "Expect": ["100-continue", "a miracle"],
}
HEADERS = [(name, value) for name, values in VALUES.items() for value in values]


def addresses(app):
    """One address of every route that can be asked for."""
    return sorted(
        re.sub(r"<[^>]+>", "1", rule.rule) for rule in app.url_map.iter_rules() if "GET" in rule.methods
    )


@pytest.mark.security("Input")
def test_no_header_makes_an_endpoint_fail(client, app, sample_player):
    wrong = []
    for number, address in enumerate(addresses(app)):
        # Every address gets every 24th header, and every header reaches addresses of several areas.
        for name, value in HEADERS[number % 24 :: 24]:
            answer = client.get(address, headers=sample_player.headers | {name: value}, buffered=True)
            failed = answer.status_code >= 500 and answer.status_code != 501
            if failed or (answer.status_code >= 400 and not is_error_of(address, answer)):
                wrong.append((address, name, value[:40], answer.status_code, answer.text[:200]))

    assert wrong == []


@pytest.mark.security("Other pages in the browser")
def test_a_hosts_name_from_a_header_is_never_answered(client, app, sample_player):
    hostile = dict.fromkeys(["Host", "X-Forwarded-Host", "Origin"], "evil.example.com")
    answers = {
        address: client.get(address, headers=sample_player.headers | hostile, buffered=True)
        for address in addresses(app)
    }

    repeated = [
        address
        for address, answer in answers.items()
        if "evil.example.com" in answer.get_data(as_text=False).decode(errors="replace") + str(answer.headers)
    ]
    assert repeated == []
