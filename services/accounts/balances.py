"""The balances of a player's three accounts."""

from dataclasses import dataclass

from models.db.connection import reading
from services.accounts import users
from services.shared.money import Cents


@dataclass(frozen=True, kw_only=True)
class Balances:
    """A player's three accounts, in cents. ``version`` grows with every change of them."""

    balance: Cents
    vault: Cents
    sweepstake: Cents
    version: int


@reading()
def balances_of(user_id: int) -> Balances:
    """The player's current balances. Raises UserNotFound."""
    user = users.get_by_id(user_id)
    return Balances(
        balance=Cents(user.balance_cents),
        vault=Cents(user.vault_cents),
        sweepstake=Cents(user.sweepstake_cents),
        version=user.balance_version,
    )
