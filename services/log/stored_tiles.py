"""The tiles of the tree in the database. To be used within ``reading()`` or ``writing()``."""

from models.log import BETS, LogTile
from services.log.tiles import TilePosition


def read(position: TilePosition) -> bytes:
    """The hashes of a tile, as many as are stored; none for a tile past the end."""
    row = LogTile
    is_wanted = (row.log == BETS) & (row.level == position.level) & (row.number == position.number)
    return bytes(row.select(row.hashes).where(is_wanted).scalar() or b"")


def store(tiles: dict[TilePosition, bytes]) -> None:
    """Add these tiles, or replace them."""
    rows = [{"log": BETS, **position._asdict(), "hashes": hashes} for position, hashes in tiles.items()]
    row = LogTile
    row.insert_many(rows).on_conflict(
        conflict_target=[row.log, row.level, row.number], preserve=[row.hashes]
    ).execute()
