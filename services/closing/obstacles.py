"""What a player still has, and what is under way: the account can't be closed before that is settled."""

from dataclasses import dataclass
from typing import Any

from peewee import fn

from models.battles import Battle, BattleSeat, State
from models.bets import Prize
from models.db.connection import repeatable_read
from models.payments import Deposit, DepositStatus, Withdrawal
from models.users import User
from services.accounts import users
from services.payments.deposits import CANCELLABLE
from services.payments.withdrawals import HELD
from services.shared.errors import Refusal
from services.shared.money import Cents
from services.wallet import affiliates
from services.wallet.prizes import Status


class WithdrawFirst(Refusal):
    """Something would be lost."""

    text = "Withdraw your balance first"


class UnderWay(Refusal):
    """Nobody can end it at once."""


@dataclass(frozen=True, kw_only=True)
class Obstacles:
    """What the player has, and gives up with ``forfeit``; then what must end first. Amounts are in cents."""

    balance_cents: Cents
    vault_cents: Cents
    sweepstake_cents: Cents
    commission_cents: Cents
    """Earnings of the promo code that were not claimed."""
    prizes: list[int]
    """The ids of kept prizes."""
    open_battles: list[str]
    """The public ids of the battles that wait for players."""
    open_deposits: list[Deposit]
    """Those to which no money is known to have come."""

    running_battles: int
    withdrawals: int
    paid_deposits: int
    """Deposits whose money is on its way, or about which staff must decide."""
    shipping_prizes: int

    def check_nothing(self) -> None:
        """Raises WithdrawFirst if there is anything at all."""
        if any(vars(self).values()):
            raise WithdrawFirst

    def check_ended(self) -> None:
        """Raises UnderWay for what can't be given up."""
        for count, text in (
            (self.running_battles, "Wait until your battles have ended"),
            (self.withdrawals, "Wait until your withdrawals are paid"),
            (self.paid_deposits, "Wait until your deposits are credited"),
            (self.shipping_prizes, "Wait until your prizes are shipped"),
        ):
            if count:
                raise UnderWay(text)


def of_player(user_id: int) -> Obstacles:
    """All of one moment; within the caller's transaction, if there is one. Raises UserNotFound."""
    with repeatable_read(within_limit=True):
        user = users.get_by_id(user_id)
        deposits = list(Deposit.select().where(Deposit.user == user_id, Deposit.status.in_(UNFINISHED)))
        cancellable = [each for each in deposits if each.status in CANCELLABLE and not each.paid_cents]
        return Obstacles(
            balance_cents=Cents(user.balance_cents),
            vault_cents=Cents(user.vault_cents),
            sweepstake_cents=Cents(user.sweepstake_cents),
            commission_cents=affiliates.overview(owner_id=user_id).available,
            prizes=_prizes(user, Status.KEPT),
            open_battles=_battles(user, State.OPEN),
            open_deposits=cancellable,
            running_battles=len(_battles(user, State.LOCKED)),
            withdrawals=_count(Withdrawal, user, HELD),
            paid_deposits=len(deposits) - len(cancellable),
            shipping_prizes=len(_prizes(user, Status.SHIPPING)),
        )


UNFINISHED = (*CANCELLABLE, DepositStatus.CONFIRMING, DepositStatus.REVIEW)


def _prizes(user: User, status: Status) -> list[int]:
    query: Any = Prize.select(Prize.id).where(Prize.user == user, Prize.status == status)
    return list(query.order_by(Prize.id).scalars())


def _battles(user: User, state: State) -> list[str]:
    has_seat = (BattleSeat.user == user) & BattleSeat.left_at_ms.is_null()
    query: Any = Battle.select(Battle.public_id).join(BattleSeat).where(has_seat, Battle.state == state)
    return list(query.scalars())


def _count(table: Any, user: User, statuses: Any) -> int:
    found = table.select(fn.COUNT(table.id)).where(table.user == user, table.status.in_(statuses))
    return int(found.scalar())
