"""Asking the relays of a drand network for beacons. What a relay says counts only if it is verified."""

import json
import time
from http import HTTPStatus
from typing import Any, NamedTuple

import requests
from urllib3 import PoolManager

from services.beacon.chain import SCHEME, Chain
from services.shared.background import in_native_thread
from services.shared.http_client import bounded

SECONDS = 5.0
MAX_BYTES = 16 * 1024
NEWEST = "latest"
IDLE_SECONDS = 30
"""A connection that was not used for so long is closed: what is between may have dropped it silently."""


class RelayAway(Exception):
    """A relay does not answer, or not with what was asked for. ``str()`` is a fixed text for the log."""


class Beacon(NamedTuple):
    """A verified beacon; signature and randomness in lower-case hex."""

    round: int
    signature: str
    randomness: str


class Relay:
    """One HTTP relay of a network. Its connection stays open: to open one with TLS takes 20 ms of CPU."""

    def __init__(self, url: str, chain: Chain) -> None:
        self.url = url.rstrip("/")
        self.chain = chain
        self._connections = PoolManager(maxsize=1)
        self._used_at = 0.0

    def newest(self) -> Beacon:
        """The newest beacon that the relay has. Raises RelayAway, and BadBeacon for a forged one."""
        beacon = self._beacon(NEWEST)
        if beacon is None:
            raise RelayAway("the relay has no beacon")
        return beacon

    def of_round(self, round_: int) -> Beacon | None:
        """The beacon of a round; None if the relay does not have it yet. Raises as ``newest``."""
        return self._beacon(str(round_), round_)

    def _beacon(self, name: str, wanted: int | None = None) -> Beacon | None:
        if time.monotonic() - self._used_at > IDLE_SECONDS:
            self._connections.clear()
        self._used_at = time.monotonic()
        document = _document(f"{self.url}/{self.chain.hash}/public/{name}", self._connections)
        if document is None:
            return None
        # What it says of the round is proved by the signature, and its randomness is not used.
        round_ = wanted or document.get("round")
        signature = document.get("signature")
        if type(round_) is not int or not 0 < round_ < 2**63 or not isinstance(signature, str):
            raise RelayAway("the relay's answer is not a beacon")
        return Beacon(round_, signature, in_native_thread(self.chain.verify, round_, signature))


def read_chain(url: str, chain_hash: str) -> Chain:
    """The network with this hash, as a relay describes it. Raises RelayAway unless it hashes to that."""
    document = _document(f"{url.rstrip('/')}/{chain_hash}/info") or {}
    try:
        chain = Chain(
            public_key=document["public_key"],
            group_hash=document["groupHash"],
            genesis=document["genesis_time"],
            period=document["period"],
            beacon_id=document["metadata"]["beaconID"],
        )
        is_same = chain.hash == chain_hash and document["schemeID"] == SCHEME
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
        is_same = False
    if not is_same:
        raise RelayAway("the relay does not describe this network")
    return chain


def _document(url: str, connections: PoolManager | None = None) -> dict[str, Any] | None:
    """The JSON object at a URL; None for a round that is not published there yet. Raises RelayAway."""
    call = bounded(requests.Session(), seconds=SECONDS, max_bytes=MAX_BYTES, connections=connections)
    try:
        with call as session:
            response = session.get(url, headers={"Accept": "application/json"})
    except requests.RequestException:
        raise RelayAway("the relay did not answer") from None
    # A round that is due may be a server's error for a moment, later ones are too early.
    if response.status_code in (HTTPStatus.NOT_FOUND, HTTPStatus.TOO_EARLY, HTTPStatus.INTERNAL_SERVER_ERROR):
        return None
    if response.status_code != HTTPStatus.OK:
        raise RelayAway("the relay answered with an error")
    try:
        document = json.loads(response.content)
    except (ValueError, RecursionError):
        raise RelayAway("the relay's answer is not JSON") from None
    if not isinstance(document, dict):
        raise RelayAway("the relay's answer is not an object")
    return document
