"""The log as a restore leaves it: without what was appended since. And machines that confirm a database."""

import peewee

from models.db.connection import reading, writing
from models.log import Log, LogBundle, LogCheckpoint, LogTile
from services.log import sequencer

TABLES = (LogTile, LogBundle, LogCheckpoint)


@reading()
def stored_log():
    """The rows of the log as they are now, for ``restore_log``."""
    return {table: list(table.select().dicts()) for table in (Log, *TABLES)}


def restore_log(rows):
    """Put these rows in the place of those that the log has now."""
    with writing():
        for table in TABLES:
            table.delete().execute()
        Log.update(rows[Log][0]).execute()
        for table in TABLES:
            for some in peewee.chunked(rows[table], 100):
                table.insert_many([_columns(table, row) for row in some]).execute()


def replace_log():
    """Give the log another history of the same size, as if a server on another machine had played on."""
    with writing():
        LogTile.update(hashes=b"?" * 32 * 256).execute()
        LogCheckpoint.update(root="0" * 64).where(LogCheckpoint.size > 0).execute()


def resume(log, reason="the end of the log is lost"):
    """Let bets go on, as ``flask log continue`` does."""
    with reading():
        lost = log.restores.lost_entries()
    return log.restores.resume(lost=lost, reason=reason, record=lambda _: None)


def redraw(log):
    """Redraw all seeds, as ``flask seeds redraw`` does."""
    log.restores.redraw(record=lambda _: None)


def let_confirm(other, log):
    """Let this machine confirm the database when the other one has no file."""

    def is_confirmed(stored):
        log.restores.confirm()
        return sequencer.stored_log().confirmations > stored.confirmations

    other.restores._is_confirmed = is_confirmed


@reading()
def checkpoints():
    """How many checkpoints the database contains."""
    return LogCheckpoint.select().count()


@reading()
def epoch():
    """The present epoch of redraws."""
    return Log.select(Log.epoch).scalar()


@reading()
def is_paused():
    """Whether bets are paused."""
    return Log.select(Log.is_paused).scalar()


def _columns(table, row):
    return {table._meta.fields[name]: value for name, value in row.items()}
