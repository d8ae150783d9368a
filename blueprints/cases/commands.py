"""flask cases: the operator's cases."""

from pathlib import Path

import click

from blueprints.common.commands import (
    OperatorGroup,
    print_json,
    progress_bar,
    read_json,
)
from blueprints.common.platform import platform
from services.cases import importing

group = OperatorGroup("cases", help="Cases of items.")


@group.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
def import_cases(file: Path) -> None:
    """Import an array of cases; all of the file or nothing."""
    rows = importing.read(read_json(file))
    with progress_bar(length=len(rows), label="cases") as progress:
        result = importing.store(rows, now=platform().clock(), progress=progress.update)
    print_json({"cases": result.cases, "created": result.created, "updated": result.updated})
