"""The tiles of a tree in the database. To be used within ``reading()`` or ``writing()``."""

from models.log import LogTile
from services.log.tiles import TilePosition
from services.log.tree import ReadTile


class NotStored(Exception):
    """A trigger or a rule of the database has dropped rows, so the transaction must fail."""


def reader(log: str) -> ReadTile:
    """Reads the hashes of a tile, as many as are stored; none for a tile past the end."""

    def read(position: TilePosition) -> bytes:
        row = LogTile
        is_wanted = (row.log == log) & (row.level == position.level) & (row.number == position.number)
        return bytes(row.select(row.hashes).where(is_wanted).scalar() or b"")

    return read


def store(log: str, tiles: dict[TilePosition, bytes]) -> None:
    """Add these tiles, or replace them. Raises NotStored."""
    rows = [{"log": log, **position._asdict(), "hashes": hashes} for position, hashes in tiles.items()]
    row = LogTile
    inserted = row.insert_many(rows).on_conflict(
        conflict_target=[row.log, row.level, row.number], preserve=[row.hashes]
    )
    if inserted.as_rowcount().execute() != len(rows):
        raise NotStored
