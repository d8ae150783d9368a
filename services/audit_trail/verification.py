"""Verifying the audit trail in the database, and comparing it with an export of it."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

import peewee

from models import audit_schema
from models.db.connection import repeatable_read
from services.audit_trail import queries
from services.audit_trail.canonical import Row, event_text, seal_text
from services.audit_trail.export import Exported, ExportReader
from services.audit_trail.keys import AuditKeys, Purpose
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
    """Check the tables, every event and every seal in one state of the database. Writes nothing.

    With the lines of an export, check these too, and that the database still has all their events.
    """
    keys.load()
    found = Verification()
    # A dict keeps the order, and each problem once: every event of a lost key has the same one.
    problems: dict[str, None] = {}
    with repeatable_read():
        for problem in _problems(keys, found, export, now):
            problems[problem] = None
            if len(problems) == MAX_PROBLEMS:
                break
    found.problems = list(problems)
    return found


def _problems(
    keys: AuditKeys, found: Verification, export: Iterable[bytes] | None, now: Millis
) -> Iterator[str]:
    yield from audit_schema.problems()
    yield from _in_chain(keys, found)
    yield from _without_seal(keys, found, now)
    if export is not None:
        yield from _in_export(keys, found, export)


def _in_chain(keys: AuditKeys, found: Verification) -> Iterator[str]:
    # A seal may be missing alone. Its event is then found among those without one.
    chain = _Chain(keys, has_event=lambda id_: bool(queries.by_ids([id_])))
    for seal, event in queries.sealed():
        found.sealed += 1
        yield from chain.problems(seal, event)


def _without_seal(keys: AuditKeys, found: Verification, now: Millis) -> Iterator[str]:
    for event, is_waiting in queries.unsealed():
        found.unsealed += 1
        if problem := _problem_of_unsealed(keys, event):
            yield problem
        elif not is_waiting:
            yield f"the seal of audit event {event['id']} is missing"
        elif event["at_ms"] < now - LATEST_SEAL_MS:
            yield f"audit event {event['id']} has no seal, although it is older than a minute"
    yield from map(_missing, queries.waiting_without_event())


def _in_export(keys: AuditKeys, found: Verification, export: Iterable[bytes]) -> Iterator[str]:
    chain, reader = _Chain(keys, has_event=lambda _: False), ExportReader(export, keys)
    for lines in peewee.chunked(reader.events(), queries.ROWS_A_PAGE):
        stored = queries.by_ids([event["id"] for _, event in lines])
        for seal, event in lines:
            if seal is None:
                problems = list(filter(None, [_problem_of_unsealed(keys, event)]))
            else:
                problems = list(chain.problems(seal, event))
            yield from (f"in the export, {problem}" for problem in problems)
            if not problems:
                yield from _differences((seal, event), stored.get(event["id"]))
    if reader.damage:
        yield reader.damage
    found.exported = reader.count


class _Chain:
    """Checks seals with their events, in the order of the seals.

    ``has_event`` says whether there is an event with this id, when the next seal names it but its own seal is
    missing.
    """

    def __init__(self, keys: AuditKeys, *, has_event: Callable[[int], bool]) -> None:
        self._keys = keys
        self._has_event = has_event
        self._last: Row | None = None

    def problems(self, seal: Row, event: Row | None) -> Iterator[str]:
        """Yield what is wrong with the next seal and its event, which is None if there is no such row."""
        last, self._last = self._last, seal
        if event is None:
            yield _missing(seal["event_id"])
        elif problem := _problem_of_sealed(self._keys, seal, event):
            yield problem
            # What an altered row says about the seal before it proves nothing.
            return
        number, event_id = (last["number"], last["event_id"]) if last else (0, None)
        previous_id = seal["previous_event_id"]
        if missing := seal["number"] - number - 1:
            yield f"audit seals are missing: {missing} before that of audit event {seal['event_id']}"
            if previous_id is not None and not self._has_event(previous_id):
                yield _missing(previous_id)
        elif (previous_id, seal["previous_seal"]) != (event_id, last["seal"] if last else ""):
            yield f"the seal of audit event {event_id or seal['event_id']} was altered"


def _problem_of_sealed(keys: AuditKeys, seal: Row, event: Row) -> str | None:
    for key_id in (event["key_id"], seal["key_id"]):
        if unknown := _unknown_key(keys, event["id"], key_id):
            return unknown
    text = seal_text(seal, event)
    is_sealed = keys.is_valid(Purpose.SEAL, text, key_id=seal["key_id"], mac=seal["seal"])
    if _is_genuine(keys, event):
        return None if is_sealed else f"the seal of audit event {event['id']} was altered"
    # The server seals what it finds, also what something else has written.
    return f"audit event {event['id']} was {'inserted' if is_sealed else 'altered'}"


def _problem_of_unsealed(keys: AuditKeys, event: Row) -> str | None:
    if unknown := _unknown_key(keys, event["id"], event["key_id"]):
        return unknown
    return None if _is_genuine(keys, event) else f"audit event {event['id']} was inserted"


def _is_genuine(keys: AuditKeys, event: Row) -> bool:
    return keys.is_valid(Purpose.EVENT, event_text(event), key_id=event["key_id"], mac=event["mac"])


def _unknown_key(keys: AuditKeys, event_id: int, key_id: str) -> str | None:
    if keys.has(key_id):
        return None
    if key_id in keys.unreadable:
        return f"no SECRET_KEY decrypts the audit key {key_id}, so its events cannot be checked"
    return f"audit event {event_id} was altered, or the audit key {key_id} was removed"


def _missing(event_id: int) -> str:
    return f"audit event {event_id} is missing"


def _differences(exported: Exported, stored: Exported | None) -> Iterator[str]:
    """Yield the changes in the database since the export, in which this event is genuine."""
    seal, event = exported
    if stored is None:
        yield _missing(event["id"])
        return
    if stored[1] != event:
        yield f"audit event {event['id']} was altered"
    if seal is not None and stored[0] != seal:
        yield f"the seal of audit event {event['id']} is missing or was altered"
