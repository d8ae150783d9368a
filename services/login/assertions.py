"""Positive assertions of OpenID 2.0: the checks that need no request to the provider.

Source: OpenID Authentication 2.0, sections 10.1 and 11.1 to 11.3. Discovery is left out: there is one
configured provider, and its identifiers are below its own address.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from services.login.errors import LoginFailed
from services.shared.clock import Millis

NAMESPACE = "http://specs.openid.net/auth/2.0"
PREFIX = "openid."
MUST_BE_SIGNED = {"op_endpoint", "claimed_id", "identity", "return_to", "response_nonce", "assoc_handle"}
NONCE = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z)[\x21-\x7e]{0,235}", re.ASCII)
NONCE_LIFE_MS = 300_000


@dataclass(frozen=True)
class Assertion:
    """A well-formed assertion about ``platform_id``. Only the provider can say whether it is genuine."""

    platform_id: str
    nonce: str
    nonce_at: Millis


def read_assertion(parameters: Mapping[str, str], *, endpoint: str, return_to: str, now: Millis) -> Assertion:
    """Check everything that can be checked without the provider. Raises LoginFailed.

    ``endpoint`` ends in ``/login``; the provider's identifiers end in ``/id/<17 digits>`` instead.
    """
    fields = {
        name.removeprefix(PREFIX): value for name, value in parameters.items() if name.startswith(PREFIX)
    }
    _expect(fields.get("ns") == NAMESPACE, "not OpenID 2.0")
    _expect(fields.get("mode") == "id_res", "cancelled, or no assertion")
    _expect(fields.get("op_endpoint") == endpoint, "another provider's assertion")
    _expect(fields.get("return_to") == return_to, "made for another address")
    _expect(set(fields.get("signed", "").split(",")) >= MUST_BE_SIGNED, "a field is not signed")
    _expect(fields.get("assoc_handle") and fields.get("sig"), "no signature")
    identifier = re.escape(endpoint.removesuffix("login")) + "id/([0-9]{17})"
    claimed = re.fullmatch(identifier, fields.get("claimed_id", ""), re.ASCII)
    if claimed is None or fields.get("identity") != fields["claimed_id"]:
        raise LoginFailed("not one of the provider's identifiers")
    nonce = fields.get("response_nonce", "")
    nonce_at = _time_of(nonce)
    _expect(abs(now - nonce_at) <= NONCE_LIFE_MS, "the nonce is too old or in the future")
    return Assertion(claimed[1], nonce, nonce_at)


def _expect(condition: object, otherwise: str) -> None:
    if not condition:
        raise LoginFailed(otherwise)


def _time_of(nonce: str) -> Millis:
    """The time at the start of a nonce."""
    match = NONCE.fullmatch(nonce)
    try:
        at = datetime.fromisoformat(match[1] if match else "")
    except ValueError:
        raise LoginFailed("a malformed nonce") from None
    return Millis(int(at.timestamp()) * 1000)
