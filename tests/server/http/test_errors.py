"""Errors over HTTP: always JSON, in the envelope of the path, without details of the program."""

import peewee
import pytest
from flask import request

# Nothing here uses a database.

LIMIT = 64 * 1024


def plain(text):
    return {"error": text}


def with_message(text):
    return {"status": False, "message": text}


def with_status(text):
    return {"status": False, "error": text}


ENVELOPES = {
    "/probe": plain,
    "/upgrader/probe": plain,
    "/profile/probe": plain,
    "/affiliate/probe": with_message,
    "/profile/user": with_status,
}


@pytest.fixture
def errors(client):
    """Gives the status and the body of each path's answer."""

    def answers(paths, method="GET", **options):
        found = {path: client.open(path, method=method, **options) for path in paths}
        return {path: (answer.status_code, answer.json) for path, answer in found.items()}

    return answers


def test_an_unknown_path_has_its_areas_envelope(errors):
    plain_paths = [
        *("/auth/me/", "/upgrader/bets/-1", "/upgrader/bets/one", "/media/items/no-such-picture.webp"),
        *("/media/items/..%2f..%2fplatform.db", "/%ff", "/<script>", "/affiliates", "/profile/users"),
    ]
    envelopes = ENVELOPES | dict.fromkeys(plain_paths, plain) | {"/profile/user/": with_status}

    assert errors(envelopes) == {path: (404, envelope("Not found")) for path, envelope in envelopes.items()}


def test_a_nul_in_a_path_has_its_areas_envelope(errors):
    envelopes = {
        f"{path}/a%00b": envelope for path, envelope in (ENVELOPES | {"/media/items": plain}).items()
    }

    unstorable = "Text must not have NUL characters or lone surrogates"
    assert errors(envelopes) == {path: (400, envelope(unstorable)) for path, envelope in envelopes.items()}


def test_a_wrong_method_is_answered_with_the_allowed_ones(client):
    for path in ("/healthz", "/auth/me", "/upgrader/items", "/upgrader/bets/1"):
        for method in ("POST", "PUT", "PATCH", "DELETE", "BREW"):
            answer = client.open(path, method=method)

            assert (answer.status_code, answer.json) == (405, {"error": "Method not allowed"}), (path, method)
            assert {"GET", "HEAD"} <= set(answer.headers["Allow"].split(", "))


def test_each_kind_of_error_has_its_areas_envelope(app, errors, add_view):
    app.config["PROPAGATE_EXCEPTIONS"] = False
    failures = {"PUT": RuntimeError("unforeseen"), "PATCH": peewee.OperationalError("gone")}

    def view():
        if request.method in failures:
            raise failures[request.method]
        return {"bytes": len(request.get_data())}

    for path in ENVELOPES:
        add_view(path, view, "POST", *failures)

    for method, status, text in (
        ("GET", 405, "Method not allowed"),
        ("POST", 413, "Request entity too large"),
        ("PUT", 500, "Something went wrong"),
        ("PATCH", 503, "The service is temporarily unavailable"),
    ):
        body = b"x" * (LIMIT + 1) if method == "POST" else b""
        assert errors(ENVELOPES, method, data=body) == {
            path: (status, envelope(text)) for path, envelope in ENVELOPES.items()
        }
    assert errors(["/probe"], "POST", data=b"x" * LIMIT) == {"/probe": (200, {"bytes": LIMIT})}


@pytest.mark.security("Logs, errors and the database")
def test_an_unforeseen_failures_message_is_neither_answered_nor_logged(client, app, add_view, log_text):
    app.config["PROPAGATE_EXCEPTIONS"] = False

    def view():
        try:
            {}["5eed"]
        except KeyError as cause:
            raise ValueError("a token") from cause

    add_view("/probe", view)

    said = client.get("/probe").text + log_text()

    assert "ValueError at tests/server/http/test_errors.py:" in said
    assert "caused by KeyError at " in said
    assert [secret for secret in ("5eed", "a token") if secret in said] == []


def test_an_error_of_an_endpoint_is_json_whatever_the_accept_header_says(client):
    for path in ("/bets/0", "/auth/me", "/upgrader/items/pagination?limit=0", "/irl/none"):
        answer = client.get(path, headers={"Accept": "text/html"})

        assert answer.status_code >= 400, path
        assert answer.content_type == "application/json", path
