"""What is due about battles, whoever has left it undone: cancels, refunds and ends."""

from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from models.battles import Battle, BattleSnapshot, State, VoidReason
from models.db.connection import UNAVAILABLE, database, reading, writing
from services.battles import queries
from services.battles.ending import Ending, read_locked
from services.battles.service import OPEN_MS, Battles
from services.beacon.beacons import Beacons
from services.cases import version
from services.shared.background import in_slices
from services.shared.clock import DAY_MS, Millis

BEACON_GIVEN_UP_MS = DAY_MS
"""How long after its time a round is waited for."""

CONTENTS_KEPT_MS = 2 * OPEN_MS
"""How long the contents of a battle are kept from its creation, unless it is locked."""

ENDS_AT_ONCE = 4
"""With PostgreSQL, which works on one while this process prepares the next: a hundred take a quarter less."""


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
        if self._is_idle():
            return
        row = Battle
        with reading():
            columns = (row.id, row.round, row.is_lock_in_time, row.is_restored)
            locked: Any = row.select(*columns).where(row.state == State.LOCKED)
            found = list(locked.order_by(row.id).tuples())
        ends: list[Callable[[], object]] = []
        waiting: defaultdict[int, list[int]] = defaultdict(list)
        for battle_id, round_, is_lock_in_time, is_restored in found:
            if is_restored:
                ends.append(partial(self._ending.void, battle_id, VoidReason.RESTORE))
            elif is_lock_in_time:
                waiting[round_].append(battle_id)
            elif is_lock_in_time is not None:
                ends.append(partial(self._ending.void, battle_id, VoidReason.LATE))
        for round_, battle_ids in waiting.items():
            ends += self._ends_of(round_, battle_ids)
        _do_all(ends)

    def _ends_of(self, round_: int, battle_ids: Sequence[int]) -> list[Callable[[], object]]:
        """What ends these battles, whose locks were in time; nothing while their beacon may come."""
        if beacon := self._beacons.of_round(round_):
            return [partial(self._ending.settle_locked, each, beacon) for each in read_locked(battle_ids)]
        if self.is_given_up(round_):
            return [partial(self._ending.void, each, VoidReason.BEACON) for each in battle_ids]
        return []

    def is_given_up(self, round_: int) -> bool:
        """Whether a round is late by a day, although a relay answers: it has no newer round either."""
        newest = self._beacons.newest_answering()
        is_late = self._clock() >= self._beacons.chain.time_ms(round_) + BEACON_GIVEN_UP_MS
        return is_late and newest is not None and newest < round_

    def _is_idle(self) -> bool:
        """Whether the beacons, which look it up while they are on, know of no battle under way."""
        return self._beacons.is_on and not self._beacons.is_wanted()

    def cancel_due(self) -> None:
        """Cancel open battles that must not begin any more, and take back seats."""
        if self._is_idle():
            return
        row = Battle
        # The version is read before the cases, which are at least as new.
        with reading():
            version_now = version.current()
            open_: Any = row.select(row.id, row.created_at_ms, row.is_restored).where(row.state == State.OPEN)
            found = list(open_.order_by(row.id).tuples())
        # When battles are turned off, all are.
        overdue = self._clock() - (OPEN_MS if self._beacons.is_on else 0)
        unchecked = {battle_id for battle_id, *_ in found if (battle_id, version_now) not in self._offered}
        offered = {battle.id for battle in queries.by_ids(unchecked) if self._battles.is_offered(battle)}
        _do_all(
            [
                partial(self._battles.cancel, battle_id)
                for battle_id, created_at_ms, is_restored in found
                if is_restored or created_at_ms <= overdue or battle_id in unchecked - offered
            ]
        )
        self._offered = {(battle_id, version_now) for battle_id, *_ in found}
        self._battles.take_back()

    def forget_contents(self) -> None:
        """Delete the contents of cases that no open battle has."""
        with writing():
            is_old = BattleSnapshot.used_at_ms < self._clock() - CONTENTS_KEPT_MS
            BattleSnapshot.delete().where(is_old).execute()


def _do_all(ends: Sequence[Callable[[], object]]) -> None:
    """Call all of these, some at once. One that fails does not keep the others waiting.

    Raises the first error when all have been called. Without the database the others are left for later.
    """
    failures: list[Exception] = []

    def attempt(end: Callable[[], object]) -> None:
        if any(isinstance(failure, UNAVAILABLE) for failure in failures):
            return
        try:
            end()
        except Exception as failure:  # noqa: BLE001  # whatever is wrong with one battle
            failures.append(failure)

    if database.for_update and len(ends) > 1:
        with ThreadPoolExecutor(ENDS_AT_ONCE) as workers:
            list(workers.map(attempt, ends))
    else:
        # SQLite never waits, so that nothing else would run meanwhile.
        for end in in_slices(ends, 1):
            attempt(end)
    if failures:
        raise failures[0]
