"""flask irl: cases of real-life things."""

from pathlib import Path

import click

from blueprints.common.commands import (
    OperatorGroup,
    print_json,
    progress_bar,
    read_json,
)
from blueprints.common.platform import platform
from services import irl_import

group = OperatorGroup("irl", help="Cases of real-life things.")


@group.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
def import_irl_cases(file: Path) -> None:
    """Import an array of cases of real-life things; all of the file or nothing."""
    rows = irl_import.read(read_json(file))
    with progress_bar(length=len(rows), label="cases") as progress:
        result = irl_import.store(rows, now=platform().clock(), progress=progress.update)
    print_json({"cases": result.cases, "created": result.created, "updated": result.updated})
