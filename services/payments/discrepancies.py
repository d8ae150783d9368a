"""Discrepancies: differences that staff must look at, each one row until it is solved."""

from collections.abc import Collection
from enum import StrEnum

from models.db.connection import reading, writing
from models.payments import Discrepancy, WebhookDelivery
from services.audit_trail import recording as audit_trail
from services.audit_trail.events import AuditEventType
from services.shared.clock import Millis
from services.shared.errors import Refusal
from services.shared.text import checked_reason


class DiscrepancyKind(StrEnum):
    """What differs. docs/payments.md says what to do with each."""

    DEPOSIT = "deposit"
    """A deposit and its invoice have another status or amount."""
    INVOICE_MISSING = "invoice-missing"
    FOREIGN_INVOICE = "foreign-invoice"
    """Somebody else made an invoice with a deposit's id."""
    SECOND_INVOICE = "second-invoice"
    """Money came to an invoice of ours that is not the deposit's."""
    UNKNOWN_INVOICE = "unknown-invoice"
    """Money came to an invoice of ours whose deposit is not here, as after a restore."""
    WITHDRAWAL = "withdrawal"
    """A withdrawal and its payout have another status, amount or address."""
    PAYOUT_MISSING = "payout-missing"
    SECOND_PAYOUT = "second-payout"
    """A payout of ours that is not the withdrawal's is not cancelled yet."""
    UNKNOWN_PAYOUT = "unknown-payout"
    """A payout of ours whose withdrawal is not here, as after a restore."""
    SLOW_WITHDRAWAL = "slow-withdrawal"
    """It is being sent for longer than half an hour."""
    MESSAGE = "message"
    """A signed message of the operator's payment service can't be recorded."""
    REUSED_ID = "reused-id"
    """A signed message came with the id of another one."""


OPERATOR = "payments"
"""The name of the operator's own payment service."""


def report(
    kind: DiscrepancyKind,
    subject: str,
    *,
    ours: str,
    theirs: str,
    now: Millis,
    platform_id: str | None = None,
    address: str | None = None,
) -> None:
    """Open a discrepancy, or change the open one. A dismissed one stays so until the difference changes.

    ``platform_id`` and ``address`` are for staff, who record what is not here.
    """
    values: dict[str, str | None] = {"ours": ours[:200], "theirs": theirs[:200]}
    if _is_known(kind, subject, values):
        return
    values |= {"platform_id": platform_id and platform_id[:80], "address": address and address[:256]}
    with writing():
        Discrepancy.insert(
            kind=kind, subject=subject, found_at_ms=now, **values
        ).on_conflict_ignore().execute()
        found = Discrepancy.get(Discrepancy.kind == kind, Discrepancy.subject == subject)
        reopened = {"found_at_ms": now} if found.solved_at_ms is not None else {}
        changed = values | reopened | {"solved_at_ms": None, "is_dismissed": False}
        Discrepancy.update(changed).where(Discrepancy.id == found.id).execute()


@reading()
def _is_known(kind: DiscrepancyKind, subject: str, values: dict[str, str | None]) -> bool:
    """Whether the same difference is open already, or was dismissed."""
    found = Discrepancy.get_or_none(Discrepancy.kind == kind, Discrepancy.subject == subject)
    if found is None or {"ours": found.ours, "theirs": found.theirs} != values:
        return False
    return found.solved_at_ms is None or found.is_dismissed


def solve(kind: DiscrepancyKind, subject: str, *, now: Millis) -> None:
    """Close the discrepancy, if it is open."""
    solve_others(kind, subjects=[subject], found=(), now=now)


def solve_others(
    kind: DiscrepancyKind, *, subjects: Collection[str], found: Collection[str], now: Millis
) -> None:
    """Close the discrepancies of this kind about these subjects, except those that were found again."""
    gone = set(subjects) - set(found)
    for discrepancy in open_discrepancies(kind):
        if discrepancy.subject in gone:
            with writing():
                is_open = (Discrepancy.id == discrepancy.id) & Discrepancy.solved_at_ms.is_null()
                Discrepancy.update(solved_at_ms=now).where(is_open).execute()


@reading()
def open_discrepancies(kind: DiscrepancyKind | None = None) -> list[Discrepancy]:
    """Those of this kind that are not solved, or of all kinds, oldest first."""
    query = Discrepancy.select().where(Discrepancy.solved_at_ms.is_null())
    if kind is not None:
        query = query.where(Discrepancy.kind == kind)
    return list(query.order_by(Discrepancy.id))


@reading()
def is_open(kind: DiscrepancyKind, subject: str) -> bool:
    """Whether there is an open discrepancy of this kind about this."""
    discrepancy = Discrepancy.get_or_none(Discrepancy.kind == kind, Discrepancy.subject == subject)
    return discrepancy is not None and discrepancy.solved_at_ms is None


@reading()
def get(discrepancy_id: int) -> Discrepancy:
    """The discrepancy with this number. Raises Refusal."""
    discrepancy: Discrepancy | None = Discrepancy.get_or_none(Discrepancy.id == discrepancy_id)
    if discrepancy is None:
        raise Refusal("there is no such open discrepancy")
    return discrepancy


def dismiss(*, kind: str, subject: str, reason: str, now: Millis) -> Discrepancy:
    """Close a discrepancy that staff have dealt with. It is opened again only if the difference changes.

    The message that it is about can't be processed again after that: its payment may be recorded by hand.
    Raises Refusal if there is no such open discrepancy, or the message is being processed.
    """
    reason = checked_reason(reason)
    with writing():
        is_named = (Discrepancy.kind == kind) & (Discrepancy.subject == subject)
        dismissed = Discrepancy.update(solved_at_ms=now, is_dismissed=True)
        if not dismissed.where(is_named, Discrepancy.solved_at_ms.is_null()).execute():
            raise Refusal("there is no such open discrepancy")
        if kind == DiscrepancyKind.MESSAGE:
            _close_message(subject)
        discrepancy: Discrepancy = Discrepancy.get(is_named)
        after = {"discrepancy": discrepancy.id, "kind": discrepancy.kind, "reason": reason}
        audit_trail.record(AuditEventType.DISCREPANCY_DISMISSED, now=now, user_id=None, after=after)
        return discrepancy


def _close_message(delivery_id: str) -> None:
    """Count a message of the operator's service as done. Raises Refusal while it is being processed."""
    is_message = (WebhookDelivery.provider == OPERATOR) & (WebhookDelivery.delivery_id == delivery_id)
    is_processed = WebhookDelivery.processed_at_ms.is_null(False)
    closed = WebhookDelivery.update(error=None).where(is_message, is_processed).execute()
    if not closed and WebhookDelivery.select().where(is_message).exists():
        raise Refusal("the message is being processed")
