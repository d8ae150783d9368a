"""What the house owes: balances, vaults, held withdrawals, prizes and seats of battles that have not ended.

Now, and at the end of each day.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from typing import Any

from peewee import fn

from models.bets import Bet, Prize
from models.db.connection import reading, repeatable_read, writing
from models.figures import DailyLiabilities
from models.ledger import LedgerEntry, LedgerTransaction
from models.payments import Withdrawal
from models.users import User
from services.ledger.posting import Account, LedgerKind, last_id_before
from services.payments.withdrawals import HELD
from services.shared.clock import DAY_MS, MINUTE_MS, CalendarPeriod, Millis
from services.shared.money import Cents
from services.wallet.prizes import Status

REFRESHED_MS = 5 * MINUTE_MS
"""How old the figures of the running day may be. A million players take a second of the database."""

SETTLED_MS = MINUTE_MS
"""How long after the end of a day its transactions are committed."""

FURTHEST_BACK_MS = 31 * DAY_MS
"""Of the days that are made up for when no process has run."""


@dataclass(frozen=True)
class Liabilities:
    """Amounts in cents."""

    balances_cents: Cents
    vaults_cents: Cents
    sweepstake_cents: Cents
    held_cents: Cents
    """Of withdrawals that are under way."""
    prizes_cents: Cents
    """The value of prizes that are kept, or to be shipped."""
    battles_cents: Cents
    """What players have paid for seats of open and locked battles, without those of bots."""

    @property
    def total(self) -> Cents:
        """All but the sweepstake balances, which are no coins."""
        coins = (self.balances_cents, self.vaults_cents, self.held_cents, self.prizes_cents)
        return Cents(sum(coins) + self.battles_cents)


@dataclass(frozen=True)
class OfDay:
    """The liabilities of a day, by its beginning, and when they were taken."""

    day: Millis
    owed: Liabilities
    taken_at: Millis

    @property
    def is_final(self) -> bool:
        """Whether they are those of the end of the day."""
        return self.taken_at >= self.day + DAY_MS


ACCOUNTS = {
    Account.BALANCE: "balances_cents",
    Account.VAULT: "vaults_cents",
    Account.SWEEPSTAKE: "sweepstake_cents",
    Account.HOUSE_HELD: "held_cents",
    Account.HOUSE_PRIZES: "prizes_cents",
}
"""The accounts of the ledger with the same sums; ``flask ledger audit`` compares them."""


def present() -> Liabilities:
    """What is owed now. To be used within ``repeatable_read()``."""
    columns = (User.balance_cents, User.vault_cents, User.sweepstake_cents, User.battle_seats_cents)
    of_players: Any = User.select(*map(fn.SUM, columns))
    held: Any = Withdrawal.select(fn.SUM(Withdrawal.amount_cents)).where(Withdrawal.status.in_(HELD))
    kept: Any = Prize.select(fn.SUM(Prize.value_cents)).where(
        Prize.status.in_((Status.KEPT, Status.SHIPPING))
    )
    *accounts, seats = of_players.tuples().get()
    sums = (*accounts, held.scalar(), kept.scalar(), seats)
    return Liabilities(*(Cents(int(each or 0)) for each in sums))


def at(time: Millis) -> Liabilities:
    """What was owed at a time: what is owed now, without the changes since then.

    To be used within ``repeatable_read()``.
    """
    row = LedgerTransaction
    is_later = (row.id > last_id_before(time)) & (row.created_at_ms >= time)
    posted: Any = (
        LedgerEntry.select(LedgerEntry.account, fn.SUM(LedgerEntry.amount_cents))
        .join(row)
        .where(is_later, LedgerEntry.account.in_(list(ACCOUNTS)))
        .group_by(LedgerEntry.account)
    )
    changed = {ACCOUNTS[Account(account)]: int(cents) for account, cents in posted.tuples()}
    changed["battles_cents"] = _paid_for_seats(is_later) - _settled_seats(is_later)
    return Liabilities(**{name: Cents(now - changed.get(name, 0)) for name, now in asdict(present()).items()})


def _paid_for_seats(is_later: Any) -> int:
    """What players have paid for seats of battles, less refunds, in these transactions."""
    kinds = LedgerTransaction.kind.in_((LedgerKind.BATTLE_JOIN, LedgerKind.BATTLE_LEAVE))
    query: Any = LedgerEntry.select(fn.SUM(LedgerEntry.amount_cents)).join(LedgerTransaction)
    return -int(query.where(is_later, kinds, LedgerEntry.account == Account.BALANCE).scalar() or 0)


def _settled_seats(is_later: Any) -> int:
    """What the players of the battles that ended in these transactions had paid."""
    is_end = LedgerTransaction.kind == LedgerKind.BATTLE_END
    query: Any = Bet.select(fn.SUM(Bet.wager_cents)).join(LedgerTransaction).where(is_later, is_end)
    return int(query.scalar() or 0)


def store_due(*, now: Millis) -> None:
    """Store those of the days that are over, once, and from time to time those of today.

    Several processes may do so at once: the end of a day is stored by one of them.
    """
    with reading():
        last = _last()
    today = CalendarPeriod.DAY.start(now)
    if last is not None:
        for day in _to_end(last, now=now):
            with repeatable_read():
                owed = at(Millis(day + DAY_MS))
            _store(OfDay(day, owed, now))
    if last is None or last.day < today or last.taken_at <= now - REFRESHED_MS:
        with repeatable_read():
            owed = present()
        _store(OfDay(today, owed, now))


@reading()
def newest() -> OfDay | None:
    """The figures that were taken last; None before the first ones."""
    return _last()


@reading()
def by_day(since: Millis, until: Millis) -> list[OfDay]:
    """The days from ``since`` to before ``until``, in their order."""
    in_time = DailyLiabilities.day_starts_at_ms.between(since, until - 1)
    query = DailyLiabilities.select().where(in_time).order_by(DailyLiabilities.day_starts_at_ms)
    return [_of_row(row) for row in query]


def _to_end(last: OfDay, *, now: Millis) -> Iterator[Millis]:
    """The days since the last one that is stored which are over, and that one if it was not over."""
    day: int = max(last.day, CalendarPeriod.DAY.start(Millis(now - FURTHEST_BACK_MS)))
    while now >= day + DAY_MS + SETTLED_MS:
        if day != last.day or not last.is_final:
            yield Millis(day)
        day += DAY_MS


def _store(taken: OfDay) -> None:
    row = DailyLiabilities
    values = {"day_starts_at_ms": taken.day, "taken_at_ms": taken.taken_at, **asdict(taken.owed)}
    changed = [field for field in row._meta.sorted_fields if field is not row.day_starts_at_ms]  # noqa: SLF001
    with writing():
        row.insert(values).on_conflict(
            conflict_target=[row.day_starts_at_ms],
            preserve=changed,
            # The end of a day does not change.
            where=row.taken_at_ms < row.day_starts_at_ms + DAY_MS,
        ).execute()


def _last() -> OfDay | None:
    row = DailyLiabilities.select().order_by(DailyLiabilities.day_starts_at_ms.desc()).first()
    return None if row is None else _of_row(row)


def _of_row(row: DailyLiabilities) -> OfDay:
    owed = Liabilities(**{each.name: Cents(getattr(row, each.name)) for each in fields(Liabilities)})
    return OfDay(Millis(row.day_starts_at_ms), owed, Millis(row.taken_at_ms))
