"""Logging in with the game platform, against a real OpenID 2.0 provider."""

import json
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest
from werkzeug import Response

from models.announced_seeds import AnnouncedSeed
from models.db.connection import reading, writing
from models.logins import LoginNonce
from models.users import User
from services.shared.clock import now_ms
from tests.blueprints.auth.conftest import FAILED, FRONTEND, UNAVAILABLE
from tests.support.at_once import all_at_once
from tests.support.browser import BASE_URL, DOMAIN, Browser, changed, parameters
from tests.support.platform_provider import ALICE

BOB = "76561198000000002"
NAMESPACE = "http://specs.openid.net/auth/2.0"
COOKIE = "login_platform"
VALID = f"ns:{NAMESPACE}\nis_valid:true\n"


@pytest.fixture
def credulous(game_platform):
    """A provider that confirms every assertion, so that only this service's own checks count."""
    game_platform.verdict = Response(VALID)
    return game_platform


@pytest.fixture
def returning(browser, game_platform):
    """The URL to which the provider redirects the browser after a successful login."""
    return browser.at_provider(browser.begin("platform"))


def cookie_of(browser):
    return browser.cookie(COOKIE).value


def with_cookie(app, value):
    """Another browser that has stolen the login cookie."""
    browser = Browser(app)
    browser.client.set_cookie(COOKIE, value, domain=DOMAIN, path="/auth")
    return browser


def test_a_login_redirects_to_the_provider_without_naming_a_player(browser, game_platform):
    address = browser.begin("platform")

    asked = parameters(address)
    return_to = asked.pop("openid.return_to")
    assert address.startswith(f"{game_platform.url}/openid/login?")
    assert return_to.startswith(f"{BASE_URL}/auth/platform/return?state=")
    assert asked == {
        "openid.ns": NAMESPACE,
        "openid.mode": "checkid_setup",
        "openid.claimed_id": f"{NAMESPACE}/identifier_select",
        "openid.identity": f"{NAMESPACE}/identifier_select",
        "openid.realm": BASE_URL,
    }


def test_the_first_login_creates_the_account_with_a_commitment(browser, game_platform, me, users):
    answer = browser.log_in("platform")

    location = answer.headers["Location"]
    assert location == f"{FRONTEND}?token={parameters(location)['token']}"
    told = me(answer)
    assert (told["platformid"], told["username"], told["avatar"]) == (ALICE, "Alice", game_platform.avatar)
    assert told["balance"] == 0
    (user,) = users()
    with reading():
        [seed] = AnnouncedSeed.select()
    assert (seed.user_id, seed.nonce) == (user["id"], 1)


def test_a_later_login_changes_only_the_avatar(browser, game_platform, me):
    first = me(browser.log_in("platform"))
    game_platform.names[ALICE] = "Alice in Chains"
    game_platform.avatar = "https://avatars.example.com/newer.jpg"

    assert me(browser.log_in("platform")) == first | {"avatar": game_platform.avatar}
    game_platform.profiles = Response(status=500)
    assert me(browser.log_in("platform")) == first | {"avatar": game_platform.avatar}


def test_a_later_login_keeps_an_uploaded_avatar(browser, game_platform, me):
    browser.log_in("platform")
    with writing():
        User.update(avatar="/media/avatars/own.webp").execute()

    assert me(browser.log_in("platform"))["avatar"] == f"{BASE_URL}/media/avatars/own.webp"


def profile(**player):
    return Response(json.dumps({"response": {"players": [player]}}))


PROFILES = {
    "no JSON": Response("<html>"),
    "nobody": Response('{"response": {"players": []}}'),
    "no list": Response('{"response": {"players": 7}}'),
    "somebody else": profile(steamid=BOB, personaname="Bob"),
    "no name": profile(steamid=ALICE),
    "a name that is none": profile(steamid=ALICE, personaname=["Alice"], avatarfull={}),
    "too much": Response("[" * (1024 * 1024)),
    "too deep": Response("[" * 100_000),
}


def test_a_login_works_whatever_the_profile_service_answers(app, game_platform, me):
    told = []
    for number, answer in enumerate(PROFILES.values()):
        game_platform.profiles = answer
        game_platform.player = f"{int(ALICE) + number}"
        told.append(me(Browser(app).log_in("platform")))

    neutral = f"{BASE_URL}/media/neutral/avatar.webp"
    assert {player["avatar"] for player in told} == {neutral}
    assert [player["username"] for player in told][:2] == ["player", "player-2"]
    assert {player["username"].partition("-")[0] for player in told} == {"player"}


def field(name, value):
    """Changes one field of the assertion, to a value or by a function of the old one."""
    key = f"openid.{name}"

    def change(address, _provider):
        new = value(parameters(address)[key]) if callable(value) else value
        return changed(address, **{key: new})

    return change


def claimed(make):
    """Claims another identity, made from the provider's URL and Alice's identifier."""

    def change(address, provider):
        other = make(provider.url, provider.identifier)
        return changed(address, **{"openid.claimed_id": other, "openid.identity": other})

    return change


def unsigned(name):
    return field("signed", lambda names: ",".join(one for one in names.split(",") if one != name))


def repeated(name, value=None):
    def change(address, _provider):
        again = value or parameters(address)[name]
        return f"{address}&{changed('', **{name: again}).removeprefix('?').split('&')[-1]}"

    return change


def nonce_at(**ago):
    def nonce(_old):
        at = datetime.now(UTC) - timedelta(**ago)
        return f"{at:%Y-%m-%dT%H:%M:%SZ}salt"

    return field("response_nonce", nonce)


SPOILED = {
    "a wrong state": lambda address, _: changed(address, state="A" * 43),
    "no state": lambda address, _: changed(address, state=None),
    "no parameters": lambda address, _: address.partition("?")[0],
    "cancelled": field("mode", "cancel"),
    "an error": field("mode", "error"),
    "no mode": field("mode", None),
    "OpenID 1.1": field("ns", "http://openid.net/signon/1.1"),
    "another endpoint": field("op_endpoint", "https://evil.example.com/openid/login"),
    "an endpoint that begins like ours": field("op_endpoint", lambda old: f"{old}/more"),
    "another return_to": field("return_to", "https://evil.example.com/auth/platform/return"),
    "a return_to without a state": field("return_to", lambda old: old.partition("?")[0]),
    "a return_to of another login": field("return_to", lambda old: f"{old[:-1]}_"),
    "a foreign identifier": claimed(lambda _, __: f"https://evil.example.com/openid/id/{ALICE}"),
    "a longer host": claimed(lambda url, _: f"{url}.example.com/openid/id/{ALICE}"),
    "another path": claimed(lambda url, _: f"{url}/id/{ALICE}"),
    "more behind": claimed(lambda _, ours: f"{ours}/more"),
    "a query behind": claimed(lambda _, ours: f"{ours}?x"),
    "a newline behind": claimed(lambda _, ours: f"{ours}\n"),
    "one digit more": claimed(lambda _, ours: f"{ours}0"),
    "full-width digits": claimed(lambda url, _: f"{url}/openid/id/{ALICE[:-1]}\uff11"),
    "an identity of its own": field("identity", lambda old: f"{old[:-1]}9"),
    "no identifier": field("claimed_id", None),
    "no signature": field("sig", None),
    "no list of what is signed": field("signed", None),
    **{
        f"{name} not signed": unsigned(name)
        for name in ("op_endpoint", "claimed_id", "identity", "return_to", "response_nonce", "assoc_handle")
    },
    "the mode twice": repeated("openid.mode"),
    "another identifier besides": repeated("openid.claimed_id", f"https://evil.example.com/openid/id/{BOB}"),
    "the state twice": repeated("state"),
    "no nonce": field("response_nonce", None),
    "a nonce without a time": field("response_nonce", "salt"),
    "a nonce with a newline": field("response_nonce", lambda old: f"{old}\n"),
    "a nonce of no day": field("response_nonce", "2026-02-30T00:00:00Zsalt"),
    "a nonce that is too long": field("response_nonce", lambda old: f"{old}{'x' * 256}"),
    "an old nonce": nonce_at(minutes=6),
    "a nonce of the future": nonce_at(minutes=-6),
}


@pytest.mark.security("OpenID 2.0")
def test_a_manipulated_assertion_is_refused_although_the_provider_confirms_it(app, credulous, users, me):
    wrong = {}
    for name, spoil in SPOILED.items():
        browser = Browser(app)
        address = browser.at_provider(browser.begin("platform"))
        answer = browser.back(spoil(address, credulous))
        if (answer.status_code, answer.headers["Location"]) != (302, FAILED):
            wrong[name] = answer.headers["Location"]

    assert wrong == {}
    assert users() == []
    assert me(Browser(app).log_in("platform"))["platformid"] == ALICE


FORGED = {
    "another signature": field("sig", "AAAAAAAAAAAAAAAAAAAAAAAAAAA="),
    "another player": claimed(lambda url, _: f"{url}/openid/id/{BOB}"),
    "another nonce": field("response_nonce", lambda old: f"{old}x"),
    "another handle": field("assoc_handle", "{HMAC-SHA1}{0}{AAAA}"),
    "no such thing signed": field("signed", lambda old: f"{old},nothing"),
}


@pytest.mark.security("OpenID 2.0")
def test_an_assertion_that_the_provider_does_not_confirm_is_refused(app, game_platform, users):
    ends = {}
    for name, forge in FORGED.items():
        browser = Browser(app)
        returning = browser.at_provider(browser.begin("platform"))
        ends[name] = browser.back(forge(returning, game_platform)).headers["Location"]

    assert ends == dict.fromkeys(FORGED, FAILED)
    assert users() == []
    assert len(game_platform.checks) == len(FORGED)


@pytest.mark.security("OpenID 2.0")
def test_the_whole_assertion_is_checked_at_the_configured_address(browser, game_platform, returning):
    browser.back(changed(returning, more="1"))

    said = {name: value for name, value in parameters(returning).items() if name.startswith("openid.")}
    assert game_platform.checks == [said | {"openid.mode": "check_authentication"}]


def test_a_login_with_a_forged_cookie_fails(app, returning):
    for cookie in ("", "nonsense", "gAAAAAB", "t\u00f6ken", "%00"):
        assert with_cookie(app, cookie).back(returning).headers["Location"] == FAILED, cookie


def test_a_login_with_the_cookie_of_the_other_provider_fails(app, browser, credulous, identity, returning):
    state = parameters(browser.begin("identity"))["state"]
    other = browser.cookie("login_identity").value
    return_to = f"{BASE_URL}/auth/platform/return?state={state}"

    answer = with_cookie(app, other).back(
        changed(returning, **{"state": state, "openid.return_to": return_to})
    )

    assert answer.headers["Location"] == FAILED


def test_a_forgery_does_not_use_up_the_genuine_nonce(app, browser, game_platform, returning, me):
    forger = with_cookie(app, cookie_of(browser))
    forger.back(FORGED["another signature"](returning, game_platform))

    assert me(browser.back(returning))["platformid"] == ALICE


def test_expired_nonces_are_deleted(browser, game_platform):
    with writing():
        LoginNonce.insert(nonce="2020-01-01T00:00:00Zold", expires_at_ms=now_ms() - 1).execute()

    browser.log_in("platform")

    with reading():
        [kept] = LoginNonce.select()
    assert kept.nonce != "2020-01-01T00:00:00Zold"


@pytest.mark.security("OpenID 2.0")
def test_an_assertion_can_be_used_once(app, browser, game_platform, returning):
    cookie = cookie_of(browser)
    browser.back(returning)

    answer = with_cookie(app, cookie).back(returning)

    assert answer.headers["Location"] == FAILED
    # The provider would have let it pass.
    assert len(game_platform.checks) == 2


@pytest.mark.security("Faults around the server")
def test_an_assertion_stays_used_when_the_clock_is_set(make_app, game_platform):
    ahead = [0]
    app = make_app(**game_platform.settings, clock=lambda: now_ms() + ahead[0])
    browser = Browser(app)
    returning = browser.at_provider(browser.begin("platform"))
    cookie = cookie_of(browser)
    first = browser.back(returning).headers["Location"]
    answers = []

    for hours in (1, -1, 365 * 24, -365 * 24, 0):
        ahead[0] = hours * 3_600_000
        answers.append(with_cookie(app, cookie).back(returning).headers["Location"])
        Browser(app).log_in("platform")

    assert "token=" in first
    assert answers == [FAILED] * 5


@pytest.mark.both_databases("a race")
@pytest.mark.security("OpenID 2.0")
def test_one_of_many_concurrent_uses_of_an_assertion_logs_in(app, browser, returning):
    cookie = cookie_of(browser)
    copies = [with_cookie(app, cookie) for _ in range(8)]

    answers = all_at_once([partial(copy.back, returning) for copy in copies])

    locations = [answer.headers["Location"] for answer in answers]
    assert locations.count(FAILED) == 7


@pytest.mark.security("Login in another browser")
def test_a_login_that_takes_too_long_fails(make_app, game_platform):
    late = [0]
    app = make_app(**game_platform.settings, clock=lambda: now_ms() - late[0])
    ends = []

    for ms in (590_000, 600_000):
        browser = Browser(app)
        late[0] = ms
        address = browser.at_provider(browser.begin("platform"))
        late[0] = 0
        ends.append(list(parameters(browser.back(address).headers["Location"])))

    assert ends == [["token"], ["error"]]


VERDICTS = {
    "no": (Response(f"ns:{NAMESPACE}\nis_valid:false\n"), FAILED),
    "yes, nearly": (Response("is_valid:true \n"), FAILED),
    "nothing about it": (Response(f"ns:{NAMESPACE}\n"), FAILED),
    "another protocol": (Response("ns:http://openid.net/signon/1.1\nis_valid:true\n"), FAILED),
    "blocked": (Response("is_valid:true\n", 403), UNAVAILABLE),
    "blocked by a page": (Response("<html>", 403), UNAVAILABLE),
    "too many": (Response(f"ns:{NAMESPACE}\nis_valid:false\n", 429), UNAVAILABLE),
    "yes and no": (Response("is_valid:true\nis_valid:false\n"), FAILED),
    "a page": (Response("<html>true</html>"), UNAVAILABLE),
    "a page of many lines": (Response("<html>\nis_valid:true\n</html>\n"), UNAVAILABLE),
    "nothing": (Response(""), UNAVAILABLE),
    "no text": (Response(b"is_valid:true\n\xff"), UNAVAILABLE),
    "an error": (Response("is_valid:true\n", 500), UNAVAILABLE),
    "too much": (Response(f"is_valid:true\nmore:{'x' * 1024 * 1024}\n"), UNAVAILABLE),
}


@pytest.mark.security("OpenID 2.0")
def test_only_an_unambiguous_confirmation_of_the_provider_counts(app, game_platform, users):
    wrong = {}
    for name, (verdict, expected) in VERDICTS.items():
        game_platform.verdict = verdict
        location = Browser(app).log_in("platform").headers["Location"]
        if location != expected:
            wrong[name] = location

    assert wrong == {}
    assert users() == []


def at_the_last_step(app):
    """A function that lets a browser return from the provider; what the front end is given."""
    browser = Browser(app)
    address = browser.at_provider(browser.begin("platform"))
    return lambda: ", ".join(parameters(browser.back(address).headers["Location"]))


@pytest.mark.both_databases("a race")
def test_concurrent_first_logins_of_one_person_create_one_account(app, game_platform, users):
    assert all_at_once([at_the_last_step(app) for _ in range(8)]) == ["token"] * 8
    assert [user["username"] for user in users()] == ["Alice"]
