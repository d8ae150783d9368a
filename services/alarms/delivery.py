"""Sends alarms to ALARM_WEBHOOK_URL until it accepts them, as Standard Webhooks say."""

import logging
from collections.abc import Callable
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any

import requests
from standardwebhooks import Webhook

from models.db.connection import reading, writing
from models.staff import Alarm
from services.shared import decimal_json
from services.shared.clock import MINUTE_MS, Millis
from services.shared.http_client import bounded
from settings import Settings

log = logging.getLogger("platform.alarms")

SECONDS = 10.0
MAX_BYTES = 64 * 1024

FIRST_WAIT_MS = 5_000
LONGEST_WAIT_MS = 10 * MINUTE_MS
"""The wait doubles after each try. It is longer than a try, so that two processes send nothing at once."""

AT_ONCE = 10
"""Alarms in one round."""


class AlarmDelivery:
    """Posts alarms. Several processes may do so: each try of an alarm is that of one process."""

    def __init__(self, settings: Settings, *, clock: Callable[[], Millis]) -> None:
        self._url = settings.alarm_webhook_url
        self._page = f"{settings.base_url}/office/alarms"
        self._webhooks = [Webhook(secret) for secret in settings.alarm_webhook_secrets]
        self._clock = clock

    @property
    def is_set(self) -> bool:
        """Whether there is a URL to send alarms to."""
        return bool(self._url)

    def run(self) -> None:
        """Try to send the alarms that are due. Must not be called within a transaction."""
        for alarm in self._due():
            if not self._claim(alarm):
                continue
            problem = self._post(alarm)
            if problem is None:
                self._accept(alarm)
            else:
                log.warning("alarm not accepted: %s", problem, extra={"event": f"alarm:{alarm.rule}"})

    @reading()
    def _due(self) -> list[Alarm]:
        due = Alarm.send_at_ms <= self._clock()
        return list(Alarm.select().where(due).order_by(Alarm.send_at_ms, Alarm.id).limit(AT_ONCE))

    def _claim(self, alarm: Alarm) -> bool:
        """Set the time of the next try, unless another process has begun this one."""
        wait = min(FIRST_WAIT_MS * 2 ** min(alarm.tries, 16), LONGEST_WAIT_MS)
        next_at = self._clock() + int(SECONDS * 1000) + wait
        claimed = Alarm.update(send_at_ms=next_at, tries=Alarm.tries + 1)
        with writing():
            return bool(claimed.where(Alarm.id == alarm.id, Alarm.send_at_ms == alarm.send_at_ms).execute())

    def _accept(self, alarm: Alarm) -> None:
        with writing():
            Alarm.update(send_at_ms=None, accepted_at_ms=self._clock()).where(Alarm.id == alarm.id).execute()

    def _post(self, alarm: Alarm) -> str | None:
        """Why the receiver has not accepted it; None if it has."""
        body = decimal_json.dumps(self._message(alarm))
        at = datetime.now(UTC)
        # The same id each time, by which the receiver knows one that it has accepted already.
        message_id = f"alarm-{alarm.id}-{alarm.raised_at_ms}"
        headers = {
            "Content-Type": "application/json",
            "webhook-id": message_id,
            "webhook-timestamp": str(int(at.timestamp())),
            "webhook-signature": " ".join(each.sign(message_id, at, body) for each in self._webhooks),
        }
        try:
            with bounded(requests.Session(), seconds=SECONDS, max_bytes=MAX_BYTES) as session:
                session.trust_env = False
                status = session.post(self._url, data=body.encode(), headers=headers).status_code
        except requests.RequestException as error:
            # Its text may contain the URL, and so a key.
            return type(error).__name__
        return None if HTTPStatus(200) <= status < HTTPStatus(300) else f"status {status}"

    def _message(self, alarm: Alarm) -> dict[str, Any]:
        data = {
            "id": str(alarm.id),
            "rule": alarm.rule,
            "subject": alarm.subject,
            "text": alarm.text,
            "raisedAt": alarm.raised_at_ms,
            "url": self._page,
        }
        at = datetime.fromtimestamp(alarm.raised_at_ms / 1000, UTC).isoformat()
        return {"type": "alarm.raised", "timestamp": at, "data": data}
