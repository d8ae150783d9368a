"""Actions that put cases and items on sale, change them, or retire them."""

from collections.abc import Callable
from typing import Any, ClassVar

from services.cases import importing, retiring
from services.cases import irl as irl_importing
from services.cases.kinds import FREE_CASE_ID
from services.items import importing as item_importing
from services.items import pricing, selling
from services.items.importing import ItemsImported
from services.shared import decimal_json
from services.shared.clock import Millis
from services.shared.errors import Refusal
from services.shared.imports import ImportResult, Preview
from services.shared.money import Cents
from services.staff.permissions import Permission
from services.staff.proposals import Action, Arguments

MAX_DOCUMENT = 1_000_000
MAX_NAMES = 10


class ContentAction(Action):
    """The permission of all of them."""

    permission: ClassVar[Permission] = Permission.CONTENT_CHANGE


class ImportCases(ContentAction):
    """Imports a JSON array of cases, as ``flask cases import`` does: ``document``, the text of the array.

    The text is kept as it is, so that it is read with exact decimals when it is approved.
    """

    name: ClassVar[str] = "cases.import"
    _import: Callable[..., ImportResult] = staticmethod(importing.import_cases)
    _preview: Callable[..., Preview] = staticmethod(importing.preview)

    def describe(self, arguments: Arguments) -> str:
        names = [str(row.get("name", "?")) for row in rows_of(arguments["document"]) if isinstance(row, dict)]
        more = f" and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else ""
        what = "case" if len(names) == 1 else "cases"
        return f"Import {len(names)} {what}: {', '.join(names[:MAX_NAMES])}{more}"

    def execute(self, arguments: Arguments, *, reason: str, now: Millis) -> str:
        result = self._import(rows_of(arguments["document"]), now=now, reason=reason)
        return f"Cases added: {result.created}, changed: {result.updated}"

    def preview(self, arguments: Arguments, *, now: Millis) -> Preview:
        return self._preview(rows_of(arguments["document"]), now=now)


class ImportIrlCases(ImportCases):
    """The same for cases of real-life items, as ``flask irl import`` does."""

    name: ClassVar[str] = "irl-cases.import"
    _import: Callable[..., ImportResult] = staticmethod(irl_importing.import_cases)
    _preview: Callable[..., Preview] = staticmethod(irl_importing.preview)


class ImportItems(ContentAction):
    """Imports items that raise the free case: ``document``, the JSON text, and ``appId``.

    All other imports of items need no second person, and are no proposals.
    """

    name: ClassVar[str] = "items.import"

    def describe(self, arguments: Arguments) -> str:  # noqa: ARG002  # the preview names the items
        return "Import items that raise the value of the free case"

    def execute(self, arguments: Arguments, *, reason: str, now: Millis) -> str:
        result = import_items(arguments["document"], app_id=arguments["appId"], reason=reason, now=now)
        return f"Items added: {result.created}, updated: {result.updated}"

    def preview(self, arguments: Arguments, *, now: Millis) -> Preview:
        return item_importing.preview(parsed(arguments["document"]), app_id=arguments["appId"], now=now)


class RestoreCase(ContentAction):
    """Puts a retired case on sale again: ``case``, its name or id."""

    name: ClassVar[str] = "case.restore"

    def describe(self, arguments: Arguments) -> str:
        return f"Put the case {arguments['case']} on sale again"

    def execute(self, arguments: Arguments, *, reason: str, now: Millis) -> str:
        id_ = retiring.restore_case(name=arguments["case"], now=now, reason=reason)
        return f"The case {id_} is on sale again"


class RetireCase(ContentAction):
    """Retires a case from sale: ``case``, its name or id.

    One person does it, so that a wrong case is stopped at once. Selling it again needs two.
    """

    name: ClassVar[str] = "case.retire"

    def describe(self, arguments: Arguments) -> str:
        return f"Retire the case {arguments['case']} from sale"

    def execute(self, arguments: Arguments, *, reason: str, now: Millis) -> str:
        _, id_ = retiring.retire_case(name=arguments["case"], now=now, reason=reason)
        return f"The case {id_} was retired from sale"

    def needs_approval(self, arguments: Arguments, *, by: str, now: Millis) -> bool:  # noqa: ARG002
        return False


class RetireIrlCase(RetireCase):
    """The same for a case of real-life items: ``case``, its id."""

    name: ClassVar[str] = "irl-case.retire"

    def execute(self, arguments: Arguments, *, reason: str, now: Millis) -> str:
        retiring.retire_irl_case(case_id=arguments["case"], now=now, reason=reason)
        return f"The case {arguments['case']} was retired from sale"


class SetItemPrice(ContentAction):
    """Gives an item a price that sources leave as it is: ``item``, its full name, and ``priceCents``."""

    name: ClassVar[str] = "item.price"

    def describe(self, arguments: Arguments) -> str:
        cents = arguments["priceCents"]
        return f"Set the price of {arguments['item']} to {cents // 100:,}.{cents % 100:02}"

    def execute(self, arguments: Arguments, *, reason: str, now: Millis) -> str:
        pricing.set_price(
            name=arguments["item"], price=Cents(arguments["priceCents"]), now=now, reason=reason
        )
        return f"The price of {arguments['item']} was set"

    def needs_approval(self, arguments: Arguments, *, by: str, now: Millis) -> bool:  # noqa: ARG002
        return raises_free_case(self.preview(arguments, now=now))

    def preview(self, arguments: Arguments, *, now: Millis) -> Preview:  # noqa: ARG002
        """The cases whose prices follow."""
        price = Cents(arguments["priceCents"])
        return Preview([], [], pricing.reprices(name=arguments["item"], price=price))


class FollowPriceSources(ContentAction):
    """Lets the price of an item follow its sources again: ``item``, its full name."""

    name: ClassVar[str] = "item.follow-sources"

    def describe(self, arguments: Arguments) -> str:
        return f"Let the price of {arguments['item']} follow its sources again"

    def execute(self, arguments: Arguments, *, reason: str, now: Millis) -> str:
        pricing.follow_sources(name=arguments["item"], now=now, reason=reason)
        return f"The price of {arguments['item']} follows its sources again"

    def needs_approval(self, arguments: Arguments, *, by: str, now: Millis) -> bool:  # noqa: ARG002
        return False


class RetireItem(ContentAction):
    """Retires an item from sale: ``item``, its full name. One person does it, as with a case."""

    name: ClassVar[str] = "item.retire"

    def describe(self, arguments: Arguments) -> str:
        return f"Retire the item {arguments['item']} from sale"

    def execute(self, arguments: Arguments, *, reason: str, now: Millis) -> str:
        _, held_by = selling.retire(name=arguments["item"], now=now, reason=reason)
        closed = f". Cases that can't be opened meanwhile: {len(held_by)}" if held_by else ""
        return f"The item is retired from sale{closed}"

    def needs_approval(self, arguments: Arguments, *, by: str, now: Millis) -> bool:  # noqa: ARG002
        return False


def import_items(document: str, *, app_id: int | None, reason: str, now: Millis) -> ItemsImported:
    """Import this JSON text, as ``flask items import`` does. Raises Refusal."""
    return item_importing.import_document(parsed(document), app_id=app_id, now=now, reason=reason)


def raises_free_case(preview: Preview) -> bool:
    """Whether the free case would be worth more. All other cases cost more then, and this one nothing."""
    return any(each.case_id == FREE_CASE_ID and each.after > each.before for each in preview.reprices)


def rows_of(document: str) -> list[Any]:
    """The rows of a JSON array. Raises Refusal."""
    rows = parsed(document)
    if not isinstance(rows, list):
        raise Refusal("the document is not a JSON array")
    return rows


def parsed(document: str) -> Any:
    """The value of a JSON text, with exact decimals. Raises Refusal."""
    if len(document) > MAX_DOCUMENT:
        raise Refusal(f"the document must have at most {MAX_DOCUMENT} characters")
    try:
        return decimal_json.loads(document)
    except ValueError as problem:
        raise Refusal(f"the document is not JSON: {problem}") from None
