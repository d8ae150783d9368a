"""The operator's own check of withdrawals: identity, money laundering. Asked before anybody approves."""

from datetime import UTC, datetime
from enum import StrEnum
from http import HTTPStatus
from typing import Any

import requests
from standardwebhooks import Webhook

from models.db.connection import reading
from models.payments import Withdrawal
from services.accounts import users
from services.shared import decimal_json
from services.shared.http_client import bounded
from services.shared.money import number_from_cents
from services.shared.text import is_storable
from settings import Settings

SECONDS = 10.0
MAX_BYTES = 64 * 1024
MAX_REASON = 200


class Decision(StrEnum):
    """What the check says. An approval allows only what the limits would approve anyway."""

    APPROVE = "approve"
    REVIEW = "review"
    REJECT = "reject"


REVIEW = (Decision.REVIEW, "no answer of the check")


class CheckService:
    """Posts withdrawals to WITHDRAWAL_CHECK_URL, signed as Standard Webhooks say."""

    def __init__(self, settings: Settings) -> None:
        self._url = settings.withdrawal_check_url
        self._webhook = Webhook(settings.payments_webhook_secrets[0])

    def ask(self, withdrawal: Withdrawal) -> tuple[Decision, str]:
        """The decision and its reason. No answer in ten seconds, or another one, is a review."""
        try:
            response = self._post(withdrawal)
            answer = decimal_json.loads(response.content)
            decision, reason = Decision(answer["decision"]), answer.get("reason") or ""
        except (requests.RequestException, ValueError, KeyError, TypeError, AttributeError):
            return REVIEW
        if response.status_code != HTTPStatus.OK or not isinstance(reason, str) or not is_storable(reason):
            return REVIEW
        return decision, reason[:MAX_REASON]

    def _post(self, withdrawal: Withdrawal) -> requests.Response:
        body = decimal_json.dumps(_message(withdrawal))
        at = datetime.now(UTC)
        # The same id each time: a check that is asked again can answer as before.
        message_id = f"withdrawal-{withdrawal.id}"
        headers = {
            "Content-Type": "application/json",
            "webhook-id": message_id,
            "webhook-timestamp": str(int(at.timestamp())),
            "webhook-signature": self._webhook.sign(message_id, at, body),
        }
        with bounded(requests.Session(), seconds=SECONDS, max_bytes=MAX_BYTES) as session:
            session.trust_env = False
            return session.post(self._url, data=body.encode(), headers=headers)


@reading()
def _message(withdrawal: Withdrawal) -> dict[str, Any]:
    player = users.get_by_id(withdrawal.user_id)
    data = {
        "id": withdrawal.id,
        "platformid": player.platform_id,
        "usd": number_from_cents(withdrawal.amount_cents),
        "method": withdrawal.method,
        "to": withdrawal.destination,
        "createdAt": withdrawal.created_at_ms,
    }
    return {"type": "withdrawal.requested", "data": data}
