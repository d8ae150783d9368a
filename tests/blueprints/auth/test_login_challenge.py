"""POST /auth/two-factor: with TWO_FACTOR_REQUIRED_FOR=login, players with 2FA log in with a code."""

import re
from types import SimpleNamespace

import pytest

from models.audit_trail import AuditEvent
from models.db.connection import reading, writing
from models.logins import LoginChallenge, WrongCode
from models.users import User
from services.shared.clock import now_ms
from tests.harness.spins import Clock
from tests.support.browser import BASE_URL, Browser, parameters
from tests.support.two_factor import STEP_MS, Authenticator, recovery_codes_of

MINUTES = 60_000
UNAUTHORIZED = (401, {"error": "Unauthorized"})
INVALID = (400, {"error": "Invalid 2FA code"})
TOO_MANY = (429, {"error": "Too many wrong 2FA codes"})


@pytest.fixture
def clock():
    return Clock(now_ms())


@pytest.fixture
def settings(game_platform):
    """The settings for the provider of most tests."""
    return game_platform.settings | {"TWO_FACTOR_REQUIRED_FOR": "login"}


def signed_in(browser, provider="platform"):
    """The player who logs in with this browser, without 2FA so far."""
    token = parameters(browser.log_in(provider).headers["Location"])["token"]
    headers = {"Authorization": f"Bearer {token}"}
    me = browser.client.get("/auth/me", headers=headers).json
    return SimpleNamespace(headers=headers, platform_id=me["platformid"])


@pytest.fixture
def player(browser):
    return signed_in(browser)


@pytest.fixture
def challenged(browser, authenticator):
    """The browser logs in again; the challenge that it is given."""
    return parameters(browser.log_in("platform").headers["Location"])["challenge"]


def finish(browser, challenge, code, **options):
    answer = browser.client.post(
        "/auth/two-factor",
        json={"challenge": challenge, "code": code},
        base_url=browser.base_url,
        **options,
    )
    return answer.status_code, answer.json


@pytest.mark.regulation("2.5.3 Player access")
@pytest.mark.parametrize("provider", ["platform", "identity"])
def test_a_player_with_two_factor_logs_in_with_a_code(make_app, settings, identity, clock, provider):
    app = make_app(clock=clock, **settings | identity.settings)
    browser = Browser(app)
    player = signed_in(browser, provider)
    authenticator = Authenticator(app, player)

    location = browser.log_in(provider).headers["Location"]
    status, body = finish(browser, parameters(location)["challenge"], authenticator.code())

    assert re.fullmatch(rf"{BASE_URL}/\?challenge=[0-9a-f]{{64}}", location)
    assert (status, set(body)) == (200, {"token"})
    me = browser.client.get("/auth/me", headers={"Authorization": f"Bearer {body['token']}"})
    assert me.json["platformid"] == player.platform_id


def test_a_login_needs_no_code_without_two_factor_or_setting(make_app, settings, clock, browser, player):
    required = list(parameters(browser.log_in("platform").headers["Location"]))
    app = make_app(clock=clock, **settings | {"TWO_FACTOR_REQUIRED_FOR": "trade-url,vault-unlock"})
    Authenticator(app, player)

    assert required == ["token"]
    assert list(parameters(Browser(app).log_in("platform").headers["Location"])) == ["token"]


@pytest.mark.security("Login challenges")
def test_a_challenge_works_once(browser, challenged, authenticator):
    first = finish(browser, challenged, authenticator.code())
    second = finish(browser, challenged, authenticator.code(STEP_MS))

    assert (first[0], second) == (200, UNAUTHORIZED)


@pytest.mark.security("Login challenges")
def test_a_challenge_in_another_browser_is_refused(app, browser, challenged, authenticator):
    thief = Browser(app)

    assert finish(thief, challenged, authenticator.code()) == UNAUTHORIZED
    own = thief.log_in("platform")
    assert list(parameters(own.headers["Location"])) == ["challenge"]
    assert finish(thief, challenged, authenticator.code()) == UNAUTHORIZED
    assert finish(browser, challenged, authenticator.code())[0] == 200


@pytest.mark.security("Login challenges")
def test_a_challenge_is_valid_for_five_minutes(browser, challenged, authenticator, clock):
    clock.now += 5 * MINUTES - 1
    assert finish(browser, challenged, authenticator.wrong()) == INVALID

    clock.now += 1
    assert finish(browser, challenged, authenticator.code()) == UNAUTHORIZED


def test_an_unknown_challenge_is_unauthorized(browser, challenged, authenticator, clock):
    for challenge in (None, 7, "", "5f" * 32, ["5f" * 32], {}, challenged.upper()):
        assert finish(browser, challenge, authenticator.code()) == UNAUTHORIZED, challenge

    # Made by a clock that ran ahead.
    clock.now -= 60 * MINUTES
    assert finish(browser, challenged, authenticator.code()) == UNAUTHORIZED


def test_a_malformed_code_does_not_count_as_a_guess(browser, challenged, authenticator):
    codes = [None, 123456, "", "12345", "1234567", "abcd-efgh-234", [authenticator.code()]]

    assert [finish(browser, challenged, code) for code in codes] == [INVALID] * len(codes)
    with reading():
        assert WrongCode.select().count() == 0


@pytest.mark.security("Login challenges")
@pytest.mark.regulation("2.5.3 Player access")
def test_five_wrong_codes_make_a_challenge_void(browser, challenged, authenticator, clock):
    assert [finish(browser, challenged, authenticator.wrong()) for _ in range(5)] == [INVALID] * 5

    assert finish(browser, challenged, authenticator.code()) == TOO_MANY
    clock.now += 5 * MINUTES
    assert finish(browser, challenged, authenticator.code()) == UNAUTHORIZED


@pytest.mark.security("Two-factor authentication")
def test_a_login_with_a_code_lifts_the_days_block(client, player, browser, challenged, authenticator, clock):
    def disable(code):
        answer = client.post("/profile/2fa/disable", json={"code": code}, headers=player.headers)
        return answer.status_code

    with writing():
        user = User.get(User.platform_id == player.platform_id)
        WrongCode.insert_many([{"user": user, "at_ms": clock.now - 6 * MINUTES}] * 20).execute()
    assert disable(authenticator.code()) == 429

    assert finish(browser, challenged, authenticator.code())[0] == 200

    clock.now += 2 * STEP_MS
    assert disable(authenticator.code()) == 200


def test_a_recovery_code_completes_one_login(app, player, browser, authenticator):
    code, *_ = recovery_codes_of(app, player, authenticator)

    def log_in():
        challenge = parameters(browser.log_in("platform").headers["Location"])["challenge"]
        return finish(browser, challenge, code)

    assert log_in()[0] == 200
    assert log_in() == INVALID
    with reading():
        used = AuditEvent.get(AuditEvent.what == "two-factor.recovery-code-used")
        assert used.who == player.platform_id


def test_turning_two_factor_authentication_off_ends_a_challenge(
    client, player, browser, challenged, authenticator
):
    client.post("/profile/2fa/disable", json={"code": authenticator.code()}, headers=player.headers)

    assert finish(browser, challenged, authenticator.code(STEP_MS)) == UNAUTHORIZED
    assert list(parameters(browser.log_in("platform").headers["Location"])) == ["token"]


def test_a_suspended_player_gets_no_token_and_keeps_the_code(browser, challenged, authenticator):
    with writing():
        User.update(suspended_at_ms=1).execute()
    assert finish(browser, challenged, authenticator.code()) == (403, {"error": "Account suspended"})

    with writing():
        User.update(suspended_at_ms=None).execute()
    assert finish(browser, challenged, authenticator.code())[0] == 200


@pytest.mark.security("Login challenges")
def test_neither_the_challenge_nor_the_cookie_is_stored(browser, challenged):
    with reading():
        (row,) = LoginChallenge.select().dicts()

    cookie = browser.cookie("login_challenge").value
    assert [secret for secret in (challenged, cookie) if secret in str(row)] == []


def test_the_cookie_is_http_only_and_deleted_after_the_login(browser, challenged, authenticator):
    cookie = browser.cookie("login_challenge")
    assert (cookie.http_only, cookie.same_site, cookie.secure) == (True, "Lax", False)
    assert (cookie.path, cookie.max_age) == ("/auth", 300)

    finish(browser, challenged, authenticator.code())

    assert browser.cookie("login_challenge") is None


def test_an_https_front_end_elsewhere_can_send_the_cookie(make_app, settings, clock):
    base_url, front_end = "https://api.example.com", "https://play.example.net"
    urls = {"BASE_URL": base_url, "FRONTEND_URL": front_end}
    app = make_app(clock=clock, **settings, **urls)
    browser = Browser(app, base_url=base_url)
    authenticator = Authenticator(app, signed_in(browser))

    redirect = browser.log_in("platform")
    origin = {"Origin": front_end}
    preflight = browser.client.options("/auth/two-factor", headers=origin, base_url=base_url)
    challenge = parameters(redirect.headers["Location"])["challenge"]
    body = {"challenge": challenge, "code": authenticator.code()}
    answer = browser.client.post("/auth/two-factor", json=body, headers=origin, base_url=base_url)

    (cookie,) = [set_ for set_ in redirect.headers.getlist("Set-Cookie") if "challenge=" in set_]
    assert cookie.startswith("__Host-login_challenge=")
    assert {"Secure", "HttpOnly", "SameSite=None", "Path=/"} <= set(cookie.split("; "))
    for allowed in (preflight, answer):
        assert allowed.headers["Access-Control-Allow-Origin"] == front_end
        assert allowed.headers["Access-Control-Allow-Credentials"] == "true"
    assert list(answer.json) == ["token"]
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["Set-Cookie"].startswith("__Host-login_challenge=; ")


@pytest.mark.security("Login challenges")
def test_another_origin_may_not_send_the_cookie(browser):
    answer = browser.client.options("/auth/two-factor", headers={"Origin": "https://evil.example.net"})

    assert "Access-Control-Allow-Credentials" not in answer.headers
    assert "Access-Control-Allow-Origin" not in answer.headers
