"""What staff do with items, with a reason. One person is enough."""

from services.items import importing, selling
from services.items.importing import ItemsImported
from services.shared.clock import Millis
from services.shared.import_changes import Preview
from services.shared.text_validation import LEAST_OF_STAFF, checked_reason
from services.staff.case_actions import parsed


def preview_import(document: str, *, app_id: int | None, now: Millis) -> Preview:
    """What an import of this JSON text would change now. Raises OperatorError."""
    return importing.preview(parsed(document), app_id=app_id, now=now)


def import_items(document: str, *, app_id: int | None, reason: str, now: Millis) -> ItemsImported:
    """Import this JSON text, as ``flask items import`` does. Raises OperatorError."""
    reason = checked_reason(reason, least=LEAST_OF_STAFF)
    return importing.import_document(parsed(document), app_id=app_id, now=now, reason=reason)


def withdraw(name: str, *, reason: str, now: Millis) -> list[str]:
    """Stop selling an item; returns the cases that can't be opened meanwhile. Raises OperatorError."""
    _, cases = selling.withdraw(name=name, now=now, reason=checked_reason(reason, least=LEAST_OF_STAFF))
    return cases


def publish(*, reason: str, now: Millis) -> int:
    """Make all servers show the current items soon; returns how many they are. Raises OperatorError."""
    return selling.publish(now=now, reason=checked_reason(reason, least=LEAST_OF_STAFF))
