"""JSON bodies: parsed exactly, with any content type, and refused with a clear text."""

import http.client
import json
from urllib.parse import urlsplit

import pytest

from tests.support.markers import sqlite_only

URL = "https://steamcommunity.com/tradeoffer/new/?partner=1"
GOOD = b'{"url": "%s"}' % URL.encode()
LIMIT = 64 * 1024

DONE = (200, {"success": True})
REQUIRED = (400, {"error": "Trade URL is required"})
INVALID = (400, {"error": "Invalid trade URL"})
NOT_JSON = (400, {"error": "The body must be JSON"})
MALFORMED = (400, {"error": "The body is not valid JSON"})
REPEATED = (400, {"error": "The body has a key more than once"})
NO_OBJECT = (400, {"error": "The body must be a JSON object"})
UNSTORABLE = (400, {"error": "Text must not have NUL characters or lone surrogates"})
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


@sqlite_only
def test_json_is_read_under_the_content_types_of_json_and_text_and_under_none(put):
    kinds = [
        *("application/json", "application/json; charset=utf-8", "APPLICATION/JSON", "application/json;"),
        *("application/problem+json", "application/vnd.api+json; charset=utf-8", "text/json", "text/plain"),
        *("text/plain; charset=utf-8", "text/html", "", None),
    ]

    answers = {kind: put(GOOD, kind) for kind in kinds}

    assert answers == dict.fromkeys(kinds, DONE)


@sqlite_only
def test_a_form_or_bytes_are_not_json(put):
    kinds = [
        *("application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "multipart/form-data"),
        *("application/octet-stream", "application/xml", "image/png", "application/jsonp", "json"),
        *("application/json+xml", "nonsense", "application/"),
    ]

    answers = {kind: put(GOOD, kind) for kind in kinds}

    assert answers == dict.fromkeys(kinds, NOT_JSON)


@sqlite_only
def test_a_body_that_cannot_be_parsed_is_refused(put):
    bodies = [
        *(b"{", b"}", b"nonsense", b'{"url": }', b"{'url': 1}", b'{"url": 1,}', b"{url: 1}", GOOD + b"x"),
        *(b"\x00", b"\x00{}", b'{"url": "a\nb"}', b'{"url": "\x01"}', b'{"url": "\\x"}', b'{"url": "\\u12"}'),
        *(b'{"url": 01}', b'{"url": .5}', b'{"url": +1}', b'{"url": 1e99999999999999999999}', GOOD * 2),
        *(b'{"url": "\xff"}', b'{"url": "\xed\xa0\x80"}', b'{"url": "\xc3"}', b'{"url": %s}' % (b"9" * 5000)),
        *(b"\xff\xfe{\x00}\x00", b"\xef\xbb\xbf{}"),
    ]

    assert wrong(put, bodies, MALFORMED) == []


@sqlite_only
def test_a_body_that_is_nested_too_deeply_is_refused(put):
    deep = 30_000

    bodies = [
        b"[" * deep,
        b'{"a":' * 10_000,
        b"[" * deep + b"]" * deep,
        b'{"url":' + b"[" * deep + b"]" * deep + b"}",
    ]

    assert wrong(put, bodies, MALFORMED) == []


@sqlite_only
def test_an_empty_body_has_no_keys(put):
    assert wrong(put, [b"", b" ", b"\r\n\t ", b"{}"], REQUIRED) == []


@sqlite_only
def test_a_body_that_is_not_an_object_is_refused(put):
    bodies = [b"[]", b"[{}]", b'"url"', b"1", b"1.5", b"true", b"null", b"NaN", b"Infinity", b"1e400", b'""']

    assert wrong(put, bodies, NO_OBJECT) == []


@sqlite_only
def test_not_a_number_and_infinity_reach_the_validation_of_their_field(put):
    bodies = [
        b'{"url": %s}' % text
        for text in (b"NaN", b"Infinity", b"-Infinity", b"1e400", b"-1e-400", b"1e999999")
    ]

    assert wrong(put, bodies, INVALID) == []


@sqlite_only
def test_nul_characters_and_lone_surrogates_are_refused_anywhere_in_a_body(put):
    texts = [rb'"\u0000"', rb'"a\u0000b"', rb'"\ud800"', rb'"\udfff"', rb'"\ude00\ud83d"', rb'"\ud83dx"']
    places = [
        b'{"url": %s}',
        b'{"x": %s}',
        b'{"x": [1, {"y": [%s]}]}',
        b"{%s: 1}",
        b'{"x": {"y": [{%s: null}]}}',
    ]

    bodies = [place % text for place in places for text in texts]

    assert wrong(put, bodies, UNSTORABLE) == []


@sqlite_only
def test_a_repeated_key_is_refused_anywhere_in_a_body(put):
    bodies = [
        b'{"url": "nonsense", "url": "%s"}' % URL.encode(),
        b'{"url": "%s", "url": "%s"}' % (URL.encode(), URL.encode()),
        b'{"url": "%s", "x": [{"y": 1, "\\u0079": 2}]}' % URL.encode(),
    ]

    assert wrong(put, bodies, REPEATED) == []


@sqlite_only
def test_unknown_keys_surrogate_pairs_and_blanks_up_to_the_limit_are_accepted(put):
    assert put(rb'{"x": "\ud83d\ude00", "": {"y": []}, "url": "%s"}' % URL.encode()) == DONE
    assert put(GOOD + b" " * (LIMIT - len(GOOD))) == DONE


@sqlite_only
def test_a_body_over_the_limit_is_too_large(put):
    bodies = [GOOD + b" " * (LIMIT - len(GOOD) + 1), b"[" * 100_000, b"\x00" * 1_000_000]

    assert wrong(put, bodies, TOO_LARGE) == []


@sqlite_only
def test_a_request_without_a_token_is_refused_before_its_body_is_parsed(client):
    answer = client.put("/profile/trade-url", data=b"{", content_type="application/json")

    assert (answer.status_code, answer.json) == (401, {"error": "Unauthorized"})


@sqlite_only
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
