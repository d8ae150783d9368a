"""Looks at personal data. Pages mask it until somebody asks, and each look is an event of the audit trail."""

from models.bets import Prize
from models.db.connection import writing
from models.users import PersonalDetails
from services.accounts import profile
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import record
from services.shared.clock import Millis
from services.wallet.prizes import Address, PrizeNotFound, Shipping

SHOWN_AT_EACH_END = 4


def record_look(*, user_id: int | None, what: str, now: Millis) -> None:
    """Record that the actor has looked at this part of a player's data; None is of all players."""
    with writing():
        record(AuditEventType.DETAILS_SEEN, now=now, user_id=user_id, after={"what": what})


def details(*, user_id: int, now: Millis) -> PersonalDetails:
    """A player's name, phone number and address; records the look."""
    record_look(user_id=user_id, what="details", now=now)
    return profile.details_of(user_id)


def address_of_prize(shipping: Shipping, *, prize_id: int, now: Millis) -> Address | None:
    """Where to ship a prize; records the look.

    None if the player has not asked for shipping, or no key decrypts it. Raises PrizeNotFound.
    """
    with writing():
        prize: Prize | None = Prize.get_or_none(Prize.id == prize_id)
        if prize is None:
            raise PrizeNotFound
        user_id: int = prize.user_id  # type: ignore[attr-defined]  # made by peewee
        record_look(user_id=user_id, what=f"address of prize {prize_id}", now=now)
    return shipping.address_of(prize)


def masked(text: str | None) -> str:
    """Both ends of a long text, such as of a wallet's address; nothing of a short one."""
    if not text:
        return ""
    if len(text) <= 4 * SHOWN_AT_EACH_END:
        return "•••"
    return f"{text[:SHOWN_AT_EACH_END]}…{text[-SHOWN_AT_EACH_END:]}"
