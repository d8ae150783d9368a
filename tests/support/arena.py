"""Battles at the times of a test's clock: created, joined, locked and ended as the server's tasks do it."""

from typing import Any

from flask import Flask
from peewee import fn

from models.battles import Battle, BattleSeat
from models.db.connection import reading
from models.ledger import LedgerEntry
from models.users import User
from services.battles import queries
from services.battles.queries import ShownBattle
from services.battles.requests import NewBattle, SeatRequest
from services.ledger.posting import Account
from tests.harness.players import Player, import_case, import_prices
from tests.harness.spins import Clock

BOX = "Box"
BOX_COINS = 4
"""What opening it costs: 95 % of it is 0.775 * 2 + 0.225 * 10."""


class Arena:
    """Battles of an app in one case. ``clock`` is that of the app; the network is the demonstration's."""

    def __init__(self, app: Flask, clock: Clock) -> None:
        self.services = app.extensions["services"]
        self.clock = clock
        import_prices({"Item of 2": 2, "Item of 10": 10}, now=clock())
        self.import_box()
        self.services.beacons.want()
        self.poll()

    def import_box(self, chance: float = 22.5) -> None:
        """The case, with this chance of its dear item in percent."""
        import_case(BOX, {"Item of 2": 100 - chance, "Item of 10": chance}, now=self.clock())

    def poll(self) -> None:
        """Ask for the newest beacon."""
        self.services.beacons.ask_all()

    # -- what players do ----------------------------------------------------------------------------------

    def create(self, player: Player, *, times: int = 1, **request: Any) -> ShownBattle:
        """Create a battle in which each seat opens the case so often. ``request`` changes the request."""
        asked = {
            "cases": [{"case": "box", "count": times}],
            "mode": "normal",
            "teams": "1v1",
            "price": BOX_COINS * times,
        }
        created: ShownBattle = self.services.battles.create(NewBattle(user_id=player.id, **asked | request))
        return created

    def join(self, battle: ShownBattle, player: Player, seat: Any = 1, **request: Any) -> ShownBattle:
        asked = {"battle": battle.public_id, "seat": seat, "price": battle.cost_cents / 100}
        joined: ShownBattle = self.services.battles.join(SeatRequest(user_id=player.id, **asked | request))
        return joined

    def leave(self, battle: ShownBattle, player: Player) -> ShownBattle:
        left: ShownBattle = self.services.battles.leave(public_id=battle.public_id, user_id=player.id)
        return left

    def call_bot(self, battle: ShownBattle, player: Player, seat: Any = 1) -> ShownBattle:
        called: ShownBattle = self.services.battles.call_bot(
            public_id=battle.public_id, user_id=player.id, seat=seat
        )
        return called

    def locked(self, *players: Player | None, **request: Any) -> ShownBattle:
        """A locked battle of these players, None for a bot. The first one creates it."""
        creator, *others = players
        teams = "v".join("1" * len(players))
        battle = self.create(creator, **{"teams": teams} | request)
        for seat, player in enumerate(others, start=1):
            if player is None:
                battle = self.call_bot(battle, creator, seat)
            else:
                battle = self.join(battle, player, seat)
        return battle

    # -- what the server's tasks do -----------------------------------------------------------------------

    def append(self) -> None:
        """Append what waits to the log, and decide about locks."""
        self.services.log.append_waiting()
        self.services.log.decide_locks()

    def pass_round(self, battle: ShownBattle) -> None:
        """Let the time of a locked battle's round come, and its beacon arrive."""
        self.clock.now = self.services.beacons.chain.time_ms(battle.round)
        self.poll()

    def end(self, battle: ShownBattle) -> ShownBattle:
        """Log a locked battle in time, and end it."""
        self.append()
        self.pass_round(battle)
        return self.end_due(battle)

    def end_due(self, battle: ShownBattle) -> ShownBattle:
        """Do what is due about locked battles; returns this one."""
        self.services.beacons.look_up()
        self.services.battle_upkeep.end_due()
        return self.now(battle)

    def cancel_due(self, battle: ShownBattle) -> ShownBattle:
        """Do what is due about open battles; returns this one."""
        self.services.case_openings.forget_cached()
        self.services.beacons.look_up()
        self.services.battle_upkeep.cancel_due()
        return self.now(battle)

    # -- what is stored -----------------------------------------------------------------------------------

    def now(self, battle: ShownBattle) -> ShownBattle:
        return queries.get(battle.public_id)


@reading()
def cents(player: Player) -> int:
    """The balance of a player."""
    found: int = User.select(User.balance_cents).where(User.id == player.id).scalar()
    return found


@reading()
def held_cents(player: Player) -> int:
    """What the player's seats in open and locked battles cost."""
    found: int = User.select(User.battle_seats_cents).where(User.id == player.id).scalar()
    return found


@reading()
def escrow_cents() -> int:
    """What the ledger has in the account of the seats."""
    total: Any = LedgerEntry.select(fn.COALESCE(fn.SUM(LedgerEntry.amount_cents), 0))
    return int(total.where(LedgerEntry.account == Account.HOUSE_BATTLES).scalar())


@reading()
def stored_rows() -> tuple[int, ...]:
    """How many battles, seats and entries of the ledger there are."""
    return Battle.select().count(), BattleSeat.select().count(), LedgerEntry.select().count()
