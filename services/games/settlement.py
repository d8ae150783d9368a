"""Settles bets on SQLite, step by step with the ledger, and says why a bet was refused.

Concurrent bets share a commit. On PostgreSQL one statement does the same (models/bet_settlement.py).
"""

from collections.abc import Callable

from models.bet_settlement import (
    COUNT_CASE_SPIN,
    COUNT_LIVE_BET,
    INSERT_BET,
    INSERT_PRIZE,
    LET_BET_WAIT,
    MAY_BET,
    NEXT_SEED,
    SEED_IS_ANNOUNCED,
    STORE_SNAPSHOT,
    TOTALS,
    BetTimes,
    Settled,
    Settlement,
)
from models.db.group_commit import GroupCommit
from models.db.sql import execute
from models.play_limits import BetRefused, explain_refusal
from models.users import PERMANENTLY, Balances
from services.games.errors import (
    FreeCaseNotAvailable,
    PlayTimeReached,
    SeedUsed,
    SpinInProgress,
    TermsExpired,
    TooSoon,
)
from services.ledger import posting
from services.ledger.posting import Account, LedgerKind, Move
from services.limits import exclusions
from services.limits.errors import LimitReached
from services.shared.clock import CalendarPeriod, Millis
from services.shared.errors import AccountSuspended, InsufficientBalance, Unauthorized
from services.shared.money import Cents

REFUSALS: dict[str, Callable[[], Exception]] = {
    "in progress": SpinInProgress,
    "seed": SeedUsed,
    "late": TermsExpired,
    "ended": Unauthorized,
    "suspended": AccountSuspended,
    "play session": PlayTimeReached,
    "cycle": TooSoon,
    "free case": FreeCaseNotAvailable,
    "balance": InsufficientBalance,
}
"""Errors by the reasons of ``BetRefused``, without those of breaks and limits."""

_group_commit = GroupCommit()


def settle_in_group(settlement: Settlement, take_times: Callable[[], BetTimes]) -> Settled:
    """Write the bet, all or nothing, with others in one commit.

    ``take_times`` is called after the wait for the write lock; what it raises ends the settlement.
    """
    return _group_commit.run(lambda: settle_in_steps(settlement, take_times()))


def settle_in_steps(settlement: Settlement, times: BetTimes) -> Settled:
    """Write the bet as part of the transaction that is open.

    Raises SeedUsed, then Unauthorized, AccountSuspended, TakingABreak, ExcludedPermanently,
    PlayTimeReached, TooSoon, TermsExpired, LimitReached, then FreeCaseNotAvailable, InsufficientBalance,
    and peewee.IntegrityError if the request id has a bet already or another snapshot has the id of this one.
    """
    values = vars(settlement) | vars(times)
    if not execute(_REPLACE_SEED, values).rowcount:
        raise SeedUsed
    if not execute(_ADD_TOTALS, values).rowcount:
        raise refusal_of(explain_refusal(values))
    if settlement.snapshot_id is not None:
        execute(_STORE_SNAPSHOT, values)
    values["transaction_id"] = posting.post(
        kind=LedgerKind(settlement.ledger_kind),
        user_id=settlement.user_id,
        moves=_moves(settlement),
        now=Millis(times.created_at_ms),
    )
    bet_id, *_ = execute(_INSERT_BET, values).fetchone()
    values["bet_id"] = bet_id
    execute(_LET_BET_WAIT, values)
    execute(_COUNT_LIVE_BET, values)
    prize_id = None
    if settlement.case_id is not None:
        execute(_COUNT_CASE_SPIN, values)
        (prize_id,) = execute(_INSERT_PRIZE, values).fetchone() or (None,)
    balances = execute(_BALANCES, values).fetchone()
    return Settled(times, bet_id, Balances(*balances), prize_id)


def refusal_of(refused: BetRefused) -> Exception:
    """The error for the reason for which a bet was refused."""
    if refused.reason in REFUSALS:
        return REFUSALS[refused.reason]()
    if refused.reason == "excluded":
        return exclusions.refusal(refused.excluded_until_ms or PERMANENTLY)
    limit, period = refused.reason.split()
    calendar_period = CalendarPeriod(period)
    return LimitReached(
        limit=limit, period=calendar_period, resets_at=calendar_period.end(Millis(refused.at_ms))
    )


def _moves(settlement: Settlement) -> list[Move]:
    """The wager to the house, and the payout to the player or to the prizes.

    An opening of the free case that pays nothing has no moves.
    """
    winner = Account.BALANCE if settlement.prize_image is None else Account.HOUSE_PRIZES
    moves = [
        Move(Cents(settlement.wager_cents), Account.BALANCE, Account.HOUSE_BETS),
        Move(Cents(settlement.payout_cents), Account.HOUSE_BETS, winner),
    ]
    return [move for move in moves if move.amount]


_REPLACE_SEED = f"UPDATE announced_seeds SET {NEXT_SEED} WHERE {SEED_IS_ANNOUNCED}"  # noqa: S608  # constants
_POSTING = "(SELECT :transaction_id AS id) AS posting"
_BET = "(SELECT :bet_id AS id, :wager_cents AS wager_cents, :payout_cents AS payout_cents) AS bet"
_STORE_SNAPSHOT = STORE_SNAPSHOT.format(player="(SELECT 1) AS player")
_INSERT_BET = INSERT_BET.format(posting=_POSTING)
_LET_BET_WAIT = LET_BET_WAIT.format(bet=_BET)
_COUNT_LIVE_BET = COUNT_LIVE_BET.format(bet=_BET)
_COUNT_CASE_SPIN = COUNT_CASE_SPIN.format(bet=_BET)
_INSERT_PRIZE = INSERT_PRIZE.format(bet=_BET)
_ADD_TOTALS = f"UPDATE users SET {TOTALS} WHERE id = :user_id AND {MAY_BET}"  # noqa: S608  # constants
_BALANCES = f"SELECT {', '.join(Balances._fields)} FROM users WHERE id = :user_id"  # noqa: S608  # constants
