"""The forms of settings: each parser returns the value of a text, or raises ValidationError.

The error says what the text must be, and never repeats it: it may be a secret.
"""

import base64
import contextlib
import hashlib
import re
from collections.abc import Callable
from decimal import Decimal
from ipaddress import ip_address, ip_network
from pathlib import Path
from urllib.parse import urlsplit

import psycopg2
from marshmallow import ValidationError
from marshmallow.validate import ContainsOnly, OneOf, Regexp
from psycopg2.extensions import parse_dsn

NUMBER = re.compile(r"[0-9]+\.?[0-9]*|\.[0-9]+")
URL_HOST = re.compile(r"[a-z0-9.-]+|[0-9a-f:.]+")
DEFAULT_PORTS = {"http": 80, "https": 443}
WITNESS_KEY = re.compile(r"(?P<name>[^\s+,]{1,255})\+(?P<id>[0-9a-f]{8})\+(?P<key>[A-Za-z0-9+/]+={0,2})")
COSIGNERS = {(b"\x04", 33), (b"\x06", 1_313)}
"""Type and length of the keys that cosign: Ed25519 and ML-DSA-44."""
WITNESSES = (
    "must be witnesses separated by commas, each with its verifier key, a blank and its address, such as"
    " witness.example+a1b2c3d4+BG… https://witness.example; each witness has another name"
)
APP_ORIGIN = re.compile(r"(?:capacitor|ionic|tauri|app)://[a-z0-9.-]+(?::[0-9]{1,5})?")
"""The origins of pages in the shells of apps."""

HOST_NAME = Regexp(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?\Z", error="must be a host name such as trade.example.com")
DATABASE = Regexp(r"(sqlite:///|postgresql://).", error="must begin with sqlite:/// or postgresql://")
PROMO_CODE = Regexp(r"([A-Za-z0-9]{4,24})?\Z", error="must be 4 to 24 letters and digits")
SHA_256 = Regexp(r"[0-9a-f]{64}\Z", error="must be 64 hexadecimal digits")
POSTGRESQL = "must be a URL such as postgresql://USER:PASSWORD@HOST/DATABASE, with a percent-encoded password"
REDIS = "must be a URL such as redis://:PASSWORD@HOST:6379/0 or rediss://…, with a percent-encoded password"


def choice(*choices: str) -> Callable[[str], str]:
    """One of these texts, in letters of any case."""
    known = OneOf(choices, error="must be one of {choices}")
    return lambda text: str(known(text.lower()))


def flag(off: str = "0", on: str = "1") -> Callable[[str], bool]:
    """One of two texts; whether it is the second."""
    known = OneOf((off, on), error="must be one of {choices}")
    return lambda text: bool(known(text) == on)


def number(
    least: int, most: int, what: str = "a whole number from {least} to {most}", *, unit: int = 1
) -> Callable[[str], int]:
    """A number, times ``unit``: with unit 100, ``1.5`` gives 150. ``least`` and ``most`` are in units."""

    def parse(text: str) -> int:
        is_number = NUMBER.fullmatch(text) and (unit > 1 or "." not in text)
        value = Decimal(text) * unit if is_number else -1
        if least <= value <= most and value == int(value):
            return int(value)
        raise ValidationError(f"must be {what.format(least=least, most=most)}")

    return parse


AMOUNT = number(1, 10**11, "an amount from 0.01 to 1000000000 with at most two decimals", unit=100)
AMOUNT_OR_ZERO = number(0, 10**11, "an amount from 0 to 1000000000 with at most two decimals", unit=100)
BONUS = number(1, 10**9, "an amount from 0.01 to 10000000 with at most two decimals", unit=100)
FACTOR = number(0, 1_000 * 10**6, "a factor from 0 to 1000 with at most six decimals", unit=10**6)
FRACTION = number(0, 999_999, "a fraction from 0 to below 1 with at most six decimals", unit=10**6)
SECONDS = number(0, 600_000, "seconds from 0 to 600 with at most three decimals", unit=1000)
POLL_SECONDS = number(100, 600_000, "seconds from 0.1 to 600 with at most three decimals", unit=1000)
MINUTES = number(0, 10_080 * 60_000, "minutes from 0 to 10080", unit=60_000)
HOURS = number(0, 720 * 3_600_000, "hours from 0 to 720", unit=3_600_000)


def listed(text: str) -> tuple[str, ...]:
    """The entries between commas."""
    return tuple(entry.strip() for entry in text.split(",") if entry.strip())


def some_of(*choices: str) -> Callable[[str], tuple[str, ...]]:
    """Some of these texts, between commas."""
    known = ContainsOnly(choices, error="must be one or more of {choices}, separated by commas")
    return lambda text: tuple(known(listed(text)))


def directory(text: str) -> Path:
    """An absolute path: Flask would look for the files of a relative one beside app.py."""
    return Path(text).absolute()


def host_name(text: str) -> str:
    """A host name in lower case."""
    return str(HOST_NAME(text.lower()))


def host(text: str) -> str:
    """A host name, or an IP address in the form that it has in URLs."""
    try:
        address = ip_address(text.strip("[]"))
    except ValueError:
        return host_name(text)
    return f"[{address}]" if ":" in text else str(address)


def networks(text: str) -> tuple[str, ...]:
    """Networks in their shortest form. A single address is one too."""
    try:
        return tuple(str(ip_network(entry)) for entry in listed(text))
    except ValueError:
        raise ValidationError(
            "must be networks such as 192.0.2.0/24 or 2001:db8::/48, separated by commas"
        ) from None


def promo_code(text: str) -> str | None:
    """A promo code in upper case, or None."""
    return str(PROMO_CODE(text)).upper() or None


def webhook_secrets(text: str) -> tuple[str, ...]:
    """Secrets of the Standard Webhooks specification, between blanks."""
    for secret in text.split():
        try:
            key = base64.b64decode(secret.removeprefix("whsec_") + "==")
        except ValueError:
            key = b""
        if not 24 <= len(key) <= 64:  # noqa: PLR2004  # the specification's
            raise ValidationError(
                "must be one or more secrets such as whsec_…, with 24 to 64 bytes in base64, between blanks"
            )
    return tuple(text.split())


def log_key(text: str) -> str:
    """An Ed25519 seed in base64, or nothing."""
    try:
        key = base64.b64decode(text, validate=True)
    except ValueError:
        key = b"?"
    if text and len(key) != 32:  # noqa: PLR2004  # that of Ed25519
        raise ValidationError("must be 32 random bytes in base64")
    return text


def log_origin(text: str) -> str:
    """The name of a log, or nothing."""
    if re.search(r"[\s+]", text):
        raise ValidationError("must not contain blanks or plus signs")
    if text and not text.endswith("/log"):
        raise ValidationError("must end in /log")
    return text


def origin(url: str) -> str:
    """Scheme, host and port of an http(s) URL, as browsers send them in ``Origin``."""
    try:
        parts = urlsplit(url)
        scheme, name, port = parts.scheme, parts.hostname or "", parts.port
        good = scheme in DEFAULT_PORTS and URL_HOST.fullmatch(name) and parts.username is None
    except ValueError:
        good = False
    if not good or not re.fullmatch(r"[!-~]+", url):
        raise ValidationError("must be an http or https address")
    name = f"[{name}]" if ":" in name else name
    return f"{scheme}://{name}" if port in (None, DEFAULT_PORTS[scheme]) else f"{scheme}://{name}:{port}"


def origins(text: str) -> tuple[str, ...]:
    """Origins of pages, between commas."""
    given = tuple(entry.lower() for entry in listed(text))
    with contextlib.suppress(ValidationError):
        if given == tuple(entry if APP_ORIGIN.fullmatch(entry) else origin(entry) for entry in given):
            return given
    raise ValidationError("must be origins such as https://play.example.com, separated by commas")


def http_url(text: str) -> str:
    """An http(s) URL with its scheme and host in lower case, or nothing."""
    if not text:
        return ""
    origin(text)
    if "#" in text:
        raise ValidationError("must be an address without a fragment")
    parts = urlsplit(text)
    return parts._replace(netloc=parts.netloc.lower()).geturl()


def base_url(text: str) -> str:
    """A URL that paths are appended to: without a query, or a slash at the end."""
    url = http_url(text)
    if "?" in text:
        raise ValidationError("must be an address without a query")
    return url.rstrip("/")


def beacon_urls(text: str) -> tuple[str, ...]:
    """``demo``, or addresses of relays, between commas."""
    if text == "demo":
        return ("demo",)
    try:
        return tuple(map(base_url, listed(text)))
    except ValidationError:
        raise ValidationError(
            "must be demo, or addresses such as https://api.drand.sh, separated by commas"
        ) from None


def witnesses(text: str) -> tuple[tuple[str, str], ...]:
    """Witnesses between commas: of each its verifier key and its address."""
    found = {}
    for entry in listed(text):
        key, _, url = entry.partition(" ")
        name = key.partition("+")[0]
        # Two keys of one witness are no two witnesses.
        if not is_witness_key(key) or name in found or not url:
            raise ValidationError(WITNESSES)
        try:
            found[name] = key, base_url(url.strip())
        except ValidationError:
            raise ValidationError(WITNESSES) from None
    return tuple(found.values())


def is_witness_key(text: str) -> bool:
    """Whether this is the verifier key of a cosigner: https://c2sp.org/tlog-cosignature."""
    found = WITNESS_KEY.fullmatch(text)
    try:
        key = base64.b64decode(found["key"], validate=True) if found else b""
    except ValueError:
        return False
    if found is None or (key[:1], len(key)) not in COSIGNERS:
        return False
    return hashlib.sha256(f"{found['name']}\n".encode() + key).hexdigest()[:8] == found["id"]


def chain_hash(text: str) -> str:
    """A SHA-256 in lower-case hexadecimal digits."""
    return str(SHA_256(text.lower()))


def login_url(text: str) -> str:
    """The URL of an OpenID 2.0 login."""
    url = base_url(text)
    if not url.endswith("/login"):
        raise ValidationError("must end in /login")
    return url


def database_url(text: str) -> str:
    """The URL of a SQLite or PostgreSQL database."""
    DATABASE(text)
    try:
        if text.startswith("postgresql:"):
            parse_dsn(text)
    except psycopg2.ProgrammingError:
        # The driver's message may contain the password.
        raise ValidationError(POSTGRESQL) from None
    return text


def redis_url(text: str) -> str:
    """The URL of a Redis, or nothing."""
    if not text:
        return ""
    # Loaded only when it is set.
    import redis  # noqa: PLC0415

    try:
        parts = urlsplit(text)
        good = parts.scheme in {"redis", "rediss"} and bool(parts.hostname) and not parts.fragment
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
