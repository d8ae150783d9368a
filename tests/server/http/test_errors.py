"""Errors over HTTP: always JSON, in the envelope of the path, without details of the program."""

import http.client
from urllib.parse import urlsplit

import pytest
from flask import request

from bench.harness.servers import threaded_server

# Nothing here asks a database.
pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)

LIMIT = 64 * 1024
TOO_LARGE = "Request entity too large"
FAILED = "Something went wrong"


def plain(text):
    return {"error": text}


def with_message(text):
    return {"status": False, "message": text}


def with_status(text):
    return {"status": False, "error": text}


ENVELOPES = [
    ("/probe", plain),
    ("/upgrader/probe", plain),
    ("/profile/probe", plain),
    ("/affiliate/probe", with_message),
    ("/profile/user", with_status),
]


@pytest.mark.parametrize(
    ("path", "envelope"),
    [
        *ENVELOPES,
        ("/profile/user/", with_status),
        ("/auth/me/", plain),
        ("/upgrader/bets/-1", plain),
        ("/upgrader/bets/one", plain),
        ("/media/items/no-such-picture.webp", plain),
        ("/media/items/..%2f..%2fplatform.db", plain),
        ("/%ff", plain),
        ("/<script>", plain),
    ],
)
def test_an_unknown_path_is_not_found_in_the_envelope_of_its_area(client, path, envelope):
    answer = client.get(path)

    assert (answer.status_code, answer.json) == (404, envelope("Not found"))


@pytest.mark.parametrize(("path", "envelope"), [*ENVELOPES, ("/media/items", plain)])
def test_a_nul_in_a_path_is_refused_in_the_envelope_of_its_area(client, path, envelope):
    answer = client.get(f"{path}/a%00b")

    unstorable = "Text must not have NUL characters or lone surrogates"
    assert (answer.status_code, answer.json) == (400, envelope(unstorable))


@pytest.mark.parametrize("path", ["/affiliates", "/profile/users"])
def test_a_path_that_only_begins_like_an_area_has_the_usual_envelope(client, path):
    answer = client.get(path)

    assert (answer.status_code, answer.json) == (404, {"error": "Not found"})


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "BREW"])
@pytest.mark.parametrize("path", ["/healthz", "/auth/me", "/upgrader/items", "/upgrader/bets/1"])
def test_a_wrong_method_is_answered_with_the_allowed_ones(client, path, method):
    answer = client.open(path, method=method)

    assert (answer.status_code, answer.json) == (405, {"error": "Method not allowed"})
    assert {"GET", "HEAD"} <= set(answer.headers["Allow"].split(", "))


@pytest.mark.parametrize(("path", "envelope"), ENVELOPES)
def test_a_wrong_method_is_refused_in_the_envelope_of_the_area(client, add_view, path, envelope):
    add_view(path, dict, "POST")

    answer = client.get(path)

    assert (answer.status_code, answer.json) == (405, envelope("Method not allowed"))
    assert "POST" in answer.headers["Allow"]


@pytest.mark.parametrize(("path", "envelope"), ENVELOPES)
def test_a_body_over_the_limit_is_refused_in_the_envelope_of_the_area(client, add_view, path, envelope):
    add_view(path, lambda: {"bytes": len(request.get_data())}, "POST")

    answer = client.post(path, data=b"x" * (LIMIT + 1))

    assert (answer.status_code, answer.json) == (413, envelope(TOO_LARGE))


def test_a_body_of_exactly_the_limit_is_accepted(client, add_view):
    add_view("/probe", lambda: {"bytes": len(request.get_data())}, "POST")

    answer = client.post("/probe", data=b"x" * LIMIT)

    assert (answer.status_code, answer.json) == (200, {"bytes": LIMIT})


def test_a_chunked_body_over_the_limit_is_refused(app, add_view):
    add_view("/probe", lambda: {"bytes": len(request.get_data())}, "POST")

    with threaded_server(app) as url:
        connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=10)
        connection.request("POST", "/probe", iter([b"x" * LIMIT, b"x"]), encode_chunked=True)
        answer = connection.getresponse()
        body = answer.read()
        connection.close()

    assert (answer.status, body) == (413, b'{"error":"Request entity too large"}\n')


@pytest.mark.parametrize(("path", "envelope"), ENVELOPES)
def test_an_unforeseen_failure_says_only_that_something_went_wrong(client, fail_at, path, envelope):
    fail_at(path)

    answer = client.get(path)

    assert (answer.status_code, answer.json) == (500, envelope(FAILED))


def test_the_message_of_an_unforeseen_failure_is_neither_answered_nor_logged(client, fail_at, log_text):
    fail_at("/probe", "the server seed is 5eed")

    answer = client.get("/probe")

    assert "5eed" not in answer.text
    assert "RuntimeError at tests/server/http/conftest.py:" in log_text()
    assert "5eed" not in log_text()


def test_the_message_of_what_caused_a_failure_is_not_logged_either(client, app, add_view, log_text):
    app.config["PROPAGATE_EXCEPTIONS"] = False

    def view():
        try:
            {}["5eed"]
        except KeyError as cause:
            raise ValueError("a token") from cause

    add_view("/probe", view)

    client.get("/probe")

    assert "ValueError at " in log_text()
    assert "caused by KeyError at " in log_text()
    assert [secret for secret in ("5eed", "a token") if secret in log_text()] == []


def test_a_failure_can_be_found_in_the_log_by_the_id_of_its_request(client, fail_at, log_lines):
    fail_at("/probe")

    answer = client.get("/probe")

    failed = [line for line in log_lines() if line["message"] == "request failed"]
    assert [line["request_id"] for line in failed] == [answer.headers["X-Request-Id"]]


@pytest.mark.parametrize(
    "path", ["/probe", "/auth/me", "/upgrader/items/pagination?limit=0", "/upgrader/bets/x"]
)
def test_an_error_is_json_whatever_the_accept_header_says(client, path):
    answer = client.get(path, headers={"Accept": "text/html"})

    assert answer.status_code >= 400
    assert answer.content_type == "application/json"


def test_a_head_request_for_an_unknown_path_has_no_body(client):
    answer = client.head("/probe")

    assert (answer.status_code, answer.data) == (404, b"")
