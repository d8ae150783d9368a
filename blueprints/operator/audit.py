"""flask audit: export the audit trail, and verify it."""

from typing import BinaryIO

import click

from blueprints.api.cli import OperatorGroup, fail_on_problems, print_json
from server.current_services import get_services
from services.audit_trail import verification

group = OperatorGroup("audit", help="Export and verify the audit trail.")


@group.command("export")
def export() -> None:
    """Print the audit trail as JSON lines.

    One line for each event, then a line with the proof of their anchor in the public log.
    """
    for line in verification.export():
        # As bytes, whatever the encoding of the terminal is.
        click.echo(line.encode())


@group.command("verify")
@click.option("--from", "exported", type=click.File("rb"), help="Compare with this export, too.")
def verify(exported: BinaryIO | None) -> None:
    """Find events that were altered, inserted or removed, and triggers and tables that were changed.

    Compares the events with their anchors in the public log, and the log with the checkpoint on disk. Writes
    nothing. Exits with 1 if there is a problem.
    """
    services = get_services()
    seen, problems = verification.verify(services.log, exported=exported, now=services.clock())
    print_json(seen | {"problems": len(problems)})
    fail_on_problems(problems, "problems in the audit trail")
