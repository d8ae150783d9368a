"""CORS: pages of the front end and of the listed origins may call, and no others."""

import pytest

# Nothing here uses a database.

FRONT_END = "https://play.example.com"
LISTED = "https://partner.example.com:8443"
SHELL = "capacitor://localhost"

pytestmark = pytest.mark.settings(FRONTEND_URL=f"{FRONT_END}/game/", CORS_ORIGINS=f"{LISTED},{SHELL}")
STRANGERS = [
    "https://evil.example.net",
    "http://play.example.com",
    "https://play.example.com:8443",
    "https://play.example.com.evil.test",
    "https://playXexample.com",
    "https://evil.test/?https://play.example.com",
    "null",
]
POLLING = "/socket.io/?EIO=4&transport=polling"
ALLOWED_ORIGIN = "Access-Control-Allow-Origin"
VARYING = [
    *("/healthz", "/upgrader/items", "/upgrader/rules", "/leaderboard", "/auth/me", "/auth/platform", "/"),
    *("/no-such-path", "/media/neutral/avatar.webp", "/media/avatars/unknown.webp", "/docs/"),
    *("/openapi.json", "/assets/app.js", POLLING, "/socket.io/?EIO=3"),
]


@pytest.fixture
def get(client):
    return lambda path, origin: client.get(path, headers={"Origin": origin} if origin else {}, buffered=True)


def varies_by_origin(answer):
    names = ",".join(answer.headers.getlist("Vary")).lower().split(",")
    return "origin" in {name.strip() for name in names}


def test_an_allowed_origin_may_read_answers_and_open_sockets(get):
    paths = ["/healthz", "/upgrader/items", "/auth/me", "/no-such-path", POLLING]

    allowed = {
        (path, origin): get(path, origin).headers.get(ALLOWED_ORIGIN)
        for path in paths
        for origin in (FRONT_END, LISTED, SHELL)
    }

    assert allowed == {(path, origin): origin for path, origin in allowed}


@pytest.mark.security("Other pages in the browser")
@pytest.mark.parametrize(
    ("path", "status"),
    [("/upgrader/items", 200), (POLLING, 400), ("/api/cases/create", 405), ("/api/cases/pagination", 200)],
)
def test_another_origin_may_read_nothing_else(get, path, status):
    answers = {origin: get(path, origin) for origin in STRANGERS}

    assert {
        origin: (answer.status_code, answer.headers.get(ALLOWED_ORIGIN)) for origin, answer in answers.items()
    } == dict.fromkeys(STRANGERS, (status, None))


@pytest.mark.parametrize(
    "path",
    [
        *("/bets/1", "/bets/1/tlog-proof", f"/snapshots/{'ab' * 32}", "/upgrader/rules", "/irl"),
        *("/api/cases/desert-case", "/stats/live-bets", "/log/checkpoint", "/log-00ff00ff/tile/0/000"),
    ],
)
def test_any_origin_may_read_what_verifies_bets(get, path):
    assert {get(path, origin).headers.get(ALLOWED_ORIGIN) for origin in (*STRANGERS, FRONT_END)} == {"*"}


def test_every_answer_varies_by_origin(client, get):
    etags = {path: client.get(path).headers["ETag"] for path in ("/upgrader/items", "/leaderboard")}
    answers = {
        (path, origin): get(path, origin) for path in VARYING for origin in (None, FRONT_END, STRANGERS[0])
    }
    answers |= {
        (method, path): client.open(path, method=method, headers={"If-None-Match": etag})
        for method, path, etag in [
            ("POST", "/auth/logout", ""),
            ("OPTIONS", "/auth/me", ""),
            *(("GET", path, etag) for path, etag in etags.items()),
        ]
    }

    assert [case for case, answer in answers.items() if not varies_by_origin(answer)] == []
    assert {answers["GET", path].status_code for path in etags} == {304}


def test_only_allowed_origins_may_send_token_and_code(client):
    for path, header in (("/auth/me", "authorization"), ("/affiliate/set-code", "x-2fa-code")):
        asked = {"Access-Control-Request-Method": "GET", "Access-Control-Request-Headers": header}
        for origin in (FRONT_END, LISTED):
            answer = client.options(path, headers={"Origin": origin} | asked)

            assert (answer.status_code, answer.headers[ALLOWED_ORIGIN]) == (200, origin)
            assert {"GET", "POST"} <= set(answer.headers["Access-Control-Allow-Methods"].split(", "))
            assert answer.headers["Access-Control-Allow-Headers"].lower() == header
        for origin in STRANGERS:
            assert ALLOWED_ORIGIN not in client.options(path, headers={"Origin": origin} | asked).headers


def test_no_origin_may_send_cookies(get):
    assert "Access-Control-Allow-Credentials" not in get("/auth/me", FRONT_END).headers


def test_pages_may_read_the_headers_that_they_need(get):
    exposed = get("/upgrader/items", FRONT_END).headers["Access-Control-Expose-Headers"]

    assert set(exposed.split(", ")) == {"ETag", "Retry-After", "X-Request-Id"}


def test_the_origin_of_the_service_itself_is_allowed(make_app):
    client = make_app(BASE_URL="https://api.example.com", FRONTEND_URL=FRONT_END).test_client()

    for path in ("/upgrader/items", POLLING):
        answer = client.get(path, headers={"Origin": "https://api.example.com"})

        assert (answer.status_code, answer.headers[ALLOWED_ORIGIN]) == (200, "https://api.example.com")
