"""Signals between processes over Redis."""

import uuid
from typing import Any

from server.cluster.publisher import Publisher
from server.cluster.subscription import Subscription
from server.redaction import safe_exception_summary
from server.repeated_lines import log
from services.shared.signals import Signal, Signals


class RedisSignals(Signals):
    """Signals over a Redis server, which may be away. They begin when the server of this process starts."""

    def __init__(self, url: str) -> None:
        super().__init__()
        process_id = uuid.uuid4().hex
        self.publisher = Publisher(url, process_id=process_id)
        self.subscription = Subscription(url, process_id=process_id, on_signal=self._handle)
        self.subscription.on_resumed = self.on_resumed

    @property
    def are_away(self) -> bool:
        return self.subscription.is_away

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
