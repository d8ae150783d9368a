"""flask cases: import cases."""

from typing import BinaryIO

import click

from blueprints.api.cli import OperatorGroup, print_json, progress_bar, read_json_array
from server.current_services import get_services
from services.cases import importing

group = OperatorGroup("cases", help="Import cases.")


@group.command("import")
@click.argument("file", type=click.File("rb"))
def import_cases(file: BinaryIO) -> None:
    """Import a JSON array of cases.

    Cases that exist are updated by name. A bad row stops the import, and nothing of the file is kept.
    """
    with progress_bar(read_json_array(file), label="cases") as rows:
        result = importing.import_cases(rows, now=get_services().clock())
    print_json({"cases": result.total, "created": result.created, "updated": result.updated})
