"""Client addresses: how a request gets its own, their networks, and the requests of one at the same time."""

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Any

from flask import Flask

from models.db import waiting
from models.db.waiting import FifoSemaphore
from services.shared.errors import Unavailable

WIDER = 8
"""A /48 may do this many times as much as each /64 in it."""

Keys = Sequence[tuple[Hashable, int]]
"""The keys by which a client is counted, each with its multiple of the limit."""

IN_BRACKETS_OR_WITH_PORT = re.compile(r"\[([^]]+)\](?::[0-9]+)?|([0-9.]+):[0-9]+", re.ASCII)


# Parsing takes 3% of a cached response.
@lru_cache(1_000)
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


def read_client_addresses(app: Flask, *, proxies: int, on_untrusted: Callable[[], None]) -> None:
    """Put the client's address into ``REMOTE_ADDR``, in its normal form.

    It is the one that this many proxies in front have written into X-Forwarded-For. When they wrote no
    address there, it is that of the connection. ``on_untrusted`` is called when a forwarding header arrives
    although there are none. That is only a hint: a client may send the header itself. But all clients behind
    a proxy that is not trusted share its address and its limits.
    """
    serve = app.wsgi_app

    def with_address(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        if not proxies and ("HTTP_X_FORWARDED_FOR" in environ or "HTTP_FORWARDED" in environ):
            on_untrusted()
        own = environ.get("REMOTE_ADDR", "")
        environ["REMOTE_ADDR"] = _forwarded_address(environ, proxies) or normal_form(own) or own
        return serve(environ, start_response)

    app.wsgi_app = with_address  # type: ignore[method-assign]


def _forwarded_address(environ: dict[str, Any], proxies: int) -> str | None:
    # Without the quoting of werkzeug's ProxyFix: a client's quotation mark would hide what proxies append.
    texts = environ.get("HTTP_X_FORWARDED_FOR", "").split(",")
    return normal_form(texts[-proxies]) if 0 < proxies <= len(texts) else None


class AddressSlots:
    """Bounds how many requests of an address, or of a /64 of IPv6, run at the same time.

    The next ones wait, in order.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._slots: dict[object, FifoSemaphore] = {}

    @contextmanager
    def hold(self, address: str) -> Iterator[None]:
        """Hold a slot of this address for the block. Raises Unavailable when none becomes free in time."""
        key, _ = networks(address)[0]
        slots = self._slots.setdefault(key, FifoSemaphore(self._most))
        try:
            with hold_in_time(slots):
                yield
        finally:
            if slots.free == self._most:
                self._slots.pop(key, None)


@contextmanager
def hold_in_time(slots: FifoSemaphore) -> Iterator[None]:
    """Hold a slot for the block. The wait counts against the wait budget. Raises Unavailable."""
    with waiting.wait(waiting.ANSWER_SECONDS) as seconds:
        try:
            slots.acquire(seconds)
        except TimeoutError:
            raise Unavailable from None
    try:
        yield
    finally:
        slots.release()
