"""Compares the platform's books with the fake BTCPay's and the players' after a storm of payments.

Each check yields a line for each contradiction. What is right follows from the final state of each invoice
and payout at the fake, and from what staff have decided; no rule of the code under test is used for it.
"""

import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from decimal import ROUND_FLOOR, Decimal
from typing import Any

import requests

from models.db.connection import reading
from models.ledger import LedgerEntry
from models.payments import Deposit, PaymentRecord, WebhookDelivery, Withdrawal
from models.users import User
from tests.harness.btcpay.fake import FakeBtcPay
from tests.harness.btcpay.objects import Invoice, is_address
from tests.storms.payments.check_service import Decision
from tests.storms.payments.players import Act, Actor, Kind
from tests.storms.payments.scene import Scene
from tests.storms.payments.staff import Staff

SMALLEST_CENTS = 36
"""BTCPay's wallet does not send less than 546 satoshis."""

OPEN_DEPOSITS = ("created", "pending", "confirming")
OPEN_WITHDRAWALS = ("approved", "sending", "sent")
RECONCILE_ROUNDS, RECONCILE_SECONDS = 10, 2.0


def is_on_its_way() -> Any:
    """The condition of a withdrawal that still waits for the platform."""
    is_unchecked = (Withdrawal.status == "requested") & Withdrawal.check_decision.is_null()
    return Withdrawal.status.in_(OPEN_WITHDRAWALS) | is_unchecked


@reading()
def unfinished(fake: FakeBtcPay) -> list[str]:
    """A line for each kind of thing that still waits for the platform."""
    counts = {
        "deposits are open": Deposit.select().where(Deposit.status.in_(OPEN_DEPOSITS)).count(),
        "withdrawals are on their way": Withdrawal.select().where(is_on_its_way()).count(),
        "webhooks are not processed": WebhookDelivery.select()
        .where(WebhookDelivery.processed_at_ms.is_null())
        .count(),
        "approved payouts are not paid": sum(
            payout.state in ("AwaitingPayment", "InProgress") for payout in fake.payouts
        ),
    }
    return [f"after the storm {count} {what}" for what, count in counts.items() if count]


def reconciled(auditor: Staff, fake: FakeBtcPay) -> list[str]:
    """What the platform's own reconciliation finds when it had time to cancel second payouts."""
    lines: list[str] = []
    for _ in range(RECONCILE_ROUNDS):
        lines = auditor.reconcile()
        if not lines and not any(payout.is_open for payout in fake.payouts):
            break
        time.sleep(RECONCILE_SECONDS)
    return lines + [f"payout {payout.id} is {payout.state}" for payout in fake.payouts if payout.is_open]


def problems(scene: Scene, actors: list[Actor], staff: Staff) -> Iterator[str]:
    """All contradictions between the books."""
    with reading():
        deposits = {deposit.id: deposit for deposit in Deposit.select()}
        withdrawals = {withdrawal.id: withdrawal for withdrawal in Withdrawal.select()}
    for deposit in deposits.values():
        yield from (f"deposit {deposit.id}: {line}" for line in of_deposit(deposit, scene.fake))
    for withdrawal in withdrawals.values():
        lines = of_withdrawal(withdrawal, scene, staff)
        yield from (f"withdrawal {withdrawal.id}: {line}" for line in lines)
    for actor in actors:
        lines = [*_of_acts(actor, deposits.values(), withdrawals.values()), *_of_balance(actor, scene)]
        yield from (f"player {actor.player.id}: {line}" for line in lines)
    yield from _of_payments(deposits.values(), withdrawals.values())
    yield from _of_sums(scene.fake, deposits.values())


def credited_by(invoice: Invoice) -> int | None:
    """The cents that an invoice credits by itself; None if it credits nothing, or staff decide."""
    if invoice.status != "Settled" or invoice.additional not in ("None", "PaidOver"):
        return None
    received = _whole_cents(invoice.settled)
    asked = int(invoice.amount * 100)
    return max(asked, received) if invoice.additional == "PaidOver" else asked


def _whole_cents(usd: Decimal) -> int:
    return int((usd * 100).to_integral_value(ROUND_FLOOR))


def of_deposit(deposit: Deposit, fake: FakeBtcPay) -> Iterator[str]:
    """Compare a deposit with its invoice, which is the one with its secret."""
    own = [each for each in fake.invoices_of(deposit.id) if deposit.secret in each.metadata.values()]
    invoice = next((each for each in own if each.id == deposit.invoice_id), None)
    if sum(each.settled > 0 for each in own) > 1:
        yield "two of its invoices were paid"
    if invoice is not None:
        yield from _of_invoice(deposit, invoice)
    elif deposit.invoice_id is not None:
        yield f"its invoice {deposit.invoice_id} was made by somebody else"
    elif deposit.status != "failed":
        yield f"it is {deposit.status} without an invoice"


def _of_invoice(deposit: Deposit, invoice: Invoice) -> Iterator[str]:
    due = credited_by(invoice)
    shown = f"its invoice is {invoice.status}, {invoice.additional}, paid {invoice.settled:.4f}"
    if deposit.status == "credited":
        if due is None and not deposit.is_decided_by_staff:
            yield f"it was credited, and {shown}"
        if deposit.credited_cents != (_whole_cents(invoice.settled) if due is None else due):
            yield f"it has credited {deposit.credited_cents} cents, and {shown}"
    elif due is not None:
        yield f"it is {deposit.status}, and {shown}"
    elif deposit.status in OPEN_DEPOSITS:
        yield f"it is still {deposit.status}, and {shown}"
    elif deposit.status in ("expired", "failed") and not deposit.is_decided_by_staff and invoice.settled:
        yield f"it is {deposit.status}, and {shown}"


def of_withdrawal(withdrawal: Withdrawal, scene: Scene, staff: Staff) -> Iterator[str]:
    """Compare a withdrawal with what has left the wallet."""
    paid = scene.fake.ledger.paid_for(withdrawal.id)
    if len(paid) > 1:
        yield f"it was paid {len(paid)} times"
    for each in paid:
        if (each.usd * 100, each.destination) != (withdrawal.amount_cents, withdrawal.destination):
            yield f"{each.usd} USD were paid, or to another address"
    if (withdrawal.status == "completed") != bool(paid):
        yield f"it is {withdrawal.status}, and was paid {len(paid)} times"
    if withdrawal.status in OPEN_WITHDRAWALS:
        yield f"it is still {withdrawal.status}"
    if withdrawal.status == "failed" and not _has_reason_to_fail(withdrawal, scene, staff):
        yield "it is failed, although nobody has refused, cancelled or ended it"
    decision = scene.check.decisions.get(withdrawal.id)
    if decision is Decision.REJECT and withdrawal.status != "rejected":
        yield f"the check has rejected it, and it is {withdrawal.status}"
    is_started = withdrawal.status not in ("requested", "rejected")
    if is_started and decision is not Decision.APPROVE and withdrawal.id not in staff.approved:
        yield f"nobody has approved it, and it is {withdrawal.status}"
    is_rejected = decision is Decision.REJECT or withdrawal.id in staff.rejected
    if withdrawal.status == "rejected" and not is_rejected:
        yield "nobody has rejected it"


def _has_reason_to_fail(withdrawal: Withdrawal, scene: Scene, staff: Staff) -> bool:
    """Whether BTCPay refuses such a payout, or staff have ended it here or there."""
    if withdrawal.id in staff.failed:
        return True
    is_refused = not is_address(withdrawal.destination) or withdrawal.amount_cents < SMALLEST_CENTS
    made = (payout.id for payout in scene.fake.payouts_of(withdrawal.id))
    return is_refused or not scene.cancelled.isdisjoint(made)


def _of_acts(actor: Actor, deposits: Iterable[Deposit], withdrawals: Iterable[Withdrawal]) -> Iterator[str]:
    """Each row belongs to one request, by its amount; a key makes one row, also across crashes."""
    rows: dict[tuple[Kind, int], list[Deposit | Withdrawal]] = defaultdict(list)
    for kind, table in ((Kind.DEPOSIT, deposits), (Kind.WITHDRAWAL, withdrawals)):
        for row in table:
            if row.user_id == actor.player.id:
                rows[kind, row.amount_cents].append(row)
    for act in actor.acts:
        yield from of_act(act, rows.pop((act.kind, act.cents), []))
    for (kind, cents), left in rows.items():
        yield f"{len(left)} {kind}s of {cents} cents that were not requested"


def of_act(act: Act, rows: list[Deposit | Withdrawal]) -> Iterator[str]:
    what = f"{act.kind} of {act.cents} cents"
    known = {row.id for row in rows}
    if not act.ids <= known:
        yield f"{what}: answered with {act.ids}, stored are {known}"
    # A deposit that the provider has refused, or could not be asked for, frees the key. A request at the
    # same time may have been answered with it before that.
    kept = [row for row in rows if row.idempotency_key is not None]
    freed = [row for row in rows if row.idempotency_key is None and row.status == "failed"]
    failed = {row.id for row in freed}
    if act.key is None:
        if len(rows) > act.attempts:
            yield f"{what}: {len(rows)} rows of {act.attempts} requests"
    elif len(kept) > 1 or len(kept) + len(freed) != len(rows) or len(act.ids - failed) > 1:
        yield f"{what}: {len(rows)} rows with one key, answered were {sorted(act.ids)}"
    if len(freed) > act.unavailable + act.unknown and act.key is not None:
        yield f"{what}: {len(freed)} failed rows, and {act.unavailable} answers say so"
    if rows and not (act.ids or act.unavailable or act.unknown):
        yield f"{what}: {len(rows)} rows, and every request was refused: {act.errors}"


def _of_balance(actor: Actor, scene: Scene) -> Iterator[str]:
    """Compare the balance with what came in and went out, and with what the player is shown."""
    user_id = actor.player.id
    with reading():
        balance = User.get_by_id(user_id).balance_cents
        credited = _sum(Deposit.select().where(Deposit.user == user_id), "credited_cents")
        is_gone = Withdrawal.status.not_in(("rejected", "failed"))
        withdrawn = _sum(Withdrawal.select().where(Withdrawal.user == user_id, is_gone), "amount_cents")
    due = actor.began_with_cents + credited - withdrawn
    url = f"{scene.servers.url}/auth/me"
    me = requests.get(url, headers=actor.player.headers, timeout=30).json()
    shown = round(me["balance"] * 100)
    if not balance == due == shown:
        yield f"has {balance} cents, is shown {shown}, can account for {due}"


def _of_payments(deposits: Iterable[Deposit], withdrawals: Iterable[Withdrawal]) -> Iterator[str]:
    """Each row of ``payments`` belongs to one deposit or withdrawal."""
    used = [each.payment_id for each in (*deposits, *withdrawals) if each.payment_id is not None]
    with reading():
        stored = [payment.id for payment in PaymentRecord.select(PaymentRecord.id)]
    if sorted(used) != sorted(stored):
        yield f"{len(stored)} payments, of which {len(used)} belong to a deposit or withdrawal"


def _of_sums(fake: FakeBtcPay, deposits: Iterable[Deposit]) -> Iterator[str]:
    """The sums of both ledgers agree to the cent."""
    with reading():
        incoming = _sum(PaymentRecord.select().where(PaymentRecord.type == "deposit"), "usd_cents")
        outgoing = _sum(PaymentRecord.select().where(PaymentRecord.type == "withdraw"), "usd_cents")
        held = _sum(LedgerEntry.select().where(LedgerEntry.account == "house.held"), "amount_cents")
        waiting = _sum(Withdrawal.select().where(Withdrawal.status == "requested"), "amount_cents")
    paid = sum((each.usd for each in fake.ledger.paid), Decimal(0)) * 100
    if outgoing != paid:
        yield f"{outgoing} cents were withdrawn, and BTCPay has paid {paid}"
    credited = {deposit.invoice_id for deposit in deposits if deposit.status == "credited"}
    received = sum(
        credited_by(invoice) or _whole_cents(invoice.settled)
        for invoice in fake.invoices
        if invoice.id in credited
    )
    if incoming != received:
        yield f"{incoming} cents were credited, and BTCPay has received {received} for them"
    if held != waiting:
        yield f"the house holds {held} cents, and withdrawals of {waiting} wait for a decision"


def _sum(query, column: str) -> int:
    return sum(getattr(row, column) or 0 for row in query)


@reading()
def stuck(fake: FakeBtcPay) -> list[str]:
    """What is known of the withdrawals that are still on their way: their rows and payouts."""
    rows = list(Withdrawal.select().where(is_on_its_way()))
    return [f"withdrawal {row.id}: {row.__data__}, payouts {fake.payouts_of(row.id)}" for row in rows]
