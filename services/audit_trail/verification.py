"""Exporting the audit trail, and verifying it against its anchors in the public log."""

import json
from collections.abc import Iterable, Iterator
from functools import reduce
from itertools import chain, islice, zip_longest
from typing import Any

import peewee
from peewee import fn

from models import audit_schema, audit_trail
from models.audit_trail import NO_EVENTS, AuditAnchor, AuditEvent, chained, stored_rows
from models.db.connection import repeatable_read
from models.log import Log
from services.audit_trail import erasure, queries
from services.audit_trail.erasure import digest_of_event, digest_of_line, line_of
from services.audit_trail.queries import ROWS_A_PAGE, Anchor, Row, anchor_of
from services.audit_trail.recording import to_text
from services.log import file
from services.log.bet_log import BetLog
from services.log.published import proof_file
from services.log.sequencer import stored_log
from services.log.verification import tree_problems
from services.shared.clock import MINUTE_MS, Millis

MAX_PROBLEMS = 1_000
"""A verification ends after this many."""

LATEST_MS = 5 * MINUTE_MS
"""How long an event waits for its anchor at most while a server runs and bets are not paused. It is a minute;
the rest is for several clocks."""

IDS = range(1, 2**63)


def export() -> Iterator[str]:
    """Yield the lines of an export: one state of the database, however large.

    The first line has the newest ``anchor`` of the public log, and its ``proof``
    (https://c2sp.org/tlog-proof); both are null before the first one. Then comes the canonical text of each
    event with a number, in their order, and of those that wait for one.
    """
    with repeatable_read():
        yield to_text(_newest_anchor(stored_log()))
        highest = AuditEvent.select(fn.MAX(AuditEvent.number)).scalar() or 0
        yield from (line_of(event) for _, event in queries.numbered(1, highest) if event)
        yield from map(line_of, queries.waiting())


def _newest_anchor(log: Log) -> dict[str, Any]:
    for index, entry in queries.logged_anchor_entries(log, newest_first=True):
        proof = proof_file(entry, index, size=log.size, note=log.checkpoint)
        return {"anchor": json.loads(entry), "proof": proof}
    return {"anchor": None, "proof": None}


def verify(
    bet_log: BetLog, *, exported: Iterable[bytes] | None, now: Millis
) -> tuple[dict[str, int | None], list[str]]:
    """Check tables, events and anchors in one state of the database, and the public log. Writes nothing.

    With the lines of an export, check also that the database and the log still have all that it has. Returns
    what was looked at (``events`` with a number and those ``waiting`` for one, ``anchors`` and the time of
    the last one in ms, ``exported`` events), and a line for each problem. Raises LogMissing.
    """
    # Before the database, which has what is on disk.
    kept = file.read(bet_log.machine.path)
    seen: dict[str, Any] = {"events": 0, "waiting": 0, "anchors": 0, "anchoredAt": None}
    with repeatable_read():
        log = stored_log()
        problems = chain(
            audit_schema.problems(),
            tree_problems(bet_log, log, kept.checkpoint if kept else None),
            _problems_of_anchors(log),
            _problems_of_anchored(seen),
            _problems_of_waiting(seen, now),
            erasure.problems(),
            () if exported is None else _problems_of_export(exported, log, seen),
        )
        # Each once: an export may show it too.
        return seen, list(dict.fromkeys(islice(problems, MAX_PROBLEMS)))


def count_missing() -> int:
    """How many anchored events are missing; below 0, how many were added. To be used within ``reading()``."""
    anchored = AuditAnchor.select(fn.MAX(AuditAnchor.events)).scalar() or 0
    return int(anchored - AuditEvent.select(fn.COUNT(AuditEvent.number)).scalar())


def _problems_of_anchors(log: Log) -> Iterator[str]:
    """The stored anchors must be those of the public log."""
    pairs = zip_longest(queries.anchors(), queries.logged_anchors(log))
    for place, (anchor, logged) in enumerate(pairs, 1):
        if anchor != logged:
            yield f"anchor {place} and those after it are not those of the public log"
            return


def _problems_of_anchored(seen: dict[str, Any]) -> Iterator[str]:
    """The events must be those of their anchors, and there must be no others with a number."""
    before, since = Anchor(0, NO_EVENTS, 0), 0
    for anchor in queries.anchors():
        digest, count, size = before.digest, 0, anchor.events - before.events
        for number, event in queries.numbered(before.events + 1, anchor.events):
            if event is None:
                yield f"the audit event with the number {number} is missing"
            else:
                count, digest = count + 1, chained(digest, event["digest"])
                late = "was not anchored at its time: it was inserted later"
                yield from _problems_of_event(event, since, anchor.at_ms, late)
        if count == size and digest != anchor.digest:
            yield f"the audit events {before.events + 1} to {anchor.events} are not those of their anchor"
        seen |= {"events": seen["events"] + count, "anchors": seen["anchors"] + 1, "anchoredAt": anchor.at_ms}
        # After a full one, the next anchor has events that have waited longer.
        since = since if size >= audit_trail.BATCH else anchor.at_ms
        before = anchor
    for event in queries.numbered_otherwise(before.events):
        yield f"audit event {event['id']} has a number without an anchor"


def _problems_of_waiting(seen: dict[str, Any], now: Millis) -> Iterator[str]:
    for event in queries.waiting():
        seen["waiting"] += 1
        yield from _problems_of_event(event, now, now, "has waited for an anchor for more than five minutes")


def _problems_of_event(event: Row, since: int, until: int, late: str) -> Iterator[str]:
    """The event must have its digest, and be of this time."""
    if digest_of_event(event) != event["digest"]:
        yield f"audit event {event['id']} was altered"
    elif not since - LATEST_MS <= event["at_ms"] <= until + LATEST_MS:
        yield f"audit event {event['id']} {late}"


def _problems_of_export(lines: Iterable[bytes], log: Log, seen: dict[str, Any]) -> Iterator[str]:
    """The database must have the events of the export, and the public log must have its anchor."""
    rest, digest, seen["exported"] = iter(lines), NO_EVENTS, 0
    try:
        entry = json.loads(next(rest, b""))["anchor"]
        anchor = anchor_of(entry) if entry else Anchor(0, NO_EVENTS, 0)
        for page in peewee.chunked(map(_exported_event, rest), ROWS_A_PAGE):
            anchored = page[: max(anchor.events - seen["exported"], 0)]
            digest = reduce(chained, (of_event for _, of_event in anchored), digest)
            seen["exported"] += len(page)
            yield from _differences(dict(page))
    except (ValueError, KeyError, TypeError, RecursionError):
        yield "the export has a line that is not an event, or none that is an anchor"
        return
    if digest != anchor.digest:
        yield "the export was altered, or is not complete: its events are not those of its anchor"
    elif entry and anchor not in queries.logged_anchors(log, newest_first=True):
        yield "the public log does not have the anchor of the export"


def _exported_event(line: bytes) -> tuple[int, str]:
    """Id and digest of the event in a line of an export. Raises ValueError, KeyError or TypeError."""
    event_id = json.loads(line)["id"]
    if not (isinstance(event_id, int) and event_id in IDS):
        raise ValueError("an id is a number")
    return event_id, digest_of_line(line.decode().rstrip("\r\n"))


def _differences(exported: dict[int, str]) -> Iterator[str]:
    """Which of these events, by their ids, the database does not have with the same digest."""
    query = AuditEvent.select().where(AuditEvent.id.in_(list(exported)))
    stored = {row["id"]: digest_of_event(row) for row in stored_rows(query)}
    for event_id, digest in exported.items():
        if event_id not in stored:
            yield f"audit event {event_id} is missing"
        elif stored[event_id] != digest:
            yield f"audit event {event_id} was altered"
