"""PUT /profile/trade-url: only trade-offer URLs of the game platform are accepted."""

import pytest

from models.logins import LoginProvider
from models.users import User
from services.accounts import logins

DONE = (200, {"success": True})
REQUIRED = (400, {"error": "Trade URL is required"})
INVALID = (400, {"error": "Invalid trade URL"})

BASE = "https://steamcommunity.com/tradeoffer/new/"
URL = BASE + "?partner=123"


@pytest.fixture
def put(call):
    return lambda url: call("PUT", "trade-url", {"url": url})


def test_a_valid_trade_url_is_stored_unchanged(put, me):
    numbers = BASE + "?partner=1", BASE + "?partner=4294967295"
    for url in (URL, *numbers, URL + "&token=aZ_-9", URL + "&token=" + "a" * 439):
        # Setting the same one again succeeds too.
        assert [put(url), put(url)] == [DONE] * 2
        assert me()["tradeUrl"] == url


@pytest.mark.parametrize(
    ("rest", "kept"),
    [
        ("&token=aZ_-9&utm_source=a.b%20c", "&token=aZ_-9"),
        ("&token=aZ_-9&l=german&tokens=1", "&token=aZ_-9"),
        ("&x&partners=", ""),
    ],
)
def test_parameters_after_partner_and_token_are_dropped(put, me, rest, kept):
    assert put(URL + rest) == DONE
    assert me()["tradeUrl"] == URL + kept


def test_a_url_is_required(call, put):
    answers = [call("PUT", "trade-url"), call("PUT", "trade-url", {}), put(None), put("")]

    assert answers == [REQUIRED] * 4


def with_host(*hosts):
    return [URL.replace("steamcommunity.com", host) for host in hosts]


def with_path(*paths):
    return [URL.replace("/tradeoffer/new/", path) for path in paths]


def with_query(*queries):
    return [BASE + query for query in queries]


def ending(*rest):
    return [URL + more for more in rest]


AFTER_SCHEME = URL.removeprefix("https://")

HOSTILE = [
    *(0, True, [URL], {"url": URL}, " ", "steamcommunity.com"),
    *("http://" + AFTER_SCHEME, "HTTPS://" + AFTER_SCHEME, "//" + AFTER_SCHEME, "javascript:" + URL),
    *("https:/" + AFTER_SCHEME, "https:///" + AFTER_SCHEME, "https:\\\\" + AFTER_SCHEME),
    *with_host("steamcommunity.com.evil.test", "steamcommunity.com:443", "steamcommunity.com.", "", "@"),
    *with_host("steamcommunityXcom", "www.steamcommunity.com", "st\u00adeamcommunity.com", "e.test"),
    *with_host("a@steamcommunity.com", "steamcommunity.com@e.test", "Steamcommunity.com"),
    *with_host("\u017fteamcommunity.com", "%73teamcommunity.com"),
    *with_host(*(f"evil.test{mark}steamcommunity.com" for mark in "/#?\\@")),
    *with_path("/tradeoffer/new", "/tradeoffer/new//", "/x/../tradeoffer/new/", "//tradeoffer/new/"),
    *with_path("/Tradeoffer/new/", "/tradeoffer/%6eew/", "\\tradeoffer\\new\\", "/tradeoffer/\nnew/"),
    *with_query("", "?partner=", "?partner=a", "?partner=-1", "?partner=1%30", "?partner=\uff11"),
    *with_query("?token=a&partner=1", "?xpartner=1", "?partner[]=1", "?&partner=1", "?partner=0x1"),
    *ending("&", "&token=", "&token=a.b", "&token=\u00e4", "&x=1&token=a", "&partner=2", "&token=a&token=b"),
    *ending("?token=a", "#a", "/", "&token=<script>", " ", "\n", "\nSet-Cookie: a", "\u200b", "\x01"),
    *(blank + URL for blank in (" ", "\t", "\ufeff")),
    # One character too many.
    *ending("&token=" + "a" * 440, "&token=a&x=" + "a" * 437),
]


def test_an_invalid_url_is_refused(put, me):
    answers = {str(url): put(url) for url in HOSTILE}

    assert {url: answer for url, answer in answers.items() if answer != INVALID} == {}
    assert me()["tradeUrl"] == ""


OWN_ID, OWN_URL = "76561198000000001", BASE + "?partner=39734273"


def test_the_host_can_be_configured(make_app, new_player):
    app = make_app(PLATFORM_TRADE_HOST="Trade.Example.com")
    player = new_player("other")

    put = app.test_client().put
    urls = with_host("trade.example.com", "steamcommunity.com", "tradeXexample.com")

    answers = [put("/profile/trade-url", json={"url": url}, headers=player.headers) for url in urls]

    assert [answer.status_code for answer in answers] == [200, 400, 400]


@pytest.fixture
def put_with_own_only(make_app, clock):
    """Sets a trade URL as a player of this platform id, where only own ones are allowed; status and body."""
    app = make_app(clock=clock, TRADE_URL_OWN_ONLY="1")

    def put(url, platform_id=OWN_ID):
        services = app.extensions["services"]
        token = services.tokens.issue(User(platform_id=platform_id), now=clock())
        headers = {"Authorization": f"Bearer {token}"}
        answer = app.test_client().put("/profile/trade-url", json={"url": url}, headers=headers)
        return answer.status_code, answer.json

    return put


@pytest.mark.security("Trade URLs")
def test_with_the_setting_only_the_own_trade_url_is_valid(put_with_own_only, new_player):
    new_player(platform_id=OWN_ID)

    assert put_with_own_only(f"{OWN_URL}&token=aB3_x-9z") == DONE
    foreign = [BASE + f"?partner={number}" for number in ("39734274", "1")]
    assert [put_with_own_only(url) for url in foreign] == [INVALID] * len(foreign)


def test_identity_provider_accounts_may_have_any_url_by_setting(put_with_own_only, app, clock):
    platform_id = "id-" + "0" * 32
    logins.get_or_create(
        login_id=platform_id, provider=LoginProvider.IDENTITY, username="bob", avatar="", now=clock()
    )

    assert put_with_own_only(OWN_URL, platform_id) == DONE
