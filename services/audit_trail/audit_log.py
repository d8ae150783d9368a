"""The log of the audit trail: not public, with a checkpoint file of its own."""

import logging
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

import peewee

from models.audit_trail import WaitingEvent
from models.db.connection import reading
from models.log import AUDIT
from services.audit_trail import queries
from services.audit_trail.canonical import Row, event_entry
from services.audit_trail.keys import AuditKeys
from services.audit_trail.recording import AuditNotWritten
from services.log.bundles import Entry
from services.log.keys import LogKeys
from services.log.signed_log import SignedLog
from services.shared.clock import Millis

log = logging.getLogger("platform.log")

FILE_NAME = "audit.checkpoint"


class LoggedEvents:
    """Makes the entries of events. Those without a valid MAC are refused, and stay in what waits."""

    log = AUDIT

    def __init__(self, keys: AuditKeys) -> None:
        self._keys = keys
        self.refused: set[int] = set()
        """The ids of events that this process has refused."""

    def contents(self, ids: Collection[int]) -> dict[int, bytes]:
        """The entries of these events by their ids. To be used within ``reading()``."""
        pages = peewee.chunked(sorted(ids), queries.ROWS_A_PAGE)
        return {id_: event_entry(row) for page in pages for id_, row in queries.by_ids(list(page)).items()}

    @reading()
    def is_waiting(self) -> bool:
        """Whether an event waits. A refused one does not count."""
        refused = list(self.refused)[: queries.ROWS_A_PAGE]
        return bool(WaitingEvent.select().where(WaitingEvent.event_id.not_in(refused)).exists())

    def waiting(self, at_most: int | None) -> list[Entry]:
        """The first events that wait. To be used within ``reading()``."""
        found: list[Entry] = []
        for event_id, event in queries.waiting():
            if event is not None and self._is_genuine(event):
                found.append(Entry(event_id, event_entry(event)))
                self.refused.discard(event_id)
            elif event_id not in self.refused:
                self.refused.add(event_id)
                log.error("audit event refused: %s", event_id)
            if len(found) == at_most:
                break
        return found

    def _is_genuine(self, event: Row) -> bool:
        if not self._keys.has(event["key_id"]):
            # Another process has another SECRET_KEY.
            self._keys.load()
        return self._keys.is_genuine(event)

    def remove(self, references: Sequence[int]) -> None:
        """Remove from what waits. Raises AuditNotWritten if it is not, because it would be logged again."""
        ids = [reference for reference in references if reference > 0]
        for some in peewee.chunked(ids, queries.ROWS_A_PAGE):
            if WaitingEvent.delete().where(WaitingEvent.event_id.in_(list(some))).execute() != len(some):
                raise AuditNotWritten


class AuditLog(SignedLog):
    """The log of the audit trail."""

    unlogged = 0
    """How many events were neither in the log nor waited for it at the last count."""

    def __init__(
        self,
        directory: Path,
        *,
        origin: str,
        keys: LogKeys,
        audit_keys: AuditKeys,
        clock: Callable[[], Millis],
        ask_for_confirmation: Callable[[], bool],
    ) -> None:
        """``origin`` is that of the log of bets. For the others see SignedLog."""
        self.events = LoggedEvents(audit_keys)
        self.audit_keys = audit_keys
        super().__init__(
            directory / FILE_NAME,
            self.events,
            origin=f"{origin}/audit",
            keys=keys,
            clock=clock,
            ask_for_confirmation=ask_for_confirmation,
        )

    @property
    def refused(self) -> int:
        """How many events are not logged because no process with the SECRET_KEY has let them wait."""
        return len(self.events.refused) + max(self.unlogged, 0)

    def count_unlogged(self) -> None:
        """Count all events, and log an error if the count does not fit the log."""
        with reading():
            unlogged = queries.unlogged_events()
        if unlogged > 0 and unlogged != self.unlogged:
            log.error("audit event refused: %s are neither logged nor waiting", unlogged)
        elif unlogged < 0 and unlogged != self.unlogged:
            log.error("audit events missing: %s", -unlogged)
        self.unlogged = unlogged
