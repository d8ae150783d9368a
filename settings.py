"""Every setting of the platform, read once from the environment into one typed object."""

import contextlib
import os
import re
import secrets
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

INSTANCE_DIR = Path(__file__).resolve().parent / "instance"

MIN_SECRET_LENGTH = 32
MIN_DIFFERENT_CHARACTERS = 8
MAX_WAGER_CEILING = Decimal(1000000000)
PPM = 1_000_000
PROMO_CODE = re.compile(r"[A-Za-z0-9]{4,24}", re.ASCII)
HOST = re.compile(r"[a-z0-9.-]+|[0-9a-f:.]+", re.ASCII)
PLAIN = re.compile(r"[\x21-\x7e]+")
HOST_NAME = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?", re.ASCII)


class SettingsError(Exception):
    """One or more settings are bad. ``str()`` gives one line for each, naming it."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What an operator can choose. Money is in cents, durations say their unit in the name."""

    production: bool
    base_url: str
    frontend_url: str
    allowed_origins: tuple[str, ...]
    database_url: str = field(repr=False)
    port: int
    instance_dir: Path
    secret_key: str = field(repr=False)
    previous_secret_keys: tuple[str, ...] = field(repr=False)
    jwt_secret: str = field(repr=False)
    previous_jwt_secrets: tuple[str, ...] = field(repr=False)
    jwt_ttl_seconds: int
    platform_openid_url: str
    platform_api_url: str
    platform_api_key: str = field(repr=False)
    identity_discovery_url: str
    identity_client_id: str
    identity_client_secret: str = field(repr=False)
    ratelimit_enabled: bool
    trusted_proxies: int
    catalogue_ttl_seconds: int
    platform_trade_host: str
    upgrader_house_edge_ppm: int
    upgrader_min_wager_cents: int
    upgrader_max_wager_cents: int
    upgrader_proof_delay_ms: int
    # As it was written: the one setting that is judged when it is used.
    sweepstake_rate: str
    affiliate_special_code: str | None = field(repr=False)
    # An address of a source may carry a key. Empty: there is no such source.
    price_feed_url: str = field(repr=False)
    price_market_url: str = field(repr=False)
    price_refresh_seconds: int

    @classmethod
    def from_env(cls, env: Mapping[str, str], *, instance_dir: Path = INSTANCE_DIR) -> "Settings":
        """Read and check the settings; secrets that are missing in development are made and kept.

        Raises SettingsError with a line for every bad value, not only the first.
        """
        read = _Reader(env)
        production = read.choice("APP_ENV", ("development", "production"), "development") == "production"
        port = read.whole("PORT", 5000, least=1, most=65_535)
        base_url = read.address("BASE_URL", f"http://127.0.0.1:{port}", query=False).rstrip("/")
        frontend_url = read.address("FRONTEND_URL", f"{base_url}/")
        max_wager = read.cents("UPGRADER_MAX_WAGER", "10000")
        min_wager = read.cents("UPGRADER_MIN_WAGER", "0.01")
        if min_wager > max_wager:
            read.problem("UPGRADER_MIN_WAGER", "must not be above UPGRADER_MAX_WAGER")
        client_id, client_secret = read.client("IDENTITY_CLIENT_ID", "IDENTITY_CLIENT_SECRET")
        instance_dir = read.directory("INSTANCE_DIR", instance_dir)
        values = cls(
            production=production,
            base_url=base_url,
            frontend_url=frontend_url,
            allowed_origins=read.origins("CORS_ORIGINS", frontend_url),
            database_url=read.database("DATABASE_URL", f"sqlite:///{instance_dir / 'platform.db'}"),
            port=port,
            instance_dir=instance_dir,
            secret_key=read.secret("SECRET_KEY", instance_dir, required=production),
            previous_secret_keys=read.secrets("SECRET_KEY_PREVIOUS", strong=production),
            jwt_secret=read.secret("JWT_SECRET", instance_dir, required=production),
            previous_jwt_secrets=read.secrets("JWT_SECRET_PREVIOUS", strong=production),
            jwt_ttl_seconds=read.whole("JWT_TTL", 604_800, least=1, most=315_360_000),
            platform_openid_url=read.provider(
                "PLATFORM_OPENID_URL",
                "https://steamcommunity.com/openid/login",
                ending="/login",
                secure=production,
            ),
            platform_api_url=read.provider(
                "PLATFORM_API_URL", "https://api.steampowered.com", secure=production
            ).rstrip("/"),
            platform_api_key=read.text("PLATFORM_API_KEY", ""),
            identity_discovery_url=read.provider(
                "IDENTITY_DISCOVERY_URL",
                "https://accounts.google.com/.well-known/openid-configuration",
                secure=production,
                query=True,
            ),
            identity_client_id=client_id,
            identity_client_secret=client_secret,
            ratelimit_enabled=read.switch("RATELIMIT_ENABLED", default=True),
            trusted_proxies=read.whole("TRUSTED_PROXIES", 0, least=0, most=10),
            catalogue_ttl_seconds=read.whole("CATALOGUE_TTL", 3600, least=1, most=86_400),
            platform_trade_host=read.host_name("PLATFORM_TRADE_HOST", "steamcommunity.com"),
            upgrader_house_edge_ppm=read.ppm("UPGRADER_HOUSE_EDGE", "0.05"),
            upgrader_min_wager_cents=min_wager,
            upgrader_max_wager_cents=max_wager,
            upgrader_proof_delay_ms=read.milliseconds("UPGRADER_PROOF_DELAY", "6", most_seconds=600),
            sweepstake_rate=read.text("SWEEPSTAKE_RATE", "1.0"),
            affiliate_special_code=read.promo_code("AFFILIATE_SPECIAL_CODE"),
            price_feed_url=read.optional_address("PRICE_FEED_URL"),
            price_market_url=read.optional_address("PRICE_MARKET_URL"),
            price_refresh_seconds=read.whole("PRICE_REFRESH_SECONDS", 3600, least=1, most=86_400),
        )
        if read.problems:
            raise SettingsError(read.problems)
        return values


class _Reader:
    """Parses one variable at a time and collects what is wrong; an empty value is the default."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self._env = env
        self.problems: list[str] = []

    def problem(self, name: str, what: str) -> None:
        self.problems.append(f"{name}: {what}")

    def text(self, name: str, default: str) -> str:
        return self._env.get(name, "").strip() or default

    def choice(self, name: str, allowed: tuple[str, ...], default: str) -> str:
        value = self.text(name, default)
        if value not in allowed:
            self.problem(name, f"must be one of {', '.join(allowed)}")
            return default
        return value

    def switch(self, name: str, *, default: bool) -> bool:
        return self.choice(name, ("0", "1"), "1" if default else "0") == "1"

    def whole(self, name: str, default: int, *, least: int, most: int) -> int:
        value = self.text(name, str(default))
        if not re.fullmatch(r"[0-9]{1,12}", value) or not least <= int(value) <= most:
            self.problem(name, f"must be a whole number from {least} to {most}")
            return default
        return int(value)

    def _decimal(self, name: str, default: str, *, places: int, what: str) -> Decimal:
        try:
            value = Decimal(self.text(name, default))
            if value.is_finite() and value == round(value, places):
                return value
        except InvalidOperation:
            pass
        self.problem(name, what)
        return Decimal(default)

    def cents(self, name: str, default: str) -> int:
        what = "must be an amount from 0.01 to 1000000000 with at most two decimals"
        value = self._decimal(name, default, places=2, what=what)
        if not Decimal("0.01") <= value <= MAX_WAGER_CEILING:
            self.problem(name, what)
            value = Decimal(default)
        return int(value * 100)

    def ppm(self, name: str, default: str) -> int:
        what = "must be a fraction from 0 to below 1 with at most six decimals"
        value = self._decimal(name, default, places=6, what=what)
        if not 0 <= value < 1:
            self.problem(name, what)
            value = Decimal(default)
        return int(value * PPM)

    def milliseconds(self, name: str, default: str, *, most_seconds: int) -> int:
        what = f"must be seconds from 0 to {most_seconds} with at most three decimals"
        value = self._decimal(name, default, places=3, what=what)
        if not 0 <= value <= most_seconds:
            self.problem(name, what)
            value = Decimal(default)
        return int(value * 1000)

    def promo_code(self, name: str) -> str | None:
        value = self.text(name, "")
        if value and not PROMO_CODE.fullmatch(value):
            self.problem(name, "must be 4 to 24 letters and digits")
        return value.upper() or None

    def address(self, name: str, default: str, *, query: bool = True) -> str:
        """An address with its scheme and host in lower case, as they are compared."""
        value = self.text(name, default)
        beginning = re.match(r"[^/?#]+//[^/?#]*", value)
        what = ""
        if beginning is None or not PLAIN.fullmatch(value) or _origin(value) is None:
            what = "must be an http or https address"
        elif "#" in value:
            what = "must be an address without a fragment"
        elif "?" in value and not query:
            what = "must be an address without a query"
        if beginning is None or what:
            self.problem(name, what)
            return default
        return beginning[0].lower() + value[beginning.end() :]

    def host_name(self, name: str, default: str) -> str:
        value = self.text(name, default).lower()
        if not HOST_NAME.fullmatch(value):
            self.problem(name, "must be a host name such as trade.example.com")
        return value

    def provider(
        self, name: str, default: str, *, secure: bool, ending: str = "", query: bool = False
    ) -> str:
        """The address of a provider. ``secure``: https only, except on this very machine."""
        value = self.address(name, default, query=query)
        if not value.endswith(ending):
            self.problem(name, f"must end in {ending}")
            return default
        parts = urlsplit(value)
        if secure and parts.scheme != "https" and not _is_loopback(parts.hostname or ""):
            self.problem(name, "must be an https address when APP_ENV is production")
            return default
        return value

    def client(self, id_name: str, secret_name: str) -> tuple[str, str]:
        """What a provider knows us by: both or none."""
        client_id, secret = self.text(id_name, ""), self.text(secret_name, "")
        if client_id and not secret:
            self.problem(secret_name, f"must be given together with {id_name}")
        if secret and not client_id:
            self.problem(id_name, f"must be given together with {secret_name}")
        return client_id, secret

    def optional_address(self, name: str) -> str:
        return self.address(name, "") if self.text(name, "") else ""

    def origins(self, name: str, frontend_url: str) -> tuple[str, ...]:
        listed = [entry.strip() for entry in self.text(name, "").split(",") if entry.strip()]
        for entry in listed:
            if _origin(entry) != entry.lower():
                self.problem(
                    name,
                    "must be origins such as https://play.example.com, separated by commas",
                )
        found = [_origin(entry) for entry in (frontend_url, *listed)]
        return tuple(dict.fromkeys(origin for origin in found if origin))

    def database(self, name: str, default: str) -> str:
        value = self.text(name, default)
        if not re.match(r"(sqlite:///.|postgres(ql)?://.)", value):
            self.problem(name, "must begin with sqlite:/// or postgresql://")
            return default
        return value

    def directory(self, name: str, default: Path) -> Path:
        path = Path(self.text(name, str(default)))
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError:
            self.problem(name, "must be a directory, or one that can be made")
        return path

    def secret(self, name: str, instance_dir: Path, *, required: bool) -> str:
        value = self.text(name, "")
        if value:
            if required and _is_weak(value):
                self.problem(
                    name,
                    f"must be a random text of at least {MIN_SECRET_LENGTH} characters",
                )
            return value
        if required:
            self.problem(name, "must be given when APP_ENV is production")
            return ""
        # An instance directory that can't be made has been told of already.
        if not instance_dir.is_dir():
            return ""
        kept = _kept_secret(instance_dir / name.lower())
        if len(kept) < MIN_SECRET_LENGTH:
            self.problem(name, f"the file {name.lower()} in the instance directory is damaged")
        return kept

    def secrets(self, name: str, *, strong: bool) -> tuple[str, ...]:
        listed = [entry.strip() for entry in self.text(name, "").split(",")]
        values = tuple(entry for entry in listed if entry)
        if strong and any(map(_is_weak, values)):
            self.problem(
                name,
                f"must be random texts of at least {MIN_SECRET_LENGTH} characters, separated by commas",
            )
        return values


def _is_weak(secret: str) -> bool:
    return len(secret) < MIN_SECRET_LENGTH or len(set(secret)) < MIN_DIFFERENT_CHARACTERS


def _origin(address: str) -> str | None:
    """Scheme, host and port of an http address, as browsers send it; None for anything else."""
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username is not None:
        return None
    if not HOST.fullmatch(parts.hostname):
        return None
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    if port is None or port == {"http": 80, "https": 443}[parts.scheme]:
        return f"{parts.scheme}://{host}"
    return f"{parts.scheme}://{host}:{port}"


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _kept_secret(path: Path) -> str:
    """The secret in this file, made on first use. Two processes at once end up with the same one."""
    if not path.exists():
        handle, unfinished = tempfile.mkstemp(dir=path.parent)
        with os.fdopen(handle, "w") as file:
            file.write(secrets.token_hex(32))
        # A link appears whole or not at all, and never in place of another process's file.
        with contextlib.suppress(FileExistsError):
            path.hardlink_to(unfinished)
        Path(unfinished).unlink()
    return path.read_text().strip()
