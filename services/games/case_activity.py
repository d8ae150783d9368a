"""What players have won from a case: its last openings and its best drops."""

from typing import Any, NamedTuple

from models.bets import PAID_MORE, Bet
from models.case_spins import CASE, IRL
from models.cases import Case
from models.db.connection import repeatable_read
from models.irl_cases import IrlCase
from services.games import live_bets
from services.shared.clock import Millis
from services.shared.errors import CaseNotFound

SHOWN = 10

TABLES: dict[str, Any] = {CASE: Case, IRL: IrlCase}
"""The cases of each game."""


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
            Bet.completed_at_ms <= now,
            live_bets.IS_PUBLIC,
        )
        last = opened.order_by(Bet.id.desc()).limit(SHOWN)
        best = opened.where(PAID_MORE).order_by(Bet.payout_cents.desc(), Bet.id.desc()).limit(SHOWN)
        return CaseActivity(
            live_bets.newest_first(live_bets.shown(last.scalars())),
            sorted(live_bets.shown(best.scalars()), key=lambda bet: (-bet.payout_cents, -bet.id)),
        )


def _row_id(table: Any, case_id: str) -> int:
    row_id = table.select(table.id).where(table.slug == case_id, table.retired_at_ms.is_null()).scalar()
    if row_id is None:
        raise CaseNotFound
    return int(row_id)
