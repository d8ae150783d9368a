"""Every setting of the platform, read once from the environment into one typed object."""

import base64
import contextlib
import hmac
import re
import secrets
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from decimal import Decimal
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg2
from marshmallow import ValidationError
from marshmallow.validate import ContainsOnly, OneOf, Regexp
from psycopg2.extensions import parse_dsn

VERSION = "1.0.0"
"""Of the product and of its API; ``CHANGELOG.md`` says what each version changes."""

ROOT = Path(__file__).resolve().parent
INSTANCE_DIR = ROOT / "instance"
EXAMPLE = ROOT / ".env.example"
MIN_SECRET_LENGTH = 32
MIN_DIFFERENT_CHARACTERS = 10
TWO_FACTOR_ACTIONS = ("login", "trade-url", "vault-unlock")
"""The actions for which an operator may require a second factor. Other actions always need it."""

DEFAULT_PORTS = {"http": 80, "https": 443}

DIFFERENT = "must differ from SECRET_KEY"
DATABASE = Regexp(r"(sqlite:///|postgresql://).", error="must begin with sqlite:/// or postgresql://")
POSTGRESQL = "must be a URL such as postgresql://USER:PASSWORD@HOST/DATABASE, with a percent-encoded password"
REDIS = "must be a URL such as redis://:PASSWORD@HOST:6379/0 or rediss://…, with a percent-encoded password"
HOST_NAME = Regexp(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?\Z", error="must be a host name such as trade.example.com")
LOG_LEVEL = OneOf(("debug", "info", "warning", "error", "critical"), error="must be one of {choices}")
PROMO_CODE = Regexp(r"([A-Za-z0-9]{4,24})?\Z", error="must be 4 to 24 letters and digits")
PAYMENT_PROVIDERS = ("btcpay", "demo")
PROVIDERS = ContainsOnly(PAYMENT_PROVIDERS, error="must be one or more of {choices}, separated by commas")
NETWORKS = "must be networks such as 192.0.2.0/24 or 2001:db8::/48, separated by commas"
WEBHOOK_SECRETS = "must be one or more secrets such as whsec_…, with 24 to 64 bytes in base64, between blanks"
ACTIONS = ContainsOnly(TWO_FACTOR_ACTIONS, error="must be one or more of {choices}, separated by commas")
APP_ORIGIN = re.compile(r"(?:capacitor|ionic|tauri|app)://[a-z0-9.-]+(?::[0-9]{1,5})?")
"""The origins of pages in the shells of apps."""
URL_HOST = re.compile(r"[a-z0-9.-]+|[0-9a-f:.]+")
NUMBER = re.compile(r"[0-9]+\.?[0-9]*|\.[0-9]+")

PRIVATE_URLS = (
    *("base_url", "platform_openid_url", "platform_api_url", "identity_discovery_url"),
    *("btcpay_url", "withdrawal_check_url", "alarm_webhook_url"),
)
"""In production nobody may be able to read requests to these on their way."""

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


# A parser returns the value of a text, or raises ValidationError with what the text must be.


def _flag(off: str, on: str) -> Callable[[str], bool]:
    """A parser of a text that must be one of these two."""
    known = OneOf((off, on), error="must be one of {choices}")
    return lambda text: bool(known(text) == on)


def _number(
    least: int, most: int, what: str = "a whole number from {least} to {most}", *, unit: int = 1
) -> Callable[[str], int]:
    """A parser of numbers that multiplies them by ``unit``: with unit 100, ``1.5`` gives 150."""

    def parse(text: str) -> int:
        is_number = NUMBER.fullmatch(text) and (unit > 1 or "." not in text)
        number = Decimal(text) * unit if is_number else -1
        if least <= number <= most and number == int(number):
            return int(number)
        raise ValidationError(f"must be {what.format(least=least, most=most)}")

    return parse


AMOUNT = _number(1, 10**11, "an amount from 0.01 to 1000000000 with at most two decimals", unit=100)
AMOUNT_OR_NONE = _number(0, 10**11, "an amount from 0 to 1000000000 with at most two decimals", unit=100)
FACTOR = _number(0, 1_000 * 10**6, "a factor from 0 to 1000 with at most six decimals", unit=10**6)
FRACTION = _number(0, 999_999, "a fraction from 0 to below 1 with at most six decimals", unit=10**6)
SECONDS = _number(0, 600_000, "seconds from 0 to 600 with at most three decimals", unit=1000)
POLL_SECONDS = _number(100, 600_000, "seconds from 0.1 to 600 with at most three decimals", unit=1000)
MINUTES_FROM_1 = _number(60_000, 10_080 * 60_000, "minutes from 1 to 10080", unit=60_000)
MINUTES = _number(0, 10_080 * 60_000, "minutes from 0 to 10080", unit=60_000)


def _host(text: str) -> str:
    """A host name, or an IP address in the form that it has in URLs."""
    try:
        address = ip_address(text.strip("[]"))
    except ValueError:
        return str(HOST_NAME(text.lower()))
    return f"[{address}]" if ":" in text else str(address)


def _directory(text: str) -> Path:
    # Flask would look for the files of a relative one beside app.py.
    return Path(text).absolute()


def _list(text: str) -> tuple[str, ...]:
    return tuple(entry.strip() for entry in text.split(",") if entry.strip())


def _networks(text: str) -> tuple[str, ...]:
    """Networks in their shortest form. A single address is one too."""
    try:
        return tuple(str(ip_network(entry)) for entry in _list(text))
    except ValueError:
        raise ValidationError(NETWORKS) from None


def _webhook_secrets(text: str) -> tuple[str, ...]:
    """Secrets of the Standard Webhooks specification."""
    for secret in text.split():
        try:
            key = base64.b64decode(secret.removeprefix("whsec_") + "==")
        except ValueError:
            key = b""
        if not 24 <= len(key) <= 64:  # noqa: PLR2004  # the specification's
            raise ValidationError(WEBHOOK_SECRETS)
    return tuple(text.split())


def _log_key(text: str) -> str:
    """An Ed25519 seed in base64, or nothing."""
    try:
        key = base64.b64decode(text, validate=True)
    except ValueError:
        key = b"?"
    if text and len(key) != 32:  # noqa: PLR2004  # that of Ed25519
        raise ValidationError("must be 32 random bytes in base64")
    return text


def _log_origin(text: str) -> str:
    if re.search(r"[\s+]", text):
        raise ValidationError("must not contain blanks or plus signs")
    if text and not text.endswith("/log"):
        raise ValidationError("must end in /log")
    return text


def _http_url(text: str) -> str:
    """An http(s) URL with its scheme and host in lower case, or nothing."""
    if not text:
        return ""
    _origin(text)
    if "#" in text:
        raise ValidationError("must be an address without a fragment")
    parts = urlsplit(text)
    return parts._replace(netloc=parts.netloc.lower()).geturl()


def _base_url(ending: str = "") -> Callable[[str], str]:
    """A parser of URLs that paths are appended to: without a query, or a slash at the end."""

    def parse(text: str) -> str:
        url = _http_url(text)
        if "?" in text:
            raise ValidationError("must be an address without a query")
        if not url.endswith(ending):
            raise ValidationError(f"must end in {ending}")
        return url.rstrip("/")

    return parse


def _database_url(text: str) -> str:
    DATABASE(text)
    try:
        if text.startswith("postgresql:"):
            parse_dsn(text)
    except psycopg2.ProgrammingError:
        # The driver's message may contain the password.
        raise ValidationError(POSTGRESQL) from None
    return text


def _redis_url(text: str) -> str:
    if not text:
        return ""
    # Loaded only when it is set.
    import redis  # noqa: PLC0415

    try:
        parts = urlsplit(text)
        good = parts.scheme in {"redis", "rediss"} and parts.hostname and not parts.fragment
        # A lookup of a name that can't be encoded would fail with an error of its own.
        (parts.hostname or "").encode("idna")
        # Makes an object without connecting, and checks the options in the query.
        redis.ConnectionPool.from_url(text).make_connection()
    except (ValueError, TypeError, redis.RedisError):
        good = False
    if not good:
        # The library's messages may contain a part of the password.
        raise ValidationError(REDIS)
    return text


def _origin(url: str) -> str:
    """Scheme, host and port of an http(s) URL, as browsers send them in ``Origin``."""
    try:
        parts = urlsplit(url)
        scheme, host, port = parts.scheme, parts.hostname or "", parts.port
        good = scheme in DEFAULT_PORTS and URL_HOST.fullmatch(host) and parts.username is None
    except ValueError:
        good = False
    if not good or not re.fullmatch(r"[!-~]+", url):
        raise ValidationError("must be an http or https address")
    host = f"[{host}]" if ":" in host else host
    return f"{scheme}://{host}" if port in (None, DEFAULT_PORTS[scheme]) else f"{scheme}://{host}:{port}"


def _origins(text: str) -> tuple[str, ...]:
    with contextlib.suppress(ValidationError):
        origins = tuple(
            entry.lower() if APP_ORIGIN.fullmatch(entry.lower()) else _origin(entry) for entry in _list(text)
        )
        if list(origins) == [entry.lower() for entry in _list(text)]:
            return origins
    raise ValidationError("must be origins such as https://play.example.com, separated by commas")


def _setting(
    name: str,
    default: str,
    parse: Callable[[str], Any] = str,
    *,
    secret: bool = False,
    empty: bool = False,
) -> Any:
    """A field that is read from a variable. The default may contain the fields before it in braces.

    A blank value counts as not set, unless ``empty`` says that it is a value.
    """
    metadata = {"name": name, "default": default, "parse": parse, "empty": empty}
    return field(metadata=metadata, repr=not secret)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """An operator's settings. Money is in cents; the names of durations end in their unit."""

    production: bool = _setting("APP_ENV", "development", _flag("development", "production"))
    instance_dir: Path = _setting("INSTANCE_DIR", "{instance_dir}", _directory)  # noqa: RUF009
    host: str = _setting("HOST", "127.0.0.1", _host)
    port: int = _setting("PORT", "5000", _number(1, 65_535))
    base_url: str = _setting("BASE_URL", "http://127.0.0.1:{port}", _base_url())
    frontend_url: str = _setting("FRONTEND_URL", "{base_url}/", _http_url)
    cors_origins: tuple[str, ...] = _setting("CORS_ORIGINS", "", _origins)
    database_url: str = _setting(
        "DATABASE_URL", "sqlite:///{instance_dir}/platform.db", _database_url, secret=True
    )
    database_pool_size: int = _setting("DATABASE_POOL_SIZE", "20", _number(2, 1_000))
    # May contain a password. Empty: there is one process.
    redis_url: str = _setting("REDIS_URL", "", _redis_url, secret=True)
    # Empty in development: see _stored_secret.
    secret_key: str = _setting("SECRET_KEY", "", secret=True)
    jwt_secret: str = _setting("JWT_SECRET", "", secret=True)
    previous_secret_keys: tuple[str, ...] = _setting("SECRET_KEY_PREVIOUS", "", _list, secret=True)
    previous_jwt_secrets: tuple[str, ...] = _setting("JWT_SECRET_PREVIOUS", "", _list, secret=True)
    jwt_ttl_seconds: int = _setting("JWT_TTL", "604800", _number(1, 315_360_000))
    # Ed25519 seeds of 32 bytes, in base64. Empty in development: see _stored_secret.
    log_signing_key: str = _setting("LOG_SIGNING_KEY", "", _log_key, secret=True)
    log_next_key: str = _setting("LOG_NEXT_KEY", "", _log_key, secret=True)
    # Empty: made from BASE_URL.
    log_origin: str = _setting("LOG_ORIGIN", "", _log_origin)
    platform_openid_url: str = _setting(
        "PLATFORM_OPENID_URL", "https://steamcommunity.com/openid/login", _base_url(ending="/login")
    )
    platform_api_url: str = _setting("PLATFORM_API_URL", "https://api.steampowered.com", _base_url())
    platform_api_key: str = _setting("PLATFORM_API_KEY", "", secret=True)
    identity_discovery_url: str = _setting(
        "IDENTITY_DISCOVERY_URL", "https://accounts.google.com/.well-known/openid-configuration", _http_url
    )
    identity_client_id: str = _setting("IDENTITY_CLIENT_ID", "")
    identity_client_secret: str = _setting("IDENTITY_CLIENT_SECRET", "", secret=True)
    ratelimit_enabled: bool = _setting("RATELIMIT_ENABLED", "1", _flag("0", "1"))
    address_max_sockets: int = _setting("ADDRESS_MAX_SOCKETS", "1000", _number(1, 1_000_000))
    address_handshakes_per_minute: int = _setting(
        "ADDRESS_HANDSHAKES_PER_MINUTE", "300", _number(1, 1_000_000)
    )
    trusted_proxies: int = _setting("TRUSTED_PROXIES", "0", _number(0, 10))
    catalogue_ttl_seconds: int = _setting("CATALOGUE_TTL", "3600", _number(1, 86_400))
    platform_trade_host: str = _setting(
        "PLATFORM_TRADE_HOST", "steamcommunity.com", lambda text: HOST_NAME(text.lower())
    )
    upgrader_house_edge_ppm: int = _setting("UPGRADER_HOUSE_EDGE", "0.05", FRACTION)
    upgrader_min_wager_cents: int = _setting("UPGRADER_MIN_WAGER", "0.01", AMOUNT)
    upgrader_max_wager_cents: int = _setting("UPGRADER_MAX_WAGER", "10000", AMOUNT)
    upgrader_proof_delay_ms: int = _setting("UPGRADER_PROOF_DELAY", "6", SECONDS)
    free_case_limit: int = _setting("FREE_CASE_LIMIT", "1", _number(0, 1_000_000))
    # With 0 the next three rules do not apply.
    game_min_cycle_ms: int = _setting("GAME_MIN_CYCLE_SECONDS", "0", SECONDS)
    reality_check_ms: int = _setting("REALITY_CHECK_MINUTES", "0", MINUTES)
    session_limit_ms: int = _setting("SESSION_LIMIT_MINUTES", "0", MINUTES)
    two_factor_required_for: tuple[str, ...] = _setting(
        "TWO_FACTOR_REQUIRED_FOR", "", lambda text: ACTIONS(_list(text))
    )
    trade_url_own_only: bool = _setting("TRADE_URL_OWN_ONLY", "0", _flag("0", "1"))
    # Text, because it is checked when it is used and not at the start.
    sweepstake_rate: str = _setting("SWEEPSTAKE_RATE", "1.0")
    affiliate_special_code: str | None = _setting(
        "AFFILIATE_SPECIAL_CODE", "", lambda text: PROMO_CODE(text).upper() or None, secret=True
    )
    # A URL may contain a key. Empty: this source is not used.
    price_feed_url: str = _setting("PRICE_FEED_URL", "", _http_url, secret=True)
    price_market_url: str = _setting("PRICE_MARKET_URL", "", _http_url, secret=True)
    price_refresh_seconds: int = _setting("PRICE_REFRESH_SECONDS", "3600", _number(1, 86_400))
    payment_methods: tuple[str, ...] = _setting(
        "PAYMENT_METHODS", "demo", lambda text: PROVIDERS(_list(text)), empty=True
    )
    payments_min_cents: int = _setting("PAYMENTS_MIN_USD", "1", AMOUNT)
    payments_max_cents: int = _setting("PAYMENTS_MAX_USD", "10000", AMOUNT)
    payments_poll_ms: int = _setting("PAYMENTS_POLL_SECONDS", "15", POLL_SECONDS)
    payments_webhook_secrets: tuple[str, ...] = _setting(
        "PAYMENTS_WEBHOOK_SECRET", "", _webhook_secrets, secret=True
    )
    btcpay_url: str = _setting("BTCPAY_URL", "", _base_url())
    btcpay_store: str = _setting("BTCPAY_STORE", "")
    btcpay_api_key: str = _setting("BTCPAY_API_KEY", "", secret=True)
    btcpay_webhook_secret: str = _setting("BTCPAY_WEBHOOK_SECRET", "", secret=True)
    btcpay_payout_methods: tuple[str, ...] = _setting("BTCPAY_PAYOUT_METHODS", "", _list)
    # Whoever knows it can list its payouts, with their addresses.
    btcpay_pull_payment: str = _setting("BTCPAY_PULL_PAYMENT", "", secret=True)
    withdrawal_auto_approve_cents: int = _setting("WITHDRAWAL_AUTO_APPROVE", "0", AMOUNT_OR_NONE)
    # None: the same as for one withdrawal.
    withdrawal_auto_approve_daily_cents: int | None = _setting(
        "WITHDRAWAL_AUTO_APPROVE_DAILY", "", lambda text: AMOUNT_OR_NONE(text) if text else None
    )
    # May contain a key. Empty: there is no such service.
    withdrawal_check_url: str = _setting("WITHDRAWAL_CHECK_URL", "", _http_url, secret=True)
    withdrawal_min_wagered_ppm: int = _setting("WITHDRAWAL_MIN_WAGERED", "0", FACTOR)
    withdrawal_review_ms: int = _setting("WITHDRAWAL_REVIEW_MINUTES", "30", MINUTES_FROM_1)
    # In production, off by default.
    office_enabled: bool = _setting("OFFICE_ENABLED", "1", _flag("0", "1"))
    # Empty: all.
    office_networks: tuple[str, ...] = _setting("OFFICE_NETWORKS", "", _networks)
    office_four_eyes: bool = _setting("OFFICE_FOUR_EYES", "1", _flag("0", "1"))
    office_four_eyes_above_cents: int = _setting("OFFICE_FOUR_EYES_ABOVE", "100", AMOUNT_OR_NONE)
    withdrawal_four_eyes_above_cents: int = _setting("WITHDRAWAL_FOUR_EYES_ABOVE", "1000", AMOUNT_OR_NONE)
    alarm_payout_cents: int = _setting("ALARM_PAYOUT", "10000", AMOUNT)
    # May contain a key. Empty: alarms are not sent.
    alarm_webhook_url: str = _setting("ALARM_WEBHOOK_URL", "", _http_url, secret=True)
    alarm_webhook_secrets: tuple[str, ...] = _setting(
        "ALARM_WEBHOOK_SECRET", "", _webhook_secrets, secret=True
    )
    log_level: str = _setting("LOG_LEVEL", "info", lambda text: LOG_LEVEL(text.lower()))
    gunicorn_log_level: str = _setting("GUNICORN_LOG_LEVEL", "info", lambda text: LOG_LEVEL(text.lower()))

    @classmethod
    def from_env(cls, env: Mapping[str, str], *, instance_dir: Path = INSTANCE_DIR) -> "Settings":
        """Read and check the settings. In development, missing secrets are drawn and stored.

        Raises SettingsError with one line for each bad value.
        """
        wrong: dict[str, str] = {}
        values: dict[str, Any] = {"instance_dir": instance_dir}
        for each in fields(cls):
            name, parse = each.metadata["name"], each.metadata["parse"]
            default = each.metadata["default"].format(**values)
            given = env.get(name, "").strip()
            is_set = given or (each.metadata["empty"] and name in env)
            try:
                values[each.name] = parse(given if is_set else default)
            except ValidationError as error:
                wrong[name] = str(error.messages[0])
                # With its default, so that the other checks report nothing about it.
                values[each.name] = parse(default)
        if values["production"] and "PAYMENT_METHODS" not in env:
            values["payment_methods"] = ()
        if values["production"] and not env.get("OFFICE_ENABLED", "").strip():
            values["office_enabled"] = False
        settings = cls(**values)
        wrong |= settings._conflicts()
        if settings.production:
            wrong |= settings._unsafe()
            if not env.get("BASE_URL", "").strip():
                wrong["BASE_URL"] = "must be given when APP_ENV is production"
        if wrong:
            raise SettingsError([f"{name}: {what}" for name, what in wrong.items()], settings)
        return replace(
            settings,
            log_signing_key=settings.log_signing_key
            or _in_base64(_stored_secret(settings, "LOG_SIGNING_KEY")),
            log_origin=settings.log_origin or f"{settings.base_url.partition('://')[2]}/log",
            secret_key=settings.secret_key or _stored_secret(settings, "SECRET_KEY"),
            jwt_secret=settings.jwt_secret or _stored_secret(settings, "JWT_SECRET"),
        )

    @property
    def log_keys(self) -> tuple[bytes, ...]:
        """The keys that sign the log, the current one first."""
        return tuple(base64.b64decode(key) for key in (self.log_signing_key, self.log_next_key) if key)

    @property
    def allowed_origins(self) -> tuple[str, ...]:
        """The origins whose pages may call this service, its own included."""
        origins = (_origin(self.base_url), _origin(self.frontend_url), *self.cors_origins)
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
        pair = ("identity_client_id", "identity_client_secret")
        for given, missing in (pair, pair[::-1]):
            if getattr(self, given) and not getattr(self, missing):
                wrong[missing.upper()] = f"must be given together with {given.upper()}"
        if self.alarm_webhook_url and not self.alarm_webhook_secrets:
            wrong |= {"ALARM_WEBHOOK_SECRET": "must be given together with ALARM_WEBHOOK_URL"}
        return wrong | self._conflicts_of_payments()

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

    def _unsafe(self) -> dict[str, str]:
        """Problems for which production refuses settings, by their names."""
        wrong = {}
        for name in PRIVATE_URLS:
            if (url := getattr(self, name)) and not _is_private(url):
                wrong[name.upper()] = "must be an https address when APP_ENV is production"
        if "demo" in self.payment_methods:
            wrong["PAYMENT_METHODS"] = "must not name demo when APP_ENV is production"
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
            wrong["JWT_SECRET"] = DIFFERENT
        if not self.log_signing_key:
            wrong["LOG_SIGNING_KEY"] = "must be given when APP_ENV is production"
        return wrong


def _is_private(url: str) -> bool:
    """Whether nobody on the way can read or change requests to this URL: https, or this machine."""
    parts = urlsplit(url)
    try:
        return parts.scheme == "https" or ip_address(parts.hostname or "").is_loopback
    except ValueError:
        return parts.hostname == "localhost"


def _is_weak(secret: str) -> bool:
    """Whether a secret is short, has few characters, repeats a shorter text, or is in ``.env.example``."""
    if len(secret) < MIN_SECRET_LENGTH or len(set(secret)) < MIN_DIFFERENT_CHARACTERS:
        return True
    repeats = any(secret.startswith(secret[n:]) for n in range(1, len(secret) // 2 + 1))
    return repeats or (EXAMPLE.is_file() and secret in EXAMPLE.read_text())


def _in_base64(hexadecimal: str) -> str:
    return base64.b64encode(bytes.fromhex(hexadecimal)).decode()


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
