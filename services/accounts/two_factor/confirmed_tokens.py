"""Tokens that a code covers: for five minutes their requests need no other one, in all processes."""

import peewee

from models.two_factor import ConfirmedToken
from services.accounts.two_factor.codes import LATENESS_MS
from services.shared.clock import Millis

COVERED_MS = 5 * 60 * 1000


def covers(*, user_id: int, token_id: str | None, now: Millis) -> bool:
    """Whether a code covers this token of the player. A token without an id is never covered."""
    if token_id is None:
        return False
    is_this = ConfirmedToken.user == user_id, ConfirmedToken.token_id == token_id, _is_current(now)
    return bool(ConfirmedToken.select().where(*is_this).exists())


def cover(*, user_id: int, token_id: str | None, now: Millis) -> None:
    """Cover a token of the player, whose row is locked, and delete the player's expired rows."""
    if token_id is None:
        return
    is_other = ConfirmedToken.token_id != token_id
    ConfirmedToken.delete().where(ConfirmedToken.user == user_id, ~(_is_current(now) & is_other)).execute()
    ConfirmedToken.insert(user=user_id, token_id=token_id, until_ms=now + COVERED_MS).execute()


def _is_current(now: Millis) -> peewee.Expression:
    return ConfirmedToken.until_ms.between(now + 1, now + COVERED_MS + LATENESS_MS)
