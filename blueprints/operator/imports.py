"""flask items, flask cases, flask irl: import files."""

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO

import click

from blueprints.api.cli import OperatorGroup, print_json, progress_bar
from server.current_services import get_services
from services.cases import importing as cases_importing
from services.irl_cases import importing as irl_importing
from services.items import importing as items_importing
from services.shared import decimal_json
from services.shared.errors import OperatorError
from services.shared.import_rows import ImportResult

items = OperatorGroup("items", help="Import the items of the upgrader and of cases.")
cases = OperatorGroup("cases", help="Import cases.")
irl = OperatorGroup("irl", help="Import cases of real-life items.")

file_argument = click.argument("file", type=click.File("rb"))


@items.command("import")
@file_argument
@click.option("--appid", type=int, help="The game of all items of a price feed: 730 or 252490.")
def import_items(file: BinaryIO, appid: int | None) -> None:
    """Import a JSON array of items, or a price feed.

    Items that exist are updated by marketHashName. A bad row stops the import, and nothing of the file is
    kept.
    """
    now = get_services().clock()
    _print("items", items_importing.import_document(_read_json(file), app_id=appid, now=now))


@cases.command("import")
@file_argument
def import_cases(file: BinaryIO) -> None:
    """Import a JSON array of cases.

    Cases that exist are updated by name. A bad row stops the import, and nothing of the file is kept.
    """
    _import(file, cases_importing.import_cases)


@irl.command("import")
@file_argument
def import_irl_cases(file: BinaryIO) -> None:
    """Import a JSON array of cases of real-life items.

    Cases that exist are updated by id. A bad row stops the import, and nothing of the file is kept.
    """
    _import(file, irl_importing.import_cases)


def _import(file: BinaryIO, import_rows: Callable[..., ImportResult]) -> None:
    document = _read_json(file)
    if not isinstance(document, list):
        raise OperatorError(f"{Path(file.name).name} is not a JSON array")
    with progress_bar(document, label="cases") as rows:
        result = import_rows(rows, now=get_services().clock())
    _print("cases", result)


def _read_json(file: BinaryIO) -> Any:
    """Parse a file with exact decimals. Raises OperatorError."""
    try:
        return decimal_json.loads(file.read())
    except ValueError as problem:
        raise OperatorError(f"{Path(file.name).name} is not JSON: {problem}") from None


def _print(what: str, result: ImportResult) -> None:
    print_json({what: result.created + result.updated, **asdict(result)})
