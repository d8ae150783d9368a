"""Battles of demo players: three that wait for whoever tries the demo, and one that has ended.

An open battle is cancelled after an hour, so a server of the demo creates them anew.
"""

from collections.abc import Mapping
from contextlib import suppress
from decimal import Decimal
from types import MappingProxyType
from typing import Any, NamedTuple

from peewee import fn

from models.battles import Battle, State
from models.db.connection import reading
from models.users import User
from services.battles import offers, queries
from services.battles.queries import ShownBattle
from services.battles.requests import NewBattle, SeatRequest
from services.container import Services
from services.demo.seed import FIRST_PLATFORM_ID_OF_BETS
from services.shared.errors import Refusal


class DemoBattle(NamedTuple):
    """What a battle is to be. Players are demo players by their numbers, from 0."""

    creator: int
    """Of one battle each, by whom it is recognised."""
    teams: str
    cases: Mapping[str, int]
    """How often a seat opens each case, by its id."""
    bots: tuple[int, ...]
    """The seats of bots."""
    mode: str = "normal"
    is_crazy: bool = False
    players: Mapping[int, int] = MappingProxyType({})
    """The other players, by their seats."""


WAITING = (
    DemoBattle(0, "1v1", {"pocket-lint": 1}, bots=()),
    DemoBattle(1, "1v1v1", {"allotment-saturday": 2, "pocket-lint": 1}, bots=(1,), mode="jackpot"),
    DemoBattle(
        2, "2v2", {"harbour-market": 1, "allotment-saturday": 1}, bots=(1,), is_crazy=True, players={2: 3}
    ),
)
ENDED = DemoBattle(4, "1v1v1v1", {"pocket-lint": 1, "harbour-market": 2}, bots=(1, 2, 3))


class DemoBattles:
    """Keeps the battles of the demo. Several servers may do it: a request id is used once."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def keep(self) -> None:
        """Create and fill what is missing. Does nothing in a database without the demo players."""
        users = _demo_players()
        if not users:
            return
        wanted = WAITING if _is_one_begun() else (*WAITING, ENDED)
        for battle in wanted:
            # An operator may have changed a case or suspended a player, or the beacon is late.
            with suppress(Refusal):
                self._fill(battle, users)

    def _fill(self, wanted: DemoBattle, users: Mapping[int, User]) -> None:
        battle = _open_battle(users[wanted.creator]) or self._create(wanted, users[wanted.creator])
        free = {seat.seat for seat in battle.seats if seat.client_seed is None}
        for seat, number in wanted.players.items():
            if seat in free:
                self._join(battle, seat, users[number])
        for seat in wanted.bots:
            if seat in free:
                self._services.battles.call_bot(
                    public_id=battle.public_id, user_id=battle.creator_id, seat=seat
                )

    def _create(self, wanted: DemoBattle, user: User) -> ShownBattle:
        services = self._services
        cost = offers.cost_of(offers.read(services.case_openings, wanted.cases.items()))
        request = NewBattle(
            user_id=user.id,
            token_number=user.token_number,
            cases=[{"case": case, "count": count} for case, count in wanted.cases.items()],
            mode=wanted.mode,
            teams=wanted.teams,
            crazy=wanted.is_crazy,
            price=Decimal(cost) / 100,
            request_id=f"demo-{_newest_battle(user)}",
        )
        return services.battles.create(request)

    def _join(self, battle: ShownBattle, seat: int, user: User) -> None:
        request = SeatRequest(
            user_id=user.id,
            token_number=user.token_number,
            battle=battle.public_id,
            seat=seat,
            price=Decimal(battle.cost_cents) / 100,
            request_id=f"demo-{battle.public_id}",
        )
        self._services.battles.join(request)


@reading()
def _demo_players() -> dict[int, User]:
    """Those of ``play_bets`` in services/demo/seed.py, by their numbers."""
    most = max(
        number for battle in (*WAITING, ENDED) for number in (battle.creator, *battle.players.values())
    )
    platform_ids = {str(FIRST_PLATFORM_ID_OF_BETS + number): number for number in range(most + 1)}
    found = {
        platform_ids[user.platform_id]: user
        for user in User.select().where(User.platform_id.in_(list(platform_ids)))
    }
    return found if len(found) == len(platform_ids) else {}


@reading()
def _is_one_begun() -> bool:
    """Whether a battle runs or is settled."""
    return bool(Battle.select().where(Battle.state.in_([State.LOCKED, State.SETTLED])).exists())


@reading()
def _open_battle(creator: User) -> ShownBattle | None:
    row: Any = Battle.get_or_none(Battle.creator == creator.id, Battle.state == State.OPEN)
    return None if row is None else queries.get(row.public_id)


@reading()
def _newest_battle(creator: User) -> int:
    """The id of the player's newest battle, or 0."""
    query: Any = Battle.select(fn.MAX(Battle.id)).where(Battle.creator == creator.id)
    return query.scalar() or 0
