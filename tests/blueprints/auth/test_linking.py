"""POST and DELETE /auth/link: a second login for an account, with real providers."""

from functools import partial
from types import SimpleNamespace

import pytest

from models.audit_trail import AuditEvent
from models.db.connection import reading, writing
from models.users import PERMANENTLY, User
from services.shared.clock import now_ms
from tests.blueprints.auth.conftest import FRONTEND
from tests.harness.players import bearer
from tests.harness.spins import Clock
from tests.support.at_once import all_at_once
from tests.support.browser import BASE_URL, DOMAIN, Browser, changed, parameters
from tests.support.two_factor import Authenticator

MINUTE = 60_000
OTHER = {"platform": "identity", "identity": "platform"}
BOTH = ["platform", "identity"]
LINK_FAILED = f"{FRONTEND}?error=link_failed"
ALREADY_LINKED = f"{FRONTEND}?error=already_linked"
SUCCESS = (200, {"success": True})
NOT_FOUND = (404, {"error": "Login not found"})
LAST = (400, {"error": "Your last way to log in can't be removed"})
LINKED = (400, {"error": "You already log in with this provider"})
CODE_REQUIRED = (403, {"error": "Two-factor code required"})


@pytest.fixture
def stopped_clock():
    return Clock(now_ms())


@pytest.fixture
def settings(game_platform, identity):
    return game_platform.settings | identity.settings


class Account(Browser):
    """A browser in which somebody is logged in."""

    def __init__(self, app, provider):
        super().__init__(app)
        self.headers = bearer(parameters(self.log_in(provider).headers["Location"])["token"])
        self.platform_id = self.me()["platformid"]

    def me(self):
        return self.client.get("/auth/me", headers=self.headers).json

    def ask(self, provider, **headers):
        """Asks for a link; status and body."""
        answer = self.client.post(
            "/auth/link", json={"provider": provider}, headers=self.headers | headers, base_url=BASE_URL
        )
        return answer.status_code, answer.json

    def returning(self, provider):
        """Begins a link and logs in at the provider; the URL to which that redirects the browser."""
        return self.at_provider(self.ask(provider)[1]["url"])

    def link(self, provider):
        """Does all of a link; where it ends."""
        return self.back(self.returning(provider)).headers["Location"]

    def remove(self, provider, **headers):
        """Status and body."""
        answer = self.client.delete(f"/auth/link/{provider}", headers=self.headers | headers)
        return answer.status_code, answer.json

    def notifications(self):
        told = self.client.get("/profile/notifications", headers=self.headers).json
        return [(each["title"], each["message"]) for each in told]


@pytest.fixture
def account(app):
    """Somebody who has logged in with the game platform."""
    return Account(app, "platform")


def events(what):
    with reading():
        found = AuditEvent.select().where(AuditEvent.what == what).order_by(AuditEvent.id)
        return [(event.who, event.player, event.before or event.after) for event in found]


@pytest.mark.both_databases("services/accounts/logins.py")
@pytest.mark.parametrize("first", BOTH)
def test_both_providers_lead_to_an_account_that_has_linked_them(app, me, users, first):
    account = Account(app, first)
    before = account.me()
    assert before["logins"] == [first]

    assert account.link(OTHER[first]) == f"{FRONTEND}?linked={OTHER[first]}"

    logged_in = [me(Browser(app).log_in(provider)) for provider in BOTH]
    assert logged_in == [before | {"logins": BOTH}] * 2
    assert len(users()) == 1


@pytest.mark.both_databases("models/migrations/0012_logins.py")
def test_a_linked_login_of_an_operators_account_leads_to_it(app, account, run, me, game_platform):
    made = run("users", "create", "carol")
    game_platform.player = "76561198000000003"
    account.headers = bearer(made["token"])
    assert account.me()["logins"] == []

    account.link("platform")

    assert me(Browser(app).log_in("platform"))["platformid"] == made["platformid"]


@pytest.mark.parametrize("provider", BOTH)
def test_a_link_asks_the_provider_as_a_login_does(app, provider):
    account = Account(app, OTHER[provider])

    status, answer = account.ask(provider)

    cookie = account.cookie(f"login_{provider}")
    assert (status, set(answer), answer["success"]) == (200, {"success", "url"}, True)
    assert answer["url"].partition("?")[0] == account.begin(provider).partition("?")[0]
    assert (cookie.http_only, cookie.same_site, cookie.path, cookie.max_age) == (True, "Lax", "/auth", 300)
    assert not any(value in cookie.value for value in parameters(answer["url"]).values())


def test_a_login_of_another_account_is_not_linked_and_nothing_is_merged(app, account, me, users):
    other = me(Browser(app).log_in("identity"))

    assert account.link("identity") == ALREADY_LINKED

    assert account.me()["logins"] == ["platform"]
    assert me(Browser(app).log_in("identity")) == other
    assert len(users()) == 2


@pytest.mark.both_databases("a race")
def test_one_of_two_accounts_that_link_a_login_at_once_gets_it(app, account, me, game_platform):
    game_platform.player = "76561198000000002"
    accounts = [account, Account(app, "platform")]
    returning = [each.returning("identity") for each in accounts]

    ended = all_at_once(
        [partial(each.back, address) for each, address in zip(accounts, returning, strict=True)]
    )

    ends = [answer.headers["Location"] for answer in ended]
    assert sorted(ends) == sorted([ALREADY_LINKED, f"{FRONTEND}?linked=identity"])
    winner = accounts[ends.index(f"{FRONTEND}?linked=identity")]
    assert me(Browser(app).log_in("identity"))["platformid"] == winner.platform_id
    assert winner.me()["logins"] == BOTH


@pytest.mark.both_databases("a race")
def test_a_login_that_is_linked_while_it_logs_in_leads_to_one_account(app, account, me, users):
    linking, other = account.returning("identity"), Browser(app)
    logging_in = other.at_provider(other.begin("identity"))

    linked, logged_in = all_at_once([partial(account.back, linking), partial(other.back, logging_in)])

    is_linked = linked.headers["Location"] == f"{FRONTEND}?linked=identity"
    assert linked.headers["Location"] == ALREADY_LINKED or is_linked
    assert (me(logged_in)["platformid"] == account.platform_id) == is_linked
    assert len(users()) == (1 if is_linked else 2)


@pytest.mark.security("Linked logins")
def test_a_link_works_only_in_the_browser_that_asked_for_it(app, account, me):
    returning = account.returning("identity")
    stranger = Browser(app)
    stranger.begin("identity")

    for browser in (Browser(app), stranger):
        assert browser.back(returning).headers["Location"] == LINK_FAILED

    assert account.me()["logins"] == ["platform"]
    assert me(Browser(app).log_in("identity"))["platformid"] != account.platform_id


@pytest.mark.security("Linked logins")
def test_a_link_works_once(app):
    account = Account(app, "identity")
    url = account.ask("platform")[1]["url"]
    cookie = account.cookie("login_platform").value
    # Two answers of the provider, either of which would do.
    first, second = account.at_provider(url), account.at_provider(url)
    assert account.back(first).headers["Location"] == f"{FRONTEND}?linked=platform"
    account.remove("platform")
    copy = Browser(app)
    copy.client.set_cookie("login_platform", cookie, domain=DOMAIN, path="/auth")

    answer = copy.back(second)

    assert answer.headers["Location"] == LINK_FAILED
    assert account.me()["logins"] == ["identity"]


@pytest.mark.both_databases("a race")
@pytest.mark.security("Linked logins")
def test_one_of_many_concurrent_uses_of_a_link_succeeds(app, account):
    returning = account.returning("identity")
    cookie = account.cookie("login_identity").value
    copies = [Browser(app) for _ in range(4)]
    for copy in copies:
        copy.client.set_cookie("login_identity", cookie, domain=DOMAIN, path="/auth")

    ended = all_at_once([partial(copy.back, returning) for copy in copies])

    ends = sorted(answer.headers["Location"] for answer in ended)
    assert ends == [LINK_FAILED] * 3 + [f"{FRONTEND}?linked=identity"]


def test_a_link_is_valid_for_five_minutes(make_app, settings, stopped_clock):
    account = Account(make_app(clock=stopped_clock, **settings), "identity")
    returning = account.returning("platform")
    stopped_clock.now += 5 * MINUTE

    assert account.back(returning).headers["Location"] == LINK_FAILED
    assert account.me()["logins"] == ["identity"]


def test_a_cancelled_link_fails_and_the_next_one_works(account):
    returning = account.returning("identity")

    answer = account.back(changed(returning, code=None, error="access_denied"))

    assert answer.headers["Location"] == LINK_FAILED
    assert account.cookie("login_identity") is None
    assert account.link("identity") == f"{FRONTEND}?linked=identity"


@pytest.mark.security("Linked logins")
@pytest.mark.parametrize("ended", ["logout", "suspend"])
def test_a_link_fails_once_the_token_is_revoked_or_the_player_suspended(app, account, run, me, ended):
    returning = account.returning("identity")
    run("users", ended, account.platform_id)

    assert account.back(returning).headers["Location"] == LINK_FAILED
    assert me(Browser(app).log_in("identity"))["platformid"] != account.platform_id


@pytest.mark.security("Linked logins")
def test_a_link_fails_once_the_account_is_closed(app, account, me):
    returning = account.returning("identity")
    closed = account.client.post("/profile/close", json={"forfeit": True}, headers=account.headers)
    assert closed.json == {"success": True}

    assert account.back(returning).headers["Location"] == LINK_FAILED
    assert me(Browser(app).log_in("identity"))["platformid"] != account.platform_id


def test_a_link_needs_a_token_a_known_provider_and_none_of_its_own(account, make_app, game_platform):
    refused = [account.ask(provider) for provider in (None, "", "steam", 5, ["identity"])]
    unconfigured = Account(make_app(**game_platform.settings), "platform")

    assert refused == [(400, {"error": "Unknown provider"})] * 5
    assert account.ask("platform") == LINKED
    assert unconfigured.ask("identity") == (501, {"error": "This login is not configured"})
    account.headers = {}
    assert account.ask("identity") == (401, {"error": "Unauthorized"})
    assert account.remove("platform") == (401, {"error": "Unauthorized"})


def test_a_link_to_a_provider_that_is_down_is_refused(make_app, settings, game_platform):
    settings |= {"IDENTITY_DISCOVERY_URL": "http://127.0.0.1:9/nothing"}
    account = Account(make_app(**settings), "platform")

    assert account.ask("identity") == (503, {"error": "The provider can't be reached"})


def test_another_origin_can_ask_for_a_link_and_keep_its_cookie(make_app, settings):
    base_url, front_end = "https://api.example.com", "https://play.example.net"
    app = make_app(**settings, BASE_URL=base_url, FRONTEND_URL=front_end)
    browser = Browser(app, base_url=base_url)
    headers = bearer(parameters(browser.log_in("platform").headers["Location"])["token"])
    headers |= {"Origin": front_end}

    answer = browser.client.post(
        "/auth/link", json={"provider": "identity"}, headers=headers, base_url=base_url
    )

    assert answer.headers["Access-Control-Allow-Origin"] == front_end
    assert answer.headers["Access-Control-Allow-Credentials"] == "true"
    assert {"Secure", "HttpOnly", "SameSite=None"} <= set(answer.headers["Set-Cookie"].split("; "))
    assert answer.headers["Cache-Control"] == "no-store"


@pytest.mark.security("Linked logins")
def test_the_setting_asks_for_a_code_to_link_and_to_remove(make_app, settings, stopped_clock):
    app = make_app(clock=stopped_clock, **settings, TWO_FACTOR_REQUIRED_FOR="link-login")
    account = Account(app, "platform")
    account.link("identity")
    authenticator = Authenticator(app, SimpleNamespace(headers=account.headers))

    assert account.ask("identity") == CODE_REQUIRED
    assert account.remove("identity") == CODE_REQUIRED
    assert account.remove("identity", **{"X-2FA-Code": authenticator.code()}) == SUCCESS
    assert account.link("identity") == f"{FRONTEND}?linked=identity"


# Removing


@pytest.mark.both_databases("services/accounts/logins.py")
def test_a_removed_login_makes_an_account_of_its_own_again(app, account, me):
    account.link("identity")

    assert account.remove("identity") == SUCCESS

    assert account.me()["logins"] == ["platform"]
    other = me(Browser(app).log_in("identity"))
    assert other["platformid"].startswith("id-")
    assert other["logins"] == ["identity"]
    assert account.link("identity") == ALREADY_LINKED


@pytest.mark.both_databases("services/accounts/logins.py")
@pytest.mark.parametrize("first", BOTH)
def test_the_login_that_made_an_account_stays_reserved_for_it(app, users, me, first, game_platform, identity):
    account = Account(app, first)
    account.link(OTHER[first])
    assert account.remove(first) == SUCCESS

    assert Browser(app).log_in(first).headers["Location"] == f"{FRONTEND}?error=login_removed"
    assert me(Browser(app).log_in(OTHER[first]))["platformid"] == account.platform_id
    assert len(users()) == 1
    stranger = another_account(app, OTHER[first], game_platform, identity)
    assert stranger.link(first) == ALREADY_LINKED
    assert account.link(first) == f"{FRONTEND}?linked={first}"
    assert me(Browser(app).log_in(first))["platformid"] == account.platform_id


def another_account(app, provider, game_platform, identity):
    """Somebody else, who has logged in with this provider."""
    player, user = game_platform.player, identity.user
    game_platform.player, identity.user = "76561198000000002", {"sub": "bob", "name": "Bob"}
    stranger = Account(app, provider)
    game_platform.player, identity.user = player, user
    return stranger


def test_the_last_login_and_those_that_are_not_linked_can_t_be_removed(account):
    assert account.remove("platform") == LAST
    assert [account.remove(name) for name in ("identity", "steam", "PLATFORM")] == [NOT_FOUND] * 3
    assert account.me()["logins"] == ["platform"]


@pytest.mark.both_databases("a race")
def test_two_requests_at_once_can_t_remove_both_logins(account):
    account.link("identity")

    answers = all_at_once([partial(account.remove, provider) for provider in BOTH])

    assert sorted(answers) == [SUCCESS, LAST]
    assert len(account.me()["logins"]) == 1


def test_a_login_with_a_provider_that_is_not_configured_any_more_is_no_way_in(make_app, settings):
    account = Account(make_app(**settings), "platform")
    account.link("identity")
    unconfigured = {"IDENTITY_CLIENT_ID": "", "IDENTITY_CLIENT_SECRET": ""}
    account.client = make_app(**settings | unconfigured).test_client()

    assert account.remove("platform") == LAST
    assert account.remove("identity") == SUCCESS


@pytest.mark.parametrize("until", [lambda: now_ms() + MINUTE, lambda: PERMANENTLY], ids=["break", "for ever"])
def test_a_player_on_a_break_can_link_a_login_and_not_remove_one(account, until):
    with writing():
        User.update(excluded_until_ms=until()).execute()

    assert account.link("identity") == f"{FRONTEND}?linked=identity"
    assert account.remove("platform") == (400, {"error": "Logins can't be removed during a break"})
    assert account.me()["logins"] == BOTH


def test_a_login_that_waits_for_a_code_ends_when_it_is_removed(make_app, settings, stopped_clock):
    app = make_app(clock=stopped_clock, **settings, TWO_FACTOR_REQUIRED_FOR="login")
    account = Account(app, "platform")
    account.link("identity")
    authenticator = Authenticator(app, SimpleNamespace(headers=account.headers))
    waiting = Browser(app)
    challenge = parameters(waiting.log_in("identity").headers["Location"])["challenge"]

    account.remove("identity")

    body = {"challenge": challenge, "code": authenticator.code()}
    assert waiting.client.post("/auth/two-factor", json=body, base_url=BASE_URL).status_code == 401


@pytest.mark.both_databases("services/accounts/logins.py")
def test_support_gives_an_account_back_to_the_login_that_made_it(app, account, run, me):
    account.link("identity")
    account.remove("platform")

    restored = run("users", "restore-login", account.platform_id)

    assert restored == {"platformid": account.platform_id, "logins": ["platform"]}
    assert me(Browser(app).log_in("platform"))["platformid"] == account.platform_id
    assert me(Browser(app).log_in("identity"))["platformid"] != account.platform_id
    assert account.client.get("/auth/me", headers=account.headers).status_code == 401


def test_an_account_that_no_login_has_made_can_t_be_given_back(run, fails):
    made = run("users", "create", "carol")

    assert "no login has made this account" in fails("users", "restore-login", made["platformid"])


# What the player and the operator are told


def test_links_and_removals_are_notified_and_audited(account):
    account.link("identity")
    account.remove("platform")

    told = "If that was not you, log out everywhere and contact support."
    assert account.notifications() == [
        ("Login removed", f"You can't log in with the game platform any more. {told}"),
        ("Login linked", f"You can log in with the identity provider now. {told}"),
    ]
    who = account.platform_id
    assert events("account.login-linked") == [(who, who, '{"provider":"identity"}')]
    assert events("account.login-removed") == [(who, who, '{"provider":"platform"}')]


def test_a_login_with_a_linked_provider_is_audited_as_the_account(app, account):
    account.link("identity")
    Browser(app).log_in("identity")

    who = account.platform_id
    assert events("account.logged-in")[-1] == (who, who, '{"provider":"identity"}')


def test_the_picture_of_a_linked_provider_does_not_replace_that_of_the_account(app, account, me, identity):
    identity.user |= {"picture": "https://pictures.example.com/alice.png"}
    account.link("identity")

    assert me(Browser(app).log_in("identity"))["avatar"] == account.me()["avatar"]
    assert "pictures" not in account.me()["avatar"]


def test_each_socket_of_the_player_is_told_of_a_change(app, account, connect):
    sockets = [connect(SimpleNamespace(token=account.headers["Authorization"][7:])) for _ in range(2)]

    account.link("identity")
    account.remove("platform")

    for socket in sockets:
        assert [socket.expect("logins:changed") for _ in range(2)] == [
            {"logins": BOTH},
            {"logins": ["identity"]},
        ]


def test_own_trade_urls_are_those_of_the_linked_login(settings, make_app):
    app = make_app(**settings, TRADE_URL_OWN_ONLY="1")
    account = Account(app, "identity")
    account.link("platform")

    def put(partner):
        url = f"https://steamcommunity.com/tradeoffer/new/?partner={partner}"
        answer = account.client.put("/profile/trade-url", json={"url": url}, headers=account.headers)
        return answer.status_code

    assert [put(39734273), put(39734274)] == [200, 400]


@pytest.mark.security("Secrets of the operator")
def test_a_link_leaves_no_secret_in_the_log(account, log_text):
    address = account.ask("identity")[1]["url"]
    cookie = account.cookie("login_identity").value
    back = account.at_provider(address)
    account.back(changed(back, state="A"))
    account.back(back)

    passed = parameters(address) | parameters(back)
    secrets = [cookie, *(passed[name] for name in ("state", "nonce", "code_challenge", "code"))]
    assert [secret for secret in secrets if secret in log_text()] == []
