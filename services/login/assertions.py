"""OpenID 2.0: what a provider asserts through the browser, and what of it can be checked without asking.

Source: OpenID Authentication 2.0, sections 10.1 and 11.1 to 11.3. There is no discovery: one configured
provider, and identifiers below its own address.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from services.clock import Millis
from services.login.errors import LoginFailed

NAMESPACE = "http://specs.openid.net/auth/2.0"
PREFIX = "openid."
MUST_BE_SIGNED = {
    "op_endpoint",
    "claimed_id",
    "identity",
    "return_to",
    "response_nonce",
    "assoc_handle",
}
NONCE = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z)[\x21-\x7e]{0,235}", re.ASCII)
NONCE_LIFE_MS = 300_000


@dataclass(frozen=True)
class Assertion:
    """An assertion of the right form about ``platform_id``. Only the provider knows whether it made it."""

    platform_id: str
    nonce: str
    nonce_at: Millis


def read_assertion(parameters: Mapping[str, str], *, endpoint: str, return_to: str, now: Millis) -> Assertion:
    """Check an assertion as far as it goes without the provider. Raises LoginFailed.

    ``endpoint`` ends in ``/login``; the provider's own identifiers end in ``/id/<17 digits>`` instead.
    """
    fields = {
        name.removeprefix(PREFIX): value for name, value in parameters.items() if name.startswith(PREFIX)
    }
    _expect(fields.get("ns") == NAMESPACE, "not OpenID 2.0")
    _expect(fields.get("mode") == "id_res", "cancelled, or no assertion")
    _expect(fields.get("op_endpoint") == endpoint, "another provider's assertion")
    _expect(fields.get("return_to") == return_to, "made for another address")
    _expect(set(fields.get("signed", "").split(",")) >= MUST_BE_SIGNED, "not all is signed")
    _expect(all(fields.get(name) for name in ("assoc_handle", "sig")), "no signature")
    claimed = re.fullmatch(
        re.escape(endpoint.removesuffix("login")) + "id/([0-9]{17})", fields.get("claimed_id", ""), re.ASCII
    )
    if claimed is None or fields.get("identity") != fields["claimed_id"]:
        raise LoginFailed("not one of the provider's identifiers")
    nonce = fields.get("response_nonce", "")
    nonce_at = _time_of(nonce)
    _expect(abs(now - nonce_at) <= NONCE_LIFE_MS, "an old nonce, or one of the future")
    return Assertion(claimed[1], nonce, nonce_at)


def _expect(condition: object, otherwise: str) -> None:
    if not condition:
        raise LoginFailed(otherwise)


def _time_of(nonce: str) -> Millis:
    """The time with which a nonce begins."""
    written = NONCE.fullmatch(nonce)
    if written is None:
        raise LoginFailed("a malformed nonce")
    try:
        at = datetime.strptime(written[1], "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    except ValueError:
        raise LoginFailed("a malformed nonce") from None
    return Millis(int(at.timestamp()) * 1000)


def key_values(text: str) -> dict[str, str]:
    """Key-value form: a line ``key:value`` for each. Raises ValueError."""
    lines = text.removesuffix("\n").split("\n")
    pairs = [line.split(":", 1) for line in lines]
    found = {pair[0]: pair[1] for pair in pairs if len(pair) > 1}
    if len(found) != len(lines):
        raise ValueError("a line without a colon, or a key that comes twice")
    return found
