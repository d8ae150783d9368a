"""JSON bodies: their content types, and what is accepted. What is refused is in test_hostile_bodies.py."""

import http.client
import json
from urllib.parse import urlsplit

import pytest

URL = "https://steamcommunity.com/tradeoffer/new/?partner=1"
GOOD = b'{"url": "%s"}' % URL.encode()
LIMIT = 64 * 1024

DONE = (200, {"success": True})
REQUIRED = (400, {"error": "Trade URL is required"})
INVALID = (400, {"error": "Invalid trade URL"})
NOT_JSON = (400, {"error": "The body must be JSON"})
MALFORMED = (400, {"error": "The body is not valid JSON"})
TOO_LARGE = (413, {"error": "Request entity too large"})


@pytest.fixture
def put(client, player):
    """Puts a body as the trade URL; the status and what was answered."""

    def put(body, content_type="application/json"):
        answer = client.put(
            "/profile/trade-url", data=body, content_type=content_type, headers=player.headers
        )
        return answer.status_code, answer.json

    return put


def wrong(put, bodies, expected):
    """The bodies that were answered in another way, each with the beginning of itself and its answer."""
    answers = [(body[:60], put(body)) for body in bodies]
    return [(body, answer) for body, answer in answers if answer != expected]


def test_a_body_is_json_for_json_text_or_no_type(put):
    read = [
        *("application/json", "application/json; charset=utf-8", "APPLICATION/JSON", "application/json;"),
        *("application/problem+json", "application/vnd.api+json; charset=utf-8", "text/json", "text/plain"),
        *("text/plain; charset=utf-8", "text/html", "", None),
    ]
    refused = [
        *("application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "multipart/form-data"),
        *("application/octet-stream", "application/xml", "image/png", "application/jsonp", "json"),
        *("application/json+xml", "nonsense", "application/"),
    ]

    answers = {kind: put(GOOD, kind) for kind in read + refused}

    assert answers == dict.fromkeys(read, DONE) | dict.fromkeys(refused, NOT_JSON)


def test_an_empty_body_has_no_keys(put):
    assert wrong(put, [b"", b" ", b"\r\n\t ", b"{}"], REQUIRED) == []


def test_unknown_keys_surrogate_pairs_and_many_blanks_are_accepted(put):
    assert put(rb'{"x": "\ud83d\ude00", "": {"y": []}, "url": "%s"}' % URL.encode()) == DONE
    assert put(GOOD + b" " * (LIMIT - len(GOOD))) == DONE


def test_a_missing_token_is_refused_before_the_body_is_parsed(client):
    answer = client.put("/profile/trade-url", data=b"{", content_type="application/json")

    assert (answer.status_code, answer.json) == (401, {"error": "Unauthorized"})


def test_a_chunked_body_is_read_up_to_the_limit(server, player):
    def put(*chunks):
        connection = http.client.HTTPConnection(urlsplit(server).netloc, timeout=10)
        connection.request("PUT", "/profile/trade-url", iter(chunks), player.headers, encode_chunked=True)
        answer = connection.getresponse()
        body = json.loads(answer.read())
        connection.close()
        return answer.status, body

    assert put(GOOD[:10], GOOD[10:]) == DONE
    assert put(GOOD, b" " * LIMIT) == TOO_LARGE
    assert put(*[b"["] * 20) == MALFORMED
