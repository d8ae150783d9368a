"""Verifying the audit trail in the database, and comparing it with an export of it."""

import json
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain

from models import audit_schema
from models.db.connection import repeatable_read
from models.log import AUDIT, Log
from services.audit_trail import queries
from services.audit_trail.audit_log import AuditLog
from services.audit_trail.canonical import Row, event_entry
from services.audit_trail.export import Export
from services.audit_trail.keys import AuditKeys
from services.log import bundles, sequencer
from services.log.merkle import leaf_hash
from services.log.sequencer import LogMissing
from services.log.signed_log import tree_of
from services.log.tree_verification import begins_with, stored_entries, tree_problems
from services.shared.clock import Millis

MAX_PROBLEMS = 1_000
"""A verification ends after this many."""

LATEST_ENTRY_MS = 60_000
"""An event that is older than this should be in the log."""

OTHER_ENTRIES = {"forkOf", "nextKey", "seals"}
"""What the entries that are not events have: a fork, the next key, and the migration from the seals."""


@dataclass
class Verification:
    """How many events are in the log, in the table only, and in the export, and a line for each problem."""

    logged: int = 0
    waiting: int = 0
    exported: int = 0
    problems: list[str] = field(default_factory=list)


def verify(audit_log: AuditLog, *, exported: Iterable[bytes] | None, now: Millis) -> Verification:
    """Check the tables, every event and the log in one state of the database. Writes nothing.

    With the lines of an export, check these too, and that the database still has all their events.
    """
    audit_log.audit_keys.load()
    # Before the database, which has what is on disk.
    on_disk = audit_log.kept_checkpoints()
    export = None if exported is None else Export(exported, audit_log)
    found = Verification(exported=len(export or ()))
    # A dict keeps the order, and each problem once: every event of a lost key has the same one.
    problems: dict[str, None] = {}
    with repeatable_read():
        try:
            log = sequencer.stored_log(AUDIT)
        except LogMissing as missing:
            found.problems.append(str(missing))
            return found
        logged: array[int] = array("q")
        for problem in chain(
            audit_schema.problems(),
            tree_problems(audit_log, log, on_disk),
            _problems_of_entries(audit_log.audit_keys, log, logged),
            _problems_of_events(audit_log.audit_keys, logged, found, now),
            () if export is None else _problems_of_export(export, log),
        ):
            problems[problem] = None
            if len(problems) == MAX_PROBLEMS:
                break
    found.logged = len(logged)
    found.problems = list(problems)
    return found


def _problems_of_entries(keys: AuditKeys, log: Log, logged: "array[int]") -> Iterator[str]:
    """The entries must be those of the tree."""
    for bundle in stored_entries(log):
        wanted = [each.reference for each in bundle if each.reference is not None]
        ids = [reference for reference in wanted if reference > 0]
        logged.extend(ids)
        events = queries.by_ids(ids)
        others = bundles.other_contents(wanted)
        for place, reference, leaf in bundle:
            if reference is None or leaf is None:
                yield f"entry {place} of the audit log is missing"
            elif reference < 0:
                content = others.get(reference, b"")
                entry = json.loads(content) if leaf_hash(content) == leaf else {}
                if not entry.keys() & OTHER_ENTRIES:
                    yield f"entry {place} of the audit log was altered"
                elif entry.get("breaks"):
                    yield f"{entry['breaks']} audit seals did not follow the one before when the log began"
            elif reference not in events:
                yield _missing(reference)
            elif leaf_hash(event_entry(events[reference])) != leaf:
                yield f"audit event {reference} was altered"
            else:
                yield from _mac_problems(keys, events[reference])


def _problems_of_events(
    keys: AuditKeys, logged: "array[int]", found: Verification, now: Millis
) -> Iterator[str]:
    """Each event must be in the log once, or wait for that."""
    ids = sorted(logged)
    for event, is_waiting in queries.events():
        event_id = event["id"]
        times = bisect_right(ids, event_id) - bisect_left(ids, event_id)
        if times > 1 or (times and is_waiting):
            yield f"audit event {event_id} is in the log again, or waits for that"
        if times:
            continue
        found.waiting += 1
        if event["key_id"] in keys.unreadable:
            yield f"no SECRET_KEY decrypts the audit key {event['key_id']}, so its events cannot be checked"
        elif not keys.is_genuine(event):
            yield f"audit event {event_id} was inserted"
        elif not is_waiting:
            yield f"audit event {event_id} is not in the log"
        elif event["at_ms"] < now - LATEST_ENTRY_MS:
            yield f"audit event {event_id} is not in the log, although it is older than a minute"
    yield from (_missing(event_id) for event_id, event in queries.waiting() if event is None)


def _problems_of_export(export: Export, log: Log) -> Iterator[str]:
    if export.damage:
        yield export.damage
    elif export.checkpoint and not begins_with(log, tree_of(export.checkpoint)):
        yield "the log does not have all entries of the export"
        yield from export.differences()


def _mac_problems(keys: AuditKeys, event: Row) -> Iterator[str]:
    """An event that is as it was logged must still have its MAC. A key that is lost is no longer needed."""
    key_id = event["key_id"]
    if not keys.has(key_id) and key_id not in keys.unreadable:
        yield f"audit event {event['id']} was altered, or the audit key {key_id} was removed"
    elif key_id not in keys.stored:
        yield f"the audit key {key_id} was removed"
    elif keys.has(key_id) and not keys.is_genuine(event):
        yield f"audit event {event['id']} was altered"


def _missing(event_id: int) -> str:
    return f"audit event {event_id} is missing"
