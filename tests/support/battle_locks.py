"""Locked battles and their deadlines, for tests of the log."""

from typing import Any

from models.battles import Battle, State
from models.db.connection import writing
from models.log import WaitingEntry
from services.battles import queries
from services.log.battle_locks import LEAD_MS
from tests.support.played_battles import PlayedBattles


class LockedBattles:
    """Locks battles of one player against a bot, by an app with this clock."""

    def __init__(self, app: Any, player: Any, clock: Any) -> None:
        self.services = app.extensions["services"]
        self.played = PlayedBattles(app)
        self._player = player
        self._clock = clock

    def open(self) -> Any:
        """A battle with one seat left."""
        return queries.get(self.played.create(self._player))

    def lock(self) -> Any:
        """A battle whose lock waits for the log."""
        battle = self.played.call_bots(self.open().public_id)
        assert battle.state == State.LOCKED
        return battle

    def deadline(self, battle: Any) -> int:
        """When its lock must be in a signed checkpoint."""
        return self.time(battle) - LEAD_MS

    def time(self, battle: Any) -> int:
        """When its round is published."""
        return self.services.beacons.chain.time_ms(battle.round)

    def end(self, battle: Any, services: Any = None) -> Any:
        """Let a server do what is due after the round of a battle is published; the battle."""
        services = services or self.services
        if battle.round is not None:
            self._clock.now = max(self._clock.now, self.time(battle))
        services.log.decide_locks()
        services.log.append_waiting()
        services.beacons.look_up()
        if battle.round is not None:
            services.beacons.ask(services.beacons.relays[0], battle.round)
        services.battle_upkeep.end_due()
        services.battle_upkeep.cancel_due()
        services.log.append_waiting()
        return queries.get(battle.public_id)


def now(battle: Any) -> Any:
    """The battle as it is stored now."""
    return queries.get(battle.public_id)


def let_lock_wait(battle: Any) -> None:
    """Let the lock of a battle wait for the log, as in a backup from before it was appended."""
    with writing():
        columns = {Battle.lock_index: None, Battle.is_lock_in_time: None}
        Battle.update(columns).where(Battle.id == battle.id).execute()
        WaitingEntry.insert(entry=battle.lock_entry_id).execute()
