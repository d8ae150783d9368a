"""CORS: pages of the front end and of the listed origins may call, and no others."""

import pytest

# Nothing here asks a database.
pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)

FRONT_END = "https://play.example.com"
LISTED = "https://partner.example.com:8443"
STRANGERS = [
    "https://evil.example.net",
    "http://play.example.com",
    "https://play.example.com:8443",
    "https://play.example.com.evil.test",
    "https://playXexample.com",
    "https://evil.test/?https://play.example.com",
    "null",
]

ALLOWED_ORIGIN = "Access-Control-Allow-Origin"


@pytest.fixture
def app(make_app):
    return make_app(FRONTEND_URL=f"{FRONT_END}/game/", CORS_ORIGINS=LISTED)


@pytest.mark.parametrize("origin", [FRONT_END, LISTED])
@pytest.mark.parametrize("path", ["/healthz", "/upgrader/items", "/auth/me", "/no-such-path"])
def test_an_allowed_origin_may_read_every_answer(client, origin, path):
    answer = client.get(path, headers={"Origin": origin})

    assert answer.headers[ALLOWED_ORIGIN] == origin
    assert "Origin" in ", ".join(answer.headers.getlist("Vary"))


CHANGED_BY_CORS = [
    ("GET", "/healthz", {}),
    ("GET", "/upgrader/items", {}),
    ("GET", "/upgrader/rules", {}),
    ("GET", "/leaderboard", {}),
    ("GET", "/auth/me", {}),
    ("GET", "/auth/platform", {}),
    ("POST", "/auth/logout", {}),
    ("GET", "/no-such-path", {}),
    ("GET", "/media/neutral/avatar.webp", {}),
    ("GET", "/media/avatars/unknown.webp", {}),
    ("GET", "/docs/", {}),
    ("GET", "/openapi.json", {}),
    ("GET", "/", {}),
    ("GET", "/assets/page.js", {}),
    ("OPTIONS", "/auth/me", {"Access-Control-Request-Method": "GET"}),
    ("GET", "/socket.io/?EIO=4&transport=polling", {}),
    ("GET", "/socket.io/?EIO=3", {}),
]


def varies_by_origin(answer):
    names = ",".join(answer.headers.getlist("Vary")).lower().split(",")
    return "origin" in {name.strip() for name in names}


@pytest.mark.slow
@pytest.mark.parametrize("origin", [{}, {"Origin": FRONT_END}, {"Origin": STRANGERS[0]}])
@pytest.mark.parametrize(("method", "path", "headers"), CHANGED_BY_CORS)
def test_every_answer_varies_by_origin(client, method, path, headers, origin):
    answer = client.open(path, method=method, headers=headers | origin, buffered=True)

    assert varies_by_origin(answer)


@pytest.mark.parametrize("path", ["/upgrader/items", "/upgrader/rules", "/leaderboard"])
def test_not_modified_varies_by_origin(client, path):
    etag = client.get(path).headers["ETag"]

    answers = [client.get(path, headers={"If-None-Match": etag}) for _ in range(2)]

    assert [answer.status_code for answer in answers] == [304, 304]
    assert all(varies_by_origin(answer) for answer in answers)


@pytest.mark.parametrize("path", ["/upgrader/rules", "/socket.io/?EIO=4&transport=polling"])
def test_the_origin_of_the_service_itself_is_allowed(make_app, path):
    client = make_app(BASE_URL="https://api.example.com", FRONTEND_URL=FRONT_END).test_client()

    answer = client.get(path, headers={"Origin": "https://api.example.com"})

    assert (answer.status_code, answer.headers[ALLOWED_ORIGIN]) == (200, "https://api.example.com")


def test_a_page_may_send_a_two_factor_code(client):
    asked = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "x-2fa-code"}

    answer = client.options("/affiliate/set-code", headers={"Origin": FRONT_END} | asked)

    assert "x-2fa-code" in answer.headers["Access-Control-Allow-Headers"].lower()


@pytest.mark.parametrize("origin", STRANGERS)
def test_another_origin_may_read_nothing(client, origin):
    answer = client.get("/upgrader/items", headers={"Origin": origin})

    assert ALLOWED_ORIGIN not in answer.headers


def test_another_origin_is_not_allowed_when_only_the_front_end_is(make_app):
    client = make_app(FRONTEND_URL=FRONT_END).test_client()

    answer = client.get("/upgrader/items", headers={"Origin": "https://evil.example.net"})

    assert answer.headers.get(ALLOWED_ORIGIN) in (None, FRONT_END)


def preflight(client, origin):
    return client.options(
        "/auth/me",
        headers={
            "Origin": origin,
            "Access-Control-Request-Method": "GET",
            "Access-Control-Request-Headers": "authorization",
        },
    )


@pytest.mark.parametrize("origin", [FRONT_END, LISTED])
def test_an_allowed_origin_may_send_a_token(client, origin):
    answer = preflight(client, origin)

    assert answer.status_code == 200
    assert answer.headers[ALLOWED_ORIGIN] == origin
    assert "GET" in answer.headers["Access-Control-Allow-Methods"]
    assert answer.headers["Access-Control-Allow-Headers"].lower() == "authorization"


@pytest.mark.parametrize("origin", STRANGERS)
def test_another_origin_may_not_send_a_token(client, origin):
    answer = preflight(client, origin)

    assert ALLOWED_ORIGIN not in answer.headers


def test_no_origin_may_send_cookies(client):
    answer = client.get("/auth/me", headers={"Origin": FRONT_END})

    assert "Access-Control-Allow-Credentials" not in answer.headers


def test_pages_may_read_the_headers_that_they_need(client):
    answer = client.get("/upgrader/items", headers={"Origin": FRONT_END})

    exposed = {name.strip() for name in answer.headers["Access-Control-Expose-Headers"].split(",")}
    assert exposed == {"ETag", "Retry-After", "X-Request-Id"}


@pytest.mark.parametrize("origin", [FRONT_END, LISTED])
def test_an_allowed_origin_may_open_a_socket(client, origin):
    answer = client.get("/socket.io/?EIO=4&transport=polling", headers={"Origin": origin})

    assert answer.status_code == 200
    assert answer.headers[ALLOWED_ORIGIN] == origin


@pytest.mark.parametrize("origin", STRANGERS)
def test_another_origin_may_not_open_a_socket(client, origin):
    answer = client.get("/socket.io/?EIO=4&transport=polling", headers={"Origin": origin})

    assert answer.status_code == 400
    assert ALLOWED_ORIGIN not in answer.headers


def test_an_origin_with_an_ipv6_address_is_not_taken_for_a_pattern(make_app):
    client = make_app(FRONTEND_URL="http://[::1]:3000/").test_client()

    answer = client.get("/healthz", headers={"Origin": "http://[::1]:3000"})

    assert answer.headers["Access-Control-Allow-Origin"] == "http://[::1]:3000"


def test_an_origin_that_only_begins_like_an_allowed_one_is_refused(make_app):
    client = make_app(FRONTEND_URL="https://play.example.com").test_client()

    answer = client.get("/healthz", headers={"Origin": "https://play.example.com.evil.example"})

    assert "Access-Control-Allow-Origin" not in answer.headers
