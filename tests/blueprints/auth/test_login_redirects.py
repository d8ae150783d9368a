"""The redirects, cookies and log lines of logins with both providers."""

import json

import pytest

from tests.blueprints.auth.conftest import FAILED, FRONTEND
from tests.support.browser import BASE_URL, DOMAIN, Browser, changed, parameters
from tests.support.raw_server import raw_server, saying

PROVIDERS = ["platform", "identity"]
COOKIE = {"platform": "login_platform", "identity": "login_identity"}


@pytest.fixture
def settings(game_platform, identity):
    """The settings for both providers."""
    return game_platform.settings | identity.settings


def answers_of(browser, provider):
    """All answers of a successful login, of a failed one, and of one that was not begun."""
    begun = browser.client.get(f"/auth/{provider}", base_url=BASE_URL)
    back = browser.at_provider(begun.headers["Location"])
    done = browser.back(back)
    browser.begin(provider)
    failed = browser.back(changed(back, state="A"))
    return [begun, done, failed, browser.back(back)]


@pytest.mark.security("Login in another browser")
@pytest.mark.parametrize("provider", PROVIDERS)
def test_login_redirects_are_not_stored_and_send_no_referrer(browser, provider):
    _, done, *_ = answers = answers_of(browser, provider)

    location = done.headers["Location"]
    assert location == f"{FRONTEND}?token={parameters(location)['token']}"
    assert {answer.status_code for answer in answers} == {302}
    assert {answer.headers["Referrer-Policy"] for answer in answers} == {"no-referrer"}
    assert {answer.headers["Cache-Control"] for answer in answers} == {"no-store"}
    assert {answer.data for answer in answers} == {b""}


@pytest.mark.security("Login in another browser")
@pytest.mark.parametrize("provider", PROVIDERS)
def test_the_login_cookie_is_http_only_and_only_for_login(browser, provider):
    address = browser.begin(provider)

    cookie = browser.cookie(COOKIE[provider])
    assert (cookie.http_only, cookie.same_site, cookie.secure) == (True, "Lax", False)
    assert (cookie.path, cookie.max_age) == ("/auth", 600)
    asked = parameters(address)
    secrets = [asked[name] for name in ("state", "nonce") if name in asked]
    assert [secret for secret in secrets if secret in cookie.value] == []


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_login_on_another_host_begins_at_the_base_url(browser, provider):
    elsewhere = browser.client.get(f"/auth/{provider}", base_url="http://www.example.com")

    moved = elsewhere.headers["Location"]
    assert (elsewhere.status_code, moved) == (302, f"{BASE_URL}/auth/{provider}?moved=1")
    assert "Set-Cookie" not in elsewhere.headers
    begun = browser.client.get(moved, base_url=BASE_URL)
    done = browser.back(browser.at_provider(begun.headers["Location"]))
    assert "token" in parameters(done.headers["Location"])


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_login_is_sent_to_the_base_url_only_once(browser, provider):
    """A proxy may give each request another host."""
    begun = browser.client.get(f"/auth/{provider}?moved=1", base_url="http://upstream:5000")

    assert not begun.headers["Location"].startswith(BASE_URL)
    assert "Set-Cookie" in begun.headers


@pytest.mark.security("Eavesdropping")
@pytest.mark.parametrize("provider", PROVIDERS)
def test_the_login_cookie_of_a_service_over_https_is_secure(make_app, settings, identity, provider):
    base_url, domain, name = "https://api.example.com", "api.example.com", f"__Host-{COOKIE[provider]}"
    identity.redirect_uri = f"{base_url}/auth/identity/callback"
    app = make_app(**settings, BASE_URL=base_url)
    browser, victim = Browser(app, base_url=base_url), Browser(app, base_url=base_url)

    begun = browser.client.get(f"/auth/{provider}", base_url=base_url)
    encrypted, *written = begun.headers["Set-Cookie"].split("; ")
    back = browser.at_provider(begun.headers["Location"])
    # Another host of the domain can set a cookie without the prefix.
    victim.client.set_cookie(COOKIE[provider], encrypted.partition("=")[2], domain=domain, path="/")
    attacked = victim.back(back)
    answer = browser.back(back)

    assert encrypted.startswith(f"{name}=")
    assert {"Secure", "HttpOnly", "SameSite=Lax", "Path=/"} <= set(written)
    assert [word for word in written if word.startswith("Domain")] == []
    assert parameters(attacked.headers["Location"]) == {"error": "login_failed"}
    assert "token" in parameters(answer.headers["Location"])
    assert answer.headers["Set-Cookie"].startswith(f"{name}=; ")
    assert browser.client.get_cookie(name, domain=domain) is None


@pytest.mark.security("Login in another browser")
@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_login_begun_in_another_browser_is_refused(app, browser, users, provider):
    returning = browser.at_provider(browser.begin(provider))
    stranger = Browser(app)
    stranger.begin(provider)

    answers = [Browser(app).back(returning), stranger.back(returning)]

    assert [answer.headers["Location"] for answer in answers] == [FAILED, FAILED]
    assert users() == []


def test_the_front_end_keeps_its_own_query(make_app, game_platform):
    front_end = "https://play.example.com/game?tab=1"
    browser = Browser(make_app(**game_platform.settings, FRONTEND_URL=front_end))

    assert browser.log_in("platform").headers["Location"].startswith(f"{front_end}&token=")


@pytest.mark.security("Secrets of the operator")
@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_login_that_began_before_the_key_was_changed_works(make_app, settings, provider):
    old, new = "the key that was used first", "the key that comes after it"
    browser = Browser(make_app(**settings, SECRET_KEY=old))
    back = browser.at_provider(browser.begin(provider))
    afterwards = Browser(make_app(**settings, SECRET_KEY=new, SECRET_KEY_PREVIOUS=old))
    encrypted = browser.cookie(COOKIE[provider]).value
    afterwards.client.set_cookie(COOKIE[provider], encrypted, domain=DOMAIN, path="/auth")

    assert "token" in parameters(afterwards.back(back).headers["Location"])


def test_providers_are_listed_and_null_if_they_are_not_configured(client, make_app):
    listed = client.get("/auth/providers").json
    unconfigured = make_app().test_client().get("/auth/providers").json

    assert listed == {"platform": f"{BASE_URL}/auth/platform", "identity": f"{BASE_URL}/auth/identity"}
    assert unconfigured == {"platform": f"{BASE_URL}/auth/platform", "identity": None}


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_failed_login_is_logged_with_request_id_and_reason(browser, log_text, provider):
    back = browser.at_provider(browser.begin(provider))

    answer = browser.back(changed(back, openid__mode="cancel", error="access_denied"))

    (line,) = [line for line in map(json.loads, log_text().splitlines()) if line["message"] == "login"]
    assert (line["event"], line["provider"]) == ("login", provider)
    assert line["request_id"] == answer.headers["X-Request-Id"]
    assert line["outcome"].startswith("cancelled")


CLAIMS = {
    "iss": "https://evil.example.com",
    "aud": "another-client",
    "nonce": "another-nonce",
    "exp": 1_000_000_001,
    "azp": "another-party",
    "at_hash": "another-hash",
}


def test_an_invalid_claim_is_logged_without_its_value(browser, identity, log_text):
    for name, value in CLAIMS.items():
        identity.claims = lambda claims, change={name: value}: claims | change
        browser.log_in("identity")

    lines = [line for line in map(json.loads, log_text().splitlines()) if line["message"] == "login"]
    assert [line["outcome"] for line in lines] == [f"the id token's {name} is invalid" for name in CLAIMS]
    assert all("ClaimError" in line["failure"] or "Expired" in line["failure"] for line in lines)
    assert [value for value in CLAIMS.values() if str(value) in log_text()] == []


def secrets_of(browser, provider):
    """All secrets that occur in a login."""
    address = browser.begin(provider)
    encrypted = browser.cookie(COOKIE[provider]).value
    back = browser.at_provider(address)
    token = parameters(browser.back(back).headers["Location"])["token"]
    names = ("state", "nonce", "code_challenge", "code", "openid.sig", "openid.response_nonce")
    passed = parameters(address) | parameters(back)
    return [token, encrypted, *(passed[name] for name in names if name in passed)]


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_whole_login_leaves_no_secret_in_the_log(
    browser, game_platform, identity, settings, log_text, provider
):
    secrets = secrets_of(browser, provider)
    secrets += [secrets_of(browser, provider)[0], settings["PLATFORM_API_KEY"]]
    secrets += [settings["IDENTITY_CLIENT_SECRET"], *(token["access_token"] for token in identity.tokens)]
    # Refused, and given up, in every way that is logged.
    back = browser.at_provider(browser.begin(provider))
    browser.back(changed(back, state="A"))
    browser.back(back)
    game_platform.player = ""
    identity.claims = lambda claims: claims | {"nonce": "another"}
    browser.log_in(provider)
    secrets += parameters(back).values()

    log = log_text()

    assert '"outcome":"another login\'s state"' in log
    assert '"route":"/auth/platform/return"' in log or '"route":"/auth/identity/callback"' in log
    assert [secret for secret in secrets if len(secret) > 6 and secret in log] == []


BROKEN = {
    "damaged headers": b"HTTP/1.1 200 OK\r\n no header\r\nbroken\r\nContent-Length: 2\r\n\r\n{}",
    "nothing": b"",
    "an error": b"HTTP/1.1 500 Failed\r\nContent-Length: 0\r\n\r\n",
    "elsewhere": b"HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n",
}


def test_a_broken_profile_service_does_not_leak_the_api_key(make_app, settings, game_platform, log_text):
    for name, answer in BROKEN.items():
        with raw_server(saying(answer)) as url:
            browser = Browser(make_app(**settings | {"PLATFORM_API_URL": url}))
            ended = browser.log_in("platform").headers["Location"]

        assert "token" in parameters(ended), name
    assert settings["PLATFORM_API_KEY"] not in log_text()
    assert "steamids" not in log_text()


@pytest.mark.security("Suspension")
@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_suspended_player_gets_no_token(browser, run, me, log_text, provider):
    player = me(browser.log_in(provider))
    run("users", "suspend", player["platformid"])

    answer = browser.log_in(provider)

    assert answer.headers["Location"] == f"{FRONTEND}?error=account_suspended"
    assert '"outcome":"Account suspended"' in log_text()
    assert browser.cookie(COOKIE[provider]) is None
