"""Players: making accounts and finding them."""

import re
import secrets
from collections.abc import Callable

import peewee

from models.database import reading, writing
from models.users import User
from services import fairness, ledger
from services.clock import Millis
from services.errors import OperatorError, UserNotFound
from services.ledger import Account, Entry, Kind
from services.levels import experience_for
from services.money import NO_COINS, Cents
from services.server_seeds import ServerSeeds

USERNAME = re.compile(r"[A-Za-z0-9_.-]{3,32}", re.ASCII)
GAME_PLATFORM_ID = re.compile(r"[0-9]{17}", re.ASCII)
MAX_USERNAME = 32
MAX_LEVEL = 10_000


def random_platform_id() -> str:
    """A 17-digit id in the range that the game platform gives to people."""
    return str(76_561_190_000_000_000 + secrets.randbelow(9_999_999_999))


def create(
    *,
    username: str,
    seeds: ServerSeeds,
    now: Millis,
    platform_id: str | None = None,
    level: int = 0,
    balance: Cents = NO_COINS,
    draw_client_seed: Callable[[], str] = fairness.draw_client_seed,
) -> User:
    """Make an account, with its first commitment, and a balance from the house's grants if wanted.

    A name that is taken gets -2, -3, … like at a first login. Raises OperatorError for a name, id or
    level that can't be, and for a platform id that is taken.
    """
    _check_new(username=username, platform_id=platform_id, level=level)
    with writing():
        try:
            user = _insert(
                username=_free_username(username),
                platform_id=platform_id or random_platform_id(),
                client_seed=draw_client_seed(),
                granted_experience=experience_for(level),
                now=now,
            )
        except peewee.IntegrityError:
            raise OperatorError("the platform id is taken, or the name was at the same moment") from None
        seeds.announce_first(user_id=user.id)
        if balance:
            ledger.post(
                kind=Kind.GRANT,
                entries=[
                    Entry(Account.HOUSE_GRANTS, Cents(-balance)),
                    Entry(Account.BALANCE, balance, user.id),
                ],
                now=now,
            )
        return get(platform_id=user.platform_id)


@reading()
def get(*, platform_id: str) -> User:
    """The player with this platform id. Raises UserNotFound."""
    user = User.get_or_none(User.platform_id == platform_id)
    if user is None:
        raise UserNotFound
    return user


@reading()
def get_by_id(user_id: int) -> User:
    """The player with this internal id. Raises UserNotFound."""
    user = User.get_or_none(User.id == user_id)
    if user is None:
        raise UserNotFound
    return user


def _check_new(*, username: str, platform_id: str | None, level: int) -> None:
    if not USERNAME.fullmatch(username):
        raise OperatorError("a username has 3 to 32 letters, digits, dots, dashes and underscores")
    if platform_id is not None and not GAME_PLATFORM_ID.fullmatch(platform_id):
        raise OperatorError("a platform id has 17 digits")
    if not 0 <= level <= MAX_LEVEL:
        raise OperatorError(f"a level is from 0 to {MAX_LEVEL}")


def _insert(
    *, username: str, platform_id: str, client_seed: str, granted_experience: int, now: Millis
) -> User:
    return User.create(
        platform_id=platform_id,
        username=username,
        username_folded=username.lower(),
        registered_at_ms=now,
        client_seed=client_seed,
        granted_experience=granted_experience,
    )


def _free_username(wanted: str) -> str:
    """The name itself, or with the first of -2, -3, … that nobody has. The unique column has the last word.

    Looks by doubling and halving: a name that 10,000 have asked for takes about 27 look-ups.
    """
    if not _taken(wanted):
        return wanted
    free = 2
    while _taken(_numbered(wanted, free)):
        free *= 2
    taken = free // 2
    while free - taken > 1:
        middle = (free + taken) // 2
        if _taken(_numbered(wanted, middle)):
            taken = middle
        else:
            free = middle
    return _numbered(wanted, free)


def _numbered(name: str, number: int) -> str:
    suffix = f"-{number}"
    return name[: MAX_USERNAME - len(suffix)] + suffix


def _taken(name: str) -> bool:
    return bool(User.select(User.id).where(User.username_folded == name.lower()).exists())
