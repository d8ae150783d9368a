"""The newest bets of the public feed, and the last openings and the best drops of a case.

They show a bet when its proof is due, which is when the bet is called due, and no bets of suspended players.
"""

from collections.abc import Iterable
from operator import attrgetter
from typing import Any, NamedTuple

from peewee import SQL, fn

from models.bets import PAID_MORE, SHOWN_WITH_BETS, Bet
from models.cases import CASE, IRL, Case, IrlCase
from models.db.connection import reading, repeatable_read
from models.users import User
from services.shared.clock import Millis
from services.shared.errors import CaseNotFound

NEWEST = 10


TABLES: dict[str, Any] = {CASE: Case, IRL: IrlCase}
"""The cases of each game."""

SHOWN = Bet.alias("bets")
"""Named as in ``SHOWN_WITH_BETS``."""

SUSPENDED = User.select(User.id).where(User.suspended_at_ms.is_null(False))
IS_PUBLIC = Bet.user.not_in(SUSPENDED)

NEWEST_FIRST = (Bet.proof_due_at_ms.desc(), Bet.id.desc())


@reading()
def newest(*, now: Millis) -> list[Any]:
    """The last ten bets that are due, newest first, as ``shown`` returns them."""
    is_due = Bet.proof_due_at_ms <= now
    ids = Bet.select(Bet.id).where(is_due, IS_PUBLIC).order_by(*NEWEST_FIRST).limit(NEWEST)
    return newest_first(shown(ids.scalars()))


@reading()
def next_due(*, now: Millis) -> Millis | None:
    """When the next bet is due; None if all are. Until then the lists do not change."""
    due = Bet.select(fn.MIN(Bet.proof_due_at_ms)).where(Bet.proof_due_at_ms > now).scalar()
    return None if due is None else Millis(due)


def shown(bet_ids: Iterable[int]) -> list[Any]:
    """These bets with the columns that LiveBetSchema shows, in no order."""
    of_bet = (SHOWN.id, SHOWN.game, SHOWN.item, SHOWN.wager_cents, SHOWN.payout_cents, SHOWN.proof_due_at_ms)
    of_others = (SQL(sql).alias(name) for name, sql in SHOWN_WITH_BETS.items())
    return list(SHOWN.select(*of_bet, *of_others).where(SHOWN.id.in_(list(bet_ids))).namedtuples())


@reading()
def public(bet_ids: Iterable[int]) -> list[Any]:
    """These bets as ``shown`` returns them, without those of suspended players, oldest first."""
    ids = Bet.select(Bet.id).where(Bet.id.in_(list(bet_ids)), IS_PUBLIC)
    return newest_first(shown(ids.scalars()))[::-1]


def newest_first(bets: Iterable[Any]) -> list[Any]:
    return sorted(bets, key=attrgetter("proof_due_at_ms", "id"), reverse=True)


class CaseActivity(NamedTuple):
    """Openings that are due, as in the live bets."""

    last: list[Any]
    best: list[Any]
    """Those that paid more than they cost, the highest payout first, and of equal ones the newest."""


def of_case(*, game: str, case_id: str, now: Millis) -> CaseActivity:
    """The ten last openings of a case, and the ten best of all time. Raises CaseNotFound."""
    with repeatable_read(within_limit=True):
        opened = Bet.select(Bet.id).where(
            Bet.game == game,
            Bet.case_id == _row_id(TABLES[game], case_id),
            Bet.proof_due_at_ms <= now,
            IS_PUBLIC,
        )
        last = opened.order_by(Bet.id.desc()).limit(NEWEST)
        best = opened.where(PAID_MORE).order_by(Bet.payout_cents.desc(), Bet.id.desc()).limit(NEWEST)
        return CaseActivity(
            newest_first(shown(last.scalars())),
            sorted(shown(best.scalars()), key=lambda bet: (-bet.payout_cents, -bet.id)),
        )


def _row_id(table: Any, case_id: str) -> int:
    row_id = table.select(table.id).where(table.slug == case_id, table.retired_at_ms.is_null()).scalar()
    if row_id is None:
        raise CaseNotFound
    return int(row_id)
