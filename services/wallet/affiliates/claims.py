"""Claims: the owner of a promo code takes the available earnings as coins."""

from models.db.connection import writing
from models.ledger import Affiliate
from models.users import User
from services.accounts import users
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import record
from services.ledger import posting
from services.ledger.posting import Account, LedgerKind, Move
from services.shared.clock import Millis
from services.shared.errors import Refusal
from services.shared.money import Cents
from services.wallet.affiliates import referrals


def claim(*, user_id: int, now: Millis) -> tuple[Cents, User]:
    """Move all available earnings of the player to the balance, if they are a cent or more.

    Returns what was claimed, and the player after that. The lock of the player's row makes concurrent
    claims take turns, so each pays what the others left. Raises Refusal if there is nothing.
    """
    with writing():
        users.lock(user_id)
        seen = referrals.overview(owner_id=user_id)
        if not seen.available:
            raise Refusal("There is nothing to claim")
        claimed = Affiliate.update(claimed_cents=seen.claimed + seen.available, last_claimed_at_ms=now)
        claimed.where(Affiliate.user == user_id).execute()
        move = Move(seen.available, Account.HOUSE_AFFILIATES, Account.BALANCE)
        posting.post(kind=LedgerKind.AFFILIATE_CLAIM, user_id=user_id, moves=[move], now=now)
        record(
            AuditEventType.EARNINGS_CLAIMED, now=now, user_id=user_id, after={"amountCents": seen.available}
        )
        return seen.available, users.get_by_id(user_id)
