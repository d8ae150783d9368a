"""Exports: the entries of the audit log as JSON lines with an ``index``, and the checkpoint over them."""

import json
from array import array
from collections.abc import Iterable, Iterator
from itertools import count

import peewee

from models.db.connection import repeatable_read
from models.log import AUDIT
from services.audit_trail import queries
from services.audit_trail.audit_log import AuditLog
from services.audit_trail.canonical import event_entry, to_text
from services.log import bundles, sequencer
from services.log.checkpoints import Checkpoint
from services.log.merkle import leaf_hash, root_of
from services.log.notes import BadNote
from services.log.tree_verification import stored_entries


def export(audit_log: AuditLog) -> Iterator[str]:
    """Append what waits, and yield the lines of an export: one state of the database, however large.

    Appends nothing on a machine that has no record of the log.
    """
    if audit_log.kept_checkpoints() or not sequencer.stored_log(AUDIT).checkpoint:
        audit_log.audit_keys.store()
        audit_log.append_waiting()
    with repeatable_read():
        stored = sequencer.stored_log(AUDIT)
        for bundle in stored_entries(stored):
            contents = bundles.existing_contents([each.reference or 0 for each in bundle], audit_log.source)
            for place, reference, leaf in bundle:
                content = contents.get(reference or 0, b"")
                # Without an entry that is not what was logged, the export fails verification.
                entry = json.loads(content) if leaf_hash(content) == leaf else {}
                yield to_text(entry | {"index": place})
    yield to_text({"checkpoint": stored.checkpoint})


class Export:
    """An export, as far as verification needs it."""

    def __init__(self, lines: Iterable[bytes], audit_log: AuditLog) -> None:
        self.damage: str | None = None
        """The problem of the export as a whole."""
        self.checkpoint: Checkpoint | None = None
        self._ids: array[int] = array("q")
        self._leaves: list[bytes] = []
        rest = iter(lines)
        try:
            note = self._read(rest)
            self.checkpoint = None if note is None else audit_log.open(note)
        except BadNote as bad:
            self.damage = f"the export was altered: {bad}"
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
            self.damage = f"line {len(self) + 1} of the export is not an entry"
        else:
            if self.checkpoint is None:
                self.damage = "the export has no checkpoint: it is not complete"
            elif (self.checkpoint.size, self.checkpoint.root) != (len(self), root_of(self._leaves)) or any(
                rest
            ):
                self.damage = "the export was altered: its checkpoint does not match"

    def __len__(self) -> int:
        return len(self._leaves)

    def _read(self, lines: Iterator[bytes]) -> str | None:
        """Read the entries; returns the note of the last line, None without one."""
        for line, index in zip(lines, count(), strict=False):
            entry = json.loads(line)
            if "checkpoint" in entry:
                return str(entry["checkpoint"])
            if entry.pop("index") != index:
                raise ValueError("an entry is missing")
            leaf = leaf_hash(to_text(entry).encode())
            self._ids.append(int(entry.get("id", 0)))
            self._leaves.append(leaf)
        return None

    def differences(self) -> Iterator[str]:
        """Yield which of its events the database does not have. To be used within ``repeatable_read()``."""
        for page in peewee.chunked(zip(self._ids, self._leaves, strict=True), queries.ROWS_A_PAGE):
            found = queries.by_ids([event_id for event_id, _ in page])
            for event_id, leaf in page:
                if event_id and event_id not in found:
                    yield f"audit event {event_id} is missing"
                elif event_id and leaf_hash(event_entry(found[event_id])) != leaf:
                    yield f"audit event {event_id} was altered"
