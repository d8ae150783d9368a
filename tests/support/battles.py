"""Battles of one case whose winner a test chooses. No beacon is asked for."""

import hashlib
from decimal import Decimal
from itertools import count
from typing import Any

from flask import Flask
from peewee import fn

from models.battles import Battle, BattleCase, VoidReason
from models.db.connection import reading, writing
from services.battles import queries
from services.battles.ending import draws_of
from services.battles.outcomes import outcome_of
from services.battles.requests import NewBattle, SeatRequest
from services.battles.rules import TEAMS, Rules
from services.beacon.relays import Beacon
from tests.harness.players import Player, import_case, import_prices

CASE = "chest"


class Battles:
    """Battles in the cases that this imports. A seat is a player's, or a bot's for None."""

    def __init__(self, app: Flask) -> None:
        self._app = app
        self._services = services = app.extensions["services"]
        now = services.clock()
        import_prices({"Dust": 1, "Crown": 40}, now=now)
        import_case("Chest", {"Dust": 90, "Crown": 10}, now=now)
        services.beacons.is_fresh = lambda _now: True

    def open(self, *seats: Player | None, times: int = 1, **options: Any) -> Battle:
        """A battle with these seats taken; the first is the creator's. It is locked if all are.

        ``times`` is how often a seat opens the case, and ``options`` are further fields of the request.
        """
        creator, *others = seats
        battles, cost = self._services.battles, self._cost(times)
        asked = {"mode": "normal", "teams": "1v1"} | options
        created = battles.create(
            NewBattle(
                user_id=creator.id,
                price=cost,
                cases=[{"case": CASE, "count": times}],
                client_seed="battle-0",
                **asked,
            )
        )
        for seat, player in enumerate(others, start=1):
            if player is None:
                battles.call_bot(public_id=created.public_id, user_id=creator.id, seat=seat)
            else:
                battles.join(
                    SeatRequest(
                        user_id=player.id,
                        battle=created.public_id,
                        seat=seat,
                        price=cost,
                        client_seed=f"battle-{seat}",
                    )
                )
        self._services.log.append_now()
        return self._read(created.id)

    def play(self, *seats: Player | None, wins: int = 0, **options: Any) -> Battle:
        """A settled battle that the team of the seat ``wins`` has won. See ``open``."""
        teams = options.setdefault("teams", "v".join("1" * len(seats)))
        assert len(seats) == sum(TEAMS[teams])
        battle = self.open(*seats, **options)
        return self.settle(battle, wins=wins)

    def settle(self, battle: Battle, *, wins: int = 0) -> Battle:
        """Settle a locked battle by a beacon with which the team of this seat wins."""
        self._decide(battle, is_in_time=True)
        with self._app.app_context():
            assert self._services.battle_ending.settle(battle.id, self._beacon(battle, wins))
        return self._read(battle.id)

    def void(self, battle: Battle) -> Battle:
        """Make a locked battle void, because its lock was late."""
        self._decide(battle, is_in_time=False)
        with self._app.app_context():
            assert self._services.battle_ending.void(battle.id, VoidReason.LATE)
        return self._read(battle.id)

    def _decide(self, battle: Battle, *, is_in_time: bool) -> None:
        decided = {
            Battle.is_lock_in_time: is_in_time,
            Battle.lock_index: fn.COALESCE(Battle.lock_index, 0),
        }
        with writing():
            Battle.update(decided).where(Battle.id == battle.id).execute()

    def _beacon(self, battle: Battle, wins: int) -> Beacon:
        rules = Rules(
            mode=battle.mode, teams=battle.teams, crazy=battle.is_crazy, terminal=battle.is_terminal
        )
        seed = self._services.seeds.encrypter.decrypt(battle.encrypted_server_seed)
        with reading():
            contents = queries.contents_of(BattleCase.select().where(BattleCase.battle == battle.id))
            for number in count():
                signature = hashlib.sha384(f"{battle.id} {number}".encode()).hexdigest()
                randomness = hashlib.sha256(bytes.fromhex(signature)).hexdigest()
                outcome = outcome_of(rules, contents, draws_of(battle, seed, randomness))
                if rules.team_of_seats[wins] in outcome.winners:
                    return Beacon(battle.round, signature, randomness)
        raise AssertionError

    def _cost(self, times: int) -> Decimal:
        content = self._services.case_openings.recent(CASE).available
        return Decimal(content.price_cents * times) / 100

    @reading()
    def _read(self, battle_id: int) -> Battle:
        return Battle.get_by_id(battle_id)
