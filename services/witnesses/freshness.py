"""How far the witnesses have come, as the database has it."""

from dataclasses import dataclass

from models import witnesses as table
from models.db.connection import reading
from services.log.notes import MAX_SIZE
from services.log.sequencer import stored_log
from services.shared.clock import MINUTE_MS, Millis
from services.witnesses.keys import WitnessKey
from settings import Settings

LATE_MS = 2 * MINUTE_MS
"""How long the newest checkpoint may wait to be witnessed."""


@dataclass(frozen=True, kw_only=True)
class Freshness:
    """The newest witnessed checkpoint, and whether entries wait for the next one."""

    size: int | None
    """None while there is none."""
    witnessed_at: Millis | None
    """By the clock of the server."""
    waits_ms: int
    """For how long entries have waited to be witnessed; 0 if there are none after that checkpoint."""


@reading()
def freshness(*, now: Millis) -> Freshness:
    """How far the witnesses have come. A log without new entries is never late."""
    newest = table.newest_witnessed(stored_log().origin, up_to=MAX_SIZE)
    since = table.unwitnessed_since(newest.size if newest else 0)
    return Freshness(
        size=newest.size if newest else None,
        witnessed_at=Millis(newest.witnessed_at_ms or 0) if newest else None,
        waits_ms=0 if since is None else max(now - since, 0),
    )


@reading()
def problem(settings: Settings, *, now: Millis) -> str | None:
    """What is wrong while entries have waited to be witnessed for minutes; None otherwise."""
    if not settings.log_witnesses or (found := freshness(now=now)).waits_ms <= LATE_MS:
        return None
    states = table.states([key for key, _ in settings.log_witnesses])
    causes = [
        f"{WitnessKey.parse(key).name}: {state.problem}" for key, state in states.items() if state.problem
    ]
    causes = causes or ["no process submits checkpoints"]
    late = f"entries have waited for {found.waits_ms // 1_000} s to be witnessed"
    if found.size is None:
        # Of a successor the older entries count as well, so the time would say nothing.
        late = "no checkpoint of this log has been witnessed yet"
    return f"{late}: {'; '.join(causes)}"
