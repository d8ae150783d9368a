"""Battles for tests of what follows them: created, locked and ended through the services of an app."""

from typing import Any

from flask import Flask

from models.battles import Battle, VoidReason
from models.db.connection import writing
from services.battles import queries
from services.battles.queries import ShownBattle
from services.battles.requests import NewBattle, SeatRequest
from services.beacon.relays import Beacon
from services.cases.kinds import case_id
from tests.harness.players import Player, import_case, import_prices

CASE = "Two ways"
DUST, CROWN = "Dust", "Crown"
COST = 105
"""What a seat costs in coins, with one case."""


class PlayedBattles:
    """Creates battles of a case with two items, and ends them."""

    def __init__(self, app: Flask) -> None:
        self._services = services = app.extensions["services"]
        now = services.clock()
        import_prices({DUST: 1, CROWN: 198.5}, now=now)
        import_case(CASE, {DUST: 50, CROWN: 50}, now=now)

    def create(self, player: Player, *, teams: str = "1v1", mode: str = "normal", **options: Any) -> str:
        """The public id of a new battle of this player, who has seat 0."""
        cases = [{"case": case_id(CASE), "count": 1}]
        request = NewBattle(user_id=player.id, cases=cases, mode=mode, teams=teams, price=COST, **options)
        return str(self._services.battles.create(request).public_id)

    def join(self, public_id: str, player: Player, seat: int = 1) -> None:
        self._services.beacons.ask_all()
        request = SeatRequest(user_id=player.id, battle=public_id, seat=seat, price=COST)
        self._services.battles.join(request)

    def call_bots(self, public_id: str) -> ShownBattle:
        """Give all free seats to bots, which locks the battle."""
        self._services.beacons.ask_all()
        battle = queries.get(public_id)
        for seat in battle.seats:
            if seat.client_seed is None:
                self._services.battles.call_bot(
                    public_id=public_id, user_id=battle.creator_id, seat=seat.seat
                )
        return queries.get(public_id)

    def learn_beacon(self, public_id: str) -> Beacon:
        """Ask the relay for the round of a locked battle, which is published by now."""
        beacons, round_ = self._services.beacons, queries.get(public_id).round
        beacons.ask(beacons.relays[0], round_)
        beacon = beacons.of_round(round_)
        assert beacon is not None
        return beacon

    def decide(self, public_id: str, *, is_in_time: bool) -> ShownBattle:
        """Say whether the lock of a battle is in a checkpoint, in the place of the log."""
        with writing():
            Battle.update(is_lock_in_time=is_in_time, lock_index=7).where(
                Battle.public_id == public_id
            ).execute()
        return queries.get(public_id)

    def settle(self, public_id: str) -> ShownBattle:
        """Settle a locked battle, whose round is published by now."""
        battle = self.decide(public_id, is_in_time=True)
        self._services.battle_ending.settle(battle.id, self.learn_beacon(public_id))
        return queries.get(public_id)

    def void(self, public_id: str, reason: VoidReason) -> ShownBattle:
        """Make a locked battle void."""
        battle = self.decide(public_id, is_in_time=reason is not VoidReason.LATE)
        with writing():
            is_restored = reason is VoidReason.RESTORE
            Battle.update(is_restored=is_restored).where(Battle.id == battle.id).execute()
        self._services.battle_ending.void(battle.id, reason)
        return queries.get(public_id)
