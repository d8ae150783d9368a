"""Asks the providers about open deposits, and processes the webhooks that wait."""

import logging
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from models.payments import Deposit, WebhookDelivery
from services.payments.deposits import Deposits
from services.payments.inbox import WebhookInbox
from services.payments.provider import ProviderError
from services.shared.clock import Millis

log = logging.getLogger("platform.payments")

MOST_WEBHOOKS = 200
"""Webhooks in one batch."""

MOST_DEPOSITS = 40
"""Deposits in one batch."""

WORKERS = 8
"""Calls to a provider at the same time, since most of a call is waiting."""

ROUND_SECONDS = 5.0
"""When so much time is over, no other batch begins."""


class PaymentPolling:
    """One round each second or so, in every process. Of several processes one gets each deposit."""

    def __init__(self, deposits: Deposits, inbox: WebhookInbox, *, clock: Callable[[], Millis]) -> None:
        self._deposits = deposits
        self._inbox = inbox
        self._clock = clock

    def run(self) -> list[WebhookDelivery]:
        """Process what waits and ask about what is due; returns the processed webhooks."""
        processed: list[WebhookDelivery] = []
        ends_at = time.monotonic() + ROUND_SECONDS
        while time.monotonic() < ends_at:
            now = self._clock()
            some = self._inbox.process_waiting(now=now, most=MOST_WEBHOOKS)
            processed += some
            due = self._deposits.claim_due(now=now, most=MOST_DEPOSITS)
            if due:
                with ThreadPoolExecutor(WORKERS) as pool:
                    list(pool.map(self._refresh, due))
            if len(some) < MOST_WEBHOOKS and len(due) < MOST_DEPOSITS:
                break
        return processed

    def _refresh(self, deposit: Deposit) -> None:
        try:
            self._deposits.refresh(deposit)
        except ProviderError as error:
            log.warning("deposit not asked about: %s", error, extra={"deposit": deposit.id})
