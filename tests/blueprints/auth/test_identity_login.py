"""Logging in with the general identity provider, against a real OpenID Connect provider."""

import hashlib
import hmac
import json
import time
from base64 import urlsafe_b64encode

import pytest
from joserfc import jwt

from services.login import calls
from services.login.id_tokens import GOOGLE, read_id_token
from services.shared.clock import Millis, now_ms
from tests.blueprints.auth.conftest import FRONTEND
from tests.support.browser import BASE_URL, Browser, changed, parameters
from tests.support.identity_provider import CLIENT_ID, CLIENT_SECRET, identity_provider, key

FAILED = f"{FRONTEND}?error=login_failed"
UNAVAILABLE = f"{FRONTEND}?error=provider_unavailable"
SUBJECT = "alice@provider"


@pytest.fixture
def returning(browser, identity):
    """The URL to which the provider redirects the browser after a successful login."""
    return browser.at_provider(browser.begin("identity"))


def test_a_login_asks_the_provider_with_state_nonce_and_challenge(browser, identity):
    address = browser.begin("identity")

    asked = parameters(address)
    drawn = {name: asked.pop(name) for name in ("state", "nonce", "code_challenge")}
    assert address.startswith(f"{identity.url}/authorize?")
    assert len(set(drawn.values())) == 3
    assert all(len(value) == 43 for value in drawn.values())
    assert asked == {
        "response_type": "code",
        "client_id": CLIENT_ID,
        "redirect_uri": f"{BASE_URL}/auth/identity/callback",
        "scope": "openid profile",
        "code_challenge_method": "S256",
    }


def test_every_login_has_its_own_state_nonce_and_challenge(browser, identity):
    first, second = (parameters(browser.begin("identity")) for _ in range(2))

    assert [name for name in ("state", "nonce", "code_challenge") if first[name] == second[name]] == []


def test_the_first_login_creates_the_account(browser, identity, me, users):
    identity.user |= {"picture": "https://pictures.example.com/alice.png"}

    told = me(browser.log_in("identity"))

    key = hashlib.sha256(f"{identity.url}\n{SUBJECT}".encode()).hexdigest()
    assert told["platformid"] == f"id-{key[:32]}"
    assert (told["username"], told["avatar"]) == ("Alice", "https://pictures.example.com/alice.png")
    assert len(users()) == 1


def test_a_login_redirects_to_the_front_end_with_only_a_token(browser, identity):
    location = browser.log_in("identity").headers["Location"]

    assert location == f"{FRONTEND}?token={parameters(location)['token']}"


def test_a_second_login_finds_the_account(browser, identity, me, users):
    first = me(browser.log_in("identity"))
    identity.user |= {"name": "Alice in Chains"}

    assert me(browser.log_in("identity")) == first
    assert len(users()) == 1


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_the_same_subject_of_another_provider_is_another_account(make_app, identity, users):
    with identity_provider() as other:
        Browser(make_app(**identity.settings)).log_in("identity")
        Browser(make_app(**other.settings)).log_in("identity")

    assert len({user["platform_id"] for user in users()}) == 2


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
@pytest.mark.parametrize(("scheme", "kept"), [("https", True), ("http", False)])
def test_a_service_over_https_stores_only_avatars_over_https(make_app, identity, users, scheme, kept):
    base_url, picture = "https://api.example.com", f"{scheme}://pictures.example.com/alice.png"
    identity.redirect_uri = f"{base_url}/auth/identity/callback"
    identity.user |= {"picture": picture}

    Browser(make_app(**identity.settings, BASE_URL=base_url), base_url=base_url).log_in("identity")

    assert [user["avatar"] == picture for user in users()] == [kept]


NAMES = [
    ({"name": "Alice", "preferred_username": "al"}, "Alice"),
    ({"preferred_username": "alice.b"}, "alice.b"),
    ({"name": "", "preferred_username": "alice.c"}, "alice.c"),
    ({}, "player"),
]


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_the_username_is_the_name_or_else_the_preferred_username(app, identity, me):
    told = []
    for number, (claims, _) in enumerate(NAMES):
        identity.user = {"sub": str(number), **claims}
        told.append(me(Browser(app).log_in("identity"))["username"])

    assert told == [name for _, name in NAMES]


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
@pytest.mark.parametrize(
    ("subject", "name"), [("alice@provider", "Alice"), ("mallory@provider", "player"), (None, "player")]
)
def test_the_name_comes_from_userinfo_when_the_id_token_has_none(browser, identity, me, subject, name):
    identity.user = {"sub": SUBJECT}
    identity.userinfo = {"sub": subject, "name": "Alice"} if subject else None

    assert me(browser.log_in("identity"))["username"] == name


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
            claims = jwt.decode(token, key(provider.kid)).claims
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
    "a list of nonces": claim(nonce=["another"]),
    "another audience": claim(aud="another-client"),
    "other audiences": claim(aud=["another-client", "a-third"]),
    "another audience for us": claim(aud="another-client", azp=CLIENT_ID),
    "no audience": claim(aud=None),
    "an audience like ours": claim(aud=f"{CLIENT_ID}-2"),
    "more audiences and no party": claim(aud=[CLIENT_ID, "another-client"]),
    "another party": claim(azp="another-client"),
    "more audiences for another party": claim(aud=[CLIENT_ID, "another-client"], azp="another-client"),
    "another issuer": claim(iss="https://evil.example.com"),
    "Google's issuer": claim(iss="https://accounts.google.com"),
    "no issuer": claim(iss=None),
    "expired": claim(exp=NOW - 120, iat=NOW - 3600),
    "no expiry": claim(exp=None),
    "an expiry that is none": claim(exp="never"),
    "an endless expiry": claim(exp=float("inf")),
    "made in the future": claim(iat=NOW + 3600),
    "no time of making": claim(iat=None),
    "not yet good": claim(nbf=NOW + 3600),
    "no subject": claim(sub=None),
    "an empty subject": claim(sub=""),
    "a subject that is a number": claim(sub=7),
    "a subject that is too long": claim(sub="x" * 256),
    "a subject with a NUL": claim(sub="alice\x00"),
    "a subject that is no text": claim(sub="\ud800"),
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
    "nonsense": whole(lambda _token: "nonsense"),
    "nothing": whole(lambda _token: None),
    "a number": whole(lambda _token: 7),
    "another provider's answer": returned(lambda address: changed(address, iss="https://evil.example.com")),
    "nobody's answer": returned(lambda address: changed(address, iss=None)),
    "a wrong state": returned(lambda address: changed(address, state="A" * 43)),
    "no state": returned(lambda address: changed(address, state=None)),
    "no code": returned(lambda address: changed(address, code=None)),
    "an empty code": returned(lambda address: changed(address, code="")),
    "a code that is none": returned(lambda address: changed(address, code="none")),
    "the code twice": returned(lambda address: f"{address}&code={parameters(address)['code']}"),
    "the state twice": returned(lambda address: f"{address}&state={parameters(address)['state']}"),
    "two codes": returned(lambda address: address.replace("?", "?code=another&")),
    "cancelled": returned(lambda address: changed(address, code=None, error="access_denied")),
    "an error and a code": returned(lambda address: changed(address, error="server_error")),
}


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_manipulated_answer_of_the_provider_is_refused(make_app, users):
    wrong = {}
    for name, spoil in SPOILED.items():
        with identity_provider() as provider:
            spoil(provider)
            location = Browser(make_app(**provider.settings)).log_in("identity").headers["Location"]
        if location != FAILED:
            wrong[name] = location

    assert wrong == {}
    assert users() == []


SHARED = b"a secret that the provider shows to everybody"
OTHER_KEYS = [
    {"kty": "oct", "kid": "shared", "k": base64(SHARED)},
    {"kty": "AKP", "kid": "of-tomorrow", "pub": "AAAA"},
]


@pytest.mark.slow
def test_keys_of_other_types_are_ignored(browser, identity, me):
    identity.keys = lambda document: {"keys": [*OTHER_KEYS, *document["keys"]]}

    assert me(browser.log_in("identity"))["username"] == "Alice"


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_an_id_token_signed_with_a_published_symmetric_key_is_refused(browser, identity, users):
    identity.keys = lambda document: {"keys": [*OTHER_KEYS, *document["keys"]]}
    identity.id_token = by_secret(SHARED, kid="shared")

    assert browser.log_in("identity").headers["Location"] == FAILED
    assert users() == []


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
@pytest.mark.parametrize(
    "keys",
    [
        {"keys": OTHER_KEYS[1:]},
        {"keys": [{"kty": "RSA", "kid": "damaged", "n": "!", "e": "AQAB"}]},
        {"keys": [{"kty": "RSA", "kid": "incomplete"}]},
        {"keys": [{"kid": "without a type"}]},
        {"keys": ["not a key"]},
        {"keys": []},
        {"keys": 7},
        {},
        [],
        "<html>",
    ],
)
def test_a_provider_without_a_usable_key_is_reported_as_unavailable(browser, identity, users, keys):
    identity.keys = lambda _document: keys

    assert browser.log_in("identity").headers["Location"] == UNAVAILABLE
    assert users() == []


ANSWERS = {
    "an error": ({"error": "server_error"}, 500),
    "no JSON": "<html>",
    "a list": [],
    "a page for a refusal": ("<html>", 403),
    "too many": ("<html>", 429),
    "elsewhere": ("", 302, {"Location": "/elsewhere"}),
    "a time that is none": {"access_token": "a", "id_token": "b", "expires_in": [1]},
    "a text for a time": {"access_token": "a", "id_token": "b", "expires_in": "soon"},
    "an endless time": '{"access_token": "a", "id_token": "b", "expires_in": 1e999}',
    "lists without end": "[" * 100_000,
    "a list in lists": "[" * 100_000 + "]" * 100_000,
}


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_malformed_token_answer_is_reported_as_unavailable(app, identity, users):
    wrong = {}
    for name, instead in ANSWERS.items():
        identity.redeemed = lambda _answer, instead=instead: instead
        location = Browser(app).log_in("identity").headers["Location"]
        if location != UNAVAILABLE:
            wrong[name] = location

    assert wrong == {}
    assert users() == []


GOOD = {
    "one audience as a list": claim(aud=[CLIENT_ID]),
    "one audience as a text": claim(aud=CLIENT_ID),
    "ourselves as the party": claim(azp=CLIENT_ID),
    "more audiences with ourselves as the party": claim(aud=[CLIENT_ID, "another-client"], azp=CLIENT_ID),
    "no hash of the access token": claim(at_hash=None),
    "a clock that is a little ahead": claim(iat=NOW + 30),
}


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
@pytest.mark.parametrize("answer", GOOD)
def test_every_valid_answer_is_accepted(browser, identity, me, answer):
    GOOD[answer](identity)

    assert me(browser.log_in("identity"))["username"] == "Alice"


def test_a_login_that_the_player_cancels_fails(browser, identity, users):
    identity.user = None

    answer = browser.log_in("identity")

    assert answer.headers["Location"] == FAILED
    assert users() == []


def test_a_login_begun_in_another_browser_is_refused(app, identity, returning, users):
    stranger = Browser(app)
    stranger.begin("identity")

    answers = [Browser(app).back(returning), stranger.back(returning)]

    assert [answer.headers["Location"] for answer in answers] == [FAILED, FAILED]
    assert users() == []


def test_a_code_of_another_login_is_refused(app, browser, identity, returning, users):
    stolen = parameters(returning)["code"]
    thief = Browser(app)
    own = thief.at_provider(thief.begin("identity"))

    answer = thief.back(changed(own, code=stolen))

    assert answer.headers["Location"] == FAILED
    assert users() == []
    # It was the challenge that did not fit: the code itself is still good.
    assert stolen in identity.codes


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_wrong_client_secret_fails_the_login(make_app, identity, users):
    browser = Browser(make_app(**identity.settings | {"IDENTITY_CLIENT_SECRET": "not ours"}))

    assert browser.log_in("identity").headers["Location"] == FAILED
    assert users() == []


def test_a_code_can_be_redeemed_once(app, browser, identity, returning):
    cookie = browser.cookie("login_identity").value
    browser.back(returning)
    again = Browser(app)
    again.client.set_cookie("login_identity", cookie, domain="127.0.0.1", path="/auth")

    assert again.back(returning).headers["Location"] == FAILED


def test_a_login_that_takes_too_long_fails(make_app, identity, users):
    late = [600_000]
    browser = Browser(make_app(**identity.settings, clock=lambda: now_ms() - late[0]))
    address = browser.at_provider(browser.begin("identity"))
    late[0] = 0

    assert browser.back(address).headers["Location"] == FAILED
    assert users() == []


@pytest.fixture
def ahead():
    """A list of one: by how many milliseconds the clock of ``app_with_a_clock`` is ahead."""
    return [0]


@pytest.fixture
def app_with_a_clock(make_app, identity, ahead):
    return make_app(**identity.settings, clock=lambda: now_ms() + ahead[0])


def test_the_provider_may_change_its_keys_after_a_minute(app_with_a_clock, ahead, identity):
    Browser(app_with_a_clock).log_in("identity")
    identity.kid = "second"
    ahead[0] = 60_000

    assert "token" in parameters(Browser(app_with_a_clock).log_in("identity").headers["Location"])


def test_the_provider_may_change_its_keys_under_the_same_ids(app_with_a_clock, ahead, identity):
    Browser(app_with_a_clock).log_in("identity")
    new = key("second").as_dict(private=False) | {"kid": "first"}
    identity.keys = lambda _document: {"keys": [new]}
    signed({"alg": "RS256", "kid": "first"}, key("second"))(identity)
    ahead[0] = 60_000

    assert "token" in parameters(Browser(app_with_a_clock).log_in("identity").headers["Location"])


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_an_unknown_key_is_looked_up_at_most_once_a_minute(app_with_a_clock, ahead, identity):
    SPOILED["a key that is not shown"](identity)

    lookups = []
    for ahead[0] in (0, 0, 60_000, 60_000):
        Browser(app_with_a_clock).log_in("identity")
        lookups.append(identity.asked.count("/keys"))

    assert lookups == [1, 1, 2, 2]


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_the_documents_of_the_provider_are_cached_for_an_hour(make_app, identity):
    past = [3_600_000]
    app = make_app(**identity.settings, clock=lambda: now_ms() + 3_600_000 - past[0])
    for _ in range(2):
        Browser(app).log_in("identity")
    kept = [identity.asked.count(path) for path in ("/.well-known/openid-configuration", "/keys")]
    past[0] = 0
    Browser(app).log_in("identity")

    assert kept == [1, 1]
    assert [identity.asked.count(path) for path in ("/.well-known/openid-configuration", "/keys")] == [2, 2]


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
@pytest.mark.parametrize("method", ["client_secret_basic", "client_secret_post"])
def test_the_client_secret_is_sent_by_the_method_that_the_provider_supports(browser, identity, me, method):
    identity.document = lambda document: document | {"token_endpoint_auth_methods_supported": [method]}

    assert me(browser.log_in("identity"))["username"] == "Alice"


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_the_discovery_url_may_have_a_query(make_app, identity, me, users):
    url = identity.settings["IDENTITY_DISCOVERY_URL"]
    app = make_app(**identity.settings | {"IDENTITY_DISCOVERY_URL": f"{url}?tenant=a"})

    Browser(app).log_in("identity")

    assert len(users()) == 1


DOCUMENTS = {
    "an issuer that is a number": {"issuer": 1},
    "no issuer": {"issuer": None},
    "no login": {"authorization_endpoint": None},
    "a login that is none": {"authorization_endpoint": "javascript:alert(1)"},
    "no token endpoint": {"token_endpoint": 7},
    "no keys": {"jwks_uri": "file:///etc/passwd"},
    "an issuer that is no text": {"issuer": "https://a.example.com/\ud800"},
    "a login in another script": {"authorization_endpoint": "https://a.example.com/\u00e4"},
    "a login over http": {"authorization_endpoint": "http://a.example.com/"},
    "userinfo over http": {"userinfo_endpoint": "http://a.example.com/"},
    "a login that is no text": {"authorization_endpoint": "https://a.example.com/\ud800"},
    "a login at no host": {"authorization_endpoint": "https://"},
    "a login at half a host": {"authorization_endpoint": "https://[::1/"},
}


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_malformed_discovery_document_is_reported_as_unavailable(make_app):
    wrong = {}
    documents = {name: lambda document, by=change: document | by for name, change in DOCUMENTS.items()}
    documents["an error"] = lambda _document: ({}, 500)
    documents["no JSON"] = lambda _document: "<html>"
    documents["a list"] = lambda document: [document]
    for name, document in documents.items():
        with identity_provider() as provider:
            provider.document = document
            location = Browser(make_app(**provider.settings)).begin("identity")
        if location != UNAVAILABLE:
            wrong[name] = location

    assert wrong == {}


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_provider_that_is_down_is_reported_before_the_redirect(make_app):
    with identity_provider() as provider:
        browser = Browser(make_app(**provider.settings))

    assert browser.begin("identity") == UNAVAILABLE
    assert browser.cookie("login_identity") is None


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_provider_that_goes_down_during_a_login_is_reported_as_unavailable(make_app, users):
    with identity_provider() as provider:
        browser = Browser(make_app(**provider.settings))
        address = browser.at_provider(browser.begin("identity"))

    assert browser.back(address).headers["Location"] == UNAVAILABLE
    assert users() == []


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_provider_that_does_not_answer_is_reported_as_unavailable(
    browser, identity, returning, users, monkeypatch
):
    monkeypatch.setattr(calls, "SECONDS", 0.3)
    identity.free.clear()

    assert browser.back(returning).headers["Location"] == UNAVAILABLE
    assert users() == []


@pytest.mark.parametrize("path", ["/auth/identity", "/auth/identity/callback?code=1&state=2"])
@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_without_a_client_id_the_login_is_not_configured(client, path):
    answer = client.get(path)

    assert (answer.status_code, answer.json) == (501, {"error": "This login is not configured"})


class Keys:
    """The keys of a provider that does not run."""

    def keys(self, *, now):
        return key("first")


@pytest.mark.parametrize("issuer", ["https://accounts.google.com", "accounts.google.com"])
def test_googles_issuer_may_omit_the_scheme(issuer):
    claims = {"iss": issuer, "aud": CLIENT_ID, "sub": SUBJECT, "nonce": "n", "iat": NOW, "exp": NOW + 60}
    token = jwt.encode({"alg": "RS256", "kid": "first"}, claims, key("first"), ["RS256"])

    read = read_id_token(
        token,
        issuer=GOOGLE,
        client_id=CLIENT_ID,
        nonce="n",
        access_token=None,
        discovery=Keys(),
        now=Millis(NOW * 1000),
    )

    assert read["sub"] == SUBJECT
