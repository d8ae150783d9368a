"""A player's username, real name, phone number and address, and the URL for trade offers."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

import peewee

from models.callers import Caller
from models.db.connection import reading, writing
from models.logins import LoginProvider
from models.users import PersonalDetails, User
from services.accounts import logins, users
from services.accounts.notifications import notify
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import CHANGED, record
from services.shared.clock import Millis
from services.shared.errors import Refusal
from services.shared.signals import Tag, invalidate_after_commit

MAX_TRADE_URL = 500
MAX_PARTNER = 2**32 - 1

FIRST_ID = 76561197960265728
"""``partner`` plus this is the player's id on the game platform."""

TRADE_URL_CHANGED = "Trade URL changed"
CHANGED_MESSAGE = "The trade URL of your account was changed. If that was not you, set it right."


class UsernameTaken(Refusal):
    """Another player has this name; case does not matter."""

    text = "Username is already taken"


@reading()
def details_of(user_id: int) -> PersonalDetails:
    """The player's details; those not given are empty."""
    found = PersonalDetails.get_or_none(PersonalDetails.user == user_id)
    return found or PersonalDetails(user=user_id)


def change_details(
    *,
    user_id: int,
    username: str | None,
    is_anonymous: bool | None = None,
    details: Mapping[str, str],
    now: Millis,
) -> None:
    """Change the username and whether other players see it, unless None, and the given PersonalDetails.

    All of them are changed, or none.

    When two players change to one name at once, the unique column refuses the second. Raises UsernameTaken.
    """
    with writing():
        if details:
            PersonalDetails.insert(user=user_id, **details).on_conflict(
                conflict_target=[PersonalDetails.user], update=dict(details)
            ).execute()
            record(AuditEventType.DETAILS_CHANGED, now=now, user_id=user_id, after={"details": CHANGED})
        # The username comes last, because it locks the player's row. A concurrent first insert of details
        # would wait for that row while this transaction waits for the insert.
        if username is not None:
            _rename(user_id, username, now=now)
        if is_anonymous is not None:
            _hide(user_id, is_anonymous=is_anonymous, now=now)


def _hide(user_id: int, *, is_anonymous: bool, now: Millis) -> None:
    is_other = (User.id == user_id) & (User.is_anonymous != is_anonymous)
    if User.update(is_anonymous=is_anonymous).where(is_other).execute():
        after = {"anonymous": is_anonymous}
        record(AuditEventType.ANONYMITY_CHANGED, now=now, user_id=user_id, after=after)
        invalidate_after_commit(Tag.PLAYERS)


def _rename(user_id: int, username: str, *, now: Millis) -> None:
    before, folded = users.lock(user_id).username, username.lower()
    # Two players who exchanged their names at once would wait for each other if only the column decided.
    if User.select().where(User.username_folded == folded, User.id != user_id).exists():
        raise UsernameTaken
    renamed = User.update(username=username, username_folded=folded).where(User.id == user_id)
    try:
        renamed.execute()
    except peewee.IntegrityError:
        raise UsernameTaken from None
    if username != before:
        record(
            AuditEventType.USERNAME_CHANGED,
            now=now,
            user_id=user_id,
            before={"username": before},
            after={"username": username},
        )
    invalidate_after_commit(Tag.PLAYERS)


@dataclass(frozen=True)
class TradeUrl:
    """``partner`` is the number of the account on the game platform."""

    partner: int
    text: str


def parse_trade_url(text: str, *, host: str) -> TradeUrl | None:
    """The URL https://HOST/tradeoffer/new/?partner=NUMBER, optionally with &token=TOKEN; else None.

    Parameters after these two are left out. One pattern matches the whole text, so parsers that read URLs
    differently make no difference.
    """
    others = r"(?:&(?!(?:partner|token)\b)[A-Za-z0-9_.~%-]+(?:=[A-Za-z0-9_.~%-]*)?)*"
    kept = (
        rf"https://{re.escape(host)}/tradeoffer/new/\?partner=([1-9][0-9]{{0,9}})(?:&token=[A-Za-z0-9_-]+)?"
    )
    found = re.fullmatch(f"({kept}){others}", text, re.ASCII) if len(text) <= MAX_TRADE_URL else None
    return TradeUrl(int(found[2]), found[1]) if found and int(found[2]) <= MAX_PARTNER else None


def change_trade_url(*, user: Caller, url: object, host: str, own_only: bool, now: Millis) -> None:
    """Set a player's trade URL and notify the player; setting the same one again does nothing.

    Raises Refusal for an empty or invalid one. With ``own_only`` a URL of another account of the game
    platform is invalid too, except for a player who has no login there.
    """
    if url is None or url == "":
        raise Refusal("Trade URL is required")
    wanted = parse_trade_url(url, host=host) if isinstance(url, str) else None
    own_id = _game_platform_id(user) if own_only else None
    if wanted is None or (own_id is not None and wanted.partner + FIRST_ID != own_id):
        raise Refusal("Invalid trade URL")
    with writing():
        is_other = (User.id == user.id) & (User.trade_url != wanted.text)
        if User.update(trade_url=wanted.text).where(is_other).execute():
            record(AuditEventType.TRADE_URL_CHANGED, now=now, user_id=user.id, after={"tradeUrl": CHANGED})
            notify(user_id=user.id, title=TRADE_URL_CHANGED, message=CHANGED_MESSAGE, now=now)


def _game_platform_id(user: Caller) -> int | None:
    """The id of the player on the game platform, None without one.

    That of the account first: else somebody with a stolen token could link another one and remove it.
    """
    if users.GAME_PLATFORM_ID.fullmatch(user.platform_id):
        return int(user.platform_id)
    linked = logins.login_of(user.id, LoginProvider.PLATFORM)
    return None if linked is None else int(linked)
