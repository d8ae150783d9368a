"""What lies ready is answered without Flask, and by no byte differently."""

import itertools
import json

import pytest
from flask import request_started

from blueprints.common import ready_answers
from tests.support.lived_in import live_in

# Nothing here depends on the database.
pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)

FRONT_END = "https://play.example.com"
ADDRESSES = [
    "/upgrader/items",
    "/upgrader/items?search=nothing",
    "/api/cases/pocket-lint",
    "/leaderboard?period=monthly",
    "/stats/live-bets?limit=2&page=1",
]
CODINGS = [None, "", "gzip", "br, gzip;q=0.5", "gzip;q=0, *", "*"]
TAGS = [None, "{tag}", "{strong}", 'W/"another", {tag}', "*", '"another"', "nonsense"]
ORIGINS = [None, FRONT_END, "https://evil.example.net"]
BESIDE = [
    {},
    {"Range": "bytes=0-9"},
    {"If-Match": '"another"'},
    {"If-Modified-Since": "Thu, 01 Jan 1970 00:00:00 GMT"},
    {"Authorization": "Bearer nonsense"},
    {"X-Request-Id": "chosen by a client", "Host": "evil.example.com"},
    {"Expect": "a miracle", "Content-Type": "application/json"},
]


@pytest.fixture
def app(make_app):
    return make_app(FRONTEND_URL=f"{FRONT_END}/game/", UPGRADER_PROOF_DELAY="0")


@pytest.fixture
def ready(app):
    """What lies ready in this app."""
    return app.extensions["ready_answers"]


@pytest.fixture
def resident(app):
    return live_in(app)


@pytest.fixture
def by_flask(app):
    """The addresses that Flask has answered."""
    asked = []

    def note(_app, **_):
        from flask import request

        asked.append(request.path)

    with request_started.connected_to(note, app):
        yield asked


def forget(ready):
    ready._by_path.clear()
    ready._by_address.clear()


def told(answer):
    """All that a client sees of an answer, but the id, which is another one each time."""
    headers = [(name, "an id" if name == "X-Request-Id" else value) for name, value in answer.headers]
    return answer.status, headers, answer.data


def variants(tag):
    strong = (tag or "").removeprefix("W/")
    for coding, tags, origin in itertools.product(CODINGS, TAGS, ORIGINS):
        named = {"Accept-Encoding": coding, "If-None-Match": tags, "Origin": origin}
        sent = {name: value for name, value in named.items() if value is not None}
        yield {name: value.format(tag=tag, strong=strong) for name, value in sent.items()}
    for headers, origin in itertools.product(BESIDE, ORIGINS):
        yield headers | ({"Origin": origin} if origin else {})


@pytest.mark.usefixtures("resident")
@pytest.mark.parametrize("address", ADDRESSES)
def test_what_lies_ready_is_what_flask_would_answer(client, ready, by_flask, address):
    different = []
    for headers in variants(client.get(address).headers.get("ETag")):
        for method in ("GET", "HEAD"):
            forget(ready)
            flasks = client.open(address, method=method, headers=headers)
            client.get(address)
            by_flask.clear()
            readily = client.open(address, method=method, headers=headers)
            if by_flask or told(readily) != told(flasks):
                different.append((method, headers, by_flask, told(flasks)[:2], told(readily)[:2]))

    assert different == []


@pytest.mark.usefixtures("resident")
@pytest.mark.parametrize("address", ADDRESSES)
def test_other_methods_are_flasks(client, by_flask, address):
    client.get(address)
    by_flask.clear()

    answers = [client.open(address, method=method).status_code for method in ("POST", "OPTIONS", "BREW")]

    assert answers == [405, 200, 405]
    assert len(by_flask) == 3


@pytest.mark.usefixtures("resident")
def test_a_refusal_never_lies_ready(client, ready):
    forget(ready)

    for refused in ("/leaderboard?period=daily", "/stats/live-bets?limit=0", "/api/cases/none"):
        client.get(refused)

    assert (len(ready._by_path), len(ready._by_address)) == (0, 0)


def test_an_answer_that_lay_ready_is_one_line_and_counted(client, resident, log_text, app):
    client.get("/leaderboard")
    before = len(log_text().splitlines())

    answer = client.get("/leaderboard")

    [line] = map(json.loads, log_text().splitlines()[before:])
    assert (line["method"], line["route"], line["status"]) == ("GET", "/leaderboard", 200)
    assert line["request_id"] == answer.headers["X-Request-Id"]
    counted = app.extensions["metrics"].requests.labels("GET", "/leaderboard", 200)
    assert counted._value.get() == 2


class TestWithLimits:
    @pytest.fixture
    def app(self, make_app):
        return make_app(RATELIMIT_ENABLED="1")

    def test_ready_answers_and_flasks_are_counted_together(self, client, by_flask):
        statuses = {client.get("/leaderboard").status_code for _ in range(300)}

        assert statuses == {200}
        assert len(by_flask) < 100
        refused = client.get("/leaderboard")
        assert (refused.status_code, refused.json) == (429, {"error": "Too many requests"})
        assert client.get("/upgrader/rules").status_code == 429

    def test_a_player_has_reads_of_their_own_of_what_lies_ready(self, client, player):
        for _ in range(300):
            client.get("/leaderboard")

        assert client.get("/leaderboard", headers=player.headers).status_code == 200
        assert client.get("/leaderboard").status_code == 429


def test_what_is_kept_by_query_is_bounded(monkeypatch, make_app):
    monkeypatch.setattr(ready_answers, "KEPT_BYTES", 50_000)
    app = make_app()
    client, ready = app.test_client(), app.extensions["ready_answers"]

    for number in range(60):
        client.get(f"/leaderboard?made-up={number}-{'long' * 500}")

    assert 0 < ready._by_address.currsize <= 50_000


def test_all_that_is_sent_of_a_line_is_json(client, resident, log_text):
    client.get("/leaderboard")
    client.open("/leaderboard", method='BREW"\n')

    methods = [json.loads(line)["method"] for line in log_text().splitlines() if '"platform.request"' in line]
    assert methods == ["GET", 'BREW"\n']
