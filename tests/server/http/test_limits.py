"""Rate limits of HTTP requests, which normal play does not reach."""

import pytest

# Nothing here asks a database for long.
pytestmark = [pytest.mark.slow, pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)]

READS, WRITES, LOGIN_STARTS = 300, 60, 20
PREFLIGHTS, PROBES, COSTLY_READS = 600, 120, 30
TOO_MANY = "Too many requests"


@pytest.fixture
def app(make_app):
    return make_app(RATELIMIT_ENABLED="1")


@pytest.fixture
def spent(client):
    """Uses up the reads of a client."""

    def spend(**options):
        statuses = {client.get("/upgrader/rules", **options).status_code for _ in range(READS)}
        assert statuses == {200}

    return spend


def test_the_read_after_three_hundred_in_a_minute_is_refused(client, spent):
    spent()

    answer = client.get("/upgrader/rules")

    assert (answer.status_code, answer.json) == (429, {"error": TOO_MANY})
    assert 1 <= int(answer.headers["Retry-After"]) <= 60


def test_the_write_after_sixty_in_a_minute_is_refused_in_the_areas_envelope(client, player):
    statuses = [
        client.post("/affiliate/set-code", json={}, headers=player.headers).status_code for _ in range(WRITES)
    ]

    answer = client.post("/affiliate/set-code", json={}, headers=player.headers)

    assert set(statuses) == {400}
    assert (answer.status_code, answer.json) == (429, {"status": False, "message": TOO_MANY})


def test_the_login_after_twenty_begun_in_a_minute_is_refused(client):
    statuses = [client.get("/auth/platform").status_code for _ in range(LOGIN_STARTS)]

    assert set(statuses) == {302}
    assert client.get("/auth/identity").status_code == 429


def test_the_return_after_twenty_in_a_minute_is_refused(client):
    statuses = [client.get("/auth/platform/return").status_code for _ in range(LOGIN_STARTS)]

    assert set(statuses) == {302}
    assert client.get("/auth/platform/return").status_code == 429
    assert client.get("/auth/platform").status_code == 302


def test_reads_writes_and_logins_have_separate_limits(client, player, spent):
    spent(headers=player.headers)

    assert client.get("/upgrader/rules", headers=player.headers).status_code == 429
    assert client.post("/affiliate/set-code", json={}, headers=player.headers).status_code == 400


def test_a_refused_request_does_not_count(client, spent):
    spent()

    first, second = (client.get("/upgrader/rules") for _ in range(2))

    assert int(second.headers["Retry-After"]) <= int(first.headers["Retry-After"])


def test_a_player_has_one_limit_at_all_addresses(client, player, new_player, spent):
    spent(headers=player.headers)

    elsewhere = {"environ_base": {"REMOTE_ADDR": "192.0.2.7"}}
    assert client.get("/upgrader/rules", headers=player.headers, **elsewhere).status_code == 429
    assert client.get("/upgrader/rules", headers=new_player("bob").headers).status_code == 200
    assert client.get("/upgrader/rules").status_code == 200


def test_without_a_good_token_the_address_counts(client, player, spent):
    spent(headers={"Authorization": f"Bearer {player.token}x"})

    assert client.get("/upgrader/rules").status_code == 429
    assert client.get("/upgrader/rules", environ_base={"REMOTE_ADDR": "192.0.2.7"}).status_code == 200


def test_a_forwarded_address_is_ignored_without_a_trusted_proxy(client, spent):
    spent()

    forwarded = {"X-Forwarded-For": "192.0.2.7"}
    assert client.get("/upgrader/rules", headers=forwarded).status_code == 429


def test_behind_a_trusted_proxy_the_forwarded_address_counts(make_app):
    client = make_app(RATELIMIT_ENABLED="1", TRUSTED_PROXIES="1").test_client()
    seen = {"X-Forwarded-For": "203.0.113.9, 192.0.2.7"}
    for _ in range(READS):
        client.get("/upgrader/rules", headers=seen)

    assert client.get("/upgrader/rules", headers=seen).status_code == 429
    # What the client wrote itself, before the proxy's own entry, makes nobody of it.
    made_up = {"X-Forwarded-For": "198.51.100.1, 192.0.2.7"}
    assert client.get("/upgrader/rules", headers=made_up).status_code == 429
    another = {"X-Forwarded-For": "203.0.113.9, 192.0.2.8"}
    assert client.get("/upgrader/rules", headers=another).status_code == 200


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics", "/", "/media/neutral/item.webp"])
def test_monitoring_and_files_of_pages_are_not_limited(client, spent, path):
    spent()

    assert client.get(path, buffered=True).status_code == 200


def test_a_preflight_does_not_count_as_a_read(client, spent):
    spent()

    preflight = {"Origin": "https://play.example.com", "Access-Control-Request-Method": "GET"}
    assert client.options("/upgrader/rules", headers=preflight).status_code == 200


PREFLIGHT = {"Origin": "https://play.example.com", "Access-Control-Request-Method": "GET"}


@pytest.mark.parametrize("path", ["/upgrader/rules", "/healthz", "/no-such-path"])
def test_the_preflight_after_six_hundred_in_a_minute_is_refused(client, path):
    statuses = [client.options("/auth/me", headers=PREFLIGHT).status_code for _ in range(PREFLIGHTS)]

    answer = client.options(path, headers=PREFLIGHT)

    assert set(statuses) == {200}
    assert answer.status_code == 429
    assert client.options(path, environ_base={"REMOTE_ADDR": "192.0.2.7"}).status_code in (200, 404)
    assert client.get("/upgrader/rules").status_code == 200


@pytest.mark.parametrize("path", ["/metrics", "/readyz"])
def test_the_probe_after_a_hundred_and_twenty_in_a_minute_is_refused(client, path):
    statuses = [client.get(path).status_code for _ in range(PROBES)]

    assert set(statuses) == {200}
    assert client.get(path).status_code == 429
    assert client.get(path, environ_base={"REMOTE_ADDR": "192.0.2.7"}).status_code == 200
    assert client.get("/upgrader/rules").status_code == 200


@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("/stats/fairness", "search=x"),
        ("/stats/payments", "search=x"),
        ("/stats/games", "page=201&limit=100&sort=most-earned"),
        ("/stats/live-bets", "page=201&limit=100"),
    ],
)
def test_the_costly_read_after_thirty_in_a_minute_is_refused(client, player, path, query):
    asked = [client.get(f"{path}?{query}&other={n}", headers=player.headers) for n in range(COSTLY_READS)]

    assert {answer.status_code for answer in asked} == {200}
    assert client.get(f"{path}?{query}", headers=player.headers).status_code == 429
    assert client.get(f"{path}?page=2", headers=player.headers).status_code == 200


class TestWithTheLimitsOff:
    @pytest.fixture
    def app(self, make_app):
        return make_app(RATELIMIT_ENABLED="0")

    def test_nothing_is_limited_when_limits_are_turned_off(self, client, spent):
        spent()

        assert client.get("/upgrader/rules").status_code == 200


OF_A_PAGE = [
    "/auth/me",
    "/upgrader/rules",
    "/upgrader/items/pagination",
    "/stats/live-bets",
    "/leaderboard",
    "/profile/notifications",
    "/api/cases/pagination",
    "/irl",
]
AFTER_A_SPIN = ["/stats/profile", "/stats/games", "/upgrader/bets/1", "/profile/notifications"]


TABS = 3
MINUTES = 3
SECONDS_A_SPIN = 2
SPINS_A_MINUTE = 60 // SECONDS_A_SPIN


class TestNormalPlay:
    """A player with a few tabs, who spins every two seconds and loads all of them anew every minute."""

    @pytest.fixture
    def timer(self):
        return {"now": 0.0}

    @pytest.fixture
    def app(self, make_app, timer):
        return make_app(RATELIMIT_ENABLED="1", timer=lambda: timer["now"])

    def test_minutes_of_normal_play_reach_no_limit(self, client, connect, player, add_item, timer):
        item = add_item(price=10)
        refused = []

        def ask(paths):
            statuses = {path: client.get(path, headers=player.headers).status_code for path in paths}
            refused.extend(path for path, status in statuses.items() if status == 429)

        for _ in range(MINUTES):
            tabs = [connect(player) for _ in range(TABS)]
            for _ in tabs:
                ask(OF_A_PAGE)
            for _ in range(SPINS_A_MINUTE):
                answer = tabs[0].spin({"amount": 0.1, "item": item})
                refused += [answer.get("error")] * (not answer["status"])
                ask(AFTER_A_SPIN)
                timer["now"] += SECONDS_A_SPIN

        assert refused == []

    def test_loading_all_tabs_at_once_meets_no_limit(self, client, connect, player, add_item):
        item = add_item(price=10)
        tabs = [connect(player) for _ in range(10)]

        answers = [tab.spin({"amount": 0.1, "item": item})["status"] for tab in tabs]
        statuses = {client.get(path, headers=player.headers).status_code for _ in tabs for path in OF_A_PAGE}

        assert answers == [True] * 10
        assert 429 not in statuses
