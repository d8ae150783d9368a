"""Login challenges: a player who has logged in with the provider gets a token only with a code."""

import hashlib
import secrets
from dataclasses import dataclass, field

import peewee

from models.db.connection import writing
from models.logins import LoginChallenge
from models.users import User
from services.accounts import access, users
from services.accounts.two_factor import codes
from services.accounts.two_factor.codes import LATENESS_MS, WRONG_CODE_WINDOW_MS, any_code
from services.audit_trail.actor import acting_as_player
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import record
from services.shared.clock import Millis
from services.shared.encryption import Encrypter
from services.shared.errors import Unauthorized

# Not longer than wrong codes count: a challenge that was answered with five wrong codes expires before the
# player may try again, and is so void.
CHALLENGE_MS = WRONG_CODE_WINDOW_MS


@dataclass(frozen=True)
class Challenge:
    """The text that the redirect carries, and the secret in a cookie that binds it to the browser."""

    text: str = field(repr=False)
    browser_secret: str = field(repr=False)

    @property
    def key(self) -> str:
        """The stored hash. It finds a challenge only together with its browser's secret."""
        return hashlib.sha256(f"{self.text} {self.browser_secret}".encode(errors="replace")).hexdigest()


def begin(*, user_id: int, now: Millis) -> Challenge:
    """Store a new challenge of the player, and delete expired ones."""
    challenge = Challenge(secrets.token_hex(32), secrets.token_urlsafe(32))
    with writing():
        users.lock(user_id)
        LoginChallenge.delete().where(LoginChallenge.user == user_id, ~_is_current(now)).execute()
        LoginChallenge.insert(key=challenge.key, user=user_id, expires_at_ms=now + CHALLENGE_MS).execute()
    return challenge


def finish(
    *, challenge: object, browser_secret: str | None, code: object, encrypter: Encrypter, now: Millis
) -> User:
    """Use up a challenge of this browser and a code; returns the player, who has logged in.

    When several requests arrive at once, in any process, the first one to lock the player's row deletes the
    challenge. The others raise Unauthorized, as those with an unknown or expired challenge do. Also raises
    AccountSuspended, TooManyWrongCodes, InvalidCode, SecretLost.
    """
    if not isinstance(challenge, str) or browser_secret is None:
        raise Unauthorized
    is_this = LoginChallenge.key == Challenge(challenge, browser_secret).key, _is_current(now)
    with codes.committing_refusals():
        user_id = LoginChallenge.select(LoginChallenge.user).where(*is_this).scalar()
        if user_id is None:
            raise Unauthorized
        user = users.lock(user_id)
        # Another request may have had the lock before. Its code must not count as wrong in this one.
        if not LoginChallenge.select().where(*is_this).exists():
            raise Unauthorized
        access.check_not_suspended(user)
        with acting_as_player(user.platform_id):
            codes.use(
                any_code(code), user_id=user_id, encrypter=encrypter, now=now, bounds=[codes.SHORT_BOUND]
            )
            codes.lift_daily_bound(user_id=user_id, now=now)
            LoginChallenge.delete().where(*is_this).execute()
            record(AuditEventType.LOGGED_IN, now=now, user_id=user_id, after={"secondFactor": True})
    return user


def _is_current(now: Millis) -> peewee.Expression:
    return LoginChallenge.expires_at_ms.between(now + 1, now + CHALLENGE_MS + LATENESS_MS)
