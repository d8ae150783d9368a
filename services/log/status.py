"""How far the logs are: for staff, not for proofs."""

from dataclasses import dataclass

from models.db.connection import reading
from models.log import Log, LogCheckpoint
from services.shared.clock import Millis


@dataclass(frozen=True)
class LogStatus:
    """A log as the database has it."""

    origin: str
    size: int
    """In entries."""
    checkpoint: str
    """The newest one, a signed note."""
    signed_at: Millis | None
    """None before the first start of a server."""


@reading()
def status(name: str) -> LogStatus:
    """The status of the log with this name."""
    log: Log = Log.get_by_id(name)
    newest = LogCheckpoint.log == name, LogCheckpoint.size == log.size
    signed_at = LogCheckpoint.select(LogCheckpoint.signed_at_ms).where(*newest).scalar()
    return LogStatus(log.origin, log.size, log.checkpoint, signed_at or None)
