"""flask audit: export the audit trail, and verify it."""

from typing import BinaryIO

import click

from blueprints.api.cli import OperatorGroup, fail_on_problems, print_json
from server.current_services import get_services
from services.audit_trail import export as exporting
from services.audit_trail import verification

group = OperatorGroup("audit", help="Export and verify the audit trail.")


@group.command("export")
def export() -> None:
    """Print the audit trail as signed JSON lines.

    One line for each event, in the order of the seals, then a line with a signature over all of them.
    """
    services = get_services()
    for line in exporting.export(services.audit_keys, now=services.clock()):
        # As bytes, whatever the encoding of the terminal is.
        click.echo(line.encode())


@group.command("verify")
@click.option("--from", "exported", type=click.File("rb"), help="Compare with this export, too.")
def verify(exported: BinaryIO | None) -> None:
    """Find events that were altered, inserted or removed, and triggers and tables that were changed.

    Removed last events are found by comparison with an export. Writes nothing. Exits with 1 if there is a
    problem.
    """
    services = get_services()
    found = verification.verify(services.audit_keys, export=exported, now=services.clock())
    counts = {"sealed": found.sealed, "unsealed": found.unsealed, "problems": len(found.problems)}
    print_json(counts | ({} if exported is None else {"exported": found.exported}))
    fail_on_problems(found.problems, "problems in the audit trail")
