"""Findings: differences that staff must look at, each one row until it is solved."""

from collections.abc import Collection
from enum import StrEnum

from models.db.connection import reading, writing
from models.payments import PaymentFinding, WebhookDelivery
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import record
from services.shared.clock import Millis
from services.shared.errors import OperatorError
from services.shared.text_validation import checked_reason


class FindingKind(StrEnum):
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
    kind: FindingKind,
    subject: str,
    *,
    ours: str,
    theirs: str,
    now: Millis,
    platform_id: str | None = None,
    address: str | None = None,
) -> None:
    """Open a finding, or change the open one. A dismissed one stays so until the difference changes.

    ``platform_id`` and ``address`` are for staff, who record what is not here.
    """
    values: dict[str, str | None] = {"ours": ours[:200], "theirs": theirs[:200]}
    if _is_known(kind, subject, values):
        return
    values |= {"platform_id": platform_id and platform_id[:80], "address": address and address[:256]}
    with writing():
        PaymentFinding.insert(
            kind=kind, subject=subject, found_at_ms=now, **values
        ).on_conflict_ignore().execute()
        found = PaymentFinding.get(PaymentFinding.kind == kind, PaymentFinding.subject == subject)
        reopened = {"found_at_ms": now} if found.solved_at_ms is not None else {}
        changed = values | reopened | {"solved_at_ms": None, "is_dismissed": False}
        PaymentFinding.update(changed).where(PaymentFinding.id == found.id).execute()


@reading()
def _is_known(kind: FindingKind, subject: str, values: dict[str, str | None]) -> bool:
    """Whether the same difference is open already, or was dismissed."""
    found = PaymentFinding.get_or_none(PaymentFinding.kind == kind, PaymentFinding.subject == subject)
    if found is None or {"ours": found.ours, "theirs": found.theirs} != values:
        return False
    return found.solved_at_ms is None or found.is_dismissed


def solve(kind: FindingKind, subject: str, *, now: Millis) -> None:
    """Close the finding, if it is open."""
    solve_others(kind, subjects=[subject], found=(), now=now)


def solve_others(
    kind: FindingKind, *, subjects: Collection[str], found: Collection[str], now: Millis
) -> None:
    """Close the findings of this kind about these subjects, except those that were found again."""
    gone = set(subjects) - set(found)
    for finding in open_findings(kind):
        if finding.subject in gone:
            with writing():
                is_open = (PaymentFinding.id == finding.id) & PaymentFinding.solved_at_ms.is_null()
                PaymentFinding.update(solved_at_ms=now).where(is_open).execute()


@reading()
def open_findings(kind: FindingKind | None = None) -> list[PaymentFinding]:
    """Those of this kind that are not solved, or of all kinds, oldest first."""
    query = PaymentFinding.select().where(PaymentFinding.solved_at_ms.is_null())
    if kind is not None:
        query = query.where(PaymentFinding.kind == kind)
    return list(query.order_by(PaymentFinding.id))


@reading()
def is_open(kind: FindingKind, subject: str) -> bool:
    """Whether there is an open finding of this kind about this."""
    finding = PaymentFinding.get_or_none(PaymentFinding.kind == kind, PaymentFinding.subject == subject)
    return finding is not None and finding.solved_at_ms is None


@reading()
def get(finding_id: int) -> PaymentFinding:
    """The finding with this number. Raises OperatorError."""
    finding: PaymentFinding | None = PaymentFinding.get_or_none(PaymentFinding.id == finding_id)
    if finding is None:
        raise OperatorError("there is no such open finding")
    return finding


def dismiss(*, kind: str, subject: str, reason: str, now: Millis) -> PaymentFinding:
    """Close a finding that staff have dealt with. It is opened again only if the difference changes.

    The message that it is about can't be processed again after that: its payment may be recorded by hand.
    Raises OperatorError if there is no such open finding, or the message is being processed.
    """
    reason = checked_reason(reason)
    with writing():
        is_named = (PaymentFinding.kind == kind) & (PaymentFinding.subject == subject)
        dismissed = PaymentFinding.update(solved_at_ms=now, is_dismissed=True)
        if not dismissed.where(is_named, PaymentFinding.solved_at_ms.is_null()).execute():
            raise OperatorError("there is no such open finding")
        if kind == FindingKind.MESSAGE:
            _close_message(subject)
        finding: PaymentFinding = PaymentFinding.get(is_named)
        after = {"finding": finding.id, "kind": finding.kind, "reason": reason}
        record(AuditEventType.FINDING_DISMISSED, now=now, user_id=None, after=after)
        return finding


def _close_message(delivery_id: str) -> None:
    """Count a message of the operator's service as done. Raises OperatorError while it is being processed."""
    is_message = (WebhookDelivery.provider == OPERATOR) & (WebhookDelivery.delivery_id == delivery_id)
    is_processed = WebhookDelivery.processed_at_ms.is_null(False)
    closed = WebhookDelivery.update(error=None).where(is_message, is_processed).execute()
    if not closed and WebhookDelivery.select().where(is_message).exists():
        raise OperatorError("the message is being processed")
