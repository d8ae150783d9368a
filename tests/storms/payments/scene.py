"""What everybody in a storm of payments shares."""

import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from flask import Flask

from services.shared.clock import Millis, now_ms
from tests.harness.btcpay.fake import FakeBtcPay
from tests.harness.cluster import Cluster
from tests.storms.payments.check_service import CheckService


@dataclass
class StormClock:
    """The clock of the commands, which can be set ahead."""

    ahead_ms: int = 0

    def __call__(self) -> Millis:
        return Millis(now_ms() + self.ahead_ms)


@dataclass
class Scene:
    """``app`` runs in this process, on the same database as the servers."""

    app: Flask
    fake: FakeBtcPay
    check: CheckService
    clock: StormClock
    seed: str
    servers: Cluster = field(default_factory=lambda: Cluster([]))
    to_pay: "queue.Queue[tuple[str, str | None]]" = field(default_factory=queue.Queue)
    """The id and the checkout URL of each deposit that a player has made."""

    open: threading.Event = field(default_factory=threading.Event)
    """Whether a server is running."""

    ending: threading.Event = field(default_factory=threading.Event)
    """The players begin nothing new, and nothing fails any more."""

    over: threading.Event = field(default_factory=threading.Event)
    """Payers and staff may stop, too."""

    cancelled: set[str] = field(default_factory=set)
    """The payouts that staff have cancelled in BTCPay."""

    problems: list[str] = field(default_factory=list)

    def webhook_url(self) -> str:
        return f"{self.servers.url}/webhooks/btcpay"

    def random(self, name: str) -> Random:
        """The random generator of one of those who act."""
        return Random(f"{self.seed}/{name}")

    def thread(self, name: str, work: Callable[[], None]) -> threading.Thread:
        """A thread for this work. An exception of it is a problem of the storm."""

        def run() -> None:
            try:
                work()
            except Exception as failure:  # noqa: BLE001  # a thread has nobody else to tell
                self.problems.append(f"{name} gave up: {failure!r}")

        return threading.Thread(target=run, daemon=True)
