"""Rate limits of HTTP requests, which normal play does not reach."""

import pytest

pytestmark = pytest.mark.settings(RATELIMIT_ENABLED="1", timer=lambda: 0.0)

READS, WRITES, LOGIN_STARTS = 300, 60, 20
PREFLIGHTS, PROBES, COSTLY_READS = 600, 120, 30
TOO_MANY = "Too many requests"
PREFLIGHT = {"Origin": "https://play.example.com", "Access-Control-Request-Method": "GET"}
ELSEWHERE = {"environ_base": {"REMOTE_ADDR": "192.0.2.7"}}


@pytest.fixture
def read(client):
    """The status of a read."""
    return lambda path="/upgrader/rules", **options: client.get(path, buffered=True, **options).status_code


@pytest.fixture
def spend(read):
    """Uses up the reads of a client."""

    def spend(**options):
        assert {read(**options) for _ in range(READS)} == {200}

    return spend


@pytest.mark.guarantee("Rate limits")
@pytest.mark.security("Hostile connections")
def test_the_read_after_three_hundred_in_a_minute_is_refused(client, read, spend):
    spend()

    first, second = (client.get("/upgrader/rules") for _ in range(2))

    assert (first.status_code, first.json) == (429, {"error": TOO_MANY})
    # The first refused request does not count, so the second waits no longer.
    assert 1 <= int(second.headers["Retry-After"]) <= int(first.headers["Retry-After"]) <= 60
    assert read(headers={"X-Forwarded-For": "192.0.2.7"}) == 429
    assert read(**ELSEWHERE) == 200
    unlimited = ["/healthz", "/readyz", "/metrics", "/", "/media/neutral/item.webp"]
    assert {path: read(path) for path in unlimited} == dict.fromkeys(unlimited, 200)
    assert client.options("/upgrader/rules", headers=PREFLIGHT).status_code == 200


def test_a_player_has_one_limit_of_reads_at_all_addresses(client, player, new_player, read, spend):
    spend(headers=player.headers)

    assert read(headers=player.headers, **ELSEWHERE) == 429
    assert read(headers=new_player("bob").headers) == 200
    assert client.post("/affiliate/set-code", json={}, headers=player.headers).status_code == 400
    assert read() == 200


def test_the_write_after_sixty_a_minute_is_refused(client, player):
    def write():
        return client.post("/affiliate/set-code", json={}, headers=player.headers)

    statuses = {write().status_code for _ in range(WRITES)}

    refused = write()
    assert statuses == {400}
    assert (refused.status_code, refused.json) == (429, {"status": False, "message": TOO_MANY})


def test_the_login_after_twenty_a_minute_is_refused(read):
    assert {read("/auth/platform/return") for _ in range(LOGIN_STARTS)} == {302}
    assert read("/auth/platform/return") == 429

    assert {read("/auth/platform") for _ in range(LOGIN_STARTS)} == {302}
    assert read("/auth/identity") == 429


def test_the_preflight_after_six_hundred_in_a_minute_is_refused(client, read):
    def ask(path="/auth/me", **options):
        return client.options(path, headers=PREFLIGHT, **options).status_code

    assert {ask() for _ in range(PREFLIGHTS)} == {200}

    paths = ("/upgrader/rules", "/healthz", "/no-such-path")
    assert [ask(path) for path in paths] == [429] * 3
    assert [ask(path, **ELSEWHERE) for path in paths] == [200, 200, 404]
    assert read() == 200


def test_the_probe_after_120_a_minute_is_refused(read):
    for path in ("/metrics", "/readyz"):
        assert {read(path) for _ in range(PROBES)} == {200}
        assert [read(path), read(path, **ELSEWHERE), read()] == [429, 200, 200]


@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("/stats/fairness", "search=x"),
        ("/stats/payments", "search=x"),
        ("/stats/games", "page=201&limit=100&sort=most-earned"),
        ("/stats/live-bets", "page=201&limit=100"),
    ],
)
def test_the_costly_read_after_thirty_in_a_minute_is_refused(player, read, path, query):
    asked = {read(f"{path}?{query}&other={n}", headers=player.headers) for n in range(COSTLY_READS)}

    assert asked == {200}
    assert read(f"{path}?{query}", headers=player.headers) == 429
    assert read(f"{path}?page=2", headers=player.headers) == 200


OF_A_PAGE = [
    *("/auth/me", "/upgrader/rules", "/upgrader/items/pagination", "/stats/live-bets", "/leaderboard"),
    *("/profile/notifications", "/api/cases/pagination", "/irl"),
]
AFTER_A_SPIN = ["/stats/profile", "/stats/games", "/upgrader/bets/1", "/profile/notifications"]
TABS = 3
SECONDS_A_SPIN = 2


class TestNormalPlay:
    """A player with a few tabs, who spins every two seconds and loads all of them anew every minute."""

    @pytest.fixture
    def timer(self):
        return {"now": 0.0}

    @pytest.fixture
    def app(self, make_app, timer):
        return make_app(RATELIMIT_ENABLED="1", timer=lambda: timer["now"])

    @pytest.mark.guarantee("Rate limits")
    def test_a_minute_of_normal_play_reaches_no_limit(self, connect, player, add_item, timer, read):
        item = add_item(price=10)
        answers = []

        def load_tabs():
            answers.extend((path, read(path, headers=player.headers)) for path in OF_A_PAGE * TABS)

        tabs = [connect(player) for _ in range(TABS)]
        load_tabs()
        for _ in range(60 // SECONDS_A_SPIN):
            assert tabs[0].spin({"amount": 0.1, "item": item})["status"]
            answers += [(path, read(path, headers=player.headers)) for path in AFTER_A_SPIN]
            timer["now"] += SECONDS_A_SPIN
        load_tabs()

        assert [path for path, status in answers if status == 429] == []
