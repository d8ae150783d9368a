"""Requests for exports: a player has one at a time, which is gone a day after it was made."""

import secrets
import zlib
from collections.abc import Iterator

from models.db.connection import reading, writing
from models.exports import Export, ExportSlice
from services.accounts.notifications import notify
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import record
from services.shared.clock import DAY_MS, Millis
from services.shared.errors import Refusal

GZIP = zlib.MAX_WBITS | 16
"""The parameter of zlib for its streams with gzip's head and end."""

PIECE_BYTES = 256 * 1024

SLICES_A_DELETION = 2
"""Two megabytes: a deletion on SQLite blocks the process."""

REQUESTED = "Download of your data"
REQUESTED_MESSAGE = (
    "A file with the data of your account was asked for. If that was not you, log out everywhere and turn on"
    " two-factor authentication."
)


class ExportNotFound(Refusal):
    """The player has no export with this id, or not any more."""

    status = 404
    text = "Export not found"


def request(*, user_id: int, now: Millis) -> str:
    """The id of the player's export, which is to be made unless there is one. Notifies the player then."""
    with reading():
        found = Export.get_or_none(Export.user == user_id)
    if found is not None and is_over(found, now):
        delete(found.id)
    with writing():
        row = {"id": secrets.token_hex(16), "user": user_id, "requested_at_ms": now, "due_at_ms": now}
        if Export.insert(row).on_conflict_ignore().as_rowcount().execute():
            record(AuditEventType.EXPORT_REQUESTED, now=now, user_id=user_id)
            notify(user_id=user_id, title=REQUESTED, message=REQUESTED_MESSAGE, now=now)
        export_id: str = Export.select(Export.id).where(Export.user == user_id).scalar()
    return export_id


@reading()
def get(*, export_id: str, user_id: int, now: Millis) -> Export:
    """The player's own export, made or not. Raises ExportNotFound."""
    found: Export | None = Export.get_or_none((Export.id == export_id) & (Export.user == user_id))
    if found is None or is_over(found, now):
        raise ExportNotFound
    return found


def record_download(export: Export, *, now: Millis) -> None:
    """Note in the audit trail that the actor gets the file."""
    with writing():
        record(AuditEventType.EXPORT_DOWNLOADED, now=now, user_id=export.user_id)


def packed_pieces(export: Export) -> Iterator[bytes]:
    """Yield the file of an export that was made, as a gzip stream, slice by slice.

    It ends early if the export is deleted meanwhile.
    """
    number = 0
    while (piece := _slice(export.id, number)) is not None:
        yield piece
        number += 1


def pieces(export: Export) -> Iterator[bytes]:
    """Yield the same unpacked, in pieces that take about a millisecond."""
    unpacker = zlib.decompressobj(wbits=GZIP)
    for packed in packed_pieces(export):
        rest = packed
        while rest:
            yield unpacker.decompress(rest, PIECE_BYTES)
            rest = unpacker.unconsumed_tail
    yield unpacker.flush()


def is_over(export: Export, now: Millis) -> bool:
    """Whether the export was made more than a day ago."""
    return export.made_at_ms is not None and export.made_at_ms + DAY_MS <= now


def delete_old(*, now: Millis) -> None:
    """Delete the exports that are over."""
    with reading():
        old = list(Export.select(Export.id).where(Export.made_at_ms <= now - DAY_MS).scalars())
    for export_id in old:
        delete(export_id)


def delete_of(user_id: int) -> None:
    """Delete the player's export, also one that is being made."""
    with reading():
        export_id = Export.select(Export.id).where(Export.user == user_id).scalar()
    if export_id is not None:
        delete(export_id)


def delete(export_id: str) -> None:
    """Delete an export, also one that is being made. Must not be called within a transaction."""
    while True:
        with writing():
            slices = ExportSlice.select(ExportSlice.number).where(ExportSlice.export == export_id)
            numbers = list(slices.limit(SLICES_A_DELETION).scalars())
            if not numbers:
                Export.delete().where(Export.id == export_id).execute()
                return
            ExportSlice.delete().where(
                ExportSlice.export == export_id, ExportSlice.number.in_(numbers)
            ).execute()


@reading()
def _slice(export_id: str, number: int) -> bytes | None:
    own = (ExportSlice.export == export_id) & (ExportSlice.number == number)
    content = ExportSlice.select(ExportSlice.content).where(own).scalar()
    return None if content is None else bytes(content)
