"""A fake BTCPay Server on threads of this process, and what people do with a real one.

with FakeBtcPay() as fake:
    app = create_app(Settings.from_env(env | fake.settings()))
    fake.send_webhooks_to(f"{url}/webhooks/btcpay")
    fake.faults.next("create payout", Fault.LOST_ANSWER)
    fake.pay(invoice_id)
    assert fake.violations == []
"""

import hashlib
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random
from typing import Self

from tests.harness.btcpay.faults import Faults
from tests.harness.btcpay.objects import Event
from tests.harness.btcpay.openapi import NEW
from tests.harness.btcpay.people import CHAIN, People
from tests.harness.btcpay.server import BtcPayApi, Listener
from tests.harness.btcpay.state import State
from tests.harness.btcpay.webhooks import WebhookSender
from tests.harness.servers import free_port
from tests.harness.waiting import wait_until


class FakeBtcPay(People):
    """Serves until it is stopped. ``seed`` decides about random faults and about ids.

    ``release`` is the one that it is: NEW, or OLD, whose invoices come without their payments.
    """

    def __init__(self, *, seed: object = "btcpay", release: str = NEW) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.api_key = hashlib.sha256(b"api key").hexdigest()[:40]
        self.webhook_secret = hashlib.sha256(b"webhook secret").hexdigest()[:32]
        self.faults = Faults(seed)
        state = State(self.url, Random(f"{seed}/ids"), self._emit, release=release)
        super().__init__(state, seed=seed)
        self.webhooks = WebhookSender(secret=self.webhook_secret, store_id=self.state.store_id, seed=seed)
        self.api = BtcPayApi(self.state, self.faults, self.api_key)
        self._listener: Listener | None = None
        self._listening = threading.RLock()

    def __enter__(self) -> Self:
        self._listen()
        return self

    def __exit__(self, *_: object) -> None:
        self.webhooks.stop()
        self._close()

    def settings(self) -> dict[str, str]:
        """The platform's settings for this server."""
        return {
            "PAYMENT_METHODS": "btcpay",
            "BTCPAY_URL": self.url,
            "BTCPAY_STORE": self.state.store_id,
            "BTCPAY_API_KEY": self.api_key,
            "BTCPAY_WEBHOOK_SECRET": self.webhook_secret,
            "BTCPAY_PAYOUT_METHODS": CHAIN,
            "BTCPAY_PULL_PAYMENT": self.state.pull_payment.id,
        }

    def send_webhooks_to(self, target: str | Callable[[], str] | None) -> None:
        """Send webhooks to this address, or to nobody."""
        self.webhooks.target = target

    @property
    def violations(self) -> list[str]:
        """A line for each request or answer that BTCPay's documents do not allow."""
        return self.api.violations

    # Connections

    @contextmanager
    def away(self) -> Iterator[None]:
        """Refuse all connections during the block."""
        self._close()
        try:
            yield
        finally:
            self._listen()

    def wait_until_idle(self) -> None:
        """Return when no late work and no webhook is pending."""
        for thread in self.api.late:
            thread.join(30)
        self.webhooks.release()
        wait_until(self.webhooks.is_idle)

    def _refuse(self, seconds: float) -> None:
        """Refuse connections for so long, in the background."""

        def refuse() -> None:
            if self._listening.acquire(blocking=False):
                try:
                    with self.away():
                        time.sleep(seconds)
                finally:
                    self._listening.release()

        thread = threading.Thread(target=refuse, daemon=True)
        self.api.late.append(thread)
        thread.start()

    def _listen(self) -> None:
        with self._listening:
            self._listener = Listener(self.port, self.api, self._refuse)

    def _close(self) -> None:
        with self._listening:
            if self._listener is not None:
                self._listener.close()
                self._listener = None

    def _emit(self, event: Event) -> None:
        self.webhooks.emit(event)
