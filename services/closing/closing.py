"""Closing an account, for its player."""

from collections.abc import Callable
from contextlib import suppress

from models.db.connection import writing
from services.accounts import access, users
from services.battles.service import Battles
from services.closing import obstacles
from services.closing.obstacles import Obstacles, UnderWay
from services.ledger import posting
from services.ledger.posting import Account, LedgerKind, Move
from services.payments.deposits import Deposits
from services.rewards import bonuses
from services.shared.clock import Millis
from services.shared.errors import Refusal
from services.shared.money import Cents
from services.wallet import prizes


class Closing:
    """Closes accounts, ends open bonuses, and gives up what players leave in them."""

    def __init__(self, *, battles: Battles, deposits: Deposits, clock: Callable[[], Millis]) -> None:
        self._battles = battles
        self._deposits = deposits
        self._clock = clock

    def close(self, *, user_id: int, forfeit: bool) -> int:
        """Close the account; returns the token number from which on tokens would be valid.

        With ``forfeit`` kept prizes are sold, seats in open battles and unpaid deposits given up, each in a
        transaction of its own: a request that was interrupted can be repeated. Then one transaction moves the
        coins that are left to the house and closes the account. It locks the player's row first, so a bet,
        a deposit or a claim comes before it or is refused. Raises AccountClosed, WithdrawFirst and UnderWay.
        """
        found = obstacles.of_player(user_id)
        if not forfeit:
            found.check_nothing()
        found.check_ended()
        self._give_up(user_id, found)
        with writing():
            user, now = users.lock(user_id), self._clock()
            access.check_not_suspended(user)
            bonuses.end_open(user, reason="account closed", now=now)
            left = obstacles.of_player(user_id)
            if not forfeit:
                left.check_nothing()
            left.check_ended()
            if left.prizes or left.open_battles or left.open_deposits:
                raise UnderWay("Something has changed meanwhile, please try again")
            access.close(user=user, forfeited=_forfeit(user_id, left, now=now), now=now)
            return int(user.token_number + 1)

    def _give_up(self, user_id: int, found: Obstacles) -> None:
        """Each refusal means that it has just changed, which the last look will show."""
        for prize_id in found.prizes:
            with suppress(Refusal):
                prizes.sell(user_id=user_id, prize_id=prize_id, now=self._clock())
        for battle in found.open_battles:
            with suppress(Refusal):
                self._battles.leave(public_id=battle, user_id=user_id)
        for deposit in found.open_deposits:
            with suppress(Refusal):
                self._deposits.cancel(deposit, now=self._clock())


def _forfeit(user_id: int, left: Obstacles, *, now: Millis) -> dict[str, int]:
    """Move all coins of a player whose row is locked to the house; returns how many of each account."""
    held = {
        Account.BALANCE: left.balance_cents,
        Account.VAULT: left.vault_cents,
        Account.SWEEPSTAKE: left.sweepstake_cents,
    }
    moves = [Move(Cents(cents), account, Account.HOUSE_FORFEITED) for account, cents in held.items() if cents]
    if moves:
        posting.post(kind=LedgerKind.ACCOUNT_CLOSED, user_id=user_id, moves=moves, now=now)
    return {f"{account}Cents": int(cents) for account, cents in held.items()}
