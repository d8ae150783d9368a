"""Retiring cases from sale. What was won stays: bets and prizes have copies of their own."""

from typing import Any

from models.cases import Case, IrlCase
from models.db.connection import Table, writing
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import because, record
from services.cases import version
from services.shared.clock import Millis
from services.shared.errors import Refusal
from services.shared.text import fold, normalize_name


def retire_case(*, name: str, now: Millis, reason: str = "") -> tuple[Millis, str]:
    """Retire the case with this name or id, a player's too; returns since when it is retired, and its id.

    Raises Refusal.
    """
    with writing():
        version.begin_change()
        case = _find_case(name)
        after = {"case": case.slug} | because(reason)
        return retire(case, AuditEventType.CASE_RETIRED, after, now=now), case.slug


def restore_case(*, name: str, now: Millis, reason: str = "") -> str:
    """Put the case with this name or id on sale again, if it is retired; returns its id.

    Raises Refusal.
    """
    with writing():
        version.begin_change()
        case = _find_case(name)
        if case.retired_at_ms is not None:
            Case.update(retired_at_ms=None).where(Case.id == case.id).execute()
            after = {"case": case.slug} | because(reason)
            record(AuditEventType.CASE_RESTORED, now=now, user_id=case.creator_id, after=after)
        slug: str = case.slug
        return slug


def retire_irl_case(*, case_id: str, now: Millis, reason: str = "") -> Millis:
    """Retire the case of real-life items with this id; returns since when. Raises Refusal."""
    with writing():
        version.begin_change()
        case = find(IrlCase, IrlCase.slug == case_id, f"case {case_id}")
        after = {"case": case_id} | because(reason)
        return retire(case, AuditEventType.IRL_CASE_RETIRED, after, now=now)


def _find_case(name: str) -> Any:
    by_name = Case.name_folded == fold(normalize_name(name))
    return find(Case, by_name | (Case.slug == name), f"case {name}")


def find(table: type[Table], which: Any, what: str) -> Any:
    """The row of an item or a case. Raises Refusal."""
    row = table.get_or_none(which)
    if row is None:
        raise Refusal(f"there is no {what}")
    return row


def retire(row: Any, event: AuditEventType, after: dict[str, str], *, now: Millis) -> Millis:
    """Retire this row; returns since when it is retired. One that is retired already keeps the first time."""
    if row.retired_at_ms is not None:
        return Millis(row.retired_at_ms)
    type(row).update(retired_at_ms=now).where(type(row).id == row.id).execute()
    record(event, now=now, user_id=getattr(row, "creator_id", None), after=after)
    return now
