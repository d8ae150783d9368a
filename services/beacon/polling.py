"""When to ask a relay for which round, so that beacons arrive at once and no relay is asked in vain."""

from collections.abc import Callable

from services.beacon.beacons import Beacons, Outcome, RelayState
from services.shared.clock import Millis

IDLE_SECONDS = 1.0
"""Between two looks whether beacons are wanted."""
AT_ONCE_SECONDS = 0.0
PATIENT_SECONDS = 1.0
"""Between two questions, unless the answer is expected now."""
EAGER_SECONDS = 0.1
EAGER_MS = 1_000
"""So long after its time a round is expected now."""
LONGEST_SECONDS = 10.0
"""The longest pause after failures. It is 1 s after the first one, then twice as long after each."""

MOST_MISSED = 5
"""Missed rounds that are asked for before the next round."""
MISSED_PART = 60
"""A missed round is asked for again when it is older by this part, at least each minute."""
LONGEST_MISSED_MS = 60_000


class RelayPolling:
    """Polls one relay, in a task of its own: a slow relay delays no other."""

    def __init__(self, beacons: Beacons, relay: RelayState, *, clock: Callable[[], Millis]) -> None:
        self._beacons, self._relay, self._clock = beacons, relay, clock
        self._failures = 0
        self._asked_at: dict[int, int] = {}
        """When the relay was asked for a missed round."""

    def run(self) -> float:
        """Ask the relay what is to be asked now. Returns the seconds until the next call."""
        if self._beacons.is_chain_known and not self._beacons.is_wanted():
            return IDLE_SECONDS
        outcome = self._ask_for_missed()
        if outcome.is_answer:
            # After a failure the newest one: that answer is never held back.
            outcome = self._beacons.ask(self._relay, None if self._failures else self._next_round())
        self._failures = 0 if outcome.is_answer else self._failures + 1
        return self._pause(outcome)

    def _ask_for_missed(self) -> Outcome:
        """Ask for rounds that locked battles wait for, up to a failure. Returns the last outcome."""
        outcome, now = Outcome.NOT_YET, self._clock()
        missing = self._beacons.missing
        self._asked_at = {round_: at for round_, at in self._asked_at.items() if round_ in missing}
        for round_ in [each for each in sorted(missing) if self._is_due(each, now)][:MOST_MISSED]:
            if outcome.is_answer:
                self._asked_at[round_] = now
                outcome = self._beacons.ask(self._relay, round_)
        return outcome

    def _is_due(self, round_: int, now: int) -> bool:
        """Whether the round is overdue, and was last asked for long enough ago."""
        if not self._beacons.is_chain_known:
            return False
        chain, newest = self._beacons.chain, self._beacons.newest()
        is_missed = now >= chain.time_ms(round_ + 1) or (newest and newest.beacon.round > round_)
        age_ms = now - chain.time_ms(round_)
        pause_ms = max(PATIENT_SECONDS * 1_000, min(age_ms // MISSED_PART, LONGEST_MISSED_MS))
        return bool(is_missed) and now - self._asked_at.get(round_, 0) >= pause_ms

    def _next_round(self) -> int | None:
        """The round after the newest. None if that has been due for long, or the newest is unknown.

        A relay holds its answer about the next round back until it has it. So the answer comes as soon as
        possible, and by a slow clock before its time, which shows that the clock is wrong.
        """
        newest = self._beacons.newest()
        if newest is None:
            return None
        round_ = newest.beacon.round + 1
        return round_ if self._clock() < self._beacons.chain.time_ms(round_ + 1) else None

    def _pause(self, outcome: Outcome) -> float:
        if not outcome.is_answer:
            return min(2.0 ** (self._failures - 1), LONGEST_SECONDS)
        round_ = self._next_round()
        if round_ is None:
            return PATIENT_SECONDS
        if outcome is Outcome.VERIFIED:
            return AT_ONCE_SECONDS
        # The relay does not hold its answer back.
        due_in_ms = self._beacons.chain.time_ms(round_) - self._clock()
        if due_in_ms > 0:
            return min(due_in_ms / 1_000, PATIENT_SECONDS)
        return EAGER_SECONDS if due_in_ms > -EAGER_MS else PATIENT_SECONDS
