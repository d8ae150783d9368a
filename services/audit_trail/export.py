"""Exports: the events and seals as JSON lines, then a line with a signature over all of them.

A line has the columns of an event, with ``before`` and ``after`` as objects, and its ``seal``, which is null
if it has none yet.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator
from typing import Any

from models.db.connection import snapshot
from services.audit_trail import reading
from services.audit_trail.canonical import Row, to_text
from services.audit_trail.keys import AuditKeys, Purpose
from services.shared.clock import Millis

EVENT_NAMES = {
    "id": "id",
    "at": "at_ms",
    "who": "who",
    "what": "what",
    "player": "player",
    "address": "address",
    "before": "before",
    "after": "after",
    "keyId": "key_id",
    "mac": "mac",
}
SEAL_NAMES = {
    "number": "number",
    "previousEvent": "previous_event_id",
    "previousSeal": "previous_seal",
    "keyId": "key_id",
    "seal": "seal",
}
"""The columns by their names in an export."""

OBJECTS = ("before", "after")

Exported = tuple[Row | None, Row]
"""The seal, if there is one, and the event of a line."""


def export(keys: AuditKeys, *, now: Millis) -> Iterator[str]:
    """Yield the lines of an export: one state of the database, however large."""
    digest = hashlib.sha256()
    count = 0
    with snapshot():
        for seal, event in _rows():
            line = _line(seal, event)
            digest.update(f"{line}\n".encode())
            count += 1
            yield line
    trailer = {"events": count, "exportedAt": now, "sha256": digest.hexdigest(), "keyId": keys.current_id}
    yield to_text(trailer | {"signature": keys.sign(Purpose.EXPORT, to_text(trailer))})


class DamagedExport(Exception):
    """An export that is not complete, or not as it was written; ``str()`` says what is wrong with it."""


class ExportReader:
    """Reads the lines of an export."""

    def __init__(self, lines: Iterable[bytes], keys: AuditKeys) -> None:
        self._lines = iter(lines)
        self._keys = keys
        self.count = 0
        self.damage: str | None = None
        """What is wrong with the export as a whole, after all events were read."""

    def events(self) -> Iterator[Exported]:
        """Yield each event, up to a line that cannot be read."""
        try:
            yield from self._events()
        except DamagedExport as damage:
            self.damage = str(damage)

    def _events(self) -> Iterator[Exported]:
        digest = hashlib.sha256()
        for line in self._lines:
            document = _parse(line, self.count + 1)
            if "signature" in document:
                self._check_signature(document, digest.hexdigest())
                return
            digest.update(line)
            self.count += 1
            yield _seal_and_event(document, self.count)
        raise DamagedExport("the export has no signature: it is not complete")

    def _check_signature(self, trailer: dict[str, Any], sha256: str) -> None:
        signature, key_id = trailer.pop("signature"), str(trailer.get("keyId"))
        if not self._keys.has(key_id):
            raise DamagedExport(f"no SECRET_KEY decrypts the audit key {key_id}, which signed the export")
        try:
            is_signed = self._keys.is_valid(Purpose.EXPORT, to_text(trailer), key_id=key_id, mac=signature)
        except TypeError:
            is_signed = False
        if not is_signed or trailer["sha256"] != sha256 or next(self._lines, None) is not None:
            raise DamagedExport("the export was altered: its signature does not match")


def _rows() -> Iterator[Exported]:
    for seal, event in reading.sealed():
        if event is not None:
            yield seal, event
    for event, _ in reading.unsealed():
        yield None, event


def _line(seal: Row | None, event: Row) -> str:
    values = {name: event[column] for name, column in EVENT_NAMES.items()}
    for name in OBJECTS:
        values[name] = _object(values[name])
    values["seal"] = seal and {name: seal[column] for name, column in SEAL_NAMES.items()}
    return to_text(values)


def _object(text: str | None) -> Any:
    """The object of a JSON text. A text that was altered, and is not canonical any more, stays a text."""
    if text is None:
        return None
    try:
        value = json.loads(text)
        is_canonical = isinstance(value, dict) and to_text(value) == text
    except (ValueError, TypeError, RecursionError):
        is_canonical = False
    return value if is_canonical else text


def _parse(line: bytes, number: int) -> dict[str, Any]:
    try:
        document = json.loads(line)
        if isinstance(document, dict):
            return document
    except (ValueError, RecursionError):
        pass
    raise _not_an_event(number)


def _seal_and_event(document: dict[str, Any], number: int) -> Exported:
    try:
        # Refuses floats, which have no place in an export.
        to_text(document)
        event = {column: document[name] for name, column in EVENT_NAMES.items()}
        for name in OBJECTS:
            if isinstance(event[name], dict):
                event[name] = to_text(event[name])
        seal = document["seal"]
        if seal is not None:
            seal = {column: seal[name] for name, column in SEAL_NAMES.items()} | {"event_id": event["id"]}
    except (KeyError, TypeError):
        raise _not_an_event(number) from None
    if not all(_is_storable(value) for value in (event["id"], seal["number"] if seal else 0)):
        raise _not_an_event(number)
    return seal, event


def _is_storable(number: Any) -> bool:
    return type(number) is int and abs(number) < 2**63


def _not_an_event(number: int) -> DamagedExport:
    return DamagedExport(f"line {number} of the export is not an event")
