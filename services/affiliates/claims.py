"""Claims: the owner of a promo code takes the available earnings as coins."""

from models.affiliates import Affiliate
from models.db.connection import writing
from services.accounts.balances import Balances, balances_of
from services.affiliates import referrals
from services.audit_trail.events import What
from services.audit_trail.recording import record
from services.ledger import posting
from services.ledger.posting import Account, Kind, Move
from services.shared.clock import Millis
from services.shared.errors import PlatformError
from services.shared.money import Cents

ATTEMPTS = 2


class NothingToClaim(PlatformError):
    text = "There is nothing to claim"


def claim(*, user_id: int, now: Millis) -> tuple[Cents, Balances]:
    """Move all available earnings of the player to the balance, if they are a cent or more.

    Returns what was claimed, and the balances after that. Of concurrent claims one pays; the others read
    what it left. Another claim may come first a second time. It has taken what there was, so this one is
    refused as well. Raises NothingToClaim.
    """
    for _ in range(ATTEMPTS):
        seen = referrals.overview(owner_id=user_id)
        if not seen.available:
            break
        update = Affiliate.update(claimed_cents=seen.claimed + seen.available, last_claimed_at_ms=now)
        is_unchanged = Affiliate.claimed_cents == seen.claimed
        with writing():
            if not update.where(Affiliate.user == user_id, is_unchanged).execute():
                continue
            move = Move(seen.available, Account.HOUSE_AFFILIATES, Account.BALANCE)
            posting.post(kind=Kind.AFFILIATE_CLAIM, user_id=user_id, moves=[move], now=now)
            claimed = {"amountCents": seen.available}
            record(What.EARNINGS_CLAIMED, now=now, user_id=user_id, after=claimed)
            return seen.available, balances_of(user_id)
    raise NothingToClaim
