"""What the pages about battles show: all battles, one of them, how they end, and a player's seats."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from peewee import fn

from models.battles import Battle, BattleSeat, State, VoidReason
from models.db.connection import reading
from models.log import LogEntry
from models.users import User
from services.battles import queries
from services.battles.outcomes import Outcome, outcome_of
from services.battles.queries import ShownBattle
from services.battles.rules import Draws
from services.log.tree import leaf_hash
from services.shared.clock import Millis
from services.shared.pagination import Place
from services.staff.payment_lists import Waiting
from services.staff.player_lists import Part, part_of

HELD_AFTER_MS = 9_000
"""After this time the round of a battle is published: it is the first one from six seconds after the lock
on, and there is one each three seconds."""

UNDER_WAY = (State.OPEN, State.LOCKED)

MOST_SEATS = 100
"""Of a player, on one page."""


class Which(StrEnum):
    """The battles of a list."""

    HELD = "held"
    """Locked, although their round should be there."""
    OPEN = "open"
    LOCKED = "locked"
    SETTLED = "settled"
    VOID = "void"
    CANCELLED = "cancelled"
    ALL = "all"


@reading()
def battles(*, which: Which, place: Place, now: Millis) -> Part:
    """A part of the battles, each a ShownBattle: the newest first, and of held ones the oldest."""
    query: Any = Battle.select(Battle.id)
    if which is Which.HELD:
        ordered = query.where(_is_held(now)).order_by(Battle.id)
    elif which is Which.ALL:
        ordered = query.order_by(Battle.id.desc())
    else:
        ordered = query.where(Battle.state == which.value).order_by(Battle.id.desc())
    part = part_of(ordered, place)
    ids = [row.id for row in part.rows]
    shown = {battle.id: battle for battle in queries.by_ids(ids)}
    return Part([shown[id_] for id_ in ids], part.has_next)


@reading()
def held(*, now: Millis) -> Waiting:
    """How many battles are held, and since when the oldest is locked."""
    query: Any = Battle.select(fn.COUNT(Battle.id), fn.MIN(Battle.locked_at_ms)).where(_is_held(now))
    return Waiting(*query.tuples().get())


def _is_held(now: Millis) -> Any:
    return (Battle.state == State.LOCKED) & (Battle.locked_at_ms < now - HELD_AFTER_MS)


@dataclass(frozen=True)
class BattleView:
    """A battle with what only staff see, and its entries in the log."""

    battle: ShownBattle
    platform_ids: dict[int, str]
    """Of the players in its seats, by their ids."""
    lock_text: str | None
    end_text: str | None

    def would_be(self, randomness: str) -> Outcome | None:
        """The outcome of a void battle with the randomness of its round: nobody gets it. Else None."""
        battle = self.battle
        if battle.state != State.VOID or self.lock_text is None or battle.server_seed is None:
            return None
        draws = Draws(
            server_seed=battle.server_seed,
            lock_hash=leaf_hash(self.lock_text.encode()).hex(),
            randomness=randomness,
        )
        return outcome_of(battle.rules, queries.contents_of(battle.held), draws)


@reading()
def battle(public_id: str) -> BattleView:
    """One battle. Raises BattleNotFound."""
    shown = queries.get(public_id)
    entry_ids = [shown.lock_entry_id, shown.end_entry_id]
    entries: Any = LogEntry.select(LogEntry.id, LogEntry.text).where(LogEntry.id.in_(entry_ids))
    texts = dict(entries.tuples())
    platform_ids = _platform_ids(seat.user_id for seat in shown.seats)
    return BattleView(shown, platform_ids, *(texts.get(entry_id) for entry_id in entry_ids))


def _platform_ids(user_ids: Iterable[int | None]) -> dict[int, str]:
    query: Any = User.select(User.id, User.platform_id).where(User.id.in_(list(user_ids)))
    return dict(query.tuples())


@reading()
def void_counts() -> dict[str, int]:
    """How many battles are void, by the reason; 0 for a reason that there was not."""
    query: Any = Battle.select(Battle.void_reason, fn.COUNT(Battle.id)).where(Battle.state == State.VOID)
    counts = dict(query.group_by(Battle.void_reason).tuples())
    return {reason.value: counts.get(reason.value, 0) for reason in VoidReason}


@reading()
def open_seats(player: User) -> list[Any]:
    """The seats of a player in open and locked battles, each with its ``battle``, the newest first."""
    if not player.battle_seats_cents:
        return []
    under_way = Battle.select(Battle.id).where(Battle.state.in_(UNDER_WAY))
    query: Any = (
        BattleSeat.select(BattleSeat, Battle)
        .join(Battle)
        .where(
            BattleSeat.user == player.id, BattleSeat.left_at_ms.is_null(), BattleSeat.battle.in_(under_way)
        )
    )
    return list(query.order_by(BattleSeat.id.desc()).limit(MOST_SEATS))


@reading()
def battles_of_bets(bet_ids: Iterable[int]) -> dict[int, str]:
    """The public ids of the battles of these bets, by the bet. Bets of other games are left out."""
    query: Any = BattleSeat.select(BattleSeat.bet, Battle.public_id).join(Battle)
    return dict(query.where(BattleSeat.bet.in_(list(bet_ids))).tuples())
