"""Logging in with the general identity provider, against a real OpenID Connect provider."""

import hashlib
import hmac
import json
import time
from base64 import urlsafe_b64encode

import pytest
from joserfc import jwt

from services.shared.clock import now_ms
from tests.blueprints.auth.conftest import FAILED, UNAVAILABLE
from tests.harness.spins import Clock
from tests.support.browser import BASE_URL, Browser, changed, parameters
from tests.support.identity_provider import CLIENT_ID, CLIENT_SECRET, identity_provider, key

SUBJECT = "alice@provider"

# Accounts and single use are tested on both databases, with the game platform.


@pytest.fixture
def clock():
    return Clock(now_ms())


@pytest.fixture
def returning(browser, identity):
    """The URL to which the provider redirects the browser after a successful login."""
    return browser.at_provider(browser.begin("identity"))


def wrong_ends(app, identity, cases, expected):
    """The cases in which a login does not end at the expected URL, and where each ends."""
    ends = {}
    for name, spoil in cases.items():
        spoil(identity)
        ends[name] = Browser(app).log_in("identity").headers["Location"]
        identity.behave()
    return {name: location for name, location in ends.items() if location != expected}


@pytest.mark.security("OpenID Connect")
def test_a_login_asks_the_provider_with_state_nonce_and_challenge(browser, identity):
    address = browser.begin("identity")

    asked, again = parameters(address), parameters(browser.begin("identity"))
    drawn = {asked.pop(name) for name in ("state", "nonce", "code_challenge")}
    drawn |= {again[name] for name in ("state", "nonce", "code_challenge")}
    assert address.startswith(f"{identity.url}/authorize?")
    assert [len(value) for value in drawn] == [43] * 6
    assert asked == {
        "response_type": "code",
        "client_id": CLIENT_ID,
        "redirect_uri": f"{BASE_URL}/auth/identity/callback",
        "scope": "openid profile",
        "code_challenge_method": "S256",
    }


def test_the_first_login_creates_the_account_that_later_ones_find(browser, identity, me, users):
    identity.user |= {"picture": "https://pictures.example.com/alice.png"}

    first = me(browser.log_in("identity"))
    identity.user |= {"name": "Alice in Chains"}
    second = me(browser.log_in("identity"))

    account = hashlib.sha256(f"{identity.url}\n{SUBJECT}".encode()).hexdigest()
    assert first["platformid"] == f"id-{account[:32]}"
    assert (first["username"], first["avatar"]) == ("Alice", "https://pictures.example.com/alice.png")
    assert second == first
    assert len(users()) == 1


@pytest.mark.security("OpenID Connect")
def test_the_same_subject_of_another_provider_is_another_account(make_app, identity, users):
    with identity_provider() as other:
        Browser(make_app(**identity.settings)).log_in("identity")
        Browser(make_app(**other.settings)).log_in("identity")

    assert len({user["platform_id"] for user in users()}) == 2


def test_a_service_over_https_stores_only_avatars_over_https(make_app, identity, users):
    base_url = "https://api.example.com"
    identity.redirect_uri = f"{base_url}/auth/identity/callback"
    app = make_app(**identity.settings, BASE_URL=base_url)

    for scheme in ("https", "http"):
        identity.user = {"sub": scheme, "picture": f"{scheme}://pictures.example.com/alice.png"}
        Browser(app, base_url=base_url).log_in("identity")

    assert [user["avatar"] for user in users()] == ["https://pictures.example.com/alice.png", ""]


# Claims of the id token, the userinfo, and the username.
NAMES = [
    ({"name": "Alice", "preferred_username": "al"}, None, "Alice"),
    ({"preferred_username": "alice.b"}, None, "alice.b"),
    ({"name": "", "preferred_username": "alice.c"}, None, "alice.c"),
    ({}, {"sub": "3", "name": "Alice.D"}, "Alice.D"),
    ({}, {"sub": "another", "name": "Mallory"}, "player"),
    ({}, None, "player-2"),
]


def test_the_username_comes_from_the_id_token_or_userinfo(app, identity, me):
    told = []
    for number, (claims, identity.userinfo, _) in enumerate(NAMES):
        identity.user = {"sub": str(number), **claims}
        told.append(me(Browser(app).log_in("identity"))["username"])

    assert told == [name for *_, name in NAMES]


def claim(**changes):
    """Changes claims of the id tokens. None removes a claim."""

    def spoil(provider):
        provider.claims = lambda claims: {
            name: value for name, value in (claims | changes).items() if value is not None
        }

    return spoil


def signed(header, secret):
    """Replaces the signature of the id tokens."""

    def spoil(provider):
        def sign(token):
            claims = jwt.decode(token, key("first")).claims
            return jwt.encode(header, claims, secret, [header["alg"]])

        provider.id_token = sign

    return spoil


def whole(change):
    """Replaces the whole id token."""
    return lambda provider: setattr(provider, "id_token", change)


def returned(change):
    """Changes the URL to which the provider redirects the browser."""
    return lambda provider: setattr(provider, "answer", change)


def with_header(token, header):
    return f"{base64(json.dumps(header).encode())}.{token.split('.')[1]}"


def unsigned(token):
    return with_header(token, {"alg": "none"}) + "."


def by_secret(secret, *, kid="first"):
    """Signs with HS256 by hand, because the libraries refuse public keys as secrets."""

    def sign(token):
        content = with_header(token, {"alg": "HS256", "kid": kid})
        return f"{content}.{base64(hmac.digest(secret, content.encode(), 'sha256'))}"

    return sign


def base64(content):
    return urlsafe_b64encode(content).decode().rstrip("=")


NOW = int(time.time())

SPOILED = {
    "another nonce": claim(nonce="another"),
    "no nonce": claim(nonce=None),
    "another audience": claim(aud="another-client"),
    "other audiences": claim(aud=["another-client", "a-third"]),
    "no audience": claim(aud=None),
    "more audiences and no party": claim(aud=[CLIENT_ID, "another-client"]),
    "another party": claim(azp="another-client"),
    "more audiences for another party": claim(aud=[CLIENT_ID, "another-client"], azp="another-client"),
    "another issuer": claim(iss="https://evil.example.com"),
    "Google's issuer": claim(iss="https://accounts.google.com"),
    "no issuer": claim(iss=None),
    "expired": claim(exp=NOW - 120, iat=NOW - 3600),
    "no expiry": claim(exp=None),
    "made in the future": claim(iat=NOW + 3600),
    "no time of making": claim(iat=None),
    "not yet good": claim(nbf=NOW + 3600),
    "no subject": claim(sub=None),
    "an empty subject": claim(sub=""),
    "a subject that is too long": claim(sub="x" * 256),
    "another access token's hash": claim(at_hash="AAAAAAAAAAAAAAAAAAAAAA"),
    "no algorithm": whole(unsigned),
    "the client's secret": whole(by_secret(CLIENT_SECRET.encode())),
    "the public key as a secret": whole(by_secret(key("first").as_pem(private=False))),
    "another key by the same id": signed({"alg": "RS256", "kid": "first"}, key("another")),
    "a key that is not shown": signed({"alg": "RS256", "kid": "another"}, key("another")),
    "a key that the token brings": signed(
        {"alg": "RS256", "jwk": key("another").as_dict(private=False)}, key("another")
    ),
    "a changed signature": whole(lambda token: f"{token[:-8]}AAAAAAAA"),
    "no signature": whole(lambda token: token.rpartition(".")[0] + "."),
    "nothing": whole(lambda _token: None),
    "another provider's answer": returned(lambda address: changed(address, iss="https://evil.example.com")),
    "nobody's answer": returned(lambda address: changed(address, iss=None)),
    "a wrong state": returned(lambda address: changed(address, state="A" * 43)),
    "no state": returned(lambda address: changed(address, state=None)),
    "no code": returned(lambda address: changed(address, code=None)),
    "the code twice": returned(lambda address: f"{address}&code={parameters(address)['code']}"),
    "cancelled": returned(lambda address: changed(address, code=None, error="access_denied")),
    "an error and a code": returned(lambda address: changed(address, error="server_error")),
}


@pytest.mark.security("OpenID Connect")
@pytest.mark.regulation("2.5.3 Player access")
def test_a_manipulated_answer_of_the_provider_is_refused(app, identity, users):
    assert wrong_ends(app, identity, SPOILED, FAILED) == {}
    assert users() == []


SHARED = b"a secret that the provider shows to everybody"
OTHER_KEYS = [
    {"kty": "oct", "kid": "shared", "k": base64(SHARED)},
    {"kty": "AKP", "kid": "of-tomorrow", "pub": "AAAA"},
    {"kty": "EC", "kid": "of an unknown curve", "crv": "P-999", "x": "AAAA", "y": "AAAA"},
    {"kty": "RSA", "kid": "damaged", "n": "!", "e": "AQAB"},
    {"kty": "RSA", "kid": "incomplete"},
    {"kid": "without a type"},
    "not a key",
]


UNUSABLE_KEYS = [
    {"keys": OTHER_KEYS[1:]},
    {"keys": []},
    {"keys": 7},
    {},
    [],
    "<html>",
]


def published(keys):
    """Publishes these keys."""
    return lambda provider: setattr(provider, "keys", lambda _document: keys)


def test_a_provider_without_a_usable_key_is_reported_as_unavailable(app, identity, users):
    cases = {str(keys): published(keys) for keys in UNUSABLE_KEYS}

    assert wrong_ends(app, identity, cases, UNAVAILABLE) == {}
    assert users() == []


@pytest.mark.security("OpenID Connect")
def test_an_id_token_with_a_published_symmetric_key_is_refused(app, identity):
    identity.keys = lambda document: {"keys": [*OTHER_KEYS, *document["keys"]]}
    identity.id_token = by_secret(SHARED, kid="shared")

    assert Browser(app).log_in("identity").headers["Location"] == FAILED


ANSWERS = {
    "an error": ({"error": "server_error"}, 500),
    "no JSON": "<html>",
    "a page for a refusal": ("<html>", 403),
    "elsewhere": ("", 302, {"Location": "/elsewhere"}),
    "a time that is none": {"access_token": "a", "id_token": "b", "expires_in": [1]},
    "an endless time": '{"access_token": "a", "id_token": "b", "expires_in": 1e999}',
    "a list in lists": "[" * 100_000 + "]" * 100_000,
}


def test_a_malformed_token_answer_is_reported_as_unavailable(app, identity, users):
    cases = {name: redeemed_as(answer) for name, answer in ANSWERS.items()}

    assert wrong_ends(app, identity, cases, UNAVAILABLE) == {}
    assert users() == []


def redeemed_as(answer):
    """Answers this to every code."""
    return lambda provider: setattr(provider, "redeemed", lambda _answer: answer)


GOOD = {
    "one audience as a list": claim(aud=[CLIENT_ID]),
    "ourselves as the party": claim(azp=CLIENT_ID),
    "more audiences with ourselves as the party": claim(aud=[CLIENT_ID, "another-client"], azp=CLIENT_ID),
    "no hash of the access token": claim(at_hash=None),
    "a clock that is a little ahead": claim(iat=NOW + 30),
}


def test_every_valid_answer_is_accepted(app, identity):
    refused = []
    for name, change in GOOD.items():
        change(identity)
        if "token" not in parameters(Browser(app).log_in("identity").headers["Location"]):
            refused.append(name)
        identity.behave()

    assert refused == []


def test_googles_issuer_may_omit_the_scheme_in_id_tokens(app, identity, me):
    google = "https://accounts.google.com"
    identity.document = lambda document: document | {"issuer": google}
    identity.answer = lambda address: changed(address, iss=google)

    for issuer in (google, "accounts.google.com"):
        claim(iss=issuer)(identity)
        assert me(Browser(app).log_in("identity"))["username"] == "Alice", issuer


@pytest.mark.security("OpenID Connect")
def test_a_code_of_another_login_is_refused(app, identity, returning, users):
    stolen = parameters(returning)["code"]
    thief = Browser(app)
    own = thief.at_provider(thief.begin("identity"))

    answer = thief.back(changed(own, code=stolen))

    assert answer.headers["Location"] == FAILED
    assert users() == []
    # It was the challenge that did not fit: the code itself is still good.
    assert stolen in identity.codes


def test_keys_that_cannot_be_used_are_ignored(app, identity, me):
    identity.keys = lambda document: {"keys": [*OTHER_KEYS, *document["keys"]]}

    assert me(Browser(app).log_in("identity"))["username"] == "Alice"


def test_a_wrong_client_secret_fails_the_login(make_app, identity, users):
    browser = Browser(make_app(**identity.settings | {"IDENTITY_CLIENT_SECRET": "not ours"}))

    assert browser.log_in("identity").headers["Location"] == FAILED
    assert users() == []


@pytest.mark.security("OpenID Connect")
def test_a_code_can_be_redeemed_once(app, browser, returning):
    cookie = browser.cookie("login_identity").value
    browser.back(returning)
    again = Browser(app)
    again.client.set_cookie("login_identity", cookie, domain="127.0.0.1", path="/auth")

    assert again.back(returning).headers["Location"] == FAILED


@pytest.mark.parametrize("kid", ["second", "first"], ids=["another id", "the same id"])
def test_the_provider_may_change_its_keys_after_a_minute(browser, identity, clock, kid):
    browser.log_in("identity")
    new = key("second").as_dict(private=False) | {"kid": kid}
    identity.keys = lambda _document: {"keys": [new]}
    signed({"alg": "RS256", "kid": kid}, key("second"))(identity)
    clock.now += 60_000

    assert "token" in parameters(browser.log_in("identity").headers["Location"])


def test_an_unknown_key_is_looked_up_once_a_minute(browser, identity, clock):
    SPOILED["a key that is not shown"](identity)

    lookups = []
    for waiting_ms in (0, 0, 60_000, 0):
        clock.now += waiting_ms
        browser.log_in("identity")
        lookups.append(identity.asked.count("/keys"))

    assert lookups == [1, 1, 2, 2]


def test_the_documents_of_the_provider_are_cached_for_an_hour(browser, identity, clock):
    fetched = []
    # At the end the clock is set back.
    for waiting_ms in (0, 3_599_999, 1, -1):
        clock.now += waiting_ms
        browser.log_in("identity")
        fetched.append(
            [identity.asked.count(path) for path in ("/.well-known/openid-configuration", "/keys")]
        )

    assert fetched == [[1, 1], [1, 1], [2, 2], [3, 3]]


def test_the_client_secret_is_sent_as_the_provider_supports(make_app, identity, me):
    for method in ("client_secret_basic", "client_secret_post"):
        supported = {"token_endpoint_auth_methods_supported": [method]}
        identity.document = lambda document, supported=supported: document | supported

        assert me(Browser(make_app(**identity.settings)).log_in("identity"))["username"] == "Alice", method


DOCUMENTS = {
    "no issuer": {"issuer": None},
    "no login": {"authorization_endpoint": None},
    "a login that is none": {"authorization_endpoint": "javascript:alert(1)"},
    "no keys": {"jwks_uri": "file:///etc/passwd"},
    "an issuer that is no text": {"issuer": "https://a.example.com/\ud800"},
    "a login over http": {"authorization_endpoint": "http://a.example.com/"},
    "userinfo over http": {"userinfo_endpoint": "http://a.example.com/"},
    "a login at no host": {"authorization_endpoint": "https://"},
}


@pytest.mark.security("Eavesdropping")
def test_a_malformed_discovery_document_is_reported_as_unavailable(app, identity):
    documents = {name: lambda document, by=change: document | by for name, change in DOCUMENTS.items()}
    documents["an error"] = lambda _document: ({}, 500)
    documents["no JSON"] = lambda _document: "<html>"
    documents["a list"] = lambda document: [document]
    ends = {}

    for name, identity.document in documents.items():
        ends[name] = Browser(app).begin("identity")

    assert ends == dict.fromkeys(documents, UNAVAILABLE)


def test_a_provider_that_is_down_is_reported_as_unavailable(make_app, users):
    with identity_provider() as provider:
        app = make_app(**provider.settings)
        during = Browser(app)
        address = during.at_provider(during.begin("identity"))
    before = Browser(make_app(**provider.settings))

    assert before.begin("identity") == UNAVAILABLE
    assert before.cookie("login_identity") is None
    assert during.back(address).headers["Location"] == UNAVAILABLE
    assert users() == []


def test_without_a_client_id_the_login_is_not_configured(client):
    for path in ("/auth/identity", "/auth/identity/callback?code=1&state=2"):
        answer = client.get(path)

        assert (answer.status_code, answer.json) == (501, {"error": "This login is not configured"}), path
