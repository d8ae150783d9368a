"""What is due about battles, whoever has left it undone: cancels, refunds and ends."""

from collections import deque
from collections.abc import Callable, Hashable
from typing import Any

from models.battles import Battle, BattleSnapshot, State, VoidReason
from models.db.connection import reading, writing
from services.battles import queries
from services.battles.ending import Ending
from services.battles.service import OPEN_MS, Battles
from services.beacon.beacons import Beacons
from services.cases import version
from services.shared.clock import DAY_MS, Millis

BEACON_GIVEN_UP_MS = DAY_MS
"""How long after its time a round is waited for."""

CONTENTS_KEPT_MS = 2 * OPEN_MS
"""How long the contents of a battle are kept from its creation, unless it is locked."""


class Upkeep:
    """Ends and cancels battles. Every process does it, and of two the first one."""

    def __init__(
        self, battles: Battles, ending: Ending, *, beacons: Beacons, clock: Callable[[], Millis]
    ) -> None:
        self._battles = battles
        self._ending = ending
        self._beacons = beacons
        self._clock = clock
        # The open battles whose cases were offered at the last look, each with the version of the cases.
        self._offered: set[tuple[int, Hashable]] = set()
        self._decided: deque[int] = deque()

    def lock_decided(self, battle_id: int) -> None:
        """Have ``end_due`` tell everybody that the log has the lock of a battle. Does not block."""
        self._decided.append(battle_id)

    def end_due(self) -> None:
        """End the locked battles that can be ended."""
        while self._decided:
            self._battles.changed(self._decided.popleft())
        if not self._beacons.is_wanted():
            return
        row = Battle
        with reading():
            columns = (row.id, row.round, row.is_lock_in_time, row.is_restored)
            locked: Any = row.select(*columns).where(row.state == State.LOCKED)
            found = list(locked.order_by(row.id).tuples())
        for battle_id, round_, is_lock_in_time, is_restored in found:
            if is_restored:
                self._ending.void(battle_id, VoidReason.RESTORE)
            else:
                self._end(battle_id, round_, is_lock_in_time=is_lock_in_time)

    def _end(self, battle_id: int, round_: int, *, is_lock_in_time: bool | None) -> None:
        if is_lock_in_time is None:
            return
        if not is_lock_in_time:
            self._ending.void(battle_id, VoidReason.LATE)
        elif beacon := self._beacons.of_round(round_):
            self._ending.settle(battle_id, beacon)
        elif self.is_given_up(round_):
            self._ending.void(battle_id, VoidReason.BEACON)

    def is_given_up(self, round_: int) -> bool:
        """Whether a round is late by a day, although a relay answers: it has no newer round either."""
        newest = self._beacons.newest_answering()
        is_late = self._clock() >= self._beacons.chain.time_ms(round_) + BEACON_GIVEN_UP_MS
        return is_late and newest is not None and newest < round_

    def cancel_due(self) -> None:
        """Cancel open battles that must not begin any more, and take back seats."""
        if not self._beacons.is_wanted():
            return
        row = Battle
        # The version is read before the cases, which are at least as new.
        with reading():
            version_now = version.current()
            open_: Any = row.select(row.id, row.created_at_ms, row.is_restored).where(row.state == State.OPEN)
            found = list(open_.order_by(row.id).tuples())
        overdue = self._clock() - OPEN_MS
        unchecked = {battle_id for battle_id, *_ in found if (battle_id, version_now) not in self._offered}
        offered = {battle.id for battle in queries.by_ids(unchecked) if self._battles.is_offered(battle)}
        for battle_id, created_at_ms, is_restored in found:
            if is_restored or created_at_ms <= overdue or battle_id in unchecked - offered:
                self._battles.cancel(battle_id)
        self._offered = {(battle_id, version_now) for battle_id, *_ in found}
        self._battles.take_back()

    def forget_contents(self) -> None:
        """Delete the contents of cases that no open battle has."""
        with writing():
            is_old = BattleSnapshot.used_at_ms < self._clock() - CONTENTS_KEPT_MS
            BattleSnapshot.delete().where(is_old).execute()
