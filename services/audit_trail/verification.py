"""Verifying the audit trail in the database, and comparing it with an export of it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import peewee

from models.db.connection import snapshot
from services.audit_trail import reading
from services.audit_trail.canonical import Row
from services.audit_trail.checking import Checker, is_missing
from services.audit_trail.export import Exported, ExportReader
from services.audit_trail.keys import AuditKeys
from services.shared.clock import Millis

MAX_PROBLEMS = 1_000
"""A verification ends after this many."""

LATEST_SEAL_MS = 60_000
"""An event that is older than this should have a seal."""


@dataclass
class Verification:
    """How many events were read with a seal, without one and from the export, and a line for each problem."""

    sealed: int = 0
    unsealed: int = 0
    exported: int = 0
    problems: list[str] = field(default_factory=list)


def verify(keys: AuditKeys, *, export: Iterable[bytes] | None, now: Millis) -> Verification:
    """Check every event and every seal in one state of the database. Writes nothing.

    With the lines of an export, check these too, and that the database still has all their events.
    """
    keys.load()
    found = Verification()
    # A dict keeps the order, and each problem once.
    problems: dict[str, None] = {}
    with snapshot():
        for problem in _problems(keys, found, export, now):
            problems[problem] = None
            if len(problems) == MAX_PROBLEMS:
                break
    found.problems = list(problems)
    return found


def _problems(
    keys: AuditKeys, found: Verification, export: Iterable[bytes] | None, now: Millis
) -> Iterator[str]:
    yield from _in_chain(keys, found)
    yield from _without_seal(keys, found, now)
    if export is not None:
        yield from _in_export(keys, found, export)


def _in_chain(keys: AuditKeys, found: Verification) -> Iterator[str]:
    checker = Checker(keys)
    for seal, event in reading.sealed():
        found.sealed += 1
        yield from checker.sealed(seal, event)
        # A seal may be missing alone. Its event is then found among those without one.
        yield from (is_missing(id_) for id_ in checker.take_missing() if not reading.exists(id_))


def _without_seal(keys: AuditKeys, found: Verification, now: Millis) -> Iterator[str]:
    checker = Checker(keys)
    for event, is_waiting in reading.unsealed():
        found.unsealed += 1
        if problem := checker.unsealed(event):
            yield problem
        elif not is_waiting:
            yield f"the seal of audit event {event['id']} is missing"
        elif event["at_ms"] < now - LATEST_SEAL_MS:
            yield f"audit event {event['id']} has no seal, although it is older than a minute"
    yield from map(is_missing, reading.waiting_without_event())


def _in_export(keys: AuditKeys, found: Verification, export: Iterable[bytes]) -> Iterator[str]:
    checker, reader = Checker(keys), ExportReader(export, keys)
    for lines in peewee.chunked(reader.events(), reading.ROWS_A_PAGE):
        stored = reading.by_ids([event["id"] for _, event in lines])
        for seal, event in lines:
            problems = list(_of_line(checker, seal, event))
            yield from (f"in the export, {problem}" for problem in problems)
            if not problems:
                yield from _differences((seal, event), stored.get(event["id"]))
    if reader.damage:
        yield reader.damage
    found.exported = reader.count


def _of_line(checker: Checker, seal: Row | None, event: Row) -> Iterator[str]:
    if seal is None:
        yield from filter(None, [checker.unsealed(event)])
    else:
        yield from checker.sealed(seal, event)
        yield from map(is_missing, checker.take_missing())


def _differences(exported: Exported, stored: Exported | None) -> Iterator[str]:
    """What has changed in the database since the export, in which this event is genuine."""
    seal, event = exported
    if stored is None:
        yield is_missing(event["id"])
        return
    if stored[1] != event:
        yield f"audit event {event['id']} was altered"
    if seal is not None and stored[0] != seal:
        yield f"the seal of audit event {event['id']} is missing or was altered"
