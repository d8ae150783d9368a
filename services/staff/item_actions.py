"""What staff do with items, with a reason. One person is enough, but for what raises the free case."""

from typing import ClassVar

from services.cases.kinds import FREE_CASE_ID
from services.items import importing, selling
from services.items.importing import ItemsImported
from services.shared.clock import Millis
from services.shared.imports import Preview
from services.shared.text import LEAST_OF_STAFF, checked_reason
from services.staff.actions import Arguments
from services.staff.case_actions import CaseAction, parsed


class ImportItems(CaseAction):
    """Imports items, as ``import_items`` does: ``document``, the JSON text, and ``appId``.

    For the imports that raise the free case.
    """

    name: ClassVar[str] = "items.import"

    def describe(self, arguments: Arguments) -> str:  # noqa: ARG002  # the preview names the items
        return "Import items that raise the value of the free case"

    def execute(self, arguments: Arguments, *, reason: str, now: Millis) -> str:
        result = import_items(arguments["document"], app_id=arguments["appId"], reason=reason, now=now)
        return f"Items added: {result.created}, updated: {result.updated}"

    def preview(self, arguments: Arguments, *, now: Millis) -> Preview:
        return preview_import(arguments["document"], app_id=arguments["appId"], now=now)


def preview_import(document: str, *, app_id: int | None, now: Millis) -> Preview:
    """What an import of this JSON text would change now. Raises Refusal."""
    return importing.preview(parsed(document), app_id=app_id, now=now)


def raises_free_case(preview: Preview) -> bool:
    """Whether the free case would be worth more. All other cases cost more then, and this one nothing."""
    return any(each.case_id == FREE_CASE_ID and each.after > each.before for each in preview.reprices)


def import_items(document: str, *, app_id: int | None, reason: str, now: Millis) -> ItemsImported:
    """Import this JSON text, as ``flask items import`` does. Raises Refusal."""
    reason = checked_reason(reason, least=LEAST_OF_STAFF)
    return importing.import_document(parsed(document), app_id=app_id, now=now, reason=reason)


def retire(name: str, *, reason: str, now: Millis) -> list[str]:
    """Stop selling an item; returns the cases that can't be opened meanwhile. Raises Refusal."""
    _, cases = selling.retire(name=name, now=now, reason=checked_reason(reason, least=LEAST_OF_STAFF))
    return cases


def publish(*, reason: str, now: Millis) -> int:
    """Make all servers show the current items soon; returns how many they are. Raises Refusal."""
    return selling.publish(now=now, reason=checked_reason(reason, least=LEAST_OF_STAFF))
