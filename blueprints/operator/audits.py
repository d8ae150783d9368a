"""flask ledger, flask log, flask audit: audit and rebuild what is stored."""

from dataclasses import asdict
from typing import BinaryIO

import click

from blueprints.api.cli import OperatorGroup, fail_on_problems, in_camel_case, print_json
from models.log import BETS
from server.current_services import get_services
from services.audit_trail import export as exporting
from services.audit_trail import verification
from services.log import sequencer
from services.log import verification as log_verification
from services.maintenance import ledger_audit, statistics_audit

ledger_commands = OperatorGroup("ledger", help="Audit the double-entry ledger and rebuild statistics.")


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


log_commands = OperatorGroup("log", help="Verify the public log of bets.")


@log_commands.command("verify")
def verify_log() -> None:
    """Make every entry again from its bet, and compare it with the tree and the checkpoints.

    Writes nothing. Exits with 1 if there is a difference.
    """
    services = get_services()
    found = log_verification.verify(services.log, now=services.clock())
    print_json({"entries": found.entries, "bets": found.bets, "problems": len(found.problems)})
    fail_on_problems(found.problems, "problems in the log")


@log_commands.command("key")
def key() -> None:
    """Print the public keys of the log, the current one first."""
    services = get_services()
    # Not as this machine knows it, which may have no record of it.
    origin = sequencer.stored_log(BETS).origin or services.settings.log_origin
    for text in services.log.keys.verifier_keys(origin):
        click.echo(text)


audit_commands = OperatorGroup("audit", help="Export and verify the audit trail.")


@audit_commands.command("export")
def export() -> None:
    """Print the log of the audit trail as JSON lines.

    One line for each entry, with its index, then a line with the checkpoint that signs them.
    """
    for line in exporting.export(get_services().audit_log):
        # As bytes, whatever the encoding of the terminal is.
        click.echo(line.encode())


@audit_commands.command("verify")
@click.option("--from", "exported", type=click.File("rb"), help="Compare with this export, too.")
def verify_audit_trail(exported: BinaryIO | None) -> None:
    """Find events that were altered, inserted or removed, and triggers and tables that were changed.

    Compares the events with their log, and the log with the checkpoint on disk. Writes nothing. Exits with 1
    if there is a problem.
    """
    services = get_services()
    found = verification.verify(services.audit_log, exported=exported, now=services.clock())
    counts = {"logged": found.logged, "waiting": found.waiting, "problems": len(found.problems)}
    print_json(counts | ({} if exported is None else {"exported": found.exported}))
    fail_on_problems(found.problems, "problems in the audit trail")
