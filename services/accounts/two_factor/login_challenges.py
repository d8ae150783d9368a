"""Login challenges: a player who has logged in with the provider gets a token only with a code."""

import hashlib
import secrets
from dataclasses import dataclass, field

import peewee

from models.db.connection import writing
from models.login_challenges import LoginChallenge
from models.users import User
from services.accounts import users
from services.accounts.two_factor.codes import LATENESS_MS, WRONG_CODE_WINDOW_MS, Codes, any_code
from services.shared.clock import Millis
from services.shared.errors import Unauthorized

# Not longer than wrong codes count: a challenge that was answered with five wrong codes expires before the
# player may try again, and is so void.
CHALLENGE_MS = WRONG_CODE_WINDOW_MS


@dataclass(frozen=True)
class Challenge:
    """What the redirect carries, and the secret in a cookie that binds it to the browser."""

    text: str = field(repr=False)
    browser_secret: str = field(repr=False)

    @property
    def key(self) -> str:
        """The stored hash. It finds a challenge only together with its browser's secret."""
        return hashlib.sha256(f"{self.text} {self.browser_secret}".encode()).hexdigest()


def begin(*, user_id: int, now: Millis) -> Challenge:
    """Store a new challenge of the player, and delete expired ones."""
    challenge = Challenge(secrets.token_hex(32), secrets.token_urlsafe(32))
    with writing():
        users.lock(user_id)
        LoginChallenge.delete().where(LoginChallenge.user == user_id, ~_is_current(now)).execute()
        LoginChallenge.insert(key=challenge.key, user=user_id, expires_at_ms=now + CHALLENGE_MS).execute()
    return challenge


def answer(challenge: Challenge, *, code: object, codes: Codes, now: Millis) -> User:
    """Use up a challenge and a code; returns the player, who may now have a token.

    Of several answers at once, in any process, one deletes the challenge, and the others raise Unauthorized,
    as do unknown and expired challenges. Also raises TooManyWrongCodes, InvalidCode, SecretLost.
    """
    is_this = LoginChallenge.key == challenge.key, _is_current(now)
    with writing():
        user_id = LoginChallenge.select(LoginChallenge.user).where(*is_this).scalar()
        if user_id is None:
            raise Unauthorized
        user = users.lock(user_id)
        # Another answer may have had the lock before. Its code must not count as wrong when it comes again.
        if not LoginChallenge.select().where(*is_this).exists():
            raise Unauthorized
        refusal = codes.use(any_code(code), user_id=user.id, now=now)
        if refusal is None and not LoginChallenge.delete().where(*is_this).execute():
            raise Unauthorized
    if refusal is not None:
        raise refusal
    return user


def _is_current(now: Millis) -> peewee.Expression:
    return LoginChallenge.expires_at_ms.between(now + 1, now + CHALLENGE_MS + LATENESS_MS)
