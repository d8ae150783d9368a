"""Signals between processes over Redis."""

import uuid
from typing import Any

from server.cluster.publisher import BEAT_SECONDS, Publisher
from server.cluster.subscription import PAUSE_SECONDS, Subscription
from server.realtime.server import Realtime
from server.redaction import safe_exception_summary
from server.repeated_lines import log
from services.shared.signals import Signal, Signals


class RedisSignals(Signals):
    """Signals over a Redis server, which may be away."""

    def __init__(self, url: str) -> None:
        super().__init__()
        process_id = uuid.uuid4().hex
        self.publisher = Publisher(url, process_id=process_id)
        self.subscription = Subscription(url, process_id=process_id, on_signal=self._handle)
        self.subscription.on_resumed = self.on_resumed

    @property
    def are_away(self) -> bool:
        return self.subscription.is_away

    def install(self, running: Realtime) -> None:
        """Send and receive while this server runs."""
        sending = running.repeat(
            self.publisher.send_waiting,
            every_seconds=BEAT_SECONDS,
            on_failure="signals not sent",
            at_end=self.publisher.close,
        )
        self.publisher.wake = sending.woken
        receiving = running.repeat(
            self.subscription.receive,
            every_seconds=PAUSE_SECONDS,
            on_failure="signals not received",
            at_end=self.subscription.close,
        )
        self.subscription.stop = receiving.stop

    def publish(self, name: Signal, payload: Any) -> None:
        """Queue a signal to the other processes. Raises TypeError for a payload that is not JSON."""
        self.publisher.add(name, payload)

    def _handle(self, name: Signal, payload: Any) -> None:
        """Call the handlers of a signal. A process of another version may send unknown names."""
        for handler in self._handlers.get(name, ()):
            try:
                handler(payload)
            except Exception as failure:  # noqa: BLE001  # the next handler may work
                log.error("signal not handled", extra={"failure": safe_exception_summary(failure)})
