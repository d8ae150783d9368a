"""flask items: import items."""

from typing import BinaryIO

import click

from blueprints.api.cli import OperatorGroup, print_json, read_json
from server.current_services import get_services
from services.items import importing as items_importing

group = OperatorGroup("items", help="Import the items of the upgrader and of cases.")


@group.command("import")
@click.argument("file", type=click.File("rb"))
@click.option("--appid", type=int, help="The game of all items of a price feed: 730 or 252490.")
def import_items(file: BinaryIO, appid: int | None) -> None:
    """Import a JSON array of items, or a price feed.

    Items that exist are updated by marketHashName. A bad row stops the import, and nothing of the file is
    kept.
    """
    result = items_importing.import_document(read_json(file), app_id=appid, now=get_services().clock())
    print_json({"items": result.total, "created": result.created, "updated": result.updated})
