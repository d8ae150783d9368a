"""What the pages about players show: all players, and the lists and a bet of one."""

import json
from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from peewee import JOIN

from models.audit_trail import AuditEvent
from models.bets import Bet
from models.cases import Case
from models.db.connection import reading
from models.ledger import LedgerEntry, LedgerTransaction, Referral
from models.rewards import Reward
from models.staff import Proposal
from models.users import User
from services.audit_trail.events import AuditEventType
from services.bets import lookups, snapshots
from services.bets.lookups import MAX_NONCE, BetNotFound
from services.bets.proofs import Proofs
from services.bets.snapshots import Content
from services.shared.clock import Millis
from services.shared.pagination import Page, Place, counted_page
from services.staff.proposals import LISTED

LOGINS = (AuditEventType.LOGGED_IN, AuditEventType.LOGGED_OUT, AuditEventType.TOKEN_ISSUED)
LIMITS = tuple(each for each in AuditEventType if each.startswith(("limit.", "exclusion.")))
SUSPENSIONS = (AuditEventType.SUSPENDED, AuditEventType.RESUMED)


class Which(StrEnum):
    """The players of a list."""

    ALL = "all"
    SUSPENDED = "suspended"
    ON_A_BREAK = "on a break"
    CLOSED = "closed"


class Part(NamedTuple):
    """Some rows of a list, and whether there are more after them. The list is not counted."""

    rows: list[Any]
    has_next: bool


@reading()
def players(*, which: Which, place: Place, is_oldest_first: bool, now: Millis) -> Part:
    """A part of the players, the newest account first, or the oldest."""
    query: Any = User.select()
    if which is Which.SUSPENDED:
        query = query.where(User.suspended_at_ms.is_null(False), User.closed_at_ms.is_null())
    elif which is Which.ON_A_BREAK:
        # The first condition is that of the index.
        query = query.where(User.excluded_until_ms.is_null(False), User.excluded_until_ms > now)
    elif which is Which.CLOSED:
        query = query.where(User.closed_at_ms.is_null(False))
    ordered = query.order_by(User.id.asc() if is_oldest_first else User.id.desc())
    return part_of(ordered, place)


def part_of(ordered: Any, place: Place) -> Part:
    """A part of a query, within ``reading()``."""
    rows = list(ordered.offset((place.number - 1) * place.limit).limit(place.limit + 1))
    return Part(rows[: place.limit], len(rows) > place.limit)


@reading()
def ledger(*, user_id: int, place: Place) -> Part:
    """A part of the changes of a player's accounts, newest first, each with its ``transaction``."""
    own: Any = LedgerEntry.select(LedgerEntry.id).where(LedgerEntry.user == user_id)
    # The ids come from the index alone: a player may have a million entries.
    part = part_of(own.order_by(LedgerEntry.id.desc()), place)
    ids = [entry.id for entry in part.rows]
    query = LedgerEntry.select(LedgerEntry, LedgerTransaction).join(LedgerTransaction)
    rows = query.where(LedgerEntry.id.in_(ids)).order_by(LedgerEntry.id.desc())
    return Part(list(rows), part.has_next)


@reading()
def rewards(*, user_id: int, place: Place) -> Part:
    """A part of a player's rewards, the last offered first, each with its ``case``."""
    query = Reward.select(Reward, Case).join(Case, JOIN.LEFT_OUTER).where(Reward.user == user_id)
    return part_of(query.order_by(Reward.offered_at_ms.desc(), Reward.id.desc()), place)


def events(
    *, platform_id: str, place: Place, kinds: Collection[AuditEventType] | None = None
) -> Page[AuditEvent]:
    """A page of the events about a player, of these kinds or of all, newest first."""
    query = AuditEvent.select().where(AuditEvent.player == platform_id)
    if kinds is not None:
        query = query.where(AuditEvent.what.in_(list(kinds)))
    return counted_page(query, order=[AuditEvent.at_ms.desc(), AuditEvent.id.desc()], place=place)


class SuspensionEvent(NamedTuple):
    """The beginning or the end of a suspension."""

    at_ms: Millis
    who: str
    reason: str
    """Empty if a command without a reason did it."""


@reading()
def last_suspension(platform_id: str) -> tuple[SuspensionEvent, SuspensionEvent | None] | None:
    """The beginning and the end of a player's last suspension; None if there was none."""
    query = AuditEvent.select().where(AuditEvent.player == platform_id, AuditEvent.what.in_(SUSPENSIONS))
    found: dict[str, SuspensionEvent] = {}
    for event in query.order_by(AuditEvent.at_ms.desc(), AuditEvent.id.desc()).limit(2):
        reason = json.loads(event.after or "{}").get("reason", "")
        found.setdefault(event.what, SuspensionEvent(Millis(event.at_ms), event.who, reason))
    if AuditEventType.SUSPENDED not in found:
        return None
    is_over = next(iter(found)) == AuditEventType.RESUMED
    return found[AuditEventType.SUSPENDED], found[AuditEventType.RESUMED] if is_over else None


def referrals(*, owner_id: int, place: Place) -> Page[Any]:
    """A page of the players who used a player's promo code, the newest use first."""
    query = Referral.select(Referral, User).join(User, on=(Referral.user == User.id))
    order = [Referral.ledger_transaction.desc()]
    return counted_page(query.where(Referral.owner == owner_id), order=order, place=place)


@reading()
def owner_of_used_code(user_id: int) -> User | None:
    """The player whose promo code this player has used."""
    query: Any = Referral.select(Referral, User).join(User, on=(Referral.owner == User.id))
    found = query.where(Referral.user == user_id).first()
    return found.owner if found else None


def actions(*, user_id: int, place: Place) -> Page[Proposal]:
    """A page of the actions of staff about a player that may need two people, newest first."""
    query = Proposal.select(*LISTED).where(Proposal.user == user_id)
    return counted_page(query, order=[Proposal.id.desc()], place=place)


@dataclass(frozen=True)
class BetView:
    """``bet`` has its ``log``, and its ``server_seed`` once the proof is due; else both are empty."""

    bet: Any
    content: Content | None
    """Of the case that was opened."""
    reward: Reward | None = None
    """That a free opening has used."""

    @property
    def is_revealed(self) -> bool:
        return bool(self.bet.server_seed)


def bet_of_player(*, user_id: int, nonce: int, proofs: Proofs, now: Millis) -> BetView:
    """The player's bet with this nonce, of any game. Raises BetNotFound."""
    with reading():
        bet: Any = Bet.get_or_none(Bet.user == user_id, Bet.nonce == nonce) if nonce <= MAX_NONCE else None
        if bet is None:
            raise BetNotFound
        content = None if bet.snapshot_id is None else snapshots.parse(bet.snapshot.content)
        reward = Reward.get_or_none(Reward.bet == bet.id)
    try:
        return BetView(lookups.get_public(bet_id=bet.id, proofs=proofs, now=now), content, reward)
    except BetNotFound:
        bet.server_seed, bet.log = "", None
        return BetView(bet, content, reward)


@reading()
def player_and_nonce(bet_id: int) -> tuple[str, int] | None:
    """Where a bet is found: the platform id of its player, and its nonce. None if there is no such bet."""
    query: Any = Bet.select(User.platform_id, Bet.nonce).join(User).where(Bet.id == bet_id)
    found: tuple[str, int] | None = query.tuples().first()
    return found
