"""A drand network for a storm: its rounds come at their times, and its relays are late, away, ahead, or lie.

Four relays of it are on real ports. The server uses three, which take turns in trouble; the last one is
always right, and for the monitor.
"""

import itertools
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from random import Random

from werkzeug.wrappers import Response

from services.shared.clock import now_ms
from tests.harness.relays import FakeRelay, Network, fake_relay

TICK_SECONDS = 0.05
TROUBLE_MS = (2_000, 9_000)
"""How long each trouble of a relay lasts."""
LATE_MS = 4_000
AHEAD_MS = 1_500
"""A network that is ahead of its times can't be told from a clock that is behind."""


class StormNetwork:
    """The network, and the troubles of its relays. ``relays`` has the one for the monitor last."""

    def __init__(self, relays: list[FakeRelay], *, seed: str) -> None:
        self.relays = relays
        self._chain = relays[0].network.chain
        self._random = Random(f"{seed}/beacons")
        self._ended = threading.Event()
        self._is_right = False
        self._offsets_ms: dict[int, int] = {}
        self._be_right()
        # The honest time comes most often.
        troubles = [self._be_honest] * 3 + [self._be_late, self._be_away, self._forge]
        self._troubles = itertools.cycle(self._random.sample([*troubles, self._be_ahead], 7))

    @property
    def settings(self) -> dict[str, str]:
        """The settings of servers whose battles this network decides."""
        urls = ",".join(relay.url for relay in self.relays[:-1])
        return {"BEACON_URLS": urls, "BEACON_CHAIN_HASH": self._chain.hash}

    @property
    def honest_url(self) -> str:
        return self.relays[-1].url

    def run(self) -> None:
        """Publish each round at its time, and change what is wrong, until ``stop``."""
        until = 0
        while not self._ended.wait(TICK_SECONDS):
            now = now_ms()
            if now >= until and not self._is_right:
                self._be_right()
                next(self._troubles)()
                until = now + self._random.randint(*TROUBLE_MS)
            for number, relay in enumerate(self.relays):
                round_ = self._chain.first_round_at(now + self._offsets_ms[number] + 1) - 1
                if round_ > relay.newest:
                    relay.publish(round_)

    def stop(self) -> None:
        self._ended.set()

    def recover(self) -> None:
        """End all troubles for good."""
        self._is_right = True
        time.sleep(2 * TICK_SECONDS)
        self._be_right()

    def _be_right(self) -> None:
        for number, relay in enumerate(self.relays):
            relay.answer = None
            relay.is_holding = True
            self._offsets_ms[number] = 0

    def _be_honest(self) -> None:
        """Nothing is wrong."""

    def _be_late(self) -> None:
        """All relays are late, as when the network is."""
        self._offsets_ms = dict.fromkeys(self._offsets_ms, -LATE_MS)
        self._offsets_ms[len(self.relays) - 1] = 0

    def _be_ahead(self) -> None:
        self._offsets_ms = dict.fromkeys(self._offsets_ms, AHEAD_MS)
        self._offsets_ms[len(self.relays) - 1] = 0

    def _be_away(self) -> None:
        """Some relays answer with an error, perhaps all."""
        for relay in self._some():
            relay.answer = lambda _round: Response("away", 503)

    def _forge(self) -> None:
        """Some relays give the beacon of another round, and some text."""
        for number, relay in enumerate(self._some()):
            relay.answer = self._other_round(relay) if number % 2 == 0 else self._made_up(relay)

    def _some(self) -> list[FakeRelay]:
        servers = self.relays[:-1]
        return self._random.sample(servers, self._random.randint(1, len(servers)))

    @staticmethod
    def _other_round(relay: FakeRelay) -> Callable[[int], object]:
        def answer(round_: int) -> object:
            asked = round_ or relay.newest
            return {"round": asked, "signature": relay.network.sign(asked - 1)}

        return answer

    @staticmethod
    def _made_up(relay: FakeRelay) -> Callable[[int], object]:
        return lambda round_: {"round": round_ or relay.newest, "signature": f"{round_:096x}"}


@contextmanager
def storm_network(seed: str) -> Iterator[StormNetwork]:
    """Run a network for the block."""
    network = Network(genesis=now_ms() // 1_000 - 3_000)
    with ExitStack() as stack:
        relays = [stack.enter_context(fake_relay(network)) for _ in range(4)]
        running = StormNetwork(relays, seed=seed)
        thread = threading.Thread(target=running.run, daemon=True)
        thread.start()
        try:
            yield running
        finally:
            running.stop()
            thread.join(10)
