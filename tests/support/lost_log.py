"""The log of bets as a restore leaves it: without what was appended since."""

import peewee

from models.db.connection import reading, writing
from models.log import BETS, Log, LogBundle, LogCheckpoint, LogTile

TABLES = (Log, LogTile, LogBundle, LogCheckpoint)


@reading()
def stored_log():
    """The rows of the log as they are now, for ``restore_log``."""
    return {table: list(table.select().dicts()) for table in TABLES}


def restore_log(rows):
    """Put these rows in the place of those that the log has now."""
    with writing():
        for table in (LogTile, LogBundle, LogCheckpoint):
            table.delete().execute()
        for row in rows[Log]:
            Log.update(row).where(Log.name == row["name"]).execute()
        for table in (LogTile, LogBundle, LogCheckpoint):
            for some in peewee.chunked(rows[table], 100):
                table.insert_many([_columns(table, row) for row in some]).execute()


def replace_log():
    """Give the log another history of the same size, as if a server on another machine had played on."""
    with writing():
        LogTile.update(hashes=b"?" * 32 * 256).where(LogTile.log == BETS).execute()
        is_old = (LogCheckpoint.log == BETS) & (LogCheckpoint.size > 0)
        LogCheckpoint.update(root="0" * 64).where(is_old).execute()


@reading()
def checkpoints():
    """How many checkpoints the database contains."""
    return LogCheckpoint.select().where(LogCheckpoint.log == BETS).count()


@reading()
def epoch():
    """The present epoch of redraws."""
    return Log.select(Log.epoch).where(Log.name == BETS).scalar()


def _columns(table, row):
    return {table._meta.fields[name]: value for name, value in row.items()}
