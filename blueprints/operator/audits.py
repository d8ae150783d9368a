"""flask ledger, flask audit: audit, export and rebuild what is stored."""

from dataclasses import asdict
from datetime import datetime
from typing import BinaryIO

import click

from blueprints.api.cli import OperatorGroup, fail_on_problems, in_camel_case, print_json
from server.current_services import get_services
from services.audit_trail import verification
from services.figures import book_formats, books
from services.maintenance import ledger_audit, statistics_audit

DAY = click.DateTime(["%Y-%m-%d"])

ledger_commands = OperatorGroup(
    "ledger", help="Audit and export the double-entry ledger, and rebuild statistics."
)


@ledger_commands.command("audit")
def audit() -> None:
    """Check every balance, transaction and total.

    A balance must equal the sum of its entries, a transaction must sum to 0, and a total must equal the sum
    of its rows. Exits with 1 on any mismatch.
    """
    result = ledger_audit.audit()
    print_json(asdict(result) | {"mismatches": len(result.mismatches)})
    fail_on_problems(result.mismatches)


@ledger_commands.command("rebuild")
def rebuild() -> None:
    """Rebuild statistics and counts from the bets.

    Bets wait until it has finished.
    """
    print_json(in_camel_case(statistics_audit.rebuild(now=get_services().clock())))


@ledger_commands.command("export")
@click.option("--from", "first", type=DAY, required=True, help="The first day.")
@click.option("--to", "last", type=DAY, required=True, help="The last day.")
@click.option("--format", "form", type=click.Choice(list(book_formats.FORMATS)), required=True)
@click.option("--player", metavar="PLATFORMID", help="The books of one player.")
def export_books(first: datetime, last: datetime, form: str, player: str | None) -> None:
    """Print the books of a period for an accounting program.

    One transaction for each day in UTC and kind, with all players summed, and what every account has before
    and after. Debits are positive and credits negative.
    """
    if last < first:
        raise click.UsageError("--to is before --from")
    found = books.read(first.date(), last.date(), platform_id=player)
    for line in book_formats.write(found, form):
        click.echo(line, nl=False)


audit_commands = OperatorGroup("audit", help="Export and verify the audit trail.")


@audit_commands.command("export")
def export() -> None:
    """Print the audit trail as JSON lines.

    The first line has the newest anchor in the public log and its proof. Then comes one line for each event.
    """
    for line in verification.export():
        # As bytes, whatever the encoding of the terminal is.
        click.echo(line.encode())


@audit_commands.command("verify")
@click.option("--from", "exported", type=click.File("rb"), help="Compare with this export, too.")
def verify_audit_trail(exported: BinaryIO | None) -> None:
    """Find events that were altered, inserted or removed, and triggers and tables that were changed.

    Compares the events with their anchors in the public log, and the log with the checkpoint on disk. Writes
    nothing. Exits with 1 if there is a problem.
    """
    services = get_services()
    seen, problems = verification.verify(services.log, exported=exported, now=services.clock())
    print_json(seen | {"problems": len(problems)})
    fail_on_problems(problems, "problems in the audit trail")
