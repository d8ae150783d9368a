"""What ``flask check`` says about the witnesses, from what they said last. It asks none of them."""

from collections.abc import Iterator

from models import witnesses as table
from models.db.connection import reading
from models.witnesses import WitnessState
from services.log.sequencer import stored_log
from services.shared.clock import MINUTE_MS, Millis, iso_time
from services.witnesses.keys import WitnessKey
from settings import Settings

CLOCK_MS = MINUTE_MS
"""How far the clock of a witness may be from the server's."""


@reading()
def warnings(settings: Settings) -> list[str]:
    """Witnesses that give no cosignatures, have a wrong clock, or are the house's own."""
    keys = [WitnessKey.parse(key) for key, _ in settings.log_witnesses]
    origin, states = stored_log().origin, table.states([key.text for key in keys])
    quorum = settings.quorum_of_witnesses
    found = [line for key in keys for line in _about(key, states.get(key.text), origin)]
    failing = sum(1 for state in states.values() if state.problem)
    if len(keys) - failing < quorum:
        found.append(f"{len(keys) - failing} of {len(keys)} witnesses work, and LOG_QUORUM is {quorum}")
    return found


def _about(key: WitnessKey, state: WitnessState | None, origin: str) -> Iterator[str]:
    host = origin.partition("/")[0]
    if key.name.partition("/")[0] == host:
        yield f"LOG_WITNESSES: {key.name} has the name of this house, whose own witness proves nothing"
    if state is None:
        yield f"the witness {key.name} has not been asked yet"
    elif state.problem:
        since = iso_time(Millis(state.problem_since_ms or 0))
        yield f"the witness {key.name} has given no cosignature since {since}: {state.problem}"
    elif state.clock_ahead_ms is not None and abs(state.clock_ahead_ms) > CLOCK_MS:
        side = "ahead of" if state.clock_ahead_ms > 0 else "behind"
        yield f"the clock of the witness {key.name} is {abs(state.clock_ahead_ms) // 1_000} s {side} this one"
