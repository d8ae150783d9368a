"""Webhooks: each message with a good signature is stored once, and processed after that.

A message of a payment provider is only a hint that something has changed: its deposit or withdrawal is asked
about at once. A message of the operator's own payment service is recorded, as ``flask payments record`` does.
"""

import hashlib
import logging
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import peewee
from standardwebhooks import Webhook
from standardwebhooks.webhooks import WebhookVerificationError

from models.db.connection import database, reading, writing
from models.payments import Deposit, PaymentType, WebhookDelivery, Withdrawal
from models.users import User
from services.accounts import users
from services.audit_trail import recording as audit_trail
from services.audit_trail.events import AuditEventType
from services.payments import discrepancies, rows, transfers
from services.payments.discrepancies import OPERATOR, DiscrepancyKind
from services.payments.errors import BadSignature, MalformedMessage, MessageIdReused, StatusChanged
from services.payments.provider import Hint
from services.payments.registry import Providers
from services.payments.transfers import Transfer
from services.rewards.bonuses import Bonuses
from services.shared import decimal_json
from services.shared.clock import DAY_MS, Millis
from services.shared.errors import InsufficientBalance, Refusal
from services.shared.money import Cents, cents_from_number
from services.shared.text import checked_reason, is_storable
from settings import Settings

log = logging.getLogger("platform.payments")

MAX_ID = 128
KEPT_MS = 90 * DAY_MS
"""How long processed messages are kept. A repeated one is refused by its time long before."""

MESSAGE_TYPES = {"deposit.credited": PaymentType.DEPOSIT, "withdrawal.completed": PaymentType.WITHDRAWAL}

TRANSFER_FIELDS = ("chain", "asset", "amount", "txhash", "to")


class WebhookInbox:
    """Takes webhooks, and processes what it has stored."""

    def __init__(self, providers: Providers, settings: Settings, *, bonuses: Bonuses) -> None:
        self._providers = providers
        self._bonuses = bonuses
        self._webhooks = [Webhook(secret) for secret in settings.payments_webhook_secrets]

    def take_from_provider(self, name: str, headers: Mapping[str, str], body: bytes, *, now: Millis) -> None:
        """Store a provider's message, unless it is stored already. Raises BadSignature."""
        provider = self._providers.by_name.get(name)
        if provider is None or not provider.is_signed(headers, body):
            raise BadSignature
        try:
            delivery_id = provider.read_webhook(body).delivery_id
        except ValueError:
            delivery_id = ""
        _store(name, delivery_id, body, provider.storable(_text_of(body)), now=now)

    def take_from_operator(self, headers: Mapping[str, str], body: bytes, *, now: Millis) -> None:
        """Store a message of the operator's payment service, and record its payment.

        Raises BadSignature, MalformedMessage for what is stored but no payment, and MessageIdReused. The
        latter is a discrepancy, and so is a payment that can't be recorded.
        """
        if not any(_is_signed(webhook, headers, body) for webhook in self._webhooks):
            raise BadSignature
        text = _text_of(body)
        delivery = _store(OPERATOR, headers["webhook-id"], body, text, now=now)
        if not _is_same_content(delivery.body, text):
            kind, ours = DiscrepancyKind.REUSED_ID, "another message has this id"
            theirs = f"not stored, SHA-256 {hashlib.sha256(body).hexdigest()[:16]}"
            discrepancies.report(kind, delivery.delivery_id, ours=ours, theirs=theirs, now=now)
            raise MessageIdReused
        if delivery.processed_at_ms is None:
            with suppress(StatusChanged):
                self._record_once(delivery, now=now)
            with reading():
                # Another call may have recorded it.
                delivery = WebhookDelivery.get_by_id(delivery.id)
        if delivery.error == MalformedMessage.text:
            raise MalformedMessage

    def process_waiting(self, *, now: Millis, most: int) -> list[WebhookDelivery]:
        """Process the oldest stored messages; returns those that this call has processed."""
        with reading():
            is_waiting = WebhookDelivery.processed_at_ms.is_null()
            query = WebhookDelivery.select().where(is_waiting).order_by(WebhookDelivery.id)
            waiting = list(query.limit(most))
        processed, hints = [], defaultdict(list)
        for delivery in waiting:
            if delivery.provider != OPERATOR:
                hints[delivery.provider].append(delivery)
                continue
            with suppress(StatusChanged):
                self._record_once(delivery, now=now)
                processed.append(delivery)
        for name, deliveries in hints.items():
            processed += self._make_due(name, deliveries, now=now)
        return processed

    def retry(self, *, delivery_id: int, reason: str, now: Millis) -> None:
        """Process a message again whose processing has failed. A discrepancy about it is closed.

        Raises Refusal if it has not failed, fails again, or its payment may be recorded by hand. Then
        nothing is changed.
        """
        reason = checked_reason(reason)
        with writing():
            has_failed = (WebhookDelivery.id == delivery_id) & WebhookDelivery.error.is_null(False)
            waiting = WebhookDelivery.update(processed_at_ms=None, error=None)
            if not waiting.where(has_failed).execute():
                raise Refusal("there is no such message whose processing has failed")
            delivery: WebhookDelivery = WebhookDelivery.get_by_id(delivery_id)
            after = {"delivery": delivery_id, "provider": delivery.provider, "reason": reason}
            audit_trail.record(AuditEventType.WEBHOOK_RETRIED, now=now, user_id=None, after=after)
            if delivery.provider == OPERATOR:
                self._record_again(delivery, now=now)
                return
            self._make_due(delivery.provider, [delivery], now=now)
            if delivery.error is not None:
                raise Refusal(f"it failed again: {delivery.error}")

    def _record_again(self, delivery: WebhookDelivery, *, now: Millis) -> None:
        """Record the payment of a message within the caller's transaction. Raises Refusal."""
        try:
            payment = _payment_of(delivery.body)
            # No payment of the player is recorded meanwhile.
            user = users.lock(users.get(platform_id=payment.platform_id).id)
            is_recorded = transfers.was_recorded_by_hand(
                user=user,
                type_=payment.type_,
                usd=payment.usd,
                transfer=payment.transfer,
                since=Millis(delivery.received_at_ms),
            )
            if not is_recorded:
                _record_payment(delivery, user, payment, bonuses=self._bonuses, now=now)
        except Refusal as error:
            raise Refusal(f"it failed again: {error}") from None
        except peewee.IntegrityError:
            raise Refusal("its payment is being recorded by another process") from None
        if is_recorded:
            raise Refusal(
                "a payment of this player and amount was recorded by hand after the message had come:"
                " close its discrepancy if it is this one"
            )
        discrepancies.solve(DiscrepancyKind.MESSAGE, delivery.delivery_id, now=now)

    def _record_once(self, delivery: WebhookDelivery, *, now: Millis) -> None:
        """Record the payment of a message. Of concurrent calls one does it, others raise StatusChanged."""
        try:
            payment = _payment_of(delivery.body)
            user = users.get(platform_id=payment.platform_id)
            for is_last in (False, True):
                try:
                    with writing():
                        _record_payment(delivery, user, payment, bonuses=self._bonuses, now=now)
                        return
                except (peewee.IntegrityError, InsufficientBalance):
                    # If another message has recorded the same transfer, the second attempt finds its payment.
                    if is_last:
                        raise
        except Refusal as error:
            self._note_failure(delivery, str(error), now=now)

    def _make_due(
        self, name: str, deliveries: Sequence[WebhookDelivery], *, now: Millis
    ) -> list[WebhookDelivery]:
        """Have the deposits and withdrawals of a provider's messages asked about at once.

        Returns the messages that no concurrent call processes. They are marked in the same transaction.
        """
        times = rows.poll_now(now, self._providers.first_wait(name))
        marked: defaultdict[str | None, list[WebhookDelivery]] = defaultdict(list)
        with writing():
            waiting = _lock_waiting(deliveries)
            hints = [self._hint(delivery) for delivery in waiting]
            known = _make_hinted_due(name, [hint for hint in hints if hint is not None], times)
            for delivery, hint in zip(waiting, hints, strict=True):
                marked[_error_of(hint, known)].append(delivery)
            for error, some in marked.items():
                _mark_processed(some, error=error, now=now)
        return waiting

    def _hint(self, delivery: WebhookDelivery) -> Hint | None:
        """What a message is about; None for one that says nothing."""
        try:
            return self._providers.by_name[delivery.provider].read_webhook(delivery.body.encode())
        except (KeyError, ValueError):
            return None

    def _note_failure(self, delivery: WebhookDelivery, error: str, *, now: Millis) -> None:
        """Raises StatusChanged if the message is processed already."""
        with writing():
            _mark_processed([delivery], error=error[:200], now=now)
            if error != MalformedMessage.text:
                discrepancies.report(
                    DiscrepancyKind.MESSAGE, delivery.delivery_id, ours=error, theirs="sent", now=now
                )
        log.warning("webhook: %s", error, extra={"delivery": delivery.id})


def delete_old(*, now: Millis) -> None:
    """Delete the messages that were processed long ago. Those with an error are kept for staff."""
    with writing():
        is_old = WebhookDelivery.received_at_ms < now - KEPT_MS
        is_done = WebhookDelivery.processed_at_ms.is_null(False) & WebhookDelivery.error.is_null()
        WebhookDelivery.delete().where(is_old, is_done).execute()


def _is_signed(webhook: Webhook, headers: Mapping[str, str], body: bytes) -> bool:
    try:
        webhook.verify(body, dict(headers), json_parse=False)
    except (WebhookVerificationError, ValueError):
        return False
    return True


@reading()
def credited_by(delivery_id: int) -> tuple[User, Cents] | None:
    """The player to whom a message of the operator's service adds coins, and how many."""
    delivery = WebhookDelivery.get_or_none(WebhookDelivery.id == delivery_id)
    if delivery is None or delivery.provider != OPERATOR:
        return None
    try:
        payment = _payment_of(delivery.body)
        user = users.get(platform_id=payment.platform_id)
    except Refusal:
        return None
    return (user, payment.usd) if payment.type_ is PaymentType.DEPOSIT else None


def _text_of(body: bytes) -> str:
    """Readable for staff, and storable, whatever was sent."""
    return body.decode(errors="backslashreplace").replace("\x00", "\\x00")


def _store(provider: str, delivery_id: str, body: bytes, text: str, *, now: Millis) -> WebhookDelivery:
    """Store a message as this text, unless one with this id is stored. Returns that one."""
    if not 1 <= len(delivery_id) <= MAX_ID or not delivery_id.isprintable():
        # Without an id, its content is the id.
        named = delivery_id.encode(errors="replace") or body
        delivery_id = hashlib.sha256(named).hexdigest()
    with writing():
        values = {"provider": provider, "delivery_id": delivery_id, "body": text, "received_at_ms": now}
        WebhookDelivery.insert(values).on_conflict_ignore().execute()
        is_same = (WebhookDelivery.provider == provider) & (WebhookDelivery.delivery_id == delivery_id)
        stored: WebhookDelivery = WebhookDelivery.get(is_same)
        return stored


def _is_same_content(stored: str, text: str) -> bool:
    """Whether two messages say the same, however they are written."""
    if stored == text:
        return True
    try:
        return bool(decimal_json.loads(stored) == decimal_json.loads(text))
    except ValueError:
        return False


def _lock_waiting(deliveries: Sequence[WebhookDelivery]) -> list[WebhookDelivery]:
    """Lock the messages that are still waiting, except those that another process has locked."""
    query: Any = WebhookDelivery.select(WebhookDelivery.id).where(
        WebhookDelivery.id.in_([delivery.id for delivery in deliveries]),
        WebhookDelivery.processed_at_ms.is_null(),
    )
    if database.for_update:
        query = query.for_update("FOR UPDATE SKIP LOCKED")
    locked = {row.id for row in query}
    return [delivery for delivery in deliveries if delivery.id in locked]


def _make_hinted_due(name: str, hints: Sequence[Hint], times: dict[str, Any]) -> set[str | None]:
    """Make due the withdrawals with the hints' payouts, and the deposits with their invoices.

    Also deposits with their ids and no invoice yet. Returns the ids in the hints that are known.
    """
    # Most hints lack one of the ids. NULL in a list is equal to nothing.
    is_waiting = Deposit.id.in_([hint.order_id for hint in hints]) & Deposit.invoice_id.is_null()
    has_invoice = Deposit.invoice_id.in_([hint.invoice_id for hint in hints])
    has_payout = Withdrawal.payout_id.in_([hint.payout_id for hint in hints])
    deposits = _make_rows_due(Deposit, (Deposit.method == name) & (has_invoice | is_waiting), times)
    withdrawals = _make_rows_due(Withdrawal, (Withdrawal.provider == name) & has_payout, times)
    return {row.invoice_id or row.id for row in deposits} | {row.payout_id for row in withdrawals}


def _make_rows_due(table: type[rows.Row], is_hinted: Any, times: dict[str, Any]) -> list[rows.Row]:
    query: Any = table.select().where(is_hinted).order_by(table.id)
    if database.for_update:
        # In this order, so that no two processes wait for each other.
        query = query.for_update()
    found = list(query)
    is_found = table.id.in_([row.id for row in found])
    table.update(times).where(is_found, table.poll_at_ms.is_null(False)).execute()
    return found


def _error_of(hint: Hint | None, known: set[str | None]) -> str | None:
    if hint is None:
        return "not a message of a provider that is set up"
    is_known = not known.isdisjoint(filter(None, (hint.invoice_id, hint.order_id, hint.payout_id)))
    return None if is_known else "no deposit or withdrawal belongs to it"


def _mark_processed(deliveries: Sequence[WebhookDelivery], *, error: str | None, now: Millis) -> None:
    """Note it in the rows and in ``deliveries``. Raises StatusChanged if one is processed already."""
    ids = [delivery.id for delivery in deliveries]
    is_waiting = WebhookDelivery.id.in_(ids) & WebhookDelivery.processed_at_ms.is_null()
    marked = WebhookDelivery.update(processed_at_ms=now, error=error).where(is_waiting).execute()
    if marked != len(deliveries):
        raise StatusChanged
    for delivery in deliveries:
        delivery.processed_at_ms, delivery.error = now, error


class _Payment(NamedTuple):
    """What a message of the operator's service reports."""

    type_: PaymentType
    platform_id: str
    usd: Cents
    transfer: Transfer
    takes_bonus: bool


def _record_payment(
    delivery: WebhookDelivery, user: User, payment: _Payment, *, bonuses: Bonuses, now: Millis
) -> None:
    """Record the payment of a message, within ``writing()``. Raises StatusChanged if that is done already."""
    # First, so that a concurrent call waits here and then finds that it is done.
    _mark_processed([delivery], error=None, now=now)
    recorded = transfers.record_in_transaction(
        user=user,
        type_=payment.type_,
        usd=payment.usd,
        transfer=payment.transfer,
        now=now,
        bonuses=bonuses if payment.takes_bonus else None,
    )
    WebhookDelivery.update(payment_id=recorded.id).where(WebhookDelivery.id == delivery.id).execute()


def _payment_of(body: str) -> _Payment:
    """The payment of a message of the operator's service. Raises MalformedMessage."""
    try:
        message = decimal_json.loads(body)
        data = message["data"]
        type_ = MESSAGE_TYPES[message["type"]]
        texts = {name: data[name] for name in TRANSFER_FIELDS if data.get(name) is not None}
        usd = cents_from_number(data["usd"], least=Cents(1))
        takes_bonus = data.get("bonus", False)
        if not isinstance(takes_bonus, bool) or not all(
            isinstance(text, str) and is_storable(text) for text in (data["platformid"], *texts.values())
        ):
            raise MalformedMessage
    except (ValueError, KeyError, TypeError, AttributeError, Refusal):
        raise MalformedMessage from None
    return _Payment(type_, data["platformid"], usd, Transfer(**texts), takes_bonus)
