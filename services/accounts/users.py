"""Players' accounts: creating, finding and listing them, and their stored client seeds."""

import re
import secrets
from collections.abc import Iterable

import peewee

from models.callers import Caller, find_caller
from models.db.connection import reading, repeatable_read, writing
from models.db.sql import contains_text, execute
from models.logins import LoginProvider, PlayerLogin
from models.users import User, find_user
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import CHANGED, record
from services.ledger import posting
from services.ledger.posting import Account, LedgerKind, Move
from services.log.entries import Pseudonyms
from services.shared.clock import Millis
from services.shared.errors import AccountClosed, Refusal, UserNotFound
from services.shared.levels import experience_for
from services.shared.money import NO_COINS, Cents
from services.shared.pagination import Page, Place, rows_of_page

MIN_USERNAME, MAX_USERNAME = 3, 32
USERNAME = re.compile(rf"[A-Za-z0-9_.-]{{{MIN_USERNAME},{MAX_USERNAME}}}", re.ASCII)
GAME_PLATFORM_ID = re.compile(r"[0-9]{17}", re.ASCII)
MAX_LEVEL = 10_000

# One statement, because 100,000 players may have the name that players without one are given. Each row tells
# whether the name before it was free: (0, 0) comes first, (1, is NAME free?), (2, is NAME-2 free?) and so on.
FREE_NUMBERS = f"""
WITH RECURSIVE tried (number, is_free, found) AS (
    SELECT 0, 0, 0
    UNION ALL
    SELECT number + 1, CAST(NOT EXISTS (
        SELECT 1 FROM users WHERE username_folded = CASE number
            WHEN 0 THEN :wanted
            ELSE substr(:wanted, 1, {MAX_USERNAME} - length('-' || (number + 1))) || '-' || (number + 1)
        END
    ) AS INTEGER), found + is_free
    FROM tried WHERE found + is_free < :count
)
SELECT number FROM tried WHERE is_free = 1
"""  # noqa: S608  # a constant

CLIENT_SEED = re.compile(r"[A-Za-z0-9_-]{4,64}", re.ASCII)


def random_platform_id() -> str:
    """17 digits from a range that the game platform does not use.

    So no player who signs in later gets an account that an operator created.
    """
    return str(9 * 10**16 + secrets.randbelow(10**16))


def is_drawn(platform_id: str) -> bool:
    """Whether an id may be from ``random_platform_id``: no login has it."""
    return platform_id.startswith("9")


def create(
    *,
    username: str,
    now: Millis,
    platform_id: str | None = None,
    avatar: str = "",
    level: int = 0,
    balance: Cents = NO_COINS,
) -> User:
    """Create an account with a balance from the house's grants.

    A name that is taken gets -2, -3, … as at a first login. With a platform id, the login that has this id
    leads to the account. Without one, no login does. Raises Refusal for an invalid name, id or level, and for
    a platform id that is taken.
    """
    if platform_id is not None and not GAME_PLATFORM_ID.fullmatch(platform_id):
        raise Refusal("a platform id must have 17 digits")
    if not 0 <= level <= MAX_LEVEL:
        raise Refusal(f"a level must be from 0 to {MAX_LEVEL}")
    with writing():
        try:
            user = insert(
                username=username,
                platform_id=platform_id or random_platform_id(),
                provider=LoginProvider.PLATFORM if platform_id else None,
                avatar=avatar,
                granted_experience=experience_for(level),
                pseudonym=None if platform_id is None else pseudonym_of_new(platform_id, now=now),
                now=now,
            )
        except peewee.IntegrityError:
            raise Refusal("the platform id or the name is already taken") from None
        if balance:
            move = Move(balance, Account.HOUSE_GRANTS, Account.BALANCE)
            posting.post(kind=LedgerKind.GRANT, user_id=user.id, moves=[move], now=now)
            record(AuditEventType.COINS_GRANTED, now=now, user_id=user.id, after={"amountCents": balance})
        return get(platform_id=user.platform_id)


def pseudonym_of_new(login_id: str, *, now: Millis) -> str | None:
    """The name in the log of a new account; None if it follows from its id, that of the login.

    An erased account keeps the name that it had, and the numbers of its bets. Raises AccountClosed for a
    login of an erased account whose player is still excluded.
    """
    check_login_not_excluded(login_id, now=now)
    derived = Pseudonyms().of(login_id)
    with reading():
        is_taken = User.select().where(User.pseudonym == derived).exists()
    return secrets.token_hex(16) if is_taken else None


@reading()
def check_login_not_excluded(login_id: str, *, now: Millis) -> None:
    """Raises AccountClosed for a login of an erased account whose player is still excluded."""
    digest = Pseudonyms().of(login_id)
    # Of the login that made the account, or of one that was linked to it.
    linked = PlayerLogin.select(PlayerLogin.user).where(PlayerLogin.id == digest)
    has_login = (User.login_digest == digest) | User.id.in_(linked)
    is_excluded = User.erased_at_ms.is_null(False) & (User.excluded_until_ms > now)
    if User.select().where(has_login, is_excluded).exists():
        raise AccountClosed


@reading()
def get(*, platform_id: str) -> User:
    """The player with this platform id. Raises UserNotFound."""
    return _existing(find_user("platform_id", platform_id))


@reading()
def caller(*, platform_id: str) -> Caller:
    """The player with this platform id, as requests need it. Raises UserNotFound."""
    found = find_caller(platform_id)
    if found is None:
        raise UserNotFound
    return found


@reading()
def get_by_id(user_id: int) -> User:
    """The player with this internal id. Raises UserNotFound."""
    return _existing(find_user("id", user_id))


@reading()
def get_all(user_ids: Iterable[int]) -> list[User]:
    """The players with these internal ids, in no order; without those that are gone."""
    return list(User.select().where(User.id.in_(list(user_ids))))


def lock(user_id: int) -> User:
    """The player, with the row locked until the end of the caller's transaction. Raises UserNotFound."""
    return _existing(find_user("id", user_id, lock=True))


def _existing(user: User | None) -> User:
    if user is None:
        raise UserNotFound
    return user


def insert(
    *,
    username: str,
    platform_id: str,
    provider: LoginProvider | None,
    now: Millis,
    avatar: str = "",
    granted_experience: int = 0,
    pseudonym: str | None = None,
) -> User:
    """Add an account with the first free name, and the login with this provider that leads to it.

    To be used within ``writing()``. Raises peewee.IntegrityError when the id is taken, or the name was a
    moment ago, and Refusal for an invalid name.
    """
    (name,) = free_usernames(username, count=1)
    user: User = User.create(
        platform_id=platform_id,
        username=name,
        username_folded=name.lower(),
        avatar=avatar,
        registered_at_ms=now,
        client_seed=draw_client_seed(),
        granted_experience=granted_experience,
        pseudonym=pseudonym,
    )
    if provider is not None:
        PlayerLogin.insert(id=platform_id, provider=provider, user=user.id, linked_at_ms=now).execute()
    record(AuditEventType.ACCOUNT_CREATED, now=now, user_id=user.id, after={"username": name})
    return user


@reading()
def free_usernames(wanted: str, *, count: int) -> list[str]:
    """The first free ones of the names NAME, NAME-2, NAME-3 and so on.

    Another process can take one of them before the transaction ends; the unique column then refuses it.
    Raises Refusal for an invalid name.
    """
    if not USERNAME.fullmatch(wanted):
        raise Refusal("a username must have 3 to 32 letters, digits, dots, dashes and underscores")
    numbers = execute(FREE_NUMBERS, {"wanted": wanted.lower(), "count": count})
    return [_numbered(wanted, number) for (number,) in numbers]


def _numbered(name: str, number: int) -> str:
    suffix = f"-{number}" if number > 1 else ""
    return name[: MAX_USERNAME - len(suffix)] + suffix


@repeatable_read(within_limit=True)
def page(*, search: str, place: Place) -> Page[User]:
    """One page of the players, the newest account first.

    With a search: those whose username contains the text in any case, or whose platform id it is.
    """
    query = User.select()
    if search:
        query = query.where(
            contains_text(User.username_folded, search.lower()) | (User.platform_id == search)
        )
    total = query.count()
    return Page(rows_of_page(query, order=(User.id.desc(),), place=place, total=total), total)


class InvalidClientSeed(Refusal):
    """The seed is missing or malformed."""

    text = "Client seed must be 4 to 64 letters, digits, dashes and underscores"


def draw_client_seed() -> str:
    """A first client seed for a new account: 16 hex characters."""
    return secrets.token_hex(8)


def is_client_seed(text: object) -> bool:
    """Whether this is 4 to 64 ASCII letters, digits, dashes and underscores."""
    return isinstance(text, str) and CLIENT_SEED.fullmatch(text) is not None


def change_client_seed(*, user_id: int, seed: object, now: Millis) -> None:
    """Set the seed for the next bets. Raises InvalidClientSeed."""
    if not is_client_seed(seed):
        raise InvalidClientSeed
    with writing():
        User.update(client_seed=seed).where(User.id == user_id).execute()
        record(AuditEventType.CLIENT_SEED_CHANGED, now=now, user_id=user_id, after={"clientSeed": CHANGED})
