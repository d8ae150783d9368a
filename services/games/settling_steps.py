"""Settles bets step by step with the ledger, and says why a bet was refused.

On SQLite every bet is settled this way, under group commit. On PostgreSQL one statement writes the same
rows (models/settling_statement.py).
"""

from collections.abc import Callable

from peewee import EXCLUDED

from models import seed_marks
from models.bets import Bet
from models.case_spins import CaseSpins
from models.db.group_commit import GroupCommit
from models.db.prepared_query import PreparedQuery
from models.play_limits import SUMS, Refused, execute, find_refusal
from models.prizes import Prize
from models.settling_statement import BET_FIELDS, BetTimes, Settled, Settlement
from models.totals import LiveBetCount, PeriodWager
from models.users import PERMANENTLY, AnnouncedSeed, User
from services.games.errors import (
    ExcludedPermanently,
    FreeCaseNotAvailable,
    LimitReached,
    SeedUsed,
    SessionTimeReached,
    SpinInProgress,
    TakingABreak,
    TermsExpired,
    TooSoon,
)
from services.ledger import posting
from services.ledger.posting import Account, Entry, Kind
from services.shared.clock import CalendarPeriod, Millis, Period
from services.shared.errors import AccountSuspended, InsufficientBalance
from services.shared.money import Cents

REFUSALS: dict[str, Callable[[], Exception]] = {
    "in progress": SpinInProgress,
    "seed": SeedUsed,
    "late": TermsExpired,
    "suspended": AccountSuspended,
    "session": SessionTimeReached,
    "cycle": TooSoon,
    "free case": FreeCaseNotAvailable,
    "balance": InsufficientBalance,
}
"""Errors by the reasons of ``Refused``, without those of breaks and limits."""

_group_commit = GroupCommit()


def settle_in_group(settlement: Settlement, take_times: Callable[[], BetTimes]) -> Settled:
    """Write the bet, all or nothing, with others in one commit.

    ``take_times`` is called after the wait for the write lock; what it raises ends the settlement.
    """
    return _group_commit.run(lambda: settle_in_steps(settlement, take_times()))


def settle_in_steps(settlement: Settlement, times: BetTimes) -> Settled:
    """Write the bet as part of the transaction that is open.

    Raises SeedUsed, then AccountSuspended, TakingABreak, ExcludedPermanently, SessionTimeReached, TooSoon,
    LimitReached, then FreeCaseNotAvailable, InsufficientBalance, and peewee.IntegrityError if the request id
    has a bet already or the snapshot is not in the database.
    """
    values = vars(settlement) | vars(times)
    if not _REPLACE_SEED.execute(values).rowcount:
        raise SeedUsed
    if refused := find_refusal(values):
        raise refusal_of(refused)
    if settlement.free_case_limit is not None and not _COUNT_FREE_CASE.execute(values).rowcount:
        raise FreeCaseNotAvailable
    transaction_id = posting.post(
        kind=Kind(settlement.ledger_kind), entries=_entries(settlement), now=Millis(times.created_at_ms)
    )
    (bet_id,) = _INSERT_BET.execute(values | {"ledger_transaction": transaction_id}).fetchone()
    if settlement.wager_cents:
        _ADD_TO_PERIODS.execute(values)
    _COUNT_LIVE_BET.execute(values)
    if settlement.case_id is not None:
        _COUNT_CASE_SPIN.execute(values)
    prize_id = None
    if settlement.prize_image is not None:
        (prize_id,) = _INSERT_PRIZE.execute(values | {"bet_id": bet_id}).fetchone()
    balance, vault, sweepstake, version = execute(_ADD_TOTALS, values).fetchone()
    return Settled(times, bet_id, balance, vault, sweepstake, version, prize_id)


def refusal_of(refused: Refused) -> Exception:
    """The error for the reason for which a bet was refused."""
    if refused.reason in REFUSALS:
        return REFUSALS[refused.reason]()
    if refused.reason == "excluded":
        until = Millis(refused.excluded_until_ms or PERMANENTLY)
        return ExcludedPermanently() if until == PERMANENTLY else TakingABreak(until=until)
    limit, period = refused.reason.split()
    calendar_period = CalendarPeriod(period)
    return LimitReached(
        limit=limit, period=calendar_period, resets_at=calendar_period.end(Millis(refused.at_ms))
    )


def _entries(settlement: Settlement) -> list[Entry]:
    """The wager to the house, and the payout to the player or to the prizes.

    An opening of the free case that pays nothing has no entries.
    """
    wager, payout = Cents(settlement.wager_cents), Cents(settlement.payout_cents)
    user_id = settlement.user_id
    entries: list[Entry] = []
    if wager:
        entries += [Entry(Account.BALANCE, Cents(-wager), user_id), Entry(Account.HOUSE_BETS, wager)]
    if payout:
        entries.append(Entry(Account.HOUSE_BETS, Cents(-payout)))
        is_prize = settlement.prize_image is not None
        entries.append(
            Entry(Account.HOUSE_PRIZES, payout) if is_prize else Entry(Account.BALANCE, payout, user_id)
        )
    return entries


# No row is updated when another bet has used the seed, or the database may have gone back in time.
_REPLACE_SEED = PreparedQuery(
    lambda value: AnnouncedSeed.update(
        nonce=AnnouncedSeed.nonce + 1,
        server_seed_commitment=value("next_commitment"),
        sealed_server_seed=value("next_sealed_server_seed"),
    ).where(
        AnnouncedSeed.user == value("user_id"),
        AnnouncedSeed.nonce == value("nonce"),
        AnnouncedSeed.server_seed_commitment == value("server_seed_commitment"),
        # In a restored database the announced seed may have been revealed already: models/seed_marks.py.
        AnnouncedSeed.epoch == seed_marks.current_epoch(),
        seed_marks.contains(value("mark_number"), value("mark_token")),
    )
)
_INSERT_BET = PreparedQuery(
    lambda value: Bet.insert(
        ledger_transaction=value("ledger_transaction"),
        **{field.name: value(field.column_name) for field in BET_FIELDS},
    ).returning(Bet.id)
)
_ADD_TOTALS = f"""
    UPDATE users SET
        wagered_cents = wagered_cents + :wager_cents,
        earned_cents = earned_cents + :payout_cents,
        {SUMS}
    WHERE id = :user_id
    RETURNING balance_cents, vault_cents, sweepstake_cents, balance_version
"""  # noqa: S608  # a constant
# Of two concurrent openings of the last free case, one updates no row.
_COUNT_FREE_CASE = PreparedQuery(
    lambda value: User.update(free_cases=User.free_cases + 1).where(
        User.id == value("user_id"),
        User.used_affiliate_code.is_null(False),
        User.free_cases < value("free_case_limit"),
    )
)
_INSERT_PRIZE = PreparedQuery(
    lambda value: Prize.insert(
        user=value("user_id"),
        bet=value("bet_id"),
        name=value("item"),
        image=value("prize_image"),
        value_cents=value("payout_cents"),
        status="kept",
        won_at_ms=value("created_at_ms"),
    ).returning(Prize.id)
)
_COUNT_CASE_SPIN = PreparedQuery(
    lambda value: CaseSpins.insert(
        game=value("game"), case_id=value("case_id"), shard=value("shard"), spins=1
    ).on_conflict(
        conflict_target=[CaseSpins.game, CaseSpins.case_id, CaseSpins.shard],
        update={CaseSpins.spins: CaseSpins.spins + 1},
    )
)
_ADD_TO_PERIODS = PreparedQuery(
    lambda value: PeriodWager.insert_many(
        [
            {
                "period": period,
                "starts_at_ms": value(starts_at),
                "user": value("user_id"),
                "wagered_cents": value("wager_cents"),
            }
            for period, starts_at in ((Period.WEEKLY, "week"), (Period.MONTHLY, "month"))
        ]
    ).on_conflict(
        conflict_target=[PeriodWager.period, PeriodWager.starts_at_ms, PeriodWager.user],
        update={PeriodWager.wagered_cents: PeriodWager.wagered_cents + EXCLUDED.wagered_cents},
    )
)
_COUNT_LIVE_BET = PreparedQuery(
    lambda value: LiveBetCount.insert(
        shard=value("shard"), bets=1, high_rolls=value("high_rolls")
    ).on_conflict(
        conflict_target=[LiveBetCount.shard],
        update={
            LiveBetCount.bets: LiveBetCount.bets + EXCLUDED.bets,
            LiveBetCount.high_rolls: LiveBetCount.high_rolls + EXCLUDED.high_rolls,
        },
    )
)
