"""What everybody in a storm of payments shares."""

import queue
import threading
from dataclasses import dataclass, field

from flask import Flask

from tests.harness.btcpay.fake import FakeBtcPay
from tests.harness.cluster import Cluster
from tests.storms.payments.check_service import CheckService


@dataclass
class Scene:
    """``app`` runs in this process, on the same database as the servers."""

    app: Flask
    fake: FakeBtcPay
    check: CheckService
    servers: Cluster
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
