"""Alarms that rules have raised: raising, ending and acknowledging them."""

import logging
from collections.abc import Collection
from typing import Any

import peewee

from models.db.connection import reading, writing
from models.staff import Alarm, AlarmProgress
from services.alarms.rule import Concern, Found, Rule
from services.audit_trail.actor import current_actor
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import record
from services.shared.clock import Millis
from services.shared.errors import Refusal
from services.shared.pagination import Page, Place, rows_of_page
from services.shared.text import LEAST_OF_STAFF, checked_reason
from services.staff.errors import AnotherPerson

log = logging.getLogger("platform.alarms")

MAX_SUBJECT, MAX_TEXT = 350, 500

MOST_OF_A_RULE = 100
"""Open alarms. More of one kind tell nobody more."""


class AlarmNotFound(Refusal):
    status = 404
    text = "There is no such alarm"


IS_OPEN = Alarm.acknowledged_at_ms.is_null()
IS_GOING_ON = IS_OPEN | Alarm.ended_at_ms.is_null()


def update(rule: Rule, found: Found, *, is_sent: bool, now: Millis) -> None:
    """Raise an alarm for each new concern of a rule, and end those that are no longer found.

    ``is_sent`` says whether new alarms wait to be sent. Several processes may do this at once: of one concern
    they make one row.
    """
    concerns = {each.subject[:MAX_SUBJECT]: each for each in found.concerns}
    with writing():
        known = _going_on(rule)
        if rule.is_event:
            new = concerns.keys() - _subjects(rule, concerns)
        else:
            new = concerns.keys() - known.keys()
            for subject, (alarm_id, ended_at) in known.items() if found.is_complete else ():
                if (subject in concerns) == (ended_at is not None):
                    Alarm.update(ended_at_ms=None if ended_at else now).where(Alarm.id == alarm_id).execute()
        raised = sorted(new)[: max(MOST_OF_A_RULE - len(known), 0)]
        raised = [each for each in raised if _insert(rule, each, concerns[each], is_sent=is_sent, now=now)]
        for name, value in found.progress.items():
            _set_progress(name, value)
    for subject in raised:
        extra = {"event": f"alarm:{rule.name}", "subject": subject}
        log.warning("alarm: %s", concerns[subject].text, extra=extra)
    if len(new) > len(raised):
        log.error("%d alarms of %s are not raised: too many are open", len(new) - len(raised), rule.name)


def _going_on(rule: Rule) -> dict[str, tuple[int, int | None]]:
    """The ids and ends of the alarms of a rule that are open or last, by subject."""
    query: Any = Alarm.select(Alarm.subject, Alarm.id, Alarm.ended_at_ms)
    rows = query.where(Alarm.rule == rule.name, IS_GOING_ON).tuples()
    return {subject: (alarm_id, ended_at) for subject, alarm_id, ended_at in rows}


def _subjects(rule: Rule, among: Collection[str]) -> set[str]:
    """Those of the subjects of which the rule has ever had an alarm."""
    known: set[str] = set()
    for some in peewee.chunked(among, 500):
        query = Alarm.select(Alarm.subject).where(Alarm.rule == rule.name, Alarm.subject.in_(list(some)))
        known |= set(query.scalars())
    return known


def _insert(rule: Rule, subject: str, concern: Concern, *, is_sent: bool, now: Millis) -> bool:
    """Insert an alarm, unless another process has done so."""
    inserted = Alarm.insert(
        rule=rule.name,
        subject=subject,
        text=concern.text[:MAX_TEXT],
        staff_name=concern.staff,
        raised_at_ms=now,
        ended_at_ms=now if rule.is_event else None,
        send_at_ms=now if is_sent else None,
    ).on_conflict_ignore()
    return bool(inserted.as_rowcount().execute())


def acknowledge(alarm_id: int, *, reason: str, now: Millis, needs_another: bool) -> None:
    """Acknowledge an alarm as the current actor. Of two who do so at once, one does.

    ``needs_another`` says that nobody may acknowledge an alarm about themselves. Raises Refusal for a
    bad reason and an alarm that is acknowledged already, AlarmNotFound and AnotherPerson.
    """
    reason = checked_reason(reason, least=LEAST_OF_STAFF)
    with writing():
        alarm = Alarm.get_or_none(Alarm.id == alarm_id)
        if alarm is None:
            raise AlarmNotFound
        who = current_actor.get().who
        if needs_another and who == f"staff:{alarm.staff_name}":
            raise AnotherPerson
        acknowledged = Alarm.update(acknowledged_at_ms=now, acknowledged_by=who, reason=reason)
        if not acknowledged.where(Alarm.id == alarm_id, IS_OPEN).execute():
            raise Refusal("Somebody has acknowledged this alarm already", status=409)
        after = {"id": alarm_id, "rule": alarm.rule, "subject": alarm.subject, "reason": reason}
        record(AuditEventType.ALARM_ACKNOWLEDGED, now=now, user_id=None, after=after)


@reading()
def get(alarm_id: int) -> Alarm:
    """An alarm. Raises AlarmNotFound."""
    alarm: Alarm | None = Alarm.get_or_none(Alarm.id == alarm_id)
    if alarm is None:
        raise AlarmNotFound
    return alarm


@reading()
def page(*, place: Place, is_open: bool | None, rule: str | None) -> Page[Alarm]:
    """One page of the alarms, newest first; ``is_open`` and ``rule`` leave out others."""
    query = Alarm.select()
    if is_open is not None:
        query = query.where(IS_OPEN if is_open else ~IS_OPEN)
    if rule is not None:
        query = query.where(Alarm.rule == rule)
    total = query.count()
    return Page(list(rows_of_page(query, order=[Alarm.id.desc()], place=place, total=total)), total)


@reading()
def open_alarms(at_most: int) -> list[Alarm]:
    """The newest open alarms."""
    return list(Alarm.select().where(IS_OPEN).order_by(Alarm.id.desc()).limit(at_most))


@reading()
def open_counts() -> dict[str, int]:
    """How many alarms of each rule are open, for the rules that have any."""
    counts: dict[str, int] = {}
    for rule in Alarm.select(Alarm.rule).where(IS_OPEN).scalars():
        counts[rule] = counts.get(rule, 0) + 1
    return counts


@reading()
def progress(name: str) -> int | None:
    """The number that a check goes on from; None at its first run."""
    value: int | None = AlarmProgress.select(AlarmProgress.value).where(AlarmProgress.name == name).scalar()
    return value


def _set_progress(name: str, value: int) -> None:
    row = AlarmProgress
    row.insert(name=name, value=value).on_conflict(conflict_target=[row.name], preserve=[row.value]).execute()
