"""Two-factor authentication: turning it on and off, and asking for codes, for an action or a login."""

import hashlib
import secrets
from dataclasses import dataclass, field

import peewee
import pyotp

from models.db.connection import writing
from models.logins import ConfirmedToken, LoginChallenge, RecoveryCode, TwoFactor, WrongCode
from models.users import User
from services.accounts import access, users
from services.accounts.notifications import notify
from services.accounts.two_factor import codes
from services.accounts.two_factor.codes import (
    WRONG_CODE_WINDOW_MS,
    any_code,
    committing_refusals,
    six_digits,
)
from services.audit_trail.actor import acting_as_player
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import because, record
from services.shared.clock import CLOCK_TOLERANCE_MS, MINUTE_MS, Millis
from services.shared.encryption import Encrypter
from services.shared.errors import Refusal, Unauthorized

ISSUER = "Gaming Platform"
"""Shown by an authenticator app above the player's name."""

CONFIRMED_MS = 5 * MINUTE_MS
"""How long the requests of a token need no other code."""


CHALLENGE_MS = WRONG_CODE_WINDOW_MS
"""A challenge must expire before five wrong codes stop counting. Otherwise it could be guessed at again."""


@dataclass(frozen=True)
class Challenge:
    """The text that the redirect carries, and the secret in a cookie that binds it to the browser."""

    text: str = field(repr=False)
    browser_secret: str = field(repr=False)

    @property
    def key(self) -> str:
        """The stored hash. It finds a challenge only together with its browser's secret."""
        return hashlib.sha256(f"{self.text} {self.browser_secret}".encode(errors="replace")).hexdigest()


class AlreadyEnabled(Refusal):
    text = "2FA is already enabled"


@dataclass(frozen=True, kw_only=True)
class TwoFactorAuthentication:
    """Two-factor authentication of players. Secrets are encrypted in the database."""

    encrypter: Encrypter

    def setup(self, *, user_id: int) -> tuple[str, str]:
        """Draw a secret, which replaces one that was not enabled. Raises AlreadyEnabled.

        Returns the secret in base 32, and the otpauth address for a QR code that contains it.
        """
        secret = pyotp.random_base32()
        encrypted = self.encrypter.encrypt(secret)
        with writing():
            user = users.lock(user_id)
            if user.two_factor_enabled:
                raise AlreadyEnabled
            TwoFactor.delete().where(TwoFactor.user == user_id).execute()
            TwoFactor.insert(user=user_id, encrypted_secret=encrypted).execute()
        address = pyotp.TOTP(secret).provisioning_uri(name=user.username, issuer_name=ISSUER)
        return secret, address

    def enable(self, *, user_id: int, code: object, now: Millis) -> None:
        """Turn on with a code of the new secret. The code is used up.

        Raises InvalidCode, TooManyWrongCodes, SecretLost, and Refusal for a malformed code, and if it is on
        already or not set up.
        """
        code = six_digits(code)
        with committing_refusals():
            if users.lock(user_id).two_factor_enabled:
                raise AlreadyEnabled
            codes.use(code, user_id=user_id, encrypter=self.encrypter, now=now)
            User.update(two_factor_enabled=True).where(User.id == user_id).execute()
            record(AuditEventType.TWO_FACTOR_ENABLED, now=now, user_id=user_id)
            notify(
                user_id=user_id,
                title="2FA turned on",
                message="Two-factor authentication was turned on for your account.",
                now=now,
            )

    def disable(self, *, user_id: int, code: object, now: Millis) -> None:
        """Turn off with a code of either kind. Deletes the secret and what depends on it.

        Raises InvalidCode, TooManyWrongCodes, SecretLost, and Refusal for a malformed code, and if it is off.
        """
        code = any_code(code)
        if code is None:
            raise Refusal("The code must be a text of 6 digits, or a recovery code")
        with committing_refusals():
            _lock_enabled(user_id)
            codes.use(code, user_id=user_id, encrypter=self.encrypter, now=now)
            _turn_off(user_id, AuditEventType.TWO_FACTOR_DISABLED, now=now)

    def reset(self, *, user_id: int, now: Millis, reason: str = "") -> None:
        """Turn off without a code, for a player who lost the authenticator, and forget wrong codes.

        Raises Refusal if it is off.
        """
        with writing():
            _lock_enabled(user_id)
            WrongCode.delete().where(WrongCode.user == user_id).execute()
            _turn_off(user_id, AuditEventType.TWO_FACTOR_RESET, now=now, reason=reason)

    def draw_recovery_codes(self, *, user_id: int, code: object, now: Millis) -> list[str]:
        """New recovery codes, which replace all earlier ones, for a code of the authenticator app.

        Raises InvalidCode, TooManyWrongCodes, SecretLost, and Refusal for a malformed code, and if it is off.
        """
        code = six_digits(code)
        drawn = codes.draw_recovery_codes()
        rows = [
            {"user": user_id, "encrypted_code": self.encrypter.encrypt(text.replace("-", ""))}
            for text in drawn
        ]
        with committing_refusals():
            _lock_enabled(user_id)
            codes.use(code, user_id=user_id, encrypter=self.encrypter, now=now)
            RecoveryCode.delete().where(RecoveryCode.user == user_id).execute()
            RecoveryCode.insert_many(rows).execute()
            record(AuditEventType.RECOVERY_CODES_DRAWN, now=now, user_id=user_id)
            notify(
                user_id=user_id,
                title="New recovery codes",
                message="New recovery codes were made for your account. Earlier ones no longer work.",
                now=now,
            )
        return drawn

    def confirm(self, *, user_id: int, token_id: str | None, code: str | None, now: Millis) -> None:
        """Require a code for a sensitive action, unless the token is confirmed. A right code confirms it.

        Does nothing for a player without 2FA. Must not be called within a transaction, whose rollback would
        undo the count of wrong codes. Raises Refusal for a missing code, InvalidCode, TooManyWrongCodes,
        SecretLost.
        """
        with committing_refusals():
            # A code of a confirmed token is not looked at: another request may just have used it up.
            if not users.lock(user_id).two_factor_enabled or _is_confirmed(user_id, token_id, now=now):
                return
            if code is None:
                raise Refusal("Two-factor code required", status=403)
            codes.use(any_code(code), user_id=user_id, encrypter=self.encrypter, now=now)
            if token_id is not None:
                ConfirmedToken.delete().where(ConfirmedToken.user == user_id, ~_is_current(now)).execute()
                ConfirmedToken.insert(user=user_id, token_id=token_id, until_ms=now + CONFIRMED_MS).execute()

    def begin_login(self, *, user_id: int, now: Millis) -> Challenge:
        """Store a new challenge of a player whom the provider has identified, and delete expired ones."""
        challenge = Challenge(secrets.token_hex(32), secrets.token_urlsafe(32))
        with writing():
            users.lock(user_id)
            is_expired = ~_is_challenge_current(now)
            LoginChallenge.delete().where(LoginChallenge.user == user_id, is_expired).execute()
            LoginChallenge.insert(key=challenge.key, user=user_id, expires_at_ms=now + CHALLENGE_MS).execute()
        return challenge

    def finish_login(
        self, *, challenge: object, browser_secret: str | None, code: object, now: Millis
    ) -> User:
        """Use up a challenge of this browser and a code; returns the player, who has logged in.

        When several requests arrive at once, in any process, the first one to lock the player's row deletes
        the challenge. The others raise Unauthorized, as those with an unknown or expired challenge do. Also
        raises AccountSuspended, TooManyWrongCodes, InvalidCode, SecretLost.
        """
        if not isinstance(challenge, str) or browser_secret is None:
            raise Unauthorized
        key = Challenge(challenge, browser_secret).key
        is_this = (LoginChallenge.key == key) & _is_challenge_current(now)
        with committing_refusals():
            user_id = LoginChallenge.select(LoginChallenge.user).where(is_this).scalar()
            if user_id is None:
                raise Unauthorized
            user = users.lock(user_id)
            # Another request may have had the lock before. Its code must not count as wrong in this one.
            if not LoginChallenge.select().where(is_this).exists():
                raise Unauthorized
            access.check_not_suspended(user)
            with acting_as_player(user.platform_id):
                codes.use(any_code(code), user_id=user_id, encrypter=self.encrypter, now=now, is_login=True)
                codes.lift_daily_bound(user_id=user_id, now=now)
                LoginChallenge.delete().where(is_this).execute()
                record(AuditEventType.LOGGED_IN, now=now, user_id=user_id, after={"secondFactor": True})
        return user


def _lock_enabled(user_id: int) -> None:
    """Lock the row of a player with 2FA. Raises Refusal for one without."""
    if not users.lock(user_id).two_factor_enabled:
        raise Refusal("2FA is not enabled")


def _turn_off(user_id: int, what: AuditEventType, *, now: Millis, reason: str = "") -> None:
    for table in (TwoFactor, RecoveryCode, ConfirmedToken, LoginChallenge):
        table.delete().where(table.user == user_id).execute()
    User.update(two_factor_enabled=False).where(User.id == user_id).execute()
    record(what, now=now, user_id=user_id, after=because(reason) or None)
    by = " by support" if what is AuditEventType.TWO_FACTOR_RESET else ""
    notify(
        user_id=user_id,
        title="2FA turned off",
        message=f"Two-factor authentication was turned off for your account{by}.",
        now=now,
    )


def _is_confirmed(user_id: int, token_id: str | None, *, now: Millis) -> bool:
    """Whether a code has confirmed this token, in any process. A token without an id is never confirmed."""
    if token_id is None:
        return False
    is_this = (ConfirmedToken.token_id == token_id) & _is_current(now)
    return bool(ConfirmedToken.select().where(ConfirmedToken.user == user_id, is_this).exists())


def _is_current(now: Millis) -> peewee.Expression:
    return ConfirmedToken.until_ms.between(now + 1, now + CONFIRMED_MS + CLOCK_TOLERANCE_MS)


def _is_challenge_current(now: Millis) -> peewee.Expression:
    return LoginChallenge.expires_at_ms.between(now + 1, now + CHALLENGE_MS + CLOCK_TOLERANCE_MS)
