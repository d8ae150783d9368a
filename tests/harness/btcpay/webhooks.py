"""Sends BTCPay's webhooks: signed, each on time, late, twice, in another order, or not at all."""

import hashlib
import heapq
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

    @property
    def event(self) -> dict[str, Any]:
        return json.loads(self.body)


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
        self._queue: list[tuple[float, int, Sent, int]] = []
        self._held: list[Sent] = []
        self._busy = 0
        self._serials = itertools.count(1)
        self._changed = threading.Condition()
        self._is_ending = False
        self._connections = PoolManager(maxsize=SENDERS, timeout=ANSWER_SECONDS, retries=False)
        self._threads = [threading.Thread(target=self._run, daemon=True) for _ in range(SENDERS)]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        with self._changed:
            self._is_ending = True
            self._changed.notify_all()
        for thread in self._threads:
            thread.join(ANSWER_SECONDS + 1)

    def next(self, *deliveries: Delivery) -> None:
        """Plan what happens to the next webhooks."""
        with self._changed:
            self._planned.extend(deliveries)

    def randomly(self, probability: float) -> None:
        """From now on, let something happen to webhooks with this probability; 0 for nothing."""
        with self._changed:
            self._probability = probability

    def emit(self, event: Event) -> None:
        """Send the webhook of something that has happened."""
        type_, fields = event
        if self.target is None or type_ not in (self.authorized_events or [type_]):
            return
        with self._changed:
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
                for held in self._held:
                    self._put(held, delay + 0.1)
                self._held.clear()
            if happens is Delivery.REPEATED:
                self._push(sent, 0.05)

    def lie(self, type_: str, **fields: Any) -> Sent:
        """Send a well signed webhook about something that has not happened."""
        sent = Sent(self._body((type_, fields)))
        with self._changed:
            self._put(sent, 0)
        return sent

    def is_idle(self) -> bool:
        with self._changed:
            return not self._queue and not self._busy

    def release(self) -> None:
        """Send what waits for another webhook to overtake it."""
        with self._changed:
            for held in self._held:
                self._put(held, 0)
            self._held.clear()

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
        self._push(sent, delay)

    def _push(self, sent: Sent, delay: float, attempt: int = 0) -> None:
        heapq.heappush(self._queue, (time.monotonic() + delay, next(self._serials), sent, attempt))
        self._changed.notify()

    def _run(self) -> None:
        while (due := self._next_due()) is not None:
            sent, attempt = due
            status = self._post(sent.body)
            with self._changed:
                sent.statuses.append(status)
                self._busy -= 1
                if not 200 <= status < 300 and attempt < len(self.retry_seconds) and not self._is_ending:
                    self._push(sent, self.retry_seconds[attempt], attempt + 1)

    def _next_due(self) -> tuple[Sent, int] | None:
        with self._changed:
            while not self._is_ending:
                wait = self._queue[0][0] - time.monotonic() if self._queue else None
                if wait is not None and wait <= 0:
                    _, _, sent, attempt = heapq.heappop(self._queue)
                    self._busy += 1
                    return sent, attempt
                self._changed.wait(wait)
            return None

    def _post(self, body: bytes) -> int:
        headers = {"Content-Type": "application/json", "BTCPAY-SIG": signature(self.secret, body)}
        try:
            target = self.target() if callable(self.target) else self.target
            answer = self._connections.request("POST", str(target), body=body, headers=headers)
        except (HTTPError, OSError):
            return 0
        return answer.status
