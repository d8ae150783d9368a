"""flask items, flask cases, flask irl, flask prices: import files, publish, retire, refresh prices."""

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO

import click

from blueprints.api.cli import OperatorGroup, in_camel_case, print_json, progress_bar
from server.current_services import get_services
from services.cases import importing as cases_importing
from services.cases import irl as irl_importing
from services.cases import retiring
from services.items import catalogue, selling
from services.items import importing as items_importing
from services.shared import decimal_json
from services.shared.errors import Refusal
from services.shared.imports import ImportResult

items = OperatorGroup("items", help="Import, publish and retire the items of the upgrader and of cases.")
cases = OperatorGroup("cases", help="Import, retire and restore cases.")
irl = OperatorGroup("irl", help="Import and retire cases of real-life items.")

file_argument = click.argument("file", type=click.File("rb"))


@items.command("import")
@file_argument
@click.option("--appid", type=int, help="The game of all items of a price feed: 730 or 252490.")
def import_items(file: BinaryIO, appid: int | None) -> None:
    r"""Import a JSON array of items, or a price feed.

    \b
    [{appid, marketHashName, price, gunName?, skinName?, image?, customPrice?, nextPriceFetch?}]
    {"metadata": {"currency": "USD"}, "prices": {marketHashName: cents}}, with --appid

    A price is a number of coins, a text such as "$12.40", or null. Items that exist are updated by
    marketHashName. A bad row stops the import, and nothing of the file is kept. Each field, with examples:
    docs/import-formats.md.
    """
    services = get_services()
    result = items_importing.import_document(_read_json(file), app_id=appid, now=services.clock())
    ttl_seconds = services.settings.catalogue_ttl_seconds
    within = catalogue.PUBLISHED_WITHIN_SECONDS if result.is_published else ttl_seconds
    _print("items", result, shownWithinSeconds=within)


@items.command("publish")
def publish_items() -> None:
    """Make all running servers show the current items and prices now, instead of after CATALOGUE_TTL."""
    items = selling.publish(now=get_services().clock())
    print_json({"items": items, "shownWithinSeconds": catalogue.PUBLISHED_WITHIN_SECONDS})


@items.command("retire")
@click.argument("name")
def retire_item(name: str) -> None:
    """Stop selling the item with this full name (marketHashName).

    It leaves the upgrader within two seconds. Cases that have it, which are printed, can't be opened until
    an import puts it on sale again.
    """
    since, held_by = selling.retire(name=name, now=get_services().clock())
    print_json({"item": name, "retiredAt": since, "casesNotAvailable": held_by})


@cases.command("import")
@file_argument
def import_cases(file: BinaryIO) -> None:
    r"""Import a JSON array of cases.

    \b
    [{name, kind?, level?, items: [{marketHashName, percentage}]}]

    A kind is regular, level or free; the percentages of a case sum to 100. Cases that exist are updated by
    name. A bad row stops the import, and nothing of the file is kept. Each field, with examples:
    docs/import-formats.md.
    """
    _import(file, cases_importing.import_cases)


@cases.command("retire")
@click.argument("name")
def retire_case(name: str) -> None:
    """Stop selling the case with this name or id, a player's case too.

    It leaves the lists and can't be opened; its history stays. An import of it, or restore, puts it on sale
    again.
    """
    since, id_ = retiring.retire_case(name=name, now=get_services().clock())
    print_json({"case": id_, "retiredAt": since})


@cases.command("restore")
@click.argument("name")
def restore_case(name: str) -> None:
    """Put the retired case with this name or id on sale again."""
    id_ = retiring.restore_case(name=name, now=get_services().clock())
    print_json({"case": id_, "retiredAt": None})


@irl.command("import")
@file_argument
def import_irl_cases(file: BinaryIO) -> None:
    r"""Import a JSON array of cases of real-life items.

    \b
    [{id, name, price, items: [{name, image, price, percentage?}]}]

    A price is a number of coins or a text such as "$12.40". Cases that exist are updated by id. A bad row
    stops the import, and nothing of the file is kept. Each field, with examples: docs/import-formats.md.
    """
    _import(file, irl_importing.import_cases)


@irl.command("retire")
@click.argument("case_id", metavar="ID")
def retire_irl_case(case_id: str) -> None:
    """Stop selling the case with this id.

    It leaves the list and can't be opened; prizes that were won stay. An import puts it on sale again.
    """
    since = retiring.retire_irl_case(case_id=case_id, now=get_services().clock())
    print_json({"case": case_id, "retiredAt": since})


def _import(file: BinaryIO, import_rows: Callable[..., ImportResult]) -> None:
    document = read_array(file)
    with progress_bar(document, label="cases") as rows:
        result = import_rows(rows, now=get_services().clock())
    _print("cases", result)


def read_array(file: BinaryIO) -> list[Any]:
    """Parse a file that has an array. Raises Refusal."""
    document = _read_json(file)
    if not isinstance(document, list):
        raise Refusal(f"{Path(file.name).name} is not a JSON array")
    return document


def _read_json(file: BinaryIO) -> Any:
    """Parse a file with exact decimals. Raises Refusal."""
    try:
        return decimal_json.loads(file.read())
    except ValueError as problem:
        raise Refusal(f"{Path(file.name).name} is not JSON: {problem}") from None


def _print(what: str, result: ImportResult, **more: int) -> None:
    counts = {"created": result.created, "updated": result.updated}
    print_json({what: result.created + result.updated, **counts, **more})


prices_commands = OperatorGroup("prices", help="Refresh item prices.")


@prices_commands.command("refresh")
@click.option(
    "--accept-jumps", is_flag=True, help="Accept prices that were held back because they changed too much."
)
def refresh(*, accept_jumps: bool) -> None:
    """Fetch the price feed and the due market prices now.

    Exits with 1 if the feed is not valid.
    """
    applied = get_services().prices.refresh(accept_jumps=accept_jumps)
    print_json(in_camel_case(asdict(applied)))
