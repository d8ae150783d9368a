"""What is wrong with rows of the audit trail, in the database or in an export."""

from collections.abc import Callable, Iterator
from functools import partial

from services.audit_trail.canonical import Row, event_text, seal_text
from services.audit_trail.keys import AuditKeys, Purpose


class Checker:
    """Checks events and their seals, in the order of the seals."""

    def __init__(self, keys: AuditKeys) -> None:
        self._keys = keys
        self._last: Row | None = None
        self._missing: list[int] = []

    def sealed(self, seal: Row, event: Row | None) -> Iterator[str]:
        """Yield what is wrong with the next seal and its event, which is None if there is no such row."""
        last, self._last = self._last, seal
        if event is None:
            yield is_missing(seal["event_id"])
        elif problem := self._problem_of(seal, event):
            yield problem
            # What an altered row says of the seal before it proves nothing.
            return
        yield from self._problems_between(last, seal)

    def take_missing(self) -> list[int]:
        """The events whose seals were missing since the last call, as far as the next seal names them."""
        taken, self._missing = self._missing, []
        return taken

    def unsealed(self, event: Row) -> str | None:
        """What is wrong with an event that has no seal."""
        if unknown := self._unknown_key(event["id"], event["key_id"]):
            return unknown
        return None if self._is_genuine(event) else f"audit event {event['id']} was inserted"

    def _problem_of(self, seal: Row, event: Row) -> str | None:
        for key_id in (event["key_id"], seal["key_id"]):
            if unknown := self._unknown_key(event["id"], key_id):
                return unknown
        is_sealed = self._is_valid(
            Purpose.SEAL, partial(seal_text, seal, event), seal["key_id"], seal["seal"]
        )
        if self._is_genuine(event):
            return None if is_sealed else f"the seal of audit event {event['id']} was altered"
        # The server seals what it finds, also what something else has written.
        return f"audit event {event['id']} was {'inserted' if is_sealed else 'altered'}"

    def _problems_between(self, last: Row | None, seal: Row) -> Iterator[str]:
        number, event_id = (last["number"], last["event_id"]) if last else (0, None)
        missing = seal["number"] - number - 1
        if missing:
            yield f"audit seals are missing: {missing} before that of audit event {seal['event_id']}"
            if seal["previous_event_id"] is not None:
                self._missing.append(seal["previous_event_id"])
        elif (seal["previous_event_id"], seal["previous_seal"]) != (event_id, last["seal"] if last else ""):
            yield f"the seal of audit event {event_id} was altered"

    def _is_genuine(self, event: Row) -> bool:
        return self._is_valid(Purpose.EVENT, partial(event_text, event), event["key_id"], event["mac"])

    def _is_valid(self, purpose: Purpose, text: Callable[[], str], key_id: str, mac: str) -> bool:
        try:
            return self._keys.is_valid(purpose, text(), key_id=key_id, mac=mac)
        except TypeError:
            # SQLite stores values of any type in any column.
            return False

    def _unknown_key(self, event_id: int, key_id: str) -> str | None:
        if self._keys.has(key_id):
            return None
        if key_id in self._keys.unreadable:
            return f"no SECRET_KEY decrypts the audit key {key_id}, so its events cannot be checked"
        return f"audit event {event_id} was altered, or the audit key {key_id} was removed"


def is_missing(event_id: int) -> str:
    """The line for an event without a row."""
    return f"audit event {event_id} is missing"
