"""Every setting of the platform, read once from the environment into one typed object.

The text below each setting is for operators: ``make settings`` writes it to ``.env.example`` and
``docs/settings.md``.
"""

import base64
import contextlib
import hmac
import secrets
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from decimal import Decimal
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from marshmallow import ValidationError

import setting_parsers as parsers
from setting_parsers import AMOUNT, AMOUNT_OR_ZERO, flag, listed, number

VERSION = "1.0.0"
"""Of the product and of its API; ``CHANGELOG.md`` says what each version changes."""

INSTANCE_DIR = Path(__file__).resolve().parent / "instance"
MIN_SECRET_LENGTH = 32
MIN_DIFFERENT_CHARACTERS = 10

PRIVATE_URLS = (
    *("base_url", "platform_openid_url", "platform_api_url", "identity_discovery_url"),
    *("btcpay_url", "withdrawal_check_url", "alarm_webhook_url"),
)
"""In production nobody may be able to read requests to these on their way."""

PUBLIC_RELAYS = ("https://api.drand.sh", "https://api2.drand.sh", "https://drand.cloudflare.com")
QUICKNET = "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971"
"""The public network of drand with a round each three seconds."""

PPM = 10**6
HIGHEST_COMMISSION_PPM = 250_000
"""The highest commission of promo codes (services/wallet/affiliates.py), a share of the expected win."""
MOST_GIVEN_PPM = 900_000
"""The most that commission and rewards may be of what the house expects to win with a player's bets."""

OF_ONE_PROCESS = {"instance_dir", "host", "port", "database_url", "database_pool_size", "redis_url"}
"""Settings that may differ between processes; the URLs may name the same server differently."""


class SettingsError(Exception):
    """One or more settings are bad. ``str()`` gives one line for each, naming the setting.

    ``settings`` has the default in the place of each bad value.
    """

    def __init__(self, problems: list[str], settings: "Settings") -> None:
        super().__init__("\n".join(problems))
        self.problems = problems
        self.settings = settings


def _setting(name: str, default: str, parse: Callable[[str], Any] = str, *, secret: bool = False) -> Any:
    """A field that is read from a variable. The default may contain the fields before it in braces.

    A ``secret`` value is never shown.
    """
    return field(metadata={"name": name, "default": default, "parse": parse}, repr=not secret)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """An operator's settings. Money is in cents; the names of durations end in their unit."""

    production: bool = _setting("APP_ENV", "development", flag("development", "production"))
    """`development` or `production`. Production requires `BASE_URL`, `SECRET_KEY`, `JWT_SECRET` and
    `LOG_SIGNING_KEY`, and that the addresses of this service, of the login providers, of BTCPay Server and
    of your own services are https, or on this machine."""
    instance_dir: Path = _setting("INSTANCE_DIR", "{instance_dir}", parsers.directory)  # noqa: RUF009
    """The directory of the secrets of development, the SQLite file, images, and what this machine keeps
    of the public log. By default `instance` beside `app.py`."""
    host: str = _setting("HOST", "127.0.0.1", parsers.host)
    """The address to listen on. By default only this machine can reach it."""
    port: int = _setting("PORT", "5000", number(1, 65_535))
    """The port to listen on."""
    base_url: str = _setting("BASE_URL", "http://127.0.0.1:{port}", parsers.base_url)
    """The public address of this service: part of the addresses of pictures, and the issuer of tokens. By
    default `http://127.0.0.1:PORT`."""
    frontend_url: str = _setting("FRONTEND_URL", "{base_url}/", parsers.http_url)
    """The web front end, to which logins return. Its pages may call the API. By default the built-in
    page."""
    cors_origins: tuple[str, ...] = _setting("CORS_ORIGINS", "", parsers.origins)
    """Further origins, separated by commas, whose pages may call the API and open sockets; also those of
    the shells of apps: `capacitor://localhost`, `ionic://localhost`, `tauri://localhost`,
    `app://NAME`."""
    trusted_proxies: int = _setting("TRUSTED_PROXIES", "0", number(0, 10))
    """How many proxies in front add the client's address to `X-Forwarded-For`. With 0 the header is
    ignored, and behind a proxy all clients share the limits of one address. If what the outermost proxy
    wrote is no address, the client counts as the proxy that sent the request."""
    ratelimit_enabled: bool = _setting("RATELIMIT_ENABLED", "1", flag())
    """0 turns off the [limits of requests](operating.md#limits-of-requests) and sockets, for load
    tests."""
    log_level: str = _setting(
        "LOG_LEVEL", "info", parsers.choice("debug", "info", "warning", "error", "critical")
    )
    """The least level of the lines of the log: `debug`, `info`, `warning`, `error` or `critical`.
    Requests, bets and refreshed prices are `info`."""
    database_url: str = _setting(
        "DATABASE_URL", "sqlite:///{instance_dir}/platform.db", parsers.database_url, secret=True
    )
    """`sqlite:///PATH` or `postgresql://USER:PASSWORD@HOST/DATABASE`. By default a file in the instance
    directory. [Poolers](operating.md#poolers) work in session mode. `?options=-c%20work_mem%3D64MB` adds
    settings to each connection, as `PGOPTIONS` does."""
    database_pool_size: int = _setting("DATABASE_POOL_SIZE", "20", number(2, 1_000))
    """How many connections to PostgreSQL a process opens at most, 2 to 1000."""
    redis_url: str = _setting("REDIS_URL", "", parsers.redis_url, secret=True)
    """The Redis through which [several processes](several-processes.md) on one PostgreSQL share signals
    and limits: `redis://:PASSWORD@HOST:6379/0`, or `rediss://` with TLS, with a percent-encoded password
    and for your own authority `?ssl_ca_certs=FILE`."""
    # Empty in development: see _stored_secret.
    secret_key: str = _setting("SECRET_KEY", "", secret=True)
    """A random text of at least 32 characters without commas; `openssl rand -hex 32` prints one. It
    encrypts the server seeds that are not revealed yet, and the secrets of two-factor authentication. In
    development this secret and the next two are drawn at the first start."""
    jwt_secret: str = _setting("JWT_SECRET", "", secret=True)
    """Another such text, which signs the tokens of players."""
    # Ed25519 seeds of 32 bytes, in base64.
    log_signing_key: str = _setting("LOG_SIGNING_KEY", "", parsers.log_key, secret=True)
    """The key that signs the public log: 32 random bytes in base64; `openssl rand -base64 32` prints
    them."""
    log_next_key: str = _setting("LOG_NEXT_KEY", "", parsers.log_key, secret=True)
    """The key that will follow it. As long as it is set, it signs checkpoints too."""
    previous_secret_keys: tuple[str, ...] = _setting("SECRET_KEY_PREVIOUS", "", listed, secret=True)
    """Earlier values of `SECRET_KEY`, separated by commas. They only decrypt. To change the key, put the
    old one here, start with the new one, run `flask secrets rotate`, then remove the old one."""
    previous_jwt_secrets: tuple[str, ...] = _setting("JWT_SECRET_PREVIOUS", "", listed, secret=True)
    """Earlier values of `JWT_SECRET`, separated by commas. Their tokens stay valid until they expire; a
    change without it logs all players out. After a leak, list none."""
    jwt_ttl_seconds: int = _setting("JWT_TTL", "604800", number(1, 315_360_000))
    """The lifetime of a token in seconds."""
    log_witnesses: tuple[tuple[str, str], ...] = _setting("LOG_WITNESSES", "", parsers.witnesses)
    """The [witnesses](fairness-log.md#witnesses) of the public log, separated by commas: of each its
    verifier key, a blank, and the address that takes checkpoints, such as
    `witness.example/w1+a1b2c3d4+BG… https://witness.example/`. By default none."""
    log_quorum: int = _setting("LOG_QUORUM", "0", number(0, 100))
    """How many of them make a checkpoint *witnessed*. By default, with 0, more than half. With half or less,
    two groups of witnesses can be shown two logs."""
    # Empty: made from BASE_URL.
    log_origin: str = _setting("LOG_ORIGIN", "", parsers.log_origin)
    """The name of the public log, fixed at the first start. By default `BASE_URL` without its scheme, and
    `/log`."""
    platform_openid_url: str = _setting(
        "PLATFORM_OPENID_URL", "https://steamcommunity.com/openid/login", parsers.login_url
    )
    """The OpenID 2.0 login of the game platform."""
    platform_api_url: str = _setting("PLATFORM_API_URL", "https://api.steampowered.com", parsers.base_url)
    """The profile service of the game platform, which has names and avatars."""
    platform_api_key: str = _setting("PLATFORM_API_KEY", "", secret=True)
    """The key of the profile service. Without it players have no names from there."""
    platform_trade_host: str = _setting("PLATFORM_TRADE_HOST", "steamcommunity.com", parsers.host_name)
    """The host of trade offers: the only one that a player's trade URL may have."""
    identity_discovery_url: str = _setting(
        "IDENTITY_DISCOVERY_URL",
        "https://accounts.google.com/.well-known/openid-configuration",
        parsers.http_url,
    )
    """The discovery document of an OpenID Connect provider."""
    identity_client_id: str = _setting("IDENTITY_CLIENT_ID", "")
    """The id of this client there. Without it and its secret there is no such login. The redirect URI is
    `BASE_URL/auth/identity/callback`."""
    identity_client_secret: str = _setting("IDENTITY_CLIENT_SECRET", "", secret=True)
    """Its secret."""
    demo_logins: bool = _setting("DEMO_LOGINS", "0", flag())
    """1 replaces the login pages of both providers with one that asks who logs in, as `make run` does.
    Production refuses it."""
    game_a_name: str = _setting("GAME_A_NAME", "CS2")
    """What the built-in page calls the game of items with the `appid` 730, `gamea` in the API."""
    game_b_name: str = _setting("GAME_B_NAME", "Rust")
    """The same for the `appid` 252490, `gameb` in the API."""
    catalogue_ttl_seconds: int = _setting("CATALOGUE_TTL", "3600", number(1, 86_400))
    """How long the upgrader's catalogue stays in memory, in seconds. An empty one does not."""
    upgrader_house_edge_ppm: int = _setting("UPGRADER_HOUSE_EDGE", "0.05", parsers.FRACTION)
    """The house edge of the upgrader as a fraction, with at most six decimals."""
    upgrader_min_wager_cents: int = _setting("UPGRADER_MIN_WAGER", "0.01", AMOUNT)
    """The smallest wager of a spin, in coins."""
    upgrader_max_wager_cents: int = _setting("UPGRADER_MAX_WAGER", "10000", AMOUNT)
    """The largest wager of a spin, in coins."""
    upgrader_proof_delay_ms: int = _setting("UPGRADER_PROOF_DELAY", "6", parsers.SECONDS)
    """The time from a bet of any game to its proof, 0 to 600 seconds."""
    free_case_limit: int = _setting("FREE_CASE_LIMIT", "1", number(0, 1_000_000))
    """How often a player who uses a promo code may open the free case."""
    battle_max_cost_cents: int = _setting("BATTLE_MAX_COST", "10000", AMOUNT)
    """The most that a seat of a battle may cost, in coins."""
    battle_max_pot_cents: int = _setting("BATTLE_MAX_POT", "250000", AMOUNT)
    """The most that all seats of a battle may draw together, in coins: the dearest item of each case,
    times the seats. What costs or may draw more is refused."""
    # Text, because it is checked when it is used and not at the start.
    sweepstake_rate: str = _setting("SWEEPSTAKE_RATE", "1.0")
    """Sweepstake balance per USD. It is not checked at the start: `/sweepstake` answers 500 unless it is
    a positive number."""
    affiliate_special_code: str | None = _setting(
        "AFFILIATE_SPECIAL_CODE", "", parsers.promo_code, secret=True
    )
    """A promo code of the house, 4 to 24 letters and digits. A player who uses it gets the bonus and
    becomes nobody's referral. It takes precedence over a player's code of the same letters."""
    rakeback_rate_ppm: int = _setting("RAKEBACK_RATE", "0", parsers.FRACTION)
    """The share of the expected win that players can claim back, as a fraction. The *expected win* of a
    player's bets is what the house keeps of them on average: the wagers, each times its house edge. The
    highest commission of promo codes (0.25), `RAKEBACK_RATE`, `LEVEL_SHARE`, `DAILY_SHARE` and
    `BONUS_SHARE` may be 0.9 of it together; more stops the start."""
    level_share_ppm: int = _setting("LEVEL_SHARE", "0.1", parsers.FRACTION)
    """The share of the expected win that the gifts of levels may cost."""
    daily_share_ppm: int = _setting("DAILY_SHARE", "0", parsers.FRACTION)
    """The share of the expected win that [daily free openings](players-and-fairness.md#free-openings) may
    cost. 0 for none."""
    bonus_percent: int = _setting("BONUS_PERCENT", "0", number(0, 1_000))
    """The bonus of a deposit, in percent of what is credited, for players who have used a promo code and
    take it. 0 gives none."""
    bonus_max_cents: int = _setting("BONUS_MAX", "100", parsers.BONUS)
    """The largest bonus of a deposit, in coins."""
    bonus_wagering_ppm: int = _setting("BONUS_WAGERING", "80", parsers.FACTOR)
    """How many times the bonus a player must wager before it is paid, with bets that cost as much on
    average as the upgrader's; others count by their own house edge. With a bonus, `BONUS_WAGERING`,
    `UPGRADER_HOUSE_EDGE` and `BONUS_SHARE` multiplied must be at least 1."""
    bonus_days: int = _setting("BONUS_DAYS", "14", number(1, 365))
    """The days in which the player must wager it. After them the bonus is lost."""
    bonus_share_ppm: int = _setting("BONUS_SHARE", "0.25", parsers.FRACTION)
    """The share of the expected win that bonuses of deposits may cost."""
    beacon_urls: tuple[str, ...] = _setting("BEACON_URLS", "demo", parsers.beacon_urls)
    """The [relays of drand](operating.md#beacons) that decide battles, separated by commas. In production
    by default `https://api.drand.sh`, `https://api2.drand.sh` and `https://drand.cloudflare.com`. `demo` is
    a network of this server alone, whose key the house holds; production refuses it. Empty turns battles
    off."""
    beacon_chain_hash: str = _setting("BEACON_CHAIN_HASH", QUICKNET, parsers.chain_hash)
    """The network of these relays, by the hash of its chain. By default *quicknet*, the public network. With
    another one players trust whoever runs it."""
    game_min_cycle_ms: int = _setting("GAME_MIN_CYCLE_SECONDS", "0", parsers.SECONDS)
    """The least time between two bets of a player, 0 to 600 seconds. With 0 this rule and the next two do
    not apply."""
    reality_check_ms: int = _setting("REALITY_CHECK_MINUTES", "0", parsers.MINUTES)
    """The minutes of play after which a player gets a reality check, again and again. Play begins with
    the first bet after 30 minutes without one."""
    longest_play_ms: int = _setting("SESSION_LIMIT_MINUTES", "0", parsers.MINUTES)
    """The minutes of play after which a player must pause for half an hour."""
    two_factor_required_for: tuple[str, ...] = _setting(
        "TWO_FACTOR_REQUIRED_FOR",
        "",
        parsers.some_of("login", "link-login", "trade-url", "vault-unlock", "export"),
    )
    """What players with two-factor authentication need a code for, besides claims, prizes, withdrawals,
    their addresses and raising a limit: `login`, `link-login` (to link or remove a login), `trade-url` (also
    to close the account), `vault-unlock` and `export` (of all data), separated by commas."""
    erase_after_days: int = _setting("ERASE_AFTER_DAYS", "1825", number(0, 36_500))
    """The days after which [a closed account](accounts.md#erasure) can be erased. The law may ask for more
    or less; five years are usual for records of payments."""
    trade_url_own_only: bool = _setting("TRADE_URL_OWN_ONLY", "0", flag())
    """1 accepts only trade URLs of the player's own account of the game platform."""
    price_feed_url: str = _setting("PRICE_FEED_URL", "", parsers.http_url, secret=True)
    """The [price feed](operating.md#prices) of all items. Without a source prices stay."""
    price_market_url: str = _setting("PRICE_MARKET_URL", "", parsers.http_url, secret=True)
    """A source of prices of single items that the loaded feed does not contain, asked at most 20 times a
    minute, such as `https://steamcommunity.com/market/priceoverview/`."""
    price_refresh_seconds: int = _setting("PRICE_REFRESH_SECONDS", "3600", number(1, 86_400))
    """The time between two refreshes, at most a day."""
    office_enabled: bool = _setting("OFFICE_ENABLED", "1", flag())
    """Whether there is the [back office](office.md) at `/office/`. In production 0 by default."""
    office_networks: tuple[str, ...] = _setting("OFFICE_NETWORKS", "", parsers.networks)
    """The networks that may see it, such as `192.0.2.0/24`, separated by commas. By default all; others
    get 404. Behind a proxy this needs `TRUSTED_PROXIES`."""
    office_four_eyes: bool = _setting("OFFICE_FOUR_EYES", "1", flag())
    """0 lets one person do what needs [a second one](office.md#four-eyes), for a team of one."""
    office_four_eyes_above_cents: int = _setting("OFFICE_FOUR_EYES_ABOVE", "100", AMOUNT_OR_ZERO)
    """The USD of a day above which changes of balances, and credits, need a second person."""
    withdrawal_four_eyes_above_cents: int = _setting("WITHDRAWAL_FOUR_EYES_ABOVE", "1000", AMOUNT_OR_ZERO)
    """The USD of a day above which approvals of a player's withdrawals need a second person."""
    alarm_payout_cents: int = _setting("ALARM_PAYOUT", "10000", AMOUNT)
    """The USD from which the payout of a bet raises an [alarm](office.md#alarms)."""
    alarm_webhook_url: str = _setting("ALARM_WEBHOOK_URL", "", parsers.http_url, secret=True)
    """Your own service that gets all alarms."""
    alarm_webhook_secrets: tuple[str, ...] = _setting(
        "ALARM_WEBHOOK_SECRET", "", parsers.webhook_secrets, secret=True
    )
    """The secrets that sign them, in the form of `PAYMENTS_WEBHOOK_SECRET`."""
    payment_methods: tuple[str, ...] = _setting("PAYMENT_METHODS", "demo", parsers.some_of("btcpay", "demo"))
    """The [payment providers](payments.md), separated by commas: `btcpay`, `demo`. The latter moves no
    money, and production refuses it. Empty is none, and so is no setting in production."""
    payments_min_cents: int = _setting("PAYMENTS_MIN_USD", "1", AMOUNT)
    """The smallest deposit and withdrawal to ask for, in USD."""
    payments_max_cents: int = _setting("PAYMENTS_MAX_USD", "10000", AMOUNT)
    """The largest deposit and withdrawal to ask for, in USD. What is paid above it waits for staff."""
    payments_poll_ms: int = _setting("PAYMENTS_POLL_SECONDS", "15", parsers.POLL_SECONDS)
    """The shortest pause between two questions to a provider about one payment, 0.1 to 600 seconds."""
    payments_webhook_secrets: tuple[str, ...] = _setting(
        "PAYMENTS_WEBHOOK_SECRET", "", parsers.webhook_secrets, secret=True
    )
    """The secrets of your own payment service in the form of Standard Webhooks: `whsec_` and 24 to 64
    bytes in base64, separated by blanks. They verify messages to `/webhooks/payments`; the first signs
    requests to `WITHDRAWAL_CHECK_URL`."""
    btcpay_url: str = _setting("BTCPAY_URL", "", parsers.base_url)
    """The address of your BTCPay Server."""
    btcpay_store: str = _setting("BTCPAY_STORE", "")
    """The id of the store."""
    btcpay_api_key: str = _setting("BTCPAY_API_KEY", "", secret=True)
    """An API key of the store."""
    btcpay_webhook_secret: str = _setting("BTCPAY_WEBHOOK_SECRET", "", secret=True)
    """The secret of the store's webhook to `BASE_URL/webhooks/btcpay`."""
    btcpay_payout_methods: tuple[str, ...] = _setting("BTCPAY_PAYOUT_METHODS", "", listed)
    """The payout methods, such as `BTC-CHAIN,BTC-LN`. Without any there are no withdrawals."""
    # Whoever knows it can list its payouts, with their addresses.
    btcpay_pull_payment: str = _setting("BTCPAY_PULL_PAYMENT", "", secret=True)
    """The id of the pull payment in USD that withdrawals go through."""
    withdrawal_auto_approve_cents: int = _setting("WITHDRAWAL_AUTO_APPROVE", "0", AMOUNT_OR_ZERO)
    """The USD up to which the withdrawals of a player on a day (UTC) need no approval of staff. With 0
    staff approve all."""
    withdrawal_check_url: str = _setting("WITHDRAWAL_CHECK_URL", "", parsers.http_url, secret=True)
    """Your own service that [checks each withdrawal](payments.md#the-check-of-withdrawals) before it is
    approved. Needs `PAYMENTS_WEBHOOK_SECRET`."""
    withdrawal_min_wagered_ppm: int = _setting("WITHDRAWAL_MIN_WAGERED", "0", parsers.FACTOR)
    """The part of all deposits that a player who can play must have wagered before a withdrawal: 1 is all
    of them."""
    address_delay_ms: int = _setting("ADDRESS_HOURS", "0", parsers.HOURS)
    """The hours that a new entry of a player's [address book](payments.md#the-address-book) waits before a
    withdrawal can go to it, 0 to 720. With 0 withdrawals go to any address at once. In production 24 by
    default."""

    @classmethod
    def from_env(cls, env: Mapping[str, str], *, instance_dir: Path = INSTANCE_DIR) -> "Settings":
        """Read and check the settings. A blank value counts as not set.

        In development, missing secrets are drawn and stored. Raises SettingsError.
        """
        given = {name: text.strip() for name, text in env.items()}
        wrong: dict[str, str] = {}
        values: dict[str, Any] = {"instance_dir": instance_dir}
        for each in fields(cls):
            name, parse = each.metadata["name"], each.metadata["parse"]
            default = each.metadata["default"].format(**values)
            try:
                values[each.name] = parse(given.get(name) or default)
            except ValidationError as error:
                wrong[name] = str(error.messages[0])
                # With its default, so that the other checks report nothing about it.
                values[each.name] = parse(default)
        production = values["production"]
        values |= _other_defaults(given, production=production)
        settings = cls(**values)
        wrong |= settings._conflicts()
        if production:
            wrong |= settings._unsafe()
            if not given.get("BASE_URL"):
                wrong["BASE_URL"] = "must be given when APP_ENV is production"
        if wrong:
            raise SettingsError([f"{name}: {what}" for name, what in wrong.items()], settings)
        log_key = settings.log_signing_key
        if not log_key:
            log_key = base64.b64encode(bytes.fromhex(_stored_secret(settings, "LOG_SIGNING_KEY"))).decode()
        return replace(
            settings,
            log_signing_key=log_key,
            log_origin=settings.log_origin or f"{settings.base_url.partition('://')[2]}/log",
            secret_key=settings.secret_key or _stored_secret(settings, "SECRET_KEY"),
            jwt_secret=settings.jwt_secret or _stored_secret(settings, "JWT_SECRET"),
        )

    @property
    def log_keys(self) -> tuple[bytes, ...]:
        """The keys that sign the log, the current one first."""
        return tuple(base64.b64decode(key) for key in (self.log_signing_key, self.log_next_key) if key)

    @property
    def quorum_of_witnesses(self) -> int:
        """How many witnesses make a checkpoint witnessed; 0 without any."""
        count = len(self.log_witnesses)
        return self.log_quorum or (count // 2 + 1 if count else 0)

    @property
    def allowed_origins(self) -> tuple[str, ...]:
        """The origins whose pages may call this service, its own included."""
        origins = (parsers.origin(self.base_url), parsers.origin(self.frontend_url), *self.cors_origins)
        return tuple(dict.fromkeys(origins))

    def digest(self) -> str:
        """16 characters that are the same for processes that may share a database, and reveal no setting."""
        shared = [getattr(self, each.name) for each in fields(self) if each.name not in OF_ONE_PROCESS]
        return hmac.digest(self.secret_key.encode(), repr(shared).encode(), "sha256").hex()[:16]

    def _conflicts(self) -> dict[str, str]:
        """Problems of settings that parsers accepted, by their names."""
        wrong = {}
        try:
            self.instance_dir.mkdir(parents=True, exist_ok=True)
        except OSError:
            wrong["INSTANCE_DIR"] = "must be a directory, or a path where one can be created"
        if self.upgrader_min_wager_cents > self.upgrader_max_wager_cents:
            wrong["UPGRADER_MIN_WAGER"] = "must not be above UPGRADER_MAX_WAGER"
        if self.redis_url and self.database_url.startswith("sqlite:"):
            wrong["REDIS_URL"] = "needs a DATABASE_URL of PostgreSQL"
        if self.log_quorum > len(self.log_witnesses):
            wrong["LOG_QUORUM"] = "must not be above the number of LOG_WITNESSES"
        pair = ("identity_client_id", "identity_client_secret")
        for given, missing in (pair, pair[::-1]):
            if getattr(self, given) and not getattr(self, missing):
                wrong[missing.upper()] = f"must be given together with {given.upper()}"
        if self.alarm_webhook_url and not self.alarm_webhook_secrets:
            wrong |= {"ALARM_WEBHOOK_SECRET": "must be given together with ALARM_WEBHOOK_URL"}
        return wrong | self._conflicts_of_payments() | self._conflicts_of_rewards()

    def _conflicts_of_payments(self) -> dict[str, str]:
        wrong = {}
        if self.payments_min_cents > self.payments_max_cents:
            wrong["PAYMENTS_MIN_USD"] = "must not be above PAYMENTS_MAX_USD"
        if "btcpay" in self.payment_methods:
            needed = ["btcpay_url", "btcpay_store", "btcpay_api_key", "btcpay_webhook_secret"]
            needed += ["btcpay_pull_payment"] if self.btcpay_payout_methods else []
            for name in needed:
                if not getattr(self, name):
                    wrong[name.upper()] = "must be given when PAYMENT_METHODS names btcpay"
        if self.withdrawal_check_url and not self.payments_webhook_secrets:
            wrong |= {"PAYMENTS_WEBHOOK_SECRET": "must be given together with WITHDRAWAL_CHECK_URL"}
        return wrong

    def _conflicts_of_rewards(self) -> dict[str, str]:
        """What the house gives must be a part of what it expects to win, whatever players do."""
        wrong = {}
        shares = {
            "RAKEBACK_RATE": self.rakeback_rate_ppm,
            "LEVEL_SHARE": self.level_share_ppm,
            "DAILY_SHARE": self.daily_share_ppm,
            "BONUS_SHARE": self.bonus_share_ppm,
        }
        given = HIGHEST_COMMISSION_PPM + sum(shares.values())
        if given > MOST_GIVEN_PPM:
            parts = {"commission": HIGHEST_COMMISSION_PPM, **shares}
            added = " + ".join(f"{name} {_decimal(share)}" for name, share in parts.items())
            most = _decimal(MOST_GIVEN_PPM)
            wrong[max(shares, key=shares.__getitem__)] = (
                f"{added} is {_decimal(given)} of the expected win, and must be at most {most}"
            )
        earned = self.bonus_wagering_ppm * self.upgrader_house_edge_ppm * self.bonus_share_ppm
        if self.bonus_percent and earned < PPM**3:
            wrong["BONUS_WAGERING"] = (
                f"BONUS_WAGERING {_decimal(self.bonus_wagering_ppm)} x UPGRADER_HOUSE_EDGE"
                f" {_decimal(self.upgrader_house_edge_ppm)} x BONUS_SHARE {_decimal(self.bonus_share_ppm)}"
                f" is {_decimal(earned, PPM**3)}, and must be at least 1"
            )
        return wrong

    def _unsafe(self) -> dict[str, str]:
        """Problems for which production refuses settings, by their names."""
        wrong = {}
        for name in PRIVATE_URLS:
            if (url := getattr(self, name)) and not _is_private(url):
                wrong[name.upper()] = "must be an https address when APP_ENV is production"
        if self.demo_logins:
            wrong["DEMO_LOGINS"] = "must be 0 when APP_ENV is production"
        of_demo = [name for name in ("payment_methods", "beacon_urls") if "demo" in getattr(self, name)]
        wrong |= {name.upper(): "must not name demo when APP_ENV is production" for name in of_demo}
        for name, previous in (
            ("secret_key", self.previous_secret_keys),
            ("jwt_secret", self.previous_jwt_secrets),
        ):
            secret = getattr(self, name)
            if not secret:
                wrong[name.upper()] = "must be given when APP_ENV is production"
            elif _is_weak(secret):
                wrong[name.upper()] = f"must be a random text of at least {MIN_SECRET_LENGTH} characters"
            if any(map(_is_weak, previous)):
                wrong[f"{name.upper()}_PREVIOUS"] = (
                    f"must be random texts of at least {MIN_SECRET_LENGTH} characters, separated by commas"
                )
        if self.jwt_secret and self.jwt_secret == self.secret_key:
            wrong |= {"JWT_SECRET": "must differ from SECRET_KEY"}
        if not self.log_signing_key:
            wrong["LOG_SIGNING_KEY"] = "must be given when APP_ENV is production"
        return wrong


def _other_defaults(given: Mapping[str, str], *, production: bool) -> dict[str, Any]:
    """Fields whose default in production is another, or that a blank value empties."""
    values: dict[str, Any] = {}
    if not given.get("PAYMENT_METHODS") and (production or "PAYMENT_METHODS" in given):
        values["payment_methods"] = ()
    if not given.get("BEACON_URLS") and (production or "BEACON_URLS" in given):
        values["beacon_urls"] = () if "BEACON_URLS" in given else PUBLIC_RELAYS
    if not given.get("OFFICE_ENABLED") and production:
        values["office_enabled"] = False
    if not given.get("ADDRESS_HOURS") and production:
        values["address_delay_ms"] = parsers.HOURS("24")
    return values


def _decimal(number: int, unit: int = PPM) -> str:
    """A whole number of parts of 1, such as millionths, as a decimal number."""
    return f"{Decimal(number) / unit:f}"


def _is_private(url: str) -> bool:
    """Whether nobody on the way can read or change requests to this URL: https, or this machine."""
    parts = urlsplit(url)
    try:
        return parts.scheme == "https" or ip_address(parts.hostname or "").is_loopback
    except ValueError:
        return parts.hostname == "localhost"


def _is_weak(secret: str) -> bool:
    """Whether a secret is short, has few characters, or repeats a shorter text."""
    if len(secret) < MIN_SECRET_LENGTH or len(set(secret)) < MIN_DIFFERENT_CHARACTERS:
        return True
    return any(secret.startswith(secret[n:]) for n in range(1, len(secret) // 2 + 1))


def _stored_secret(settings: Settings, name: str) -> str:
    """A development secret, drawn on first use. Two processes that start together get the same one."""
    path = settings.instance_dir / name.lower()
    if not path.exists():
        with tempfile.NamedTemporaryFile("w", dir=path.parent) as file:
            file.write(secrets.token_hex(32))
            file.flush()
            # A link appears whole or not at all, and never replaces the file of another process.
            with contextlib.suppress(FileExistsError):
                path.hardlink_to(file.name)
    secret = path.read_text().strip()
    if len(secret) < MIN_SECRET_LENGTH:
        raise SettingsError([f"{name}: the file {path.name} in the instance directory is damaged"], settings)
    return secret
