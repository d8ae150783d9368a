"""Making the exports that were asked for, one after the other, in one process at a time."""

import logging
import threading
import time
import zlib
from collections.abc import Callable

from models.db.connection import reading
from models.exports import Export, ExportSlice
from models.users import User
from services.bets.proofs import Proofs
from services.exports.document import Documents
from services.exports.requests import GZIP, SLICES_A_DELETION
from services.shared.background import in_native_thread
from services.shared.clock import MINUTE_MS, Millis
from services.shared.errors import Refusal
from services.shared.lease import Lease, LeaseLost

log = logging.getLogger("platform.exports")

SLICE_BYTES = 1024 * 1024
"""The length of a slice, packed."""

LEVEL = 3
"""Of zlib: half of a bet are random digits, which no level packs better."""

LONGEST_PAUSE_SECONDS = 0.05

RENEW_SECONDS = 5.0
"""How often the lease is renewed while nothing is written."""


class Interrupted(Refusal):
    """The export is not wanted any more, or this process stops: another one makes it."""


class ExportMaker:
    """Makes exports. A process that takes over from one that has died begins the file again."""

    def __init__(self, documents: Documents, *, proofs: Proofs, clock: Callable[[], Millis]) -> None:
        self._documents = documents
        self._proofs = proofs
        self._clock = clock
        self._lease = Lease("exports")
        self._stopping = threading.Event()

    def run(self) -> None:
        """Make what is due, if this process has the lease or gets it. Raises LeaseLost."""
        if not self._due() or not self._lease.acquire():
            return
        try:
            for export in self._due():
                self._make_or_delay(export)
        finally:
            self._lease.release()

    def stop(self) -> None:
        """End ``run`` soon."""
        self._stopping.set()

    def release(self) -> None:
        """After ``stop``: let another process go on at once."""
        self._lease.release()

    @reading()
    def _due(self) -> list[Export]:
        due = Export.select().where(Export.due_at_ms <= self._clock())
        return list(due.order_by(Export.due_at_ms, Export.id))

    def _make_or_delay(self, export: Export) -> None:
        try:
            self._make(export)
        except Interrupted:
            log.info("export interrupted")
        except LeaseLost:
            raise
        except Exception:
            # Others must not wait for this one.
            log.exception("export not made")
            self._write(export, due_at_ms=self._clock() + MINUTE_MS)

    def _make(self, export: Export) -> None:
        self._delete_slices(export)
        with reading():
            player: User = User.get_by_id(export.user_id)
        # So that the file has the server seeds of all bets whose proofs are due.
        self._proofs.reveal_due(user_id=player.id, now=self._clock())
        packer = zlib.compressobj(LEVEL, wbits=GZIP)
        worked_since, renewed_at = time.thread_time(), time.monotonic()
        number, length, packed_length, packed = 0, 0, 0, bytearray()
        for piece in self._documents.pieces(player):
            if self._stopping.is_set():
                raise Interrupted
            length += len(piece)
            packed += in_native_thread(packer.compress, piece)
            if len(packed) >= SLICE_BYTES:
                self._add_slice(export, number, bytes(packed))
                number, packed_length, packed = number + 1, packed_length + len(packed), bytearray()
                renewed_at = time.monotonic()
            elif time.monotonic() - renewed_at > RENEW_SECONDS:
                self._write(export, due_at_ms=export.due_at_ms)
                renewed_at = time.monotonic()
            # Half of the time is for others. Their work counts too, so it is more when they are busy.
            time.sleep(min(time.thread_time() - worked_since, LONGEST_PAUSE_SECONDS))
            worked_since = time.thread_time()
        packed += packer.flush()
        self._add_slice(export, number, bytes(packed))
        packed_length += len(packed)
        self._write(
            export, due_at_ms=None, made_at_ms=self._clock(), packed_bytes=packed_length, bytes=length
        )
        log.info("export made")

    def _delete_slices(self, export: Export) -> None:
        """Delete what a process has made that was stopped."""
        own = ExportSlice.export == export.id
        is_left = True
        while is_left:
            with self._lease.fenced():
                numbers = list(
                    ExportSlice.select(ExportSlice.number).where(own).limit(SLICES_A_DELETION).scalars()
                )
                ExportSlice.delete().where(own, ExportSlice.number.in_(numbers)).execute()
            is_left = bool(numbers)

    def _add_slice(self, export: Export, number: int, content: bytes) -> None:
        with self._lease.fenced():
            self._update(export, due_at_ms=export.due_at_ms)
            ExportSlice.insert(export=export.id, number=number, content=content).execute()

    def _write(self, export: Export, **columns: object) -> None:
        with self._lease.fenced():
            self._update(export, **columns)

    def _update(self, export: Export, **columns: object) -> None:
        """Change the row, which is locked then. Raises Interrupted if the export was deleted."""
        if not Export.update(columns).where(Export.id == export.id).execute():
            raise Interrupted
