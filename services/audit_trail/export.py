"""Exports: the events and seals as JSON lines, then a line with a signature over all of them.

A line has the columns of an event, with ``before`` and ``after`` as objects, and its ``seal``, which is null
if it has none yet.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator
from typing import Any

from models.db.connection import repeatable_read
from services.audit_trail import queries
from services.audit_trail.canonical import Row, to_text
from services.audit_trail.keys import AuditKeys, Purpose
from services.shared.clock import Millis

EVENT_NAMES = {"at": "at_ms", "keyId": "key_id"} | {
    name: name for name in ("id", "who", "what", "player", "address", "before", "after", "mac")
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
    with repeatable_read():
        for seal, event in _rows():
            line = _line(seal, event)
            digest.update(f"{line}\n".encode())
            count += 1
            yield line
    trailer = {"events": count, "exportedAt": now, "sha256": digest.hexdigest(), "keyId": keys.current_id}
    yield to_text(trailer | {"signature": keys.sign(Purpose.EXPORT, to_text(trailer))})


class ExportReader:
    """Reads the lines of an export."""

    def __init__(self, lines: Iterable[bytes], keys: AuditKeys) -> None:
        self._lines = iter(lines)
        self._keys = keys
        self.count = 0
        self.damage: str | None = None
        """The problem of the export as a whole, after all events were read."""

    def events(self) -> Iterator[Exported]:
        """Yield each event, up to a line that cannot be read."""
        digest = hashlib.sha256()
        for line in self._lines:
            try:
                document = json.loads(line)
                is_trailer = isinstance(document, dict) and "signature" in document
                exported = None if is_trailer else _seal_and_event(document)
            except (ValueError, KeyError, TypeError, RecursionError):
                self.damage = f"line {self.count + 1} of the export is not an event"
                return
            if exported is None:
                self.damage = self._problem_of_signature(document, digest.hexdigest())
                return
            digest.update(line)
            self.count += 1
            yield exported
        self.damage = "the export has no signature: it is not complete"

    def _problem_of_signature(self, trailer: dict[str, Any], sha256: str) -> str | None:
        signature, key_id = trailer.pop("signature"), str(trailer.get("keyId"))
        if not self._keys.has(key_id):
            return f"no SECRET_KEY decrypts the audit key {key_id}, which signed the export"
        try:
            is_signed = self._keys.is_valid(Purpose.EXPORT, to_text(trailer), key_id=key_id, mac=signature)
        except TypeError:
            is_signed = False
        if is_signed and trailer["sha256"] == sha256 and next(self._lines, None) is None:
            return None
        return "the export was altered: its signature does not match"


def _rows() -> Iterator[Exported]:
    for seal, event in queries.sealed():
        if event is not None:
            yield seal, event
    for event, _ in queries.unsealed():
        yield None, event


def _line(seal: Row | None, event: Row) -> str:
    values = {name: event[column] for name, column in EVENT_NAMES.items()}
    for name in OBJECTS:
        values[name] = _object(values[name])
    values["seal"] = seal and {name: seal[column] for name, column in SEAL_NAMES.items()}
    return to_text(values)


def _object(text: str | None) -> Any:
    """The object of a JSON text. A text that was altered, and is not canonical any more, stays a text."""
    try:
        value = json.loads(text or "null")
        return value if isinstance(value, dict) and to_text(value) == text else text
    except (ValueError, TypeError, RecursionError):
        return text


def _seal_and_event(document: dict[str, Any]) -> Exported:
    """Raises ValueError, KeyError or TypeError if it is not the document of a line."""
    # Refuses floats, which have no place in an export.
    to_text(document)
    event = {column: document[name] for name, column in EVENT_NAMES.items()}
    for name in OBJECTS:
        if isinstance(event[name], dict):
            event[name] = to_text(event[name])
    seal = document["seal"]
    if seal is not None:
        seal = {column: seal[name] for name, column in SEAL_NAMES.items()} | {"event_id": event["id"]}
    for number in (event["id"], seal["number"] if seal else 0):
        if type(number) is not int or abs(number) >= 2**63:
            raise ValueError("not the number of a row")
    for key_id in (event["key_id"], seal["key_id"] if seal else ""):
        if not isinstance(key_id, str):
            raise ValueError("not the id of a key")
    return seal, event
