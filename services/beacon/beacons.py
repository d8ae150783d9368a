"""The beacons of this process: which have arrived and when, from which relays, and whether they are fresh."""

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from models import beacons as table
from models.beacons import StoredBeacon
from services.beacon.chain import QUICKNET, BadBeacon, Chain
from services.beacon.demo import DemoRelay
from services.beacon.relays import Beacon, Relay, RelayAway, read_chain
from services.shared.background import in_native_thread
from services.shared.clock import DAY_MS, MINUTE_MS, Millis
from services.shared.errors import Unavailable
from settings import Settings

log = logging.getLogger("platform.beacons")

DEMO = "demo"

LOCK_MS = 6_000
"""From a battle's lock to the first time at which its round may be published."""

ARRIVES_WITHIN_MS = 3_000
"""A round of a network that works, by a clock that is right, arrives so long after its time at the latest."""
OLDEST_MS = 6_000
"""The age of the newest round of a network that works, at the most."""

LINGER_MS = 5 * MINUTE_MS
"""How long relays are polled after the last battle has ended. The next one then finds fresh beacons."""

ANSWERS_WITHIN_MS = MINUTE_MS
"""A relay answers if it has given a genuine beacon so long ago at the most."""

RECENT_MS = 10_000
"""Beacons that another process has got in this time are read from the table."""
MOST_KNOWN = 1_000
"""Beacons in memory: those of 50 minutes."""
DELETED_EVERY_MS = 60 * MINUTE_MS


class ChainUnknown(Unavailable):
    """No relay has described the network of BEACON_CHAIN_HASH yet."""


class Outcome(StrEnum):
    """What became of a question to a relay."""

    VERIFIED = "verified"
    NOT_YET = "not-yet"
    """It does not have the round."""
    FORGED = "forged"
    FAILED = "failed"
    """It has not answered, or not with a beacon."""

    @property
    def is_answer(self) -> bool:
        """Whether the relay did what a relay does."""
        return self in (Outcome.VERIFIED, Outcome.NOT_YET)


class Arrival(NamedTuple):
    """A verified beacon, and when the first process had it, in Unix milliseconds."""

    beacon: Beacon
    at_ms: int


@dataclass
class RelayState:
    """What this process knows of a relay."""

    url: str
    client: Relay | None = None
    """What asks it, once the network is known."""
    verified_at_ms: int = 0
    """When it last gave a genuine beacon, even one that was known."""
    problem: str | None = None
    """Why it is of no use at the moment."""

    @property
    def name(self) -> str:
        """Its host, for logs and metrics."""
        return urlsplit(self.url).netloc or self.url


class Beacons:
    """The verified beacons of one network, from all relays of BEACON_URLS.

    Whatever a relay says is verified. Threads and greenlets may use it at the same time.
    """

    def __init__(self, settings: Settings, *, clock: Callable[[], Millis]) -> None:
        self._clock = clock
        self._chain_hash = settings.beacon_chain_hash
        self.is_demo = settings.beacon_urls == (DEMO,)
        self._demo = DemoRelay(settings.instance_dir, clock=clock)
        self._chain = QUICKNET if settings.beacon_chain_hash == QUICKNET.hash else None
        self.relays = [RelayState(url) for url in settings.beacon_urls]
        self._known: dict[int, Arrival] = {}
        self._newest: Arrival | None = None
        self._lock = threading.Lock()
        self._missing: frozenset[int] = frozenset()
        self._wanted_until = self._deleted_at = Millis(0)
        self._is_stopped = False
        self.on_arrival: list[Callable[[Beacon], None]] = []
        """Called for each beacon that this process learns of, once it is stored. They must not block."""
        self.on_answer: list[Callable[[RelayState, Outcome], None]] = []
        """Called with each outcome of a question. They must not block."""
        self.on_wanted: list[Callable[[], None]] = []
        """Called when polling begins. They must not block."""

    @property
    def is_on(self) -> bool:
        """Whether there are battles at all."""
        return bool(self.relays)

    @property
    def chain(self) -> Chain:
        """The network. Raises ChainUnknown."""
        if self.is_demo:
            return self._demo.chain
        if self._chain is None:
            raise ChainUnknown
        return self._chain

    @property
    def is_chain_known(self) -> bool:
        """Whether ``chain`` can be used."""
        return self.is_demo or self._chain is not None

    def info(self) -> dict[str, Any]:
        """The description of the network as a relay's ``/info`` has it. Raises ChainUnknown."""
        return self.chain.info

    def next_round_after_lock(self, at_ms: int) -> int:
        """The round that decides a battle that is locked at this time. Raises ChainUnknown."""
        return self.chain.first_round_at(at_ms + LOCK_MS)

    def is_fresh(self, now_ms: int) -> bool:
        """Whether the network works and this clock is right, as far as the newest round shows it.

        It must have come first 0 to 3 s after its time by this clock, and be at most 6 s old.
        """
        newest = self.newest()
        if newest is None:
            return False
        time_ms = self.chain.time_ms(newest.beacon.round)
        is_on_time = 0 <= newest.at_ms - time_ms <= ARRIVES_WITHIN_MS
        return is_on_time and 0 <= now_ms - time_ms <= OLDEST_MS

    def newest(self) -> Arrival | None:
        """The beacon with the highest round that this process knows."""
        return self._newest

    def newest_answering(self) -> int | None:
        """The newest round that is known, while a relay gives genuine beacons; None while none does."""
        since, newest = self._clock() - ANSWERS_WITHIN_MS, self.newest()
        is_answering = any(relay.verified_at_ms > since for relay in self.relays)
        return newest.beacon.round if newest and is_answering else None

    def of_round(self, round_: int) -> Beacon | None:
        """The beacon of a round if it has arrived, in any process."""
        # Battles ask again and again while they wait.
        is_due = self.is_chain_known and self.chain.time_ms(round_) <= self._clock()
        if is_due and round_ not in self._known:
            for row in table.stored([round_]):
                self._load(row)
        arrival = self._known.get(round_)
        return arrival.beacon if arrival else None

    def keep(self, round_: int, signature: str, *, by_hand: bool = False) -> Beacon:
        """Verify and store a beacon. Raises BadBeacon, and ChainUnknown."""
        beacon = Beacon(round_, signature, in_native_thread(self.chain.verify, round_, signature))
        self._arrive(beacon, by_hand=by_hand)
        return beacon

    def want(self) -> None:
        """Poll the relays from now on: a battle is open or locked."""
        was_wanted = self.is_wanted()
        self._wanted_until = Millis(self._clock() + LINGER_MS)
        if not was_wanted:
            for hook in self.on_wanted:
                hook()

    def is_wanted(self) -> bool:
        """Whether the relays are to be polled: battles are open or locked, or were within minutes."""
        return self._clock() < self._wanted_until

    @property
    def missing(self) -> frozenset[int]:
        """The rounds that locked battles wait for since the last ``look_up``."""
        return frozenset(round_ for round_ in self._missing if round_ not in self._known)

    def look_up(self) -> None:
        """See whether beacons are wanted, and which have come to other processes; delete old ones."""
        now = self._clock()
        if table.are_battles_under_way():
            self.want()
        if self.is_wanted():
            waited_for = {each for each in table.rounds_of_locked_battles() if each not in self._known}
            for row in [*table.arrived_since(now - RECENT_MS), *table.stored(waited_for)]:
                self._load(row)
            self._missing = frozenset(waited_for)
        if now - self._deleted_at > DELETED_EVERY_MS:
            table.delete_older(now - DAY_MS)
            self._deleted_at = now

    def ask(self, relay: RelayState, round_: int | None = None) -> Outcome:
        """Ask a relay for a round, or for its newest, and keep what is genuine. Waits for 5 s at most."""
        problem, beacon = None, None
        try:
            client = self.client(relay)
            beacon = client.newest() if round_ is None else client.of_round(round_)
            outcome = Outcome.NOT_YET if beacon is None else Outcome.VERIFIED
        except BadBeacon as error:
            outcome, problem = Outcome.FORGED, f"a forged beacon: {error}"
        except RelayAway as error:
            outcome, problem = Outcome.FAILED, str(error)
        for hook in self.on_answer:
            hook(relay, outcome)
        if problem != relay.problem:
            extra = {"event": f"beacons:{relay.name}"}
            log.log(logging.WARNING if problem else logging.INFO, problem or "the relay works", extra=extra)
            relay.problem = problem
        if beacon is not None:
            relay.verified_at_ms = self._clock()
            self._arrive(beacon)
        return outcome

    def ask_all(self) -> None:
        """Ask each relay for its newest beacon: for commands, which poll none."""
        for relay in self.relays:
            self.ask(relay)

    def client(self, relay: RelayState) -> Relay | DemoRelay:
        """What asks this relay. Raises RelayAway if nothing, this relay included, describes the network."""
        if self.is_demo:
            return self._demo
        if self._chain is None:
            self._chain = read_chain(relay.url, self._chain_hash)
        if relay.client is None:
            relay.client = Relay(relay.url, self._chain)
        return relay.client

    def start(self) -> None:
        """Store what relays answer."""
        self._is_stopped = False

    def stop(self) -> None:
        """Store no answers any more that are under way."""
        self._is_stopped = True

    def _arrive(self, beacon: Beacon, *, by_hand: bool = False) -> None:
        if beacon.round in self._known or self._is_stopped:
            return
        at_ms = table.store(*beacon, now=self._clock(), is_by_hand=by_hand)
        self._remember(Arrival(beacon, at_ms))

    def _load(self, row: StoredBeacon) -> None:
        """Take over what another process, or an earlier one, has stored, if it is of this network."""
        if row.round in self._known or not self.is_chain_known:
            return
        try:
            randomness = in_native_thread(self.chain.verify, row.round, row.signature)
        except BadBeacon:
            return
        self._remember(Arrival(Beacon(row.round, row.signature, randomness), row.arrived_at_ms))

    def _remember(self, arrival: Arrival) -> None:
        with self._lock:
            if arrival.beacon.round in self._known:
                return
            self._known[arrival.beacon.round] = arrival
            if self._newest is None or self._newest.beacon.round < arrival.beacon.round:
                self._newest = arrival
            while len(self._known) > MOST_KNOWN:
                # The one that was learned of first.
                del self._known[next(iter(self._known))]
        for hook in self.on_arrival:
            hook(arrival.beacon)
