"""The logins of an account: which account a login leads to, linking a second one, and removing one."""

from collections.abc import Collection
from contextlib import suppress

import peewee

from models.db.connection import reading, writing
from models.db.sql import execute
from models.logins import LoginChallenge, LoginProvider, PlayerLogin
from models.users import User, find_user
from services.accounts import access, users
from services.accounts.notifications import notify
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import record
from services.shared.clock import Millis
from services.shared.errors import Refusal, UserNotFound
from services.shared.signals import Tag, invalidate_after_commit

MAX_COLLISIONS = 100

NAMES = {LoginProvider.PLATFORM: "the game platform", LoginProvider.IDENTITY: "the identity provider"}
"""What players are told of the providers."""

IF_NOT_YOU = "If that was not you, log out everywhere and contact support."


class LoginRemoved(Refusal):
    """The login from which an account was made, and which its player has removed."""

    status = 403
    text = "This login was removed from its account"


class AlreadyLinked(Refusal):
    """The login belongs to another account."""

    text = "This login belongs to another account"


class ProviderLinked(Refusal):
    """The account has a login with this provider, perhaps another one."""

    text = "You already log in with this provider"


class LoginNotFound(Refusal):
    """The account has no login with this provider."""

    status = 404
    text = "Login not found"


class LastLogin(Refusal):
    text = "Your last way to log in can't be removed"


class RemovedOnBreak(Refusal):
    """A login that was removed could make another account, which is not on a break."""

    text = "Logins can't be removed during a break"


@reading()
def of_player(user_id: int) -> list[LoginProvider]:
    """The providers with which the player logs in, in the order of LoginProvider."""
    rows = execute("SELECT provider FROM logins WHERE user_id = :user_id", {"user_id": user_id})
    own = {provider for (provider,) in rows}
    return [provider for provider in LoginProvider if provider in own]


@reading()
def login_of(user_id: int, provider: LoginProvider) -> str | None:
    """The id of the player's login with this provider."""
    own = PlayerLogin.select(PlayerLogin.id).where(PlayerLogin.user == user_id)
    found: str | None = own.where(PlayerLogin.provider == provider).scalar()
    return found


def get_or_create(*, login_id: str, provider: LoginProvider, username: str, avatar: str, now: Millis) -> User:
    """The player to whose account a login leads. The first time, an account is created.

    A taken name gets -2, -3, …; an existing account keeps its name. ``avatar`` is a URL, or empty. Unique
    columns decide between two concurrent first logins: if both are of one person, the second gets the account
    of the first; if two people have one name, the second takes the next name. Raises LoginRemoved, and
    AccountClosed for a login of an erased account whose player is still excluded.
    """
    for _ in range(MAX_COLLISIONS):
        with suppress(UserNotFound):
            user = _account_of(login_id)
            # The picture does not change with the login that a player happens to use.
            return _with_avatar(user, avatar) if user.platform_id == login_id else user
        pseudonym = users.pseudonym_of_new(login_id, now=now)
        with suppress(peewee.IntegrityError), writing():
            return users.insert(
                username=username,
                platform_id=login_id,
                provider=provider,
                avatar=avatar,
                pseudonym=pseudonym,
                now=now,
            )
    raise RuntimeError("every name that was free was taken a moment later")


@reading()
def _account_of(login_id: str) -> User:
    """The account that this login leads to. Raises UserNotFound, LoginRemoved."""
    # Before its login, which an account has from its first moment: so one without has lost it.
    original = find_user("platform_id", login_id)
    login = PlayerLogin.get_or_none(PlayerLogin.id == login_id)
    if login is not None:
        return users.get_by_id(login.user_id)
    if original is not None:
        raise LoginRemoved
    raise UserNotFound


def _with_avatar(user: User, avatar: str) -> User:
    """The player, whose stored avatar becomes the provider's current one.

    The guarded update never replaces an uploaded avatar (a path of this service), not even one that is
    uploaded at the same time.
    """
    if avatar not in ("", user.avatar) and user.closed_at_ms is None:
        with writing():
            not_uploaded = peewee.fn.substr(User.avatar, 1, 1) != "/"
            User.update(avatar=avatar).where(User.id == user.id, not_uploaded).execute()
            invalidate_after_commit(Tag.PLAYERS)
    return user


def check_not_linked(user_id: int, provider: LoginProvider) -> None:
    """Raises ProviderLinked."""
    if login_of(user_id, provider) is not None:
        raise ProviderLinked


def link(*, user_id: int, provider: LoginProvider, login_id: str, now: Millis) -> None:
    """Let a login lead to this account, and notify the player. Acts as the player.

    Of two accounts that link one login at once, the primary key refuses the second. Raises AlreadyLinked,
    ProviderLinked, UserNotFound, as ``record`` for a revoked token or a suspended player, and AccountClosed
    for a login of an erased account whose player is still excluded.
    """
    try:
        with writing():
            users.lock(user_id)
            check_not_linked(user_id, provider)
            users.check_login_not_excluded(login_id, now=now)
            original = find_user("platform_id", login_id)
            if original is not None and original.id != user_id:
                # Also when its player has removed the login.
                raise AlreadyLinked
            PlayerLogin.insert(id=login_id, provider=provider, user=user_id, linked_at_ms=now).execute()
            record(AuditEventType.LOGIN_LINKED, now=now, user_id=user_id, after={"provider": provider})
            _notify(user_id, "Login linked", f"You can log in with {NAMES[provider]} now.", now=now)
    except peewee.IntegrityError:
        raise AlreadyLinked from None


def remove(*, user_id: int, provider: LoginProvider, usable: Collection[LoginProvider], now: Millis) -> None:
    """Remove the player's login with this provider, and notify the player.

    One that is ``usable``, whose provider the service knows, must be left. Concurrent requests take turns, so
    that two can't remove both. Raises LoginNotFound, LastLogin, RemovedOnBreak, UserNotFound.
    """
    with writing():
        user = users.lock(user_id)
        own = of_player(user_id)
        if provider not in own:
            raise LoginNotFound
        if not (set(own) - {provider}) & set(usable):
            raise LastLogin
        if user.excluded_until_ms is not None and now < user.excluded_until_ms:
            raise RemovedOnBreak
        PlayerLogin.delete().where(PlayerLogin.user == user_id, PlayerLogin.provider == provider).execute()
        # Somebody may be logging in with it.
        LoginChallenge.delete().where(LoginChallenge.user == user_id).execute()
        record(AuditEventType.LOGIN_REMOVED, now=now, user_id=user_id, before={"provider": provider})
        _notify(user_id, "Login removed", f"You can't log in with {NAMES[provider]} any more.", now=now)


def restore(*, user_id: int, now: Millis) -> LoginProvider:
    """Let the login that made an account lead to it again, and no other; returns its provider.

    For a player whose account somebody else has taken over. All tokens are revoked. Raises UserNotFound, and
    Refusal for an account that no login has made.
    """
    with writing():
        user = users.lock(user_id)
        provider = _provider_of(user.platform_id)
        PlayerLogin.delete().where(PlayerLogin.user == user_id).execute()
        PlayerLogin.insert(id=user.platform_id, provider=provider, user=user_id, linked_at_ms=now).execute()
        LoginChallenge.delete().where(LoginChallenge.user == user_id).execute()
        access.log_out_everywhere(user_id=user_id, now=now)
        record(AuditEventType.LOGIN_RESTORED, now=now, user_id=user_id, after={"provider": provider})
        message = f"Support has changed your logins: you can log in with {NAMES[provider]} only."
        notify(user_id=user_id, title="Login restored", message=message, now=now)
        return provider


def _provider_of(platform_id: str) -> LoginProvider:
    """The provider of the login that made the account with this id. Raises Refusal."""
    if not users.GAME_PLATFORM_ID.fullmatch(platform_id):
        return LoginProvider.IDENTITY
    if users.is_drawn(platform_id):
        raise Refusal("no login has made this account")
    return LoginProvider.PLATFORM


def _notify(user_id: int, title: str, message: str, *, now: Millis) -> None:
    notify(user_id=user_id, title=title, message=f"{message} {IF_NOT_YOU}", now=now)
