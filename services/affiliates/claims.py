"""Claims: the owner of a promo code takes the available earnings as coins."""

from dataclasses import dataclass

from models.affiliates import Affiliate
from models.db.connection import writing
from services.accounts.balances import Balances, balances_of
from services.affiliates import referrals
from services.affiliates.errors import NothingToClaim
from services.affiliates.referrals import Overview
from services.audit_trail.events import What
from services.audit_trail.recording import record
from services.ledger import posting
from services.ledger.posting import Account, Entry, Kind
from services.shared.clock import Millis
from services.shared.money import Cents

ATTEMPTS = 2


@dataclass(frozen=True)
class Claimed:
    """What was claimed, in cents, and the balances after that."""

    amount: Cents
    balances: Balances


def claim(*, user_id: int, now: Millis) -> Claimed:
    """Move all available earnings of the player to the balance, if they are a cent or more.

    Of concurrent claims one pays; the others read what it left. Another claim may come first a second time.
    It has taken what there was, so this one is refused as well. Raises NothingToClaim.
    """
    for _ in range(ATTEMPTS):
        seen = referrals.overview(owner_id=user_id)
        if not seen.available:
            break
        with writing():
            if _raise_claimed(user_id, seen, now):
                _post(user_id, seen.available, now)
                claimed = {"amountCents": seen.available}
                record(What.EARNINGS_CLAIMED, now=now, user_id=user_id, after=claimed)
                return Claimed(seen.available, balances_of(user_id))
    raise NothingToClaim


def _raise_claimed(user_id: int, seen: Overview, now: Millis) -> bool:
    """Add the available earnings to what was claimed. False if another claim has changed that."""
    update = Affiliate.update(claimed_cents=seen.claimed + seen.available, last_claimed_at_ms=now)
    unchanged = Affiliate.claimed_cents == seen.claimed
    return bool(update.where(Affiliate.user == user_id, unchanged).execute())


def _post(user_id: int, amount: Cents, now: Millis) -> None:
    posting.post(
        kind=Kind.AFFILIATE_CLAIM,
        entries=[
            Entry(Account.HOUSE_AFFILIATES, Cents(-amount)),
            Entry(Account.BALANCE, amount, user_id),
        ],
        now=now,
    )
