"""Settings: valid values, the errors of bad ones, and secrets that are never shown."""

import ast
import base64
import os
import re
import stat
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

from services.beacon.chain import QUICKNET
from settings import PUBLIC_RELAYS, Settings, SettingsError
from verify.witness import ED25519, ML_DSA_44, Signer

ROOT = Path(__file__).resolve().parents[1]
GOOD_SECRET = "f3a9c1d77be04e52a8816b1f0c9d2e34"
OTHER_SECRET = "0b7e55d1c2f84a6d9be3a7716c20f498"
KEY = b"32 bytes that sign the log......"
KEY_TEXT = base64.b64encode(KEY).decode()

KEY_OF_LOG = "must be 32 random bytes in base64"
AMOUNT = "must be an amount from 0.01 to 1000000000 with at most two decimals"
FRACTION = "must be a fraction from 0 to below 1 with at most six decimals"
SECONDS = "must be seconds from 0 to 600 with at most three decimals"
ADDRESS = "must be an http or https address"
FRAGMENT = "must be an address without a fragment"
QUERY = "must be an address without a query"
ORIGINS = "must be origins such as https://play.example.com, separated by commas"
REDIS = "must be a URL such as redis://:PASSWORD@HOST:6379/0 or rediss://…, with a percent-encoded password"
DATABASE = "must begin with sqlite:/// or postgresql://"
POSTGRESQL = "must be a URL such as postgresql://USER:PASSWORD@HOST/DATABASE, with a percent-encoded password"
HOST = "must be a host name such as trade.example.com"
CODE = "must be 4 to 24 letters and digits"
WEBHOOK = "must be one or more secrets such as whsec_…, with 24 to 64 bytes in base64, between blanks"
WEBHOOK_SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
PROVIDERS = "must be one or more of btcpay, demo, separated by commas"
AMOUNT_OR_NONE = "must be an amount from 0 to 1000000000 with at most two decimals"
FACTOR = "must be a factor from 0 to 1000 with at most six decimals"
POLL_SECONDS = "must be seconds from 0.1 to 600 with at most three decimals"
RELAYS = "must be demo, or addresses such as https://api.drand.sh, separated by commas"
WEAK = "must be a random text of at least 32 characters"
WELL_KNOWN = "/.well-known/openid-configuration"
STORE = "9CiNzKoANXxmk5ayZngSXrHTiVvvgCrwrpFQd4m2K776"
AT_TEST = f"https://provider.test{WELL_KNOWN}"
NETWORKS = "must be networks such as 192.0.2.0/24 or 2001:db8::/48, separated by commas"
MISSING = "must be given when APP_ENV is production"

IN_PRODUCTION = {
    "APP_ENV": "production",
    "SECRET_KEY": GOOD_SECRET,
    "JWT_SECRET": OTHER_SECRET,
    "LOG_SIGNING_KEY": KEY_TEXT,
    "BASE_URL": "https://api.example.com",
}


@pytest.fixture
def read(tmp_path):
    """Reads settings from variables, with an instance directory of the test's own."""

    def from_variables(**variables):
        return Settings.from_env(variables, instance_dir=tmp_path / "instance")

    return from_variables


@pytest.fixture
def refused(read):
    """The lines that say what is wrong with these variables."""

    def lines(**variables):
        with pytest.raises(SettingsError) as raised:
            read(**variables)
        return str(raised.value).splitlines()

    return lines


def test_the_default_database_is_in_the_instance_directory(read, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    directories = {"": "instance", str(tmp_path / "elsewhere"): "elsewhere", "relative": "relative"}
    for given, directory in directories.items():
        settings = read(INSTANCE_DIR=given)

        assert settings.instance_dir == tmp_path / directory
        assert settings.database_url == f"sqlite:///{tmp_path}/{directory}/platform.db"


def test_another_port_moves_the_default_address_with_it(read):
    for settings, address in ((read(), "http://127.0.0.1:5000"), (read(PORT="80"), "http://127.0.0.1:80")):
        assert (settings.base_url, settings.frontend_url) == (address, f"{address}/")


WITNESSES = [
    Signer(f"w{number}.example/w", type_, b"." * 32).verifier_key
    for number, type_ in enumerate((ED25519, ML_DSA_44, ED25519))
]
WITNESS = WITNESSES[0]
OTHER_KEY_OF_WITNESS = Signer("w0.example/w", ML_DSA_44, b"." * 32).verifier_key
NO_WITNESSES = (
    "must be witnesses separated by commas, each with its verifier key, a blank and its address, such as"
    " witness.example+a1b2c3d4+BG… https://witness.example; each witness has another name"
)
BAD_WITNESSES = [
    WITNESS,
    f"https://w.example {WITNESS}",
    f"{WITNESS} w.example",
    f"{WITNESS} ftp://w.example",
    # Another name, another key, the key of a log, and one witness twice.
    f"another{WITNESS} https://w.example",
    f"{WITNESS.replace('+B', '+C')} https://w.example",
    "play.example.com/log+c6c2ba0e+AXPEvnMdEk0Bs/2S4XSq2hS8W5cQPwUpOcEXyXmcyjeo https://w.example",
    f"{WITNESS} https://a.example,{WITNESS} https://b.example",
    f"{WITNESS} https://a.example,{OTHER_KEY_OF_WITNESS} https://b.example",
]

GOOD_VALUES = [
    ("APP_ENV", "development", "production", False),
    ("BASE_URL", "https://example.com/api/", "base_url", "https://example.com/api"),
    ("BASE_URL", "HTTPS://Api.Example.COM:81/Api", "base_url", "https://api.example.com:81/Api"),
    ("FRONTEND_URL", "HTTPS://Play.test?Tab=A", "frontend_url", "https://play.test?Tab=A"),
    ("IDENTITY_DISCOVERY_URL", f"{AT_TEST}?tenant=A", "identity_discovery_url", f"{AT_TEST}?tenant=A"),
    ("DATABASE_URL", "postgresql://db/platform", "database_url", "postgresql://db/platform"),
    ("SECRET_KEY", GOOD_SECRET, "secret_key", GOOD_SECRET),
    ("JWT_SECRET_PREVIOUS", GOOD_SECRET, "previous_jwt_secrets", (GOOD_SECRET,)),
    ("SECRET_KEY_PREVIOUS", f" {GOOD_SECRET} ,,b,", "previous_secret_keys", (GOOD_SECRET, "b")),
    ("JWT_TTL", "1", "jwt_ttl_seconds", 1),
    ("JWT_SECRET", GOOD_SECRET, "jwt_secret", GOOD_SECRET),
    ("LOG_SIGNING_KEY", KEY_TEXT, "log_signing_key", KEY_TEXT),
    ("LOG_NEXT_KEY", KEY_TEXT, "log_next_key", KEY_TEXT),
    ("LOG_ORIGIN", "example.com/bets/log", "log_origin", "example.com/bets/log"),
    ("PLATFORM_OPENID_URL", "http://[::1]:1/login", "platform_openid_url", "http://[::1]:1/login"),
    ("PLATFORM_API_URL", "https://api.example.com/", "platform_api_url", "https://api.example.com"),
    ("PLATFORM_API_KEY", "key", "platform_api_key", "key"),
    ("RATELIMIT_ENABLED", "0", "ratelimit_enabled", False),
    ("TRUSTED_PROXIES", "2", "trusted_proxies", 2),
    ("DEMO_LOGINS", "1", "demo_logins", True),
    ("GAME_A_NAME", "Left 4 Dead", "game_a_name", "Left 4 Dead"),
    ("GAME_B_NAME", "Palworld", "game_b_name", "Palworld"),
    ("CATALOGUE_TTL", "86400", "catalogue_ttl_seconds", 86_400),
    ("PLATFORM_TRADE_HOST", "Trade.Example.com", "platform_trade_host", "trade.example.com"),
    ("UPGRADER_HOUSE_EDGE", "0.000001", "upgrader_house_edge_ppm", 1),
    ("UPGRADER_MIN_WAGER", "1.10", "upgrader_min_wager_cents", 110),
    ("SWEEPSTAKE_RATE", "2.5", "sweepstake_rate", "2.5"),
    ("AFFILIATE_SPECIAL_CODE", "Spin", "affiliate_special_code", "SPIN"),
    ("PRICE_FEED_URL", "https://f.test/p.json?key=1", "price_feed_url", "https://f.test/p.json?key=1"),
    ("PRICE_MARKET_URL", "http://127.0.0.1:8080/m/", "price_market_url", "http://127.0.0.1:8080/m/"),
    ("PRICE_REFRESH_SECONDS", "1", "price_refresh_seconds", 1),
    ("FREE_CASE_LIMIT", "0", "free_case_limit", 0),
    ("BATTLE_MAX_COST", "0.01", "battle_max_cost_cents", 1),
    ("BATTLE_MAX_POT", "12.5", "battle_max_pot_cents", 12_50),
    ("GAME_MIN_CYCLE_SECONDS", "2.5", "game_min_cycle_ms", 2_500),
    ("REALITY_CHECK_MINUTES", "60", "reality_check_ms", 3_600_000),
    ("SESSION_LIMIT_MINUTES", "0.5", "longest_play_ms", 30_000),
    ("TWO_FACTOR_REQUIRED_FOR", "login, trade-url", "two_factor_required_for", ("login", "trade-url")),
    ("TRADE_URL_OWN_ONLY", "1", "trade_url_own_only", True),
    ("ERASE_AFTER_DAYS", "30", "erase_after_days", 30),
    ("HOST", "::1", "host", "[::1]"),
    ("OFFICE_ENABLED", "0", "office_enabled", False),
    ("OFFICE_NETWORKS", "192.0.2.7, 2001:DB8::/48", "office_networks", ("192.0.2.7/32", "2001:db8::/48")),
    ("ALARM_PAYOUT", "2500.5", "alarm_payout_cents", 250_050),
    ("ALARM_WEBHOOK_SECRET", WEBHOOK_SECRET, "alarm_webhook_secrets", (WEBHOOK_SECRET,)),
    ("PAYMENT_METHODS", " demo, ", "payment_methods", ("demo",)),
    ("PAYMENTS_MIN_USD", "0.01", "payments_min_cents", 1),
    ("PAYMENTS_POLL_SECONDS", "0.1", "payments_poll_ms", 100),
    (
        "PAYMENTS_WEBHOOK_SECRET",
        f" {WEBHOOK_SECRET}  {'QUJD' * 8}QQ ",
        "payments_webhook_secrets",
        (WEBHOOK_SECRET, f"{'QUJD' * 8}QQ"),
    ),
    ("BTCPAY_URL", "https://Pay.example.com/btcpay/", "btcpay_url", "https://pay.example.com/btcpay"),
    ("BTCPAY_STORE", " 9CiNzKoANXxmk5ayZngSXrHTiVvvgCrwrpFQd4m2K776 ", "btcpay_store", STORE),
    ("BTCPAY_API_KEY", "key", "btcpay_api_key", "key"),
    ("BTCPAY_WEBHOOK_SECRET", "secret", "btcpay_webhook_secret", "secret"),
    ("BTCPAY_PAYOUT_METHODS", "BTC-CHAIN, BTC-LN,", "btcpay_payout_methods", ("BTC-CHAIN", "BTC-LN")),
    ("BTCPAY_PULL_PAYMENT", "id", "btcpay_pull_payment", "id"),
    ("OFFICE_FOUR_EYES", "0", "office_four_eyes", False),
    ("OFFICE_FOUR_EYES_ABOVE", "20.5", "office_four_eyes_above_cents", 2_050),
    ("WITHDRAWAL_FOUR_EYES_ABOVE", "500", "withdrawal_four_eyes_above_cents", 50_000),
    ("WITHDRAWAL_AUTO_APPROVE", "20.5", "withdrawal_auto_approve_cents", 2_050),
    ("WITHDRAWAL_MIN_WAGERED", "0.5", "withdrawal_min_wagered_ppm", 500_000),
    ("ADDRESS_HOURS", "0.5", "address_delay_ms", 1_800_000),
    ("LOG_LEVEL", "Warning", "log_level", "warning"),
    (
        "LOG_WITNESSES",
        f"{WITNESS} https://W.example/a/, {WITNESSES[1]}  http://127.0.0.1:8100",
        "log_witnesses",
        ((WITNESS, "https://w.example/a"), (WITNESSES[1], "http://127.0.0.1:8100")),
    ),
    ("BEACON_URLS", "http://A.test/x/, https://b.test", "beacon_urls", ("http://a.test/x", "https://b.test")),
    ("BEACON_CHAIN_HASH", "5D" * 32, "beacon_chain_hash", "5d" * 32),
    ("RAKEBACK_RATE", "0.3", "rakeback_rate_ppm", 300_000),
    ("LEVEL_SHARE", "0", "level_share_ppm", 0),
    ("DAILY_SHARE", "0.05", "daily_share_ppm", 50_000),
    ("BONUS_PERCENT", "100", "bonus_percent", 100),
    ("BONUS_MAX", "25.5", "bonus_max_cents", 2_550),
    ("BONUS_WAGERING", "90.5", "bonus_wagering_ppm", 90_500_000),
    ("BONUS_DAYS", "7", "bonus_days", 7),
    ("BONUS_SHARE", "0.4", "bonus_share_ppm", 400_000),
]


def test_a_good_value_is_accepted(read):
    for name, text, field, expected in GOOD_VALUES:
        assert (name, getattr(read(**{name: text}), field)) == (name, expected)


BAD_VALUES = [
    ("APP_ENV", "prod", "must be one of development, production"),
    ("PORT", "65536", "must be a whole number from 1 to 65535"),
    ("PORT", "\u0665\u0660", "must be a whole number from 1 to 65535"),
    ("BASE_URL", "api.example.com", ADDRESS),
    ("BASE_URL", "http://api.example.com/#top", FRAGMENT),
    ("BASE_URL", "http://api.example.com/?a=1", QUERY),
    ("BASE_URL", "http://api.example.com/a b", ADDRESS),
    ("BASE_URL", "ht\ntp://api.example.com", ADDRESS),
    ("FRONTEND_URL", "https://play.example.com/\u00e4", ADDRESS),
    ("BASE_URL", "http://name:word@api.example.com", ADDRESS),
    ("FRONTEND_URL", "javascript:alert(1)", ADDRESS),
    ("PLATFORM_OPENID_URL", "https://steamcommunity.com/openid", "must end in /login"),
    ("PLATFORM_OPENID_URL", "https://steamcommunity.com/openid/login?a=1", QUERY),
    ("PLATFORM_API_URL", "https://api.example.com/?key=1", QUERY),
    ("IDENTITY_DISCOVERY_URL", "accounts.google.com", ADDRESS),
    ("CORS_ORIGINS", "*", ORIGINS),
    ("CORS_ORIGINS", "https://play.example.com/game", ORIGINS),
    ("CORS_ORIGINS", "app://localhost/index.html", ORIGINS),
    ("CORS_ORIGINS", "file://", ORIGINS),
    ("DATABASE_URL", "mysql://db/platform", DATABASE),
    ("DATABASE_URL", "postgresql://platform:50%@db/platform", POSTGRESQL),
    ("DATABASE_URL", "postgresql://db/platform?no-such-option=1", POSTGRESQL),
    ("DATABASE_POOL_SIZE", "1", "must be a whole number from 2 to 1000"),
    ("REDIS_URL", "valkey://cache", REDIS),
    ("REDIS_URL", "redis://cache?no-such-option=1", REDIS),
    ("REDIS_URL", "redis://cache", "needs a DATABASE_URL of PostgreSQL"),
    ("JWT_TTL", "9" * 5000, "must be a whole number from 1 to 315360000"),
    ("RATELIMIT_ENABLED", "no", "must be one of 0, 1"),
    ("LOG_SIGNING_KEY", "no base64", KEY_OF_LOG),
    ("LOG_SIGNING_KEY", base64.b64encode(KEY[:31]).decode(), KEY_OF_LOG),
    ("LOG_ORIGIN", "log of bets", "must not contain blanks or plus signs"),
    ("LOG_ORIGIN", "log.example.com/bets", "must end in /log"),
    ("LOG_QUORUM", "1", "must not be above the number of LOG_WITNESSES"),
    *(("LOG_WITNESSES", text, NO_WITNESSES) for text in BAD_WITNESSES),
    ("LOG_LEVEL", "loud", "must be one of debug, info, warning, error, critical"),
    ("CATALOGUE_TTL", "0", "must be a whole number from 1 to 86400"),
    ("HOST", "127.0.0.1:5000", HOST),
    ("UPGRADER_HOUSE_EDGE", "1", FRACTION),
    ("UPGRADER_MAX_WAGER", "1000000000.01", AMOUNT),
    ("UPGRADER_MIN_WAGER", "10000.01", "must not be above UPGRADER_MAX_WAGER"),
    ("UPGRADER_PROOF_DELAY", "600.001", SECONDS),
    ("AFFILIATE_SPECIAL_CODE", "abc", CODE),
    ("AFFILIATE_SPECIAL_CODE", "stra\u00dfe", CODE),
    ("PRICE_FEED_URL", "prices.json", ADDRESS),
    ("PRICE_REFRESH_SECONDS", "0", "must be a whole number from 1 to 86400"),
    ("BEACON_URLS", "demo,https://api.drand.sh", RELAYS),
    ("BEACON_CHAIN_HASH", "quicknet", "must be 64 hexadecimal digits"),
    ("FREE_CASE_LIMIT", "-1", "must be a whole number from 0 to 1000000"),
    ("GAME_MIN_CYCLE_SECONDS", "601", SECONDS),
    ("REALITY_CHECK_MINUTES", "10081", "must be minutes from 0 to 10080"),
    (
        "TWO_FACTOR_REQUIRED_FOR",
        "login,claims",
        "must be one or more of login, link-login, trade-url, vault-unlock, export, separated by commas",
    ),
    ("OFFICE_ENABLED", "on", "must be one of 0, 1"),
    ("OFFICE_NETWORKS", "192.0.2.7/24", NETWORKS),
    ("PAYMENT_METHODS", "cash", PROVIDERS),
    ("PAYMENTS_MIN_USD", "10000.01", "must not be above PAYMENTS_MAX_USD"),
    ("PAYMENTS_MAX_USD", "1000000000.01", AMOUNT),
    ("PAYMENTS_POLL_SECONDS", "0.099", POLL_SECONDS),
    ("PAYMENTS_WEBHOOK_SECRET", "QUJD" * 22, WEBHOOK),
    ("PAYMENTS_WEBHOOK_SECRET", f"{WEBHOOK_SECRET} short", WEBHOOK),
    ("BTCPAY_URL", "pay.example.com", ADDRESS),
    ("BTCPAY_URL", "https://pay.example.com?store=1", QUERY),
    ("WITHDRAWAL_FOUR_EYES_ABOVE", "1.005", AMOUNT_OR_NONE),
    ("WITHDRAWAL_CHECK_URL", "checks.example.com", ADDRESS),
    ("ALARM_PAYOUT", "0", AMOUNT),
    ("ALARM_WEBHOOK_URL", "alarms.example.com", ADDRESS),
    ("WITHDRAWAL_MIN_WAGERED", "1000.1", FACTOR),
    ("ADDRESS_HOURS", "721", "must be hours from 0 to 720"),
    ("RAKEBACK_RATE", "1", FRACTION),
    ("BONUS_PERCENT", "12.5", "must be a whole number from 0 to 1000"),
    ("BONUS_MAX", "10000000.01", "must be an amount from 0.01 to 10000000 with at most two decimals"),
    ("BONUS_DAYS", "0", "must be a whole number from 1 to 365"),
]


def test_a_bad_value_is_refused_with_its_settings_name(refused):
    for name, text, what in BAD_VALUES:
        assert refused(**{name: text}) == [f"{name}: {what}"], text


def test_more_than_half_of_the_witnesses_make_a_quorum_unless_it_is_set(read, refused):
    urls = [f"{key} http://{number}.example" for number, key in enumerate(WITNESSES)]
    for count, quorum in ((0, 0), (1, 1), (2, 2), (3, 2)):
        assert read(LOG_WITNESSES=",".join(urls[:count])).quorum_of_witnesses == quorum

    three = ",".join(urls)
    assert read(LOG_WITNESSES=three, LOG_QUORUM="3").quorum_of_witnesses == 3
    assert refused(LOG_WITNESSES=three, LOG_QUORUM="4") == [
        "LOG_QUORUM: must not be above the number of LOG_WITNESSES"
    ]


def test_a_client_id_needs_its_secret_and_vice_versa(refused):
    both = ("IDENTITY_CLIENT_ID", "IDENTITY_CLIENT_SECRET")
    for given, missing in (both, both[::-1]):
        assert refused(**{given: "half of it"}) == [f"{missing}: must be given together with {given}"]


def test_the_house_never_gives_more_than_nine_tenths_of_what_it_expects_to_win(read, refused):
    shares = {"RAKEBACK_RATE": "0.2", "LEVEL_SHARE": "0.1", "DAILY_SHARE": "0.1", "BONUS_SHARE": "0.25"}
    assert read(**shares).rakeback_rate_ppm == 200_000

    assert refused(**shares | {"RAKEBACK_RATE": "0.200001"}) == [
        (
            "BONUS_SHARE: commission 0.25 + RAKEBACK_RATE 0.200001 + LEVEL_SHARE 0.1 + DAILY_SHARE 0.1"
            " + BONUS_SHARE 0.25 is 0.900001 of the expected win, and must be at most 0.9"
        )
    ]
    assert refused(RAKEBACK_RATE="0.9")[0].startswith("RAKEBACK_RATE: commission 0.25 + RAKEBACK_RATE 0.9 +")


def test_a_bonus_is_earned_by_the_bets_that_it_needs(read, refused):
    assert read(BONUS_PERCENT="100").bonus_wagering_ppm == 80 * 10**6
    assert read(UPGRADER_HOUSE_EDGE="0.02").bonus_percent == 0

    assert refused(BONUS_PERCENT="100", UPGRADER_HOUSE_EDGE="0.02") == [
        (
            "BONUS_WAGERING: BONUS_WAGERING 80 x UPGRADER_HOUSE_EDGE 0.02 x BONUS_SHARE 0.25 is 0.4,"
            " and must be at least 1"
        )
    ]


OF_BTCPAY = {
    "BTCPAY_URL": "https://pay.example.com",
    "BTCPAY_STORE": STORE,
    "BTCPAY_API_KEY": "key",
    "BTCPAY_WEBHOOK_SECRET": "secret",
}


def test_btcpay_needs_its_settings(read, refused):
    for name in OF_BTCPAY:
        lines = refused(PAYMENT_METHODS="btcpay", **{**OF_BTCPAY, name: ""})
        assert lines == [f"{name}: must be given when PAYMENT_METHODS names btcpay"]

    assert read(PAYMENT_METHODS="demo,btcpay", **OF_BTCPAY).payment_methods == ("demo", "btcpay")


def test_a_setting_that_needs_another_is_refused_without_it(read, refused):
    of_payouts = {"PAYMENT_METHODS": "btcpay", "BTCPAY_PAYOUT_METHODS": "BTC-CHAIN", **OF_BTCPAY}
    for given, missing, value, why in (
        (of_payouts, "BTCPAY_PULL_PAYMENT", "id", "when PAYMENT_METHODS names btcpay"),
        (
            {"WITHDRAWAL_CHECK_URL": "https://checks.example.com/w?key=1"},
            "PAYMENTS_WEBHOOK_SECRET",
            WEBHOOK_SECRET,
            "together with WITHDRAWAL_CHECK_URL",
        ),
        (
            {"ALARM_WEBHOOK_URL": "https://alarms.example.com/a?key=1"},
            "ALARM_WEBHOOK_SECRET",
            WEBHOOK_SECRET,
            "together with ALARM_WEBHOOK_URL",
        ),
    ):
        assert refused(**given) == [f"{missing}: must be given {why}"]
        assert read(**given, **{missing: value})


def test_the_back_office_is_off_in_production_unless_it_is_turned_on(read):
    assert read().office_enabled
    assert not read(**IN_PRODUCTION).office_enabled
    assert read(**IN_PRODUCTION, OFFICE_ENABLED="1").office_enabled


def test_new_addresses_wait_for_a_day_in_production_unless_that_is_changed(read):
    assert read().address_delay_ms == 0
    assert read(**IN_PRODUCTION).address_delay_ms == 86_400_000
    assert read(**IN_PRODUCTION, ADDRESS_HOURS="0").address_delay_ms == 0


def test_the_demonstration_of_payments_is_for_development_only(read, refused):
    assert read().payment_methods == ("demo",)
    assert read(**IN_PRODUCTION).payment_methods == ()
    for methods in ("demo", "btcpay,demo"):
        lines = refused(**IN_PRODUCTION | OF_BTCPAY, PAYMENT_METHODS=methods)
        assert lines == ["PAYMENT_METHODS: must not name demo when APP_ENV is production"]


def test_the_logins_of_the_demonstration_are_for_development_only(refused):
    assert refused(**IN_PRODUCTION, DEMO_LOGINS="1") == ["DEMO_LOGINS: must be 0 when APP_ENV is production"]


def test_the_network_of_the_house_is_for_development_only(read, refused):
    assert read().beacon_urls == ("demo",)
    assert read(**IN_PRODUCTION).beacon_urls == PUBLIC_RELAYS
    assert read(**IN_PRODUCTION, BEACON_URLS="").beacon_urls == ()
    lines = refused(**IN_PRODUCTION, BEACON_URLS="demo")
    assert lines == ["BEACON_URLS: must not name demo when APP_ENV is production"]


def test_the_default_network_is_the_public_one(read):
    assert read().beacon_chain_hash == QUICKNET.hash


ADDRESSES = [
    ("BASE_URL", ""),
    ("PLATFORM_OPENID_URL", "/openid/login"),
    ("PLATFORM_API_URL", ""),
    ("IDENTITY_DISCOVERY_URL", WELL_KNOWN),
    ("BTCPAY_URL", ""),
    ("WITHDRAWAL_CHECK_URL", "/check"),
    ("ALARM_WEBHOOK_URL", "/alarms"),
]
SIGNING = {"PAYMENTS_WEBHOOK_SECRET": WEBHOOK_SECRET, "ALARM_WEBHOOK_SECRET": WEBHOOK_SECRET}


@pytest.mark.security("Eavesdropping")
def test_production_requires_https_addresses(refused):
    for name, path in ADDRESSES:
        for host in ("provider.example.com", "10.0.0.1", "127.0.0.1.example.com"):
            lines = refused(**IN_PRODUCTION | SIGNING | {name: f"http://{host}{path}"})

            assert lines == [f"{name}: must be an https address when APP_ENV is production"], host


@pytest.mark.security("Eavesdropping")
def test_production_accepts_https_and_addresses_of_this_machine(read):
    for name, path in ADDRESSES:
        for host in ("https://provider.example.com", "http://127.0.0.1:9", "http://localhost:9"):
            settings = read(**IN_PRODUCTION | SIGNING | {name: f"{host}{path}"})

            assert getattr(settings, name.lower()) == f"{host}{path}"


def test_every_bad_value_is_reported_in_its_own_line(refused):
    lines = refused(PORT="x", JWT_TTL="y", UPGRADER_HOUSE_EDGE="2", APP_ENV="test")

    assert sorted(line.split(":")[0] for line in lines) == [
        "APP_ENV",
        "JWT_TTL",
        "PORT",
        "UPGRADER_HOUSE_EDGE",
    ]


def test_an_empty_value_is_the_default(read):
    """Only of PAYMENT_METHODS and BEACON_URLS it says that there are none."""
    for empty in ("", "   "):
        none = read(PAYMENT_METHODS="", BEACON_URLS="")
        assert read(**dict.fromkeys(environment_variables(), empty)) == none


@pytest.mark.security("Secrets of the operator")
def test_production_needs_all_secrets_and_an_address(refused):
    lines = refused(APP_ENV="production")

    assert lines == [
        f"{name}: {MISSING}" for name in ("SECRET_KEY", "JWT_SECRET", "LOG_SIGNING_KEY", "BASE_URL")
    ]


@pytest.mark.security("Secrets of the operator")
def test_production_refuses_a_weak_secret(refused):
    for name in ("SECRET_KEY", "JWT_SECRET"):
        for weak in (
            "short",
            GOOD_SECRET[:31],
            "a" * 64,
            # Nine different characters.
            "abcdefghi" + "ihgfedcba" + "abcedfghihgfedcba",
            "0123456789abcdef" * 2,
            "correct-horse-battery-correct-horse-battery-cor",
        ):
            assert refused(**IN_PRODUCTION | {name: weak}) == [f"{name}: {WEAK}"], weak


@pytest.mark.security("Secrets of the operator")
def test_production_refuses_one_secret_for_two_purposes(refused):
    lines = refused(**IN_PRODUCTION | {"JWT_SECRET": GOOD_SECRET})

    assert lines == ["JWT_SECRET: must differ from SECRET_KEY"]


@pytest.mark.security("Secrets of the operator")
def test_production_refuses_a_weak_previous_secret(refused):
    lines = refused(**IN_PRODUCTION, SECRET_KEY_PREVIOUS=f"{OTHER_SECRET},short")

    assert lines == [
        "SECRET_KEY_PREVIOUS: must be random texts of at least 32 characters, separated by commas"
    ]


def test_production_does_not_store_secrets(read, tmp_path):
    read(**IN_PRODUCTION)

    assert list((tmp_path / "instance").iterdir()) == []


def test_development_secrets_are_drawn_once_and_kept_private(read, tmp_path):
    first, second = read(), read()
    elsewhere = read(INSTANCE_DIR=str(tmp_path / "elsewhere"))

    names = ("secret_key", "jwt_secret", "log_signing_key")
    drawn = [getattr(settings, name) for settings in (first, elsewhere) for name in names]
    assert [getattr(second, name) for name in names] == drawn[:3]
    assert len(set(drawn)) == 6
    assert all(re.fullmatch("[0-9a-f]{64}", secret) for secret in drawn if not secret.endswith("="))
    assert [len(key) for key in first.log_keys] == [32]
    files = sorted((tmp_path / "instance").iterdir())
    assert [(file.name, stat.S_IMODE(file.stat().st_mode)) for file in files] == [
        ("jwt_secret", 0o600),
        ("log_signing_key", 0o600),
        ("secret_key", 0o600),
    ]
    assert read(JWT_SECRET=GOOD_SECRET).jwt_secret == GOOD_SECRET


def test_the_origin_of_the_front_end_is_allowed(read):
    origins = {
        "https://play.example.com/game/?tab=1": "https://play.example.com",
        "https://play.example.com:8443/": "https://play.example.com:8443",
        "http://PLAY.example.com:80/": "http://play.example.com",
        "http://[::1]:3000/": "http://[::1]:3000",
    }
    for frontend_url, origin in origins.items():
        assert read(FRONTEND_URL=frontend_url).allowed_origins == ("http://127.0.0.1:5000", origin)


def test_origins_of_the_shells_of_apps_are_allowed(read):
    shells = "capacitor://localhost", "ionic://localhost", "tauri://localhost", "app://obsidian.md", "app://-"

    assert read(CORS_ORIGINS=", ".join(shells)).cors_origins == shells


def test_the_service_front_end_and_listed_origins_are_allowed(read):
    settings = read(
        BASE_URL="https://play.example.com/api",
        FRONTEND_URL="https://play.example.com",
        CORS_ORIGINS="https://a.example.com, http://b.example.com:81,https://PLAY.example.com",
    )

    assert settings.allowed_origins == (
        "https://play.example.com",
        "https://a.example.com",
        "http://b.example.com:81",
    )
    apart = read(BASE_URL="https://example.com/api", FRONTEND_URL="https://play.example.com")
    assert apart.allowed_origins == ("https://example.com", "https://play.example.com")


def test_the_repr_of_the_settings_contains_no_secret(read):
    secrets = {
        "SECRET_KEY": GOOD_SECRET,
        "JWT_SECRET": OTHER_SECRET,
        "SECRET_KEY_PREVIOUS": "an older one of them",
        "LOG_SIGNING_KEY": KEY_TEXT,
        "LOG_NEXT_KEY": base64.b64encode(KEY[::-1]).decode(),
        "PLATFORM_API_KEY": "key-of-the-platform",
        "IDENTITY_CLIENT_SECRET": "secret-of-the-client",
        "AFFILIATE_SPECIAL_CODE": "WELCOME5",
        "BTCPAY_API_KEY": "key-of-the-store",
        "BTCPAY_WEBHOOK_SECRET": "secret-of-its-webhooks",
        "BTCPAY_PULL_PAYMENT": "id-of-the-pull-payment",
        "PAYMENTS_WEBHOOK_SECRET": WEBHOOK_SECRET,
        "ALARM_WEBHOOK_SECRET": WEBHOOK_SECRET,
    }
    within = {
        "DATABASE_URL": "postgresql://platform:correct-horse@db/platform",
        "WITHDRAWAL_CHECK_URL": "https://checks.example.com?key=key-of-the-checks",
        "ALARM_WEBHOOK_URL": "https://alarms.example.com?key=key-of-the-alarms",
    }
    settings = read(**secrets, **within, IDENTITY_CLIENT_ID="client")

    shown = f"{settings!r} {settings}"

    hidden = [*secrets.values(), "correct-horse", "key-of-the-checks", "key-of-the-alarms"]
    assert [secret for secret in hidden if secret in shown] == []


@pytest.mark.security("Secrets of the operator")
def test_a_refusal_does_not_repeat_a_secret(refused):
    lines = refused(**IN_PRODUCTION | {"SECRET_KEY": "hunter2"})

    assert "hunter2" not in "".join(lines)


@pytest.fixture
def start(tmp_path):
    """Runs a command of Python's to its end."""

    def run(command, *, cwd, **variables):
        return subprocess.run(
            [sys.executable, "-m", *command],
            cwd=cwd,
            env=os.environ | {"INSTANCE_DIR": str(tmp_path / "instance")} | variables,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    return run


@pytest.mark.process
@pytest.mark.parametrize(
    "command",
    [
        ["gunicorn", "-c", str(ROOT / "gunicorn.conf.py"), "wsgi:app"],
        pytest.param(["flask", "--app", str(ROOT / "wsgi.py"), "run"], marks=pytest.mark.thorough),
    ],
    ids=["gunicorn", "flask"],
)
def test_a_bad_setting_of_the_environment_or_an_env_file_stops_the_start(start, tmp_path, command):
    by_variable = start(command, cwd=ROOT, JWT_TTL="a week")
    (tmp_path / ".env").write_text("JWT_TTL=a week\n")
    by_file = start(command, cwd=tmp_path, PYTHONPATH=str(ROOT))

    for ended in (by_variable, by_file):
        assert ended.returncode != 0
        assert "JWT_TTL: must be a whole number from 1 to 315360000" in ended.stderr.splitlines()
        assert "Traceback" not in ended.stderr


def environment_variables() -> set[str]:
    """Every variable that the program reads."""
    return {each.metadata["name"] for each in fields(Settings)}


def test_every_setting_is_tested_here():
    tested = {name for name, *_ in GOOD_VALUES + BAD_VALUES}

    untested = environment_variables() - tested
    # They have tests of their own.
    assert untested == {"INSTANCE_DIR", "IDENTITY_CLIENT_ID", "IDENTITY_CLIENT_SECRET"}


def test_only_the_settings_read_the_environment():
    sources = [ROOT / "app.py", ROOT / "wsgi.py", *ROOT.glob("blueprints/**/*.py")]
    sources += [*ROOT.glob("services/**/*.py"), *ROOT.glob("models/**/*.py")]

    readers = [
        str(source.relative_to(ROOT))
        for source in sources
        for node in ast.walk(ast.parse(source.read_text()))
        if isinstance(node, ast.Attribute) and node.attr in ("environ", "getenv")
        if isinstance(node.value, ast.Name) and node.value.id == "os"
    ]

    # PGOPTIONS is no setting of the platform, but one of PostgreSQL's library.
    assert readers == ["app.py", "models/db/new_connections.py"]


def test_a_truncated_secret_file_stops_the_start(read, tmp_path):
    read()
    (tmp_path / "instance" / "jwt_secret").write_text("")

    with pytest.raises(SettingsError) as error:
        read()

    assert error.value.problems == ["JWT_SECRET: the file jwt_secret in the instance directory is damaged"]
