"""The URL at which a player receives trade offers on the game platform."""

import re
from dataclasses import dataclass

from models.db.connection import writing
from models.users import User
from services.accounts import notifications, users
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import CHANGED, record
from services.shared.clock import Millis
from services.shared.errors import Refusal

MAX_LENGTH = 500
MAX_PARTNER = 2**32 - 1

FIRST_ID = 76561197960265728
"""``partner`` plus this is the player's id on the game platform."""

CHANGED_TITLE = "Trade URL changed"
CHANGED_MESSAGE = "The trade URL of your account was changed. If that was not you, set it right."


@dataclass(frozen=True)
class TradeUrl:
    """``partner`` is the number of the account on the game platform."""

    partner: int
    text: str


def parse(text: str, *, host: str) -> TradeUrl | None:
    """The URL https://HOST/tradeoffer/new/?partner=NUMBER, optionally with &token=TOKEN; else None.

    Parameters after these two are left out. One pattern matches the whole text, so parsers that read URLs
    differently make no difference.
    """
    others = r"(?:&(?!(?:partner|token)\b)[A-Za-z0-9_.~%-]+(?:=[A-Za-z0-9_.~%-]*)?)*"
    kept = (
        rf"https://{re.escape(host)}/tradeoffer/new/\?partner=([1-9][0-9]{{0,9}})(?:&token=[A-Za-z0-9_-]+)?"
    )
    found = re.fullmatch(f"({kept}){others}", text, re.ASCII) if len(text) <= MAX_LENGTH else None
    return TradeUrl(int(found[2]), found[1]) if found and int(found[2]) <= MAX_PARTNER else None


def change(*, user: User, url: object, host: str, own_only: bool, now: Millis) -> None:
    """Set a player's trade URL and notify the player; setting the same one again does nothing.

    Raises Refusal for an empty or invalid one. With ``own_only`` a URL of another account is invalid too,
    except for a player of another provider.
    """
    if url is None or url == "":
        raise Refusal("Trade URL is required")
    wanted = parse(url, host=host) if isinstance(url, str) else None
    checks_owner = own_only and users.GAME_PLATFORM_ID.fullmatch(user.platform_id)
    if wanted is None or (checks_owner and wanted.partner + FIRST_ID != int(user.platform_id)):
        raise Refusal("Invalid trade URL")
    with writing():
        is_other = (User.id == user.id) & (User.trade_url != wanted.text)
        if User.update(trade_url=wanted.text).where(is_other).execute():
            record(AuditEventType.TRADE_URL_CHANGED, now=now, user_id=user.id, after={"tradeUrl": CHANGED})
            notifications.notify(user_id=user.id, title=CHANGED_TITLE, message=CHANGED_MESSAGE, now=now)
