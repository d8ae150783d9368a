"""flask payments: record payments, decide about deposits and withdrawals, and reconcile with providers."""

from datetime import UTC, datetime
from typing import Any

import click

from blueprints.api.cli import OperatorGroup, amount, fail_on_problems, print_json
from blueprints.api.parameters import ALL
from blueprints.payments.schemas import EntrySchema
from blueprints.stats.schemas import PaymentSchema
from models.payments import Discrepancy, PaymentType
from server.current_services import get_services
from services.accounts import users
from services.payments import discrepancies, history, transfers
from services.payments.history import STATUSES, EntryType
from services.payments.provider import ProviderError
from services.payments.transfers import Transfer
from services.shared.clock import Millis
from services.shared.errors import Refusal
from services.shared.money import Cents

group = OperatorGroup("payments", help="Deposits and withdrawals.")

ENTRY = EntrySchema()

reason_option = click.option("--reason", required=True, help="Why, for the audit trail.")


@group.command("record")
@click.argument("platformid")
@click.argument("type_", metavar="TYPE", type=click.Choice([type_.value for type_ in PaymentType]))
@click.argument("usd", type=amount)
@click.option("--chain", default="", help="The blockchain or network.")
@click.option("--asset", default="", help="The currency of the transfer.")
@click.option("--amount", default="", help="The amount of the asset, a decimal number; USD by default.")
@click.option("--txhash", default="", help="The id of the transfer, which is recorded only once.")
@click.option("--to", default="", help="The wallet that received it.")
@click.option("--bonus", is_flag=True, help="The player has agreed to the bonus of the deposit.")
def record(platformid: str, type_: str, usd: Cents, *, bonus: bool, **transfer: str) -> None:
    """Record a payment and move the coins, one for each USD.

    Recording the same txhash, player, type and USD again changes nothing and prints the first payment.
    """
    payment = transfers.record(
        user=users.get(platform_id=platformid),
        type_=PaymentType(type_),
        usd=usd,
        transfer=Transfer(**transfer),
        now=get_services().clock(),
        bonuses=get_services().rewards.bonuses if bonus else None,
    )
    print_json(PaymentSchema().dump(payment))


@group.command("list")
@click.option("--type", "type_", type=click.Choice([each.value for each in EntryType]), default=ALL)
@click.option("--status", type=click.Choice([ALL, *STATUSES]), default=ALL)
def list_payments(type_: str, status: str) -> None:
    """Print the deposits and withdrawals that players have made, one JSON line each, oldest first."""
    for row, platform_id in history.listed(type_=type_, status=status):
        print_json(_shown(row) | {"platformid": platform_id})


@group.command("approve")
@click.argument("withdrawal_id", metavar="ID")
@reason_option
def approve(withdrawal_id: str, reason: str) -> None:
    """Approve a requested withdrawal, which is sent then."""
    services = get_services()
    row = services.staff_decisions.approve(withdrawal_id=withdrawal_id, reason=reason, now=services.clock())
    print_json(_shown(row))


@group.command("reject")
@click.argument("withdrawal_id", metavar="ID")
@reason_option
def reject(withdrawal_id: str, reason: str) -> None:
    """Reject a requested withdrawal, and give the coins back to the player."""
    services = get_services()
    row = services.staff_decisions.reject(withdrawal_id=withdrawal_id, reason=reason, now=services.clock())
    print_json(_shown(row))


@group.command("credit")
@click.argument("deposit_id", metavar="ID")
@click.argument("usd", type=amount)
@reason_option
def credit(deposit_id: str, usd: Cents, reason: str) -> None:
    """Credit a deposit in review with this amount."""
    services = get_services()
    row = services.staff_decisions.credit(deposit_id=deposit_id, usd=usd, reason=reason, now=services.clock())
    print_json(_shown(row))


@group.command("fail")
@click.argument("row_id", metavar="ID")
@reason_option
def fail(row_id: str, reason: str) -> None:
    """End a deposit in review without crediting it, or a withdrawal that can't be sent.

    A withdrawal gives its coins back, and must have no payout that the provider may still pay.
    """
    decisions, now = get_services().staff_decisions, get_services().clock()
    if history.is_deposit(row_id):
        print_json(_shown(decisions.fail_deposit(deposit_id=row_id, reason=reason, now=now)))
    else:
        print_json(_shown(decisions.fail_withdrawal(withdrawal_id=row_id, reason=reason, now=now)))


@group.command("complete")
@click.argument("withdrawal_id", metavar="ID")
@reason_option
def complete(withdrawal_id: str, reason: str) -> None:
    """End a withdrawal that was paid in another way, or whose payout was changed and paid."""
    services = get_services()
    row = services.staff_decisions.complete(withdrawal_id=withdrawal_id, reason=reason, now=services.clock())
    print_json(_shown(row))


@group.command("reconcile")
@click.option("--since", metavar="DATE", help="Compare what was made since this day (YYYY-MM-DD, UTC).")
def reconcile(since: str | None) -> None:
    """Compare the books of the providers with ours; exit code 1 if there are discrepancies."""
    services = get_services()
    try:
        checked, open_now = services.reconciliation.run(since=_start_of(since), now=services.clock())
    except ProviderError as error:
        raise Refusal(str(error)) from None
    found = [_shown_discrepancy(discrepancy) for discrepancy in open_now]
    print_json({"checked": checked, "findings": found})
    fail_on_problems([f"{each['kind']} {each['id']}" for each in found], "discrepancies")


@group.command("dismiss")
@click.argument("kind")
@click.argument("discrepancy_id", metavar="ID")
@reason_option
def dismiss(kind: str, discrepancy_id: str, reason: str) -> None:
    """Close a discrepancy that was dealt with. It comes back only if the difference changes."""
    now = get_services().clock()
    discrepancy = discrepancies.dismiss(kind=kind, subject=discrepancy_id, reason=reason, now=now)
    print_json(_shown_discrepancy(discrepancy))


def _shown(row: Any) -> dict[str, Any]:
    """A deposit or withdrawal as players see it, and what only staff see."""
    shown: dict[str, Any] = ENTRY.dump(row)  # type: ignore[assignment]
    more = {"reason": row.reason}
    if history.type_of(row) == EntryType.WITHDRAWAL:
        more |= {"check": row.check_decision, "checkReason": row.check_reason, "payoutId": row.payout_id}
    else:
        more |= {"invoiceId": row.invoice_id}
    return shown | more


def _shown_discrepancy(discrepancy: Discrepancy) -> dict[str, str]:
    shown = {
        "id": discrepancy.subject,
        "kind": discrepancy.kind,
        "ours": discrepancy.ours,
        "theirs": discrepancy.theirs,
    }
    more = {"platformid": discrepancy.platform_id, "address": discrepancy.address}
    return shown | {name: value for name, value in more.items() if value is not None}


def _start_of(date: str | None) -> Millis:
    if date is None:
        return Millis(0)
    try:
        day = datetime.strptime(date, "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError:
        raise Refusal("--since must be a date such as 2026-11-26") from None
    return Millis(int(day.timestamp()) * 1000)
