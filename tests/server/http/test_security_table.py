"""Every endpoint, every kind of caller, and the status that each one gets."""

from typing import NamedTuple

import jwt
import pytest

from blueprints.api.errors import envelope
from blueprints.site.routes import OWN_PAGES
from tests.harness.spins import play_spin
from tests.support.apps import SECRET

JWT_SECRET = SECRET[::-1]
ISSUER = "http://127.0.0.1:5000"

PUBLIC = "public"
USER = "user"


class Endpoint(NamedTuple):
    """A route, an address of it, who may call it, and what somebody gets who may."""

    method: str
    rule: str
    address: str
    policy: str
    status: int


def plain(policy, status, *addresses):
    """Routes without variable parts, such as ``GET /healthz``."""
    return [Endpoint(method, path, path, policy, status) for method, path in map(str.split, addresses)]


TABLE = [
    *(Endpoint("GET", path, path.replace("<id>", "none"), PUBLIC, 200) for path in OWN_PAGES),
    *plain(
        PUBLIC,
        200,
        *("GET /verify", "GET /asyncapi.json", "GET /healthz", "GET /readyz", "GET /metrics"),
        *("GET /auth/logout", "GET /auth/providers", "GET /api/cases", "GET /api/cases/pagination"),
        *("GET /irl", "GET /log/current", "GET /log/checkpoint", "GET /log/key", "GET /log/witnesses"),
        "GET /upgrader/items",
        *("GET /upgrader/items/pagination", "GET /upgrader/rules", "GET /upgrader/levels"),
        *("GET /stats/live-bets", "GET /stats/online", "GET /leaderboard", "GET /sweepstake/value"),
        *("GET /docs/", "GET /battles", "GET /battles/rules", "GET /battles/stats"),
        "GET /rewards/rules",
    ),
    *plain(PUBLIC, 302, "GET /auth/platform", "GET /auth/platform/return"),
    *plain(PUBLIC, 308, "GET /docs"),
    *plain(PUBLIC, 401, "POST /auth/two-factor", "POST /webhooks/btcpay", "POST /webhooks/payments"),
    *plain(PUBLIC, 200, "POST /demo/session"),
    *plain(PUBLIC, 404, "GET /api/cases/free"),
    *plain(PUBLIC, 501, "GET /auth/identity", "GET /auth/identity/callback"),
    *plain(
        USER,
        200,
        *("GET /auth/me", "GET /affiliate/stats", "GET /affiliate/overview", "GET /prizes"),
        "GET /rewards",
        *("GET /payments", "GET /payments/methods", "GET /payments/addresses"),
        *("GET /limits", "GET /limits/summary"),
        *("GET /log/me", "GET /upgrader/commitment", "GET /stats/profile", "GET /stats/games"),
        *("GET /stats/payments", "GET /stats/fairness", "GET /leaderboard/me"),
        *("GET /profile/notifications", "DELETE /profile/notifications", "GET /profile/details"),
        *("PUT /profile/details", "GET /profile/2fa/status", "POST /profile/2fa/setup"),
        *("GET /profile/close", "POST /profile/export"),
    ),
    *plain(
        USER,
        400,
        *("POST /affiliate/set-code", "POST /affiliate/use-code", "POST /affiliate/claim"),
        "POST /rewards/rakeback/claim",
        *("POST /payments/deposits", "POST /payments/withdrawals", "POST /payments/addresses"),
        "PUT /limits",
        *("POST /limits/exclusion", "POST /profile/notifications/read", "POST /profile/vault/lock"),
        *("POST /profile/vault/unlock", "PUT /profile/trade-url", "PUT /profile/client-seed"),
        *("POST /profile/avatar", "POST /profile/2fa/enable", "POST /profile/2fa/disable"),
        *("POST /profile/2fa/recovery-codes", "POST /battles", "POST /profile/close", "POST /auth/link"),
    ),
    *plain(USER, 403, "POST /api/cases/create"),
    Endpoint("GET", "/qr-codes/deposits/<deposit_id>", "/qr-codes/deposits/none", USER, 404),
    Endpoint("DELETE", "/auth/link/<provider>", "/auth/link/none", USER, 404),
    Endpoint("GET", "/demo-login/<provider>", "/demo-login/none", PUBLIC, 404),
    Endpoint("GET", "/demo-checkout/<_deposit_id>", "/demo-checkout/none", PUBLIC, 200),
    Endpoint("GET", "/b/<row_id:bet_id>", "/b/none", PUBLIC, 404),
    Endpoint("GET", "/b/<row_id:bet_id>.png", "/b/none.png", PUBLIC, 404),
    Endpoint("GET", "/b/<row_id:bet_id>-<digest>.png", "/b/9-none.png", PUBLIC, 404),
    Endpoint("GET", '/api/cases/<anything(but="create"):case_id>', "/api/cases/none", PUBLIC, 404),
    Endpoint("GET", "/irl/<anything:case_id>", "/irl/none", PUBLIC, 404),
    Endpoint("GET", "/snapshots/<snapshot_hash>", "/snapshots/none", PUBLIC, 404),
    Endpoint("POST", "/prizes/<row_id:prize_id>/sell", "/prizes/1/sell", USER, 404),
    Endpoint("POST", "/prizes/<row_id:prize_id>/ship", "/prizes/1/ship", USER, 404),
    Endpoint("POST", "/rewards/<reward_id>/claim", "/rewards/1/claim", USER, 404),
    Endpoint("GET", "/payments/deposits/<deposit_id>", "/payments/deposits/none", USER, 404),
    Endpoint("POST", "/payments/deposits/<deposit_id>/cancel", "/payments/deposits/none/cancel", USER, 404),
    Endpoint("DELETE", "/payments/addresses/<address_id>", "/payments/addresses/none", USER, 404),
    Endpoint("GET", "/profile/export/<export_id>", "/profile/export/none", USER, 404),
    Endpoint("GET", "/payments/withdrawals/<withdrawal_id>", "/payments/withdrawals/none", USER, 404),
    Endpoint("POST", "/limits/requests/<request_id>/confirm", "/limits/requests/1/confirm", USER, 404),
    Endpoint("GET", "/battles/<battle_id>", "/battles/none", PUBLIC, 404),
    Endpoint("GET", "/battles/<battle_id>/receipt", "/battles/none/receipt", USER, 404),
    Endpoint("POST", "/battles/<battle_id>/join", "/battles/none/join", USER, 400),
    Endpoint("POST", "/battles/<battle_id>/leave", "/battles/none/leave", USER, 404),
    Endpoint("POST", "/battles/<battle_id>/bots", "/battles/none/bots", USER, 400),
    Endpoint("GET", "/bets/<row_id:bet_id>", "/bets/none", PUBLIC, 404),
    Endpoint("GET", "/bets/<row_id:bet_id>/tlog-proof", "/bets/none/tlog-proof", PUBLIC, 404),
    Endpoint("GET", "/log/tile/<anything:tile>", "/log/tile/0/001", PUBLIC, 404),
    Endpoint("GET", "/log/tile/entries/<anything:bundle>", "/log/tile/entries/001", PUBLIC, 404),
    Endpoint("GET", "/log/witnessed", "/log/witnessed", PUBLIC, 404),
    Endpoint("GET", "/log/revealed/<number>", "/log/revealed/1", PUBLIC, 404),
    Endpoint("GET", "/<log_name:log>/checkpoint", "/log-2/checkpoint", PUBLIC, 404),
    Endpoint("GET", "/<log_name:log>/tile/<anything:tile>", "/log-2/tile/0/001", PUBLIC, 404),
    Endpoint("GET", "/<log_name:log>/tile/entries/<anything:bundle>", "/log-2/tile/entries/001", PUBLIC, 404),
    Endpoint("GET", "/<log_name:log>/key", "/log-2/key", PUBLIC, 404),
    Endpoint("GET", "/<log_name:log>/witnessed", "/log-2/witnessed", PUBLIC, 404),
    Endpoint("GET", "/<log_name:log>/witnesses", "/log-2/witnesses", PUBLIC, 404),
    Endpoint("GET", "/<log_name:log>/revealed/<number>", "/log-2/revealed/1", PUBLIC, 404),
    Endpoint("GET", "/log/receipts/<int:nonce>", "/log/receipts/1", USER, 404),
    Endpoint("GET", "/upgrader/bets/<int:nonce>", "/upgrader/bets/1", USER, 404),
    Endpoint("GET", "/stats/case-activity", "/stats/case-activity?case=none", PUBLIC, 404),
    Endpoint("GET", "/sweepstake/calc-deposit", "/sweepstake/calc-deposit?amount=1", PUBLIC, 200),
    Endpoint("GET", "/profile/user/<anything:platform_id>", "/profile/user/none", PUBLIC, 404),
    Endpoint("GET", "/assets/<path:filename>", "/assets/none.js", PUBLIC, 404),
    Endpoint("GET", "/media/neutral/<name>", "/media/neutral/item.webp", PUBLIC, 200),
    Endpoint("GET", "/media/avatars/<name>", "/media/avatars/none.webp", PUBLIC, 404),
    Endpoint("GET", "/media/items/<name>", "/media/items/none.webp", PUBLIC, 404),
    Endpoint("GET", "/media/cases/<name>", "/media/cases/none.webp", PUBLIC, 404),
    # The last one: it revokes the caller's token.
    Endpoint("POST", "/auth/logout-all", "/auth/logout-all", USER, 200),
]

# Static files; their views are the libraries' own and state no policy.
OF_LIBRARIES = [
    Endpoint("GET", "/openapi.json", "/openapi.json", PUBLIC, 200),
    Endpoint("GET", "/docs/try", "/docs/try", PUBLIC, 308),
    Endpoint("GET", "/docs/try/", "/docs/try/", PUBLIC, 200),
    Endpoint("GET", "/docs/try/<path:path>", "/docs/try/swagger-ui.css", PUBLIC, 200),
]

EVERYTHING = TABLE + OF_LIBRARIES
PROTECTED = [endpoint for endpoint in EVERYTHING if endpoint.policy == USER]
OPEN = [endpoint for endpoint in EVERYTHING if endpoint.policy == PUBLIC]
LOGIN_TO_CREATE = {"status": False, "message": "You must be logged in to create a case"}
ME = next(endpoint for endpoint in TABLE if endpoint.rule == "/auth/me")


def refusal_at(rule):
    """The answer at this path to a request without a token."""
    return LOGIN_TO_CREATE if rule == "/api/cases/create" else envelope(rule, "Unauthorized")


def claims(player, now):
    """The claims of a good token, for a test to spoil."""
    return {"sub": player.platform_id, "iat": now, "exp": now + 3600, "iss": ISSUER, "jti": "1"}


def signed(content, *, secret=JWT_SECRET, algorithm="HS256"):
    return "Bearer " + jwt.encode(content, secret, algorithm=algorithm)


def without(content, claim):
    return {key: value for key, value in content.items() if key != claim}


def with_payload(header, *, of):
    """A header whose token says what another one says, under its old signature."""
    head, _, signature = header.split(".")
    return f"{head}.{of.split('.')[1]}.{signature}"


STRANGERS = {
    "no header": lambda _good: None,
    "an empty header": lambda _good: "",
    "only the scheme": lambda _good: "Bearer",
    "only the scheme and a blank": lambda _good: "Bearer ",
    "another scheme": lambda good: signed(good).replace("Bearer", "Basic"),
    "no scheme": lambda good: signed(good).removeprefix("Bearer "),
    "no blank after the scheme": lambda good: signed(good).replace("Bearer ", "Bearer"),
    "two tokens": lambda good: f"{signed(good)} {signed(good)}",
    "nonsense": lambda _good: "Bearer nonsense",
    "letters beyond ASCII": lambda _good: "Bearer t\u00f6ken.t\u00f6ken.t\u00f6ken",
    "another secret": lambda good: signed(good, secret="another secret, but just as long as ours"),
    "a changed signature": lambda good: signed(good)[:-4] + "AAAA",
    "a changed payload": lambda good: with_payload(signed(good), of=signed(good | {"exp": good["exp"] + 1})),
    "no algorithm": lambda good: signed(good, secret=None, algorithm="none"),
    "another algorithm": lambda good: signed(good, secret=JWT_SECRET * 2, algorithm="HS512"),
    "expired": lambda good: signed(good | {"exp": good["iat"] - 1}),
    "expiring this second": lambda good: signed(good | {"exp": good["iat"]}),
    "no time of expiry": lambda good: signed(without(good, "exp")),
    "a time of expiry that is none": lambda good: signed(good | {"exp": "never"}),
    "another issuer": lambda good: signed(good | {"iss": "http://evil.test"}),
    "no issuer": lambda good: signed(without(good, "iss")),
    "no subject": lambda good: signed(without(good, "sub")),
    "a subject that is a number": lambda good: signed(good | {"sub": 76561198000000001}),
    "a subject that is empty": lambda good: signed(good | {"sub": ""}),
    "another number": lambda good: signed(good | {"session": 1}),
    "a number that is none": lambda good: signed(good | {"session": "0"}),
    "a subject with a NUL": lambda good: signed(good | {"sub": "7656\x00"}),
}


@pytest.fixture
def call(client):
    """Calls an endpoint with this Authorization header."""

    def with_header(endpoint, header):
        headers = {} if header is None else {"Authorization": header}
        return client.open(endpoint.address, method=endpoint.method, headers=headers, buffered=True)

    return with_header


@pytest.fixture
def good(app, player):
    """The claims of the player's good token."""
    return claims(player, app.extensions["services"].clock() // 1000)


def rules_of_players(app):
    """The routes but those of the back office, which has a table in tests/blueprints/office/."""
    return [rule for rule in app.url_map.iter_rules() if not rule.endpoint.startswith("office.")]


def test_the_table_has_every_route(app):
    routes = [
        (method, rule.rule)
        for rule in rules_of_players(app)
        for method in sorted(rule.methods - {"HEAD", "OPTIONS"})
    ]

    assert sorted(routes) == sorted((method, rule) for method, rule, *_ in EVERYTHING)


def test_every_view_states_its_policy(app):
    stated = {
        rule.rule: getattr(app.view_functions[rule.endpoint], "auth_policy", None)
        for rule in rules_of_players(app)
    }

    expected = {endpoint.rule: endpoint.policy for endpoint in TABLE}
    assert stated == expected | {endpoint.rule: None for endpoint in OF_LIBRARIES}


@pytest.mark.security("Tokens")
def test_no_protected_endpoint_works_without_a_valid_token(call, good):
    """Every bad token at one endpoint of each area, and some of them at every endpoint."""
    areas = {endpoint.rule.split("/")[1]: endpoint for endpoint in PROTECTED}
    everywhere = ("no header", "another secret", "expired")
    wrong = []
    for stranger, header in STRANGERS.items():
        for endpoint in PROTECTED if stranger in everywhere else areas.values():
            answer = call(endpoint, header(good))
            refused = (answer.status_code, answer.json, answer.headers.get("WWW-Authenticate"))
            if refused != (401, refusal_at(endpoint.rule), "Bearer"):
                wrong.append((stranger, endpoint.rule, refused))

    assert wrong == []


def test_a_token_without_player_is_400_or_401(call, good):
    header = signed(good | {"sub": "76561198000000001"})

    answers = {endpoint[:2]: call(endpoint, header) for endpoint in PROTECTED}

    assert {name: (answer.status_code, answer.json) for name, answer in answers.items()} == {
        (method, rule): (400, {"error": "User not found"})
        if rule.startswith("/profile/")
        else (401, refusal_at(rule))
        for method, rule in answers
    }


@pytest.mark.security("Suspension")
@pytest.mark.regulation("2.4 Gaming management")
def test_a_suspended_player_may_call_no_protected_endpoint(call, good, player, run):
    run("users", "suspend", player.platform_id)

    answers = {endpoint[:2]: call(endpoint, signed(good)) for endpoint in PROTECTED}

    assert {name: (answer.status_code, answer.json) for name, answer in answers.items()} == {
        (method, rule): (403, envelope(rule, "Account suspended")) for method, rule in answers
    }


def test_a_revoked_token_of_a_suspended_player_is_unauthorized(call, good, player, run):
    run("users", "suspend", player.platform_id)
    run("users", "logout", player.platform_id)

    assert call(ME, signed(good)).status_code == 401


def test_any_caller_may_call_every_public_endpoint(call, good, player, run):
    expected = {endpoint.rule: endpoint.status for endpoint in OPEN}
    callers = {
        "a stranger": None,
        "expired": signed(good | {"exp": good["iat"] - 1}),
        "suspended": signed(good),
    }
    run("users", "suspend", player.platform_id)

    for caller, header in callers.items():
        assert {endpoint.rule: call(endpoint, header).status_code for endpoint in OPEN} == expected, caller


def test_a_player_may_call_every_protected_endpoint_uncached(call, good):
    answers = {endpoint: call(endpoint, signed(good)) for endpoint in PROTECTED}

    assert {endpoint: answer.status_code for endpoint, answer in answers.items()} == {
        endpoint: endpoint.status for endpoint in PROTECTED
    }
    assert {endpoint: answer.headers.getlist("Cache-Control") for endpoint, answer in answers.items()} == {
        endpoint: ["no-store"] for endpoint in PROTECTED
    }


def test_the_schemes_case_and_following_blanks_do_not_matter(call, player):
    schemes = ("Bearer", "bearer", "BEARER", "bEaReR", "Bearer  ")

    answers = [call(ME, f"{scheme} {player.token}").json["platformid"] for scheme in schemes]

    assert answers == [player.platform_id] * len(schemes)


@pytest.mark.security("Use of tokens")
def test_tokens_in_url_or_cookie_are_ignored(client, player):
    client.set_cookie("token", player.token)

    answer = client.get(f"/auth/me?token={player.token}&access_token={player.token}")

    assert answer.status_code == 401


@pytest.fixture
def played(app, player, add_item):
    """The player has played one spin."""
    return play_spin(app, player, add_item(price=10))


@pytest.mark.security("Use of tokens")
@pytest.mark.usefixtures("played")
def test_a_players_token_shows_and_changes_nothing_of_another_player(call, client, player, new_player):
    mallory = new_player("mallory", coins=0)
    before = client.get("/auth/me", headers=player.headers).json

    answers = [call(endpoint, f"Bearer {mallory.token}") for endpoint in PROTECTED]

    assert [answer.text for answer in answers if player.platform_id in answer.text] == []
    assert client.get("/auth/me", headers=player.headers).json == before
