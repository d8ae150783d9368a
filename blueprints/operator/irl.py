"""flask irl: import cases of real-life items."""

from typing import BinaryIO

import click

from blueprints.api.cli import OperatorGroup, print_json, progress_bar, read_json_array
from server.current_services import get_services
from services.irl_cases import importing as irl_importing

group = OperatorGroup("irl", help="Import cases of real-life items.")


@group.command("import")
@click.argument("file", type=click.File("rb"))
def import_irl_cases(file: BinaryIO) -> None:
    """Import a JSON array of cases of real-life items.

    Cases that exist are updated by id. A bad row stops the import, and nothing of the file is kept.
    """
    with progress_bar(read_json_array(file), label="cases") as rows:
        result = irl_importing.import_cases(rows, now=get_services().clock())
    print_json({"cases": result.total, "created": result.created, "updated": result.updated})
