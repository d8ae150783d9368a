"""Client addresses: their normal form, and the networks by which limits count them."""

import re
from collections.abc import Hashable, Sequence
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address

from server.rate_limiter import NewRateLimiter

WIDER = 8
"""A /48 may do this many times as much as each /64 in it."""

Keys = Sequence[tuple[Hashable, int]]
"""The keys by which a client is counted, each with its multiple of the limit."""

IN_BRACKETS_OR_WITH_PORT = re.compile(r"\[([^]]+)\](?::[0-9]+)?|([0-9.]+):[0-9]+", re.ASCII)


def normal_form(text: str) -> str | None:
    """The address in its shortest form, without port and zone; None when the text is no address.

    An IPv4 address mapped into IPv6 becomes an IPv4 address.
    """
    text = text.strip()
    if parts := IN_BRACKETS_OR_WITH_PORT.fullmatch(text):
        text = parts[1] or parts[2]
    address = _parsed(text.partition("%")[0])
    return None if address is None else str(address)


def networks(address: str) -> Keys:
    """The keys of an address in normal form: itself, or for IPv6 its /64 and its /48.

    A client usually has a whole /64, and a customer of a provider may have a /48. Anything else, such as the
    "" of a Unix socket, counts as it is.
    """
    parsed = _parsed(address)
    if not isinstance(parsed, IPv6Address):
        return [(address, 1)]
    return [(_network(parsed, bits=64), 1), (_network(parsed, bits=48), WIDER)]


# Parsing takes 3% of a cached response.
@lru_cache(1_000)
def _parsed(text: str) -> IPv4Address | IPv6Address | None:
    try:
        address = ip_address(text)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def _network(address: IPv6Address, *, bits: int) -> str:
    host_bits = 128 - bits
    return f"{IPv6Address(int(address) >> host_bits << host_bits)}/{bits}"


class ClientRateLimiter:
    """A rate limit of clients with one or several keys."""

    def __init__(self, new_rate_limiter: NewRateLimiter, name: str, *, most: int, seconds: float) -> None:
        """``most`` requests in any window of ``seconds``, or a multiple as the key says."""
        self._rates = {
            times: new_rate_limiter(f"{name}{suffix}", most=most * times, seconds=seconds)
            for times, suffix in ((1, ""), (WIDER, " of a /48"))
        }

    def hit(self, client: Keys) -> float:
        """Count one request and return 0. Above a limit, return the seconds to wait.

        A request beyond the limit of a /64 does not count toward its /48, or it would lock out the other
        clients there.
        """
        for key, times in client:
            if wait := self._rates[times].hit(key):
                return wait
        return 0
