"""Reads of battles, as players see them."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple

from cachetools import LRUCache, cached
from peewee import fn

from models.battles import Battle, BattleCase, BattleSeat, BattleSnapshot, State
from models.cases import Case, Snapshot
from models.db.connection import reading, repeatable_read
from models.items import Item
from models.users import User
from services.battles.outcomes import Outcome
from services.battles.refusals import BattleNotFound
from services.battles.rules import TEAMS, Rules
from services.bets import snapshots
from services.bets.snapshots import Content
from services.shared.locks import BuildCondition
from services.shared.money import Cents
from services.shared.pagination import Page, Place, rows_of_page

FIRST_CASES = 3
"""How many cases the short form shows."""

MOST_NEWER = 1_000

CONTENTS_REMEMBERED = 1_000


class DrawnItem(NamedTuple):
    """What a seat drew in a case."""

    item: str
    price_cents: int
    ticket: int


class ShownCase(NamedTuple):
    """A case of a battle, once for each time that a seat opens it."""

    slug: str
    name: str
    price_cents: int
    snapshot_hash: str
    image: str
    """That of its dearest item if it has none, as in models/items.py."""


class ShownPlayer(NamedTuple):
    """The player in a seat."""

    username: str
    avatar: str


@dataclass(frozen=True, kw_only=True)
class ShownSeat:
    """A seat of a battle, which may be free."""

    seat: int
    team: int
    is_bot: bool
    player: ShownPlayer | None
    client_seed: str | None
    user_id: int | None = None


class ShownBattle:
    """A battle with its cases and seats."""

    def __init__(
        self, row: Any, cases: Sequence[BattleCase], taken: Sequence[Any], images: Mapping[str, str]
    ) -> None:
        """``taken`` are the taken seats, with their players. ``images`` go by the hashes of snapshots."""
        self.row = row
        self.held = cases
        self._images = images
        self._taken = {seat.seat: seat for seat in taken}

    def __getattr__(self, name: str) -> Any:
        # The columns of the battle.
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.row, name)

    @property
    def rules(self) -> Rules:
        row = self.row
        return Rules(mode=row.mode, teams=row.teams, crazy=row.is_crazy, terminal=row.is_terminal)

    @property
    def cases(self) -> list[ShownCase]:
        """The cases in the order in which they are opened."""
        return [
            ShownCase(
                case.slug, case.name, case.price_cents, case.snapshot_hash, self._images[case.snapshot_hash]
            )
            for case in self.held
            for _ in range(case.count)
        ]

    @property
    def case_count(self) -> int:
        return sum(case.count for case in self.held)

    @property
    def first_cases(self) -> list[ShownCase]:
        return self.cases[:FIRST_CASES]

    @property
    def seats_taken(self) -> int:
        return len(self._taken)

    @cached_property
    def seats(self) -> list[ShownSeat]:
        """All seats, in their order."""
        return [self._seat(seat, team) for seat, team in enumerate(self.rules.team_of_seats)]

    def _seat(self, seat: int, team: int) -> ShownSeat:
        taken = self._taken.get(seat)
        if taken is None:
            return ShownSeat(seat=seat, team=team, is_bot=False, player=None, client_seed=None)
        user_id = taken.user_id
        player = None if user_id is None else ShownPlayer(taken.user.shown_name, taken.user.shown_avatar)
        return ShownSeat(
            seat=seat,
            team=team,
            is_bot=user_id is None,
            player=player,
            client_seed=taken.client_seed,
            user_id=user_id,
        )

    @property
    def players(self) -> list[int]:
        """The internal ids of the players in the seats."""
        return [seat.user_id for seat in self.seats if seat.user_id is not None]

    def seat_of(self, user_id: int) -> ShownSeat | None:
        """The player's seat, if the player has one."""
        return next((seat for seat in self.seats if seat.user_id == user_id), None)

    @cached_property
    def outcome(self) -> Outcome | None:
        """Of a settled battle."""
        return None if self.row.outcome is None else Outcome.from_json(self.row.outcome)

    @property
    def values_cents(self) -> list[int]:
        """Of each team of a settled battle."""
        return self._decided.values

    @property
    def tie(self) -> list[int] | None:
        """The teams of a settled battle with the same best value; None if there was one alone."""
        return self._decided.tie

    @property
    def winners(self) -> list[int]:
        """The teams that won a settled battle."""
        return self._decided.winners

    @property
    def payouts_cents(self) -> list[int]:
        """Of each seat of a settled battle."""
        return self._decided.payouts_cents

    @property
    def _decided(self) -> Outcome:
        if self.outcome is None:
            raise ValueError("the battle is not settled")
        return self.outcome

    @property
    def drawn(self) -> list[list[DrawnItem]]:
        """What each seat of a settled battle drew."""
        outcome, contents = self._decided, contents_of(self.held)
        return [
            [
                DrawnItem(content.items[place].name, content.items[place].price_cents, ticket)
                for content, place, ticket in zip(contents, places, tickets, strict=True)
            ]
            for places, tickets in zip(outcome.places, outcome.tickets, strict=True)
        ]


class ListedState(StrEnum):
    """Which battles a list has."""

    OPEN = "open"
    RUNNING = "running"
    FINISHED = "finished"


STATES = {
    ListedState.OPEN: [State.OPEN],
    ListedState.RUNNING: [State.LOCKED],
    ListedState.FINISHED: [State.SETTLED, State.VOID],
}


@reading()
def get(public_id: str) -> ShownBattle:
    """The battle with this public id. Raises BattleNotFound."""
    row = Battle.get_or_none(Battle.public_id == public_id)
    if row is None:
        raise BattleNotFound
    return _shown([row])[0]


@reading()
def by_ids(battle_ids: Iterable[int]) -> list[ShownBattle]:
    """The battles with these internal ids, in the order of the ids; without those that are gone."""
    return _shown(list(Battle.select().where(Battle.id.in_(list(battle_ids))).order_by(Battle.id)))


@reading()
def versions(battle_ids: Iterable[int]) -> dict[int, int]:
    """The versions of the battles with these internal ids, by their ids."""
    query: Any = Battle.select(Battle.id, Battle.version).where(Battle.id.in_(list(battle_ids)))
    return dict(query.tuples())


@reading()
def newer_than(battle_id: int) -> list[int]:
    """The public battles under way that were created after this one."""
    is_public = Battle.state.in_([State.OPEN, State.LOCKED]) & ~Battle.is_private
    query: Any = Battle.select(Battle.id).where(is_public, Battle.id > battle_id).order_by(Battle.id)
    return list(query.limit(MOST_NEWER).scalars())


@reading()
def players_of(battle_ids: Iterable[int]) -> list[int]:
    """The players who have or had seats of these battles."""
    is_of_player = BattleSeat.battle.in_(list(battle_ids)) & BattleSeat.user.is_null(False)
    query: Any = BattleSeat.select(BattleSeat.user).where(is_of_player).distinct()
    return list(query.scalars())


def listed(
    *,
    state: ListedState,
    place: Place,
    mode: str | None = None,
    least: Cents | None = None,
    most: Cents | None = None,
) -> Page[ShownBattle]:
    """One page of the public battles in this state, newest first.

    With ``mode``, those of this mode; a seat costs from ``least`` to ``most``.
    """
    with repeatable_read(within_limit=True):
        query = Battle.select().where(~Battle.is_private, Battle.state.in_(STATES[state]))
        if mode is not None:
            query = query.where(Battle.mode == mode)
        if least is not None:
            query = query.where(Battle.cost_cents >= least)
        if most is not None:
            query = query.where(Battle.cost_cents <= most)
        total = query.count()
        rows = rows_of_page(query, order=(Battle.id.desc(),), place=place, total=total)
        return Page(_shown(rows), total)


class BotStatistics(NamedTuple):
    """Bots' seats in settled battles, how many of them were among the winners, and what chance predicts."""

    seats: int
    wins: int
    expected: float


@reading()
def bot_statistics() -> BotStatistics:
    """How bots did, in all settled battles but shared ones, in which everybody wins."""
    query: Any = Battle.select(Battle.teams, fn.SUM(Battle.bot_seats), fn.SUM(Battle.bot_wins)).where(
        Battle.bot_seats > 0, Battle.mode != "shared"
    )
    of_teams = [
        (len(TEAMS[teams]), int(seats), int(wins))
        for teams, seats, wins in query.group_by(Battle.teams).tuples()
    ]
    return BotStatistics(
        seats=sum(seats for _, seats, _ in of_teams),
        wins=sum(wins for *_, wins in of_teams),
        expected=sum(seats / number for number, seats, _ in of_teams),
    )


def contents_of(cases: Iterable[BattleCase]) -> list[Content]:
    """The contents of these cases, once for each time that a seat opens them."""
    return [content for case in cases for content in [content_of(case.snapshot_hash)] * case.count]


@cached(LRUCache(CONTENTS_REMEMBERED), condition=BuildCondition())
def content_of(hash_: str) -> Content:
    """The content of a case of a battle, by the hash of its snapshot. Raises SnapshotNotFound."""
    snapshot_id = snapshots.id_of(hash_)
    with reading():
        for table in (Snapshot, BattleSnapshot):
            query: Any = table.select(table.content).where(table.id == snapshot_id, table.hash == hash_)
            text = query.scalar()
            if text is not None:
                return snapshots.parse(text)
    raise snapshots.SnapshotNotFound


def _shown(rows: Sequence[Any]) -> list[ShownBattle]:
    ids = [row.id for row in rows]
    cases = BattleCase.select().where(BattleCase.battle.in_(ids)).order_by(BattleCase.position)
    seats = (
        BattleSeat.select(BattleSeat, User.id, User.username, User.avatar, User.is_anonymous)
        .join(User, "LEFT JOIN")
        .where(BattleSeat.battle.in_(ids), BattleSeat.left_at_ms.is_null())
    )
    images = _images({case.snapshot_hash: case.case_id for case in cases})
    cases_of, seats_of = _by_battle(cases), _by_battle(seats)
    return [ShownBattle(row, cases_of.get(row.id, []), seats_of.get(row.id, []), images) for row in rows]


def _images(cases: Mapping[str, int]) -> dict[str, str]:
    """The pictures of cases by the hashes of their snapshots; without one, that of the dearest item."""
    of_cases: Any = Case.select(Case.id, Case.image).where(Case.id.in_(list(cases.values())))
    own = dict(of_cases.tuples())
    dearest = {hash_: _dearest_item(hash_) for hash_, case_id in cases.items() if not own.get(case_id)}
    query: Any = Item.select(Item.market_hash_name, Item.image)
    of_items = dict(query.where(Item.market_hash_name.in_(set(dearest.values()))).tuples())
    return {hash_: own.get(case_id) or of_items.get(dearest[hash_], "") for hash_, case_id in cases.items()}


def _dearest_item(snapshot_hash: str) -> str | None:
    """The name of the dearest item in a snapshot; None if the snapshot is gone with its cancelled battle."""
    with suppress(snapshots.SnapshotNotFound):
        return max(content_of(snapshot_hash).items, key=attrgetter("price_cents")).name
    return None


def _by_battle(rows: Iterable[Any]) -> dict[int, list[Any]]:
    by_battle = sorted(rows, key=attrgetter("battle_id"))
    return {battle_id: list(own) for battle_id, own in groupby(by_battle, key=attrgetter("battle_id"))}
