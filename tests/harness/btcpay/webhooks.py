"""Sends BTCPay's webhooks: signed, each on time, late, twice, in another order, or not at all."""

import hashlib
import hmac
import itertools
import json
import threading
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from random import Random
from typing import Any

from urllib3 import PoolManager
from urllib3.exceptions import HTTPError

from tests.harness.btcpay.objects import PAYOUT_STATES, Event
from tests.harness.btcpay.openapi import check_webhook

ANSWER_SECONDS = 10
SENDERS = 6
"""Webhooks that are sent at the same time."""


class Delivery(StrEnum):
    """What happens to a webhook."""

    LOST = "webhook lost"
    LATE = "webhook late"
    REPEATED = "webhook repeated"
    REORDERED = "webhook after the next one"
    UNTRUE = "webhook with another state of its payout"


@dataclass
class Sent:
    """A webhook that was sent, and the status of each answer; 0 for none."""

    body: bytes
    statuses: list[int] = field(default_factory=list)


def signature(secret: str, body: bytes) -> str:
    """The value of the header BTCPAY-SIG."""
    return f"sha256={hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()}"


class WebhookSender:
    """Sends to an address, which a function may choose anew for each request; to nobody by default."""

    def __init__(self, *, secret: str, store_id: str, seed: object) -> None:
        self.target: str | Callable[[], str] | None = None
        self.secret = secret
        self.authorized_events: Collection[str] | None = None
        """The types that are sent; None for all."""

        self.sent: list[Sent] = []
        self.log: list[Delivery] = []
        self.retry_seconds: Sequence[float] = (1, 5, 10)
        """When a webhook is sent again that was not answered with success."""

        self.late_seconds = 3.0
        self._store_id = store_id
        self._random = Random(f"{seed}/webhooks")
        self._planned: list[Delivery] = []
        self._probability = 0.0
        self._held: list[Sent] = []
        self._pending = 0
        self._serials = itertools.count(1)
        self._guard = threading.Lock()
        self._senders = threading.Semaphore(SENDERS)
        self._timers: list[threading.Timer] = []
        self._is_ending = False
        self._connections = PoolManager(maxsize=SENDERS, timeout=ANSWER_SECONDS, retries=False)

    def stop(self) -> None:
        """Send nothing more."""
        self._is_ending = True
        for timer in self._timers:
            timer.cancel()
            timer.join(ANSWER_SECONDS + 1)

    def next(self, *deliveries: Delivery) -> None:
        """Plan what happens to the next webhooks."""
        with self._guard:
            self._planned.extend(deliveries)

    def randomly(self, probability: float) -> None:
        """From now on, let something happen to webhooks with this probability; 0 for nothing."""
        with self._guard:
            self._probability = probability

    def emit(self, event: Event) -> None:
        """Send the webhook of something that has happened."""
        type_, fields = event
        if self.target is None or type_ not in (self.authorized_events or [type_]):
            return
        with self._guard:
            happens = self._draw(is_of_payout="payoutState" in fields)
            if happens is Delivery.UNTRUE:
                others = [each for each in PAYOUT_STATES if each != fields["payoutState"]]
                event = type_, fields | {"payoutState": self._random.choice(others)}
            sent = Sent(self._body(event))
            if happens is Delivery.REORDERED:
                self._held.append(sent)
                return
            if happens is not Delivery.LOST:
                delay = self.late_seconds if happens is Delivery.LATE else 0
                self._put(sent, delay)
                self._put_held(delay + 0.1)
            if happens is Delivery.REPEATED:
                self._send_after(0.05, sent)

    def lie(self, type_: str, **fields: Any) -> None:
        """Send a well signed webhook about something that has not happened."""
        sent = Sent(self._body((type_, fields)))
        with self._guard:
            self._put(sent, 0)

    def is_idle(self) -> bool:
        with self._guard:
            return not self._pending

    def release(self) -> None:
        """Send what waits for another webhook to overtake it."""
        with self._guard:
            self._put_held(0)

    def _draw(self, *, is_of_payout: bool) -> Delivery | None:
        happens = self._planned.pop(0) if self._planned else None
        if happens is None and self._random.random() < self._probability:
            kinds = [each for each in Delivery if is_of_payout or each is not Delivery.UNTRUE]
            happens = self._random.choice(kinds)
        if happens is not None:
            self.log.append(happens)
        return happens

    def _body(self, event: Event) -> bytes:
        type_, fields = event
        key = f"delivery-{next(self._serials)}-{self._random.getrandbits(64):x}"
        body = {
            "deliveryId": key,
            "webhookId": "webhook",
            "originalDeliveryId": key,
            "isRedelivery": False,
            "type": type_,
            "timestamp": int(time.time()),
            "storeId": self._store_id,
            **fields,
        }
        check_webhook(body)
        return json.dumps(body).encode()

    def _put(self, sent: Sent, delay: float) -> None:
        self.sent.append(sent)
        self._send_after(delay, sent)

    def _put_held(self, delay: float) -> None:
        for held in self._held:
            self._put(held, delay)
        self._held.clear()

    def _send_after(self, delay: float, sent: Sent, attempt: int = 0) -> None:
        self._pending += 1
        timer = threading.Timer(delay, self._send, [sent, attempt])
        timer.daemon = True
        self._timers.append(timer)
        timer.start()

    def _send(self, sent: Sent, attempt: int) -> None:
        with self._senders:
            status = 0 if self._is_ending else self._post(sent.body)
        with self._guard:
            sent.statuses.append(status)
            if not 200 <= status < 300 and attempt < len(self.retry_seconds) and not self._is_ending:
                self._send_after(self.retry_seconds[attempt], sent, attempt + 1)
            self._pending -= 1

    def _post(self, body: bytes) -> int:
        headers = {"Content-Type": "application/json", "BTCPAY-SIG": signature(self.secret, body)}
        try:
            target = self.target() if callable(self.target) else self.target
            answer = self._connections.request("POST", str(target), body=body, headers=headers)
        except (HTTPError, OSError):
            return 0
        return answer.status
