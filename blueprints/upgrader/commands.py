"""flask items: filling the catalogue."""

from pathlib import Path

import click

from blueprints.common.commands import OperatorGroup, print_json, read_json
from blueprints.common.platform import platform
from services import item_import

group = OperatorGroup("items", help="The upgrader's catalogue.")


@group.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--appid", type=int, help="The game of all items of a price feed: 730 or 252490.")
def import_items(file: Path, appid: int | None) -> None:
    """Import an array of inventory items, or a price feed with --appid; all of the file or nothing."""
    result = item_import.import_document(read_json(file), app_id=appid, now=platform().clock())
    print_json({"items": result.items, "created": result.created, "updated": result.updated})
