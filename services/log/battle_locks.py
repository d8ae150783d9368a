"""Decides whether the lock of a battle was signed in time: before anybody could know the round of its beacon.

The *deadline* of a lock is two seconds before its round is published. A lock is in time if it is in the
checkpoint of a machine's file before that, and in the database. The battle is then settled, whatever happens
afterwards; otherwise it becomes void. The first decision is stored and stays.

| when | in time | late |
|---|---|---|
| right before a checkpoint is written into the file | those in the file | others after their deadline |
| right after that | those in the file, before their deadline | all after their deadline |
| several times a second, and before a signature | as before a write | as before a write |

So a lock that is in the file without a decision came there before its deadline, whichever process was killed.
A lock is late as well if the beacon came before the deadline: the clock of this server is wrong then.
"""

import logging
from collections.abc import Callable, Sequence

from models import battle_locks
from models.battle_locks import Undecided
from services.shared.clock import Millis
from services.shared.errors import Unavailable

log = logging.getLogger("platform.log")

LEAD_MS = 2_000
"""From the deadline of a lock to the time of its round."""
EARLIEST_MS = 6_000
"""From a lock to the time of its round, at least."""


class BattleLocks:
    """Decides about locks. All of it is for processes that hold the lock of the machine's file."""

    def __init__(self, *, time_of_round: Callable[[int], int], clock: Callable[[], Millis]) -> None:
        """``time_of_round`` tells when a round is published, in Unix ms.

        It must not wait, and raises Unavailable while that is not known.
        """
        self._time_of_round = time_of_round
        self._clock = clock
        self.on_decided: list[Callable[[int, bool], None]] = []
        """Called with the internal id of a battle, and whether its lock was in time, after the commit. They
        must not block: the file is locked."""

    def before_write(self, size: int, *, with_waiting: bool = True) -> None:
        """Decide what can be decided with a file whose checkpoint has this size.

        ``with_waiting`` is False when a restore has lost the locks that wait for the log.
        """
        undecided = battle_locks.undecided()
        self._decide([battle for battle in undecided if _is_in(battle, size)], are_in_time=True)
        others = [battle for battle in undecided if with_waiting or battle.lock_index is not None]
        self._decide([battle for battle in others if self._is_late(battle)], are_in_time=False)

    def after_write(self, size: int) -> None:
        """Decide about those that have come into the file, whose checkpoint has this size now."""
        undecided = battle_locks.undecided()
        self._decide([battle for battle in undecided if self._is_late(battle)], are_in_time=False)
        self._decide([battle for battle in undecided if _is_in(battle, size)], are_in_time=True)

    def _decide(self, battles: Sequence[Undecided], *, are_in_time: bool) -> None:
        """Decide alike about these battles. What was decided before stays."""
        if are_in_time:
            early = [battle for battle in battles if self._is_beacon_early(battle)]
            self._decide(early, are_in_time=False)
        if not battles:
            return
        for battle_id in battle_locks.decide(
            [battle.battle_id for battle in battles], is_in_time=are_in_time
        ):
            if not are_in_time:
                log.error("the lock of battle %d was not signed in time", battle_id)
            for tell in self.on_decided:
                tell(battle_id, are_in_time)

    def _is_beacon_early(self, battle: Undecided) -> bool:
        return battle.arrived_at_ms is not None and battle.arrived_at_ms < self._deadline(battle)

    def _is_late(self, battle: Undecided) -> bool:
        return self._clock() >= self._deadline(battle)

    def _deadline(self, battle: Undecided) -> int:
        try:
            time_ms = self._time_of_round(battle.round)
        except Unavailable:
            # No relay has described the network yet. The log does not wait for that.
            time_ms = battle.locked_at_ms + EARLIEST_MS
        return time_ms - LEAD_MS


def _is_in(battle: Undecided, size: int) -> bool:
    return battle.lock_index is not None and battle.lock_index < size
