"""Logins and devices of players, used nonces, two-factor authentication, and logins that wait for a code."""

from enum import StrEnum

import peewee
from peewee import SQL, Check

from models.db.connection import Table
from models.users import User


class LoginProvider(StrEnum):
    """Who knows a player."""

    PLATFORM = "platform"
    IDENTITY = "identity"


class PlayerLogin(Table):
    """A login with a provider, and the account that it leads to. An account has one of each at most."""

    # Of the player at the provider: 17 digits, or ``id-`` and a hash. An account that is made by a login gets
    # it as its platform id.
    id = peewee.CharField(max_length=80, primary_key=True)
    provider = peewee.CharField(
        max_length=8, constraints=[Check(f"provider IN {tuple(each.value for each in LoginProvider)}")]
    )
    user = peewee.ForeignKeyField(User, on_delete="CASCADE", index=False)
    user_id: int
    linked_at_ms = peewee.BigIntegerField()

    class Meta:
        table_name = "logins"
        indexes = ((("user", "provider"), True),)


class LoginNonce(Table):
    """A used nonce. The primary key refuses its second use, in any process."""

    nonce = peewee.CharField(max_length=255, primary_key=True)
    expires_at_ms = peewee.BigIntegerField()

    class Meta:
        table_name = "login_nonces"
        # For deleting the nonces of assertions that are too old to be accepted.
        indexes = (SQL("CREATE INDEX login_nonces_by_expiry ON login_nonces (expires_at_ms)"),)


class LoginDevice(Table):
    """A browser in which a player has logged in, by the SHA-256 of its cookie, and the newest time."""

    user = peewee.ForeignKeyField(User, on_delete="CASCADE", index=False)
    key = peewee.CharField(max_length=64)
    seen_at_ms = peewee.BigIntegerField()

    class Meta:
        table_name = "login_devices"
        primary_key = peewee.CompositeKey("user", "key")
        # The players who share a device.
        indexes = (SQL("CREATE INDEX login_devices_by_key ON login_devices (key, user_id)"),)


class TwoFactor(Table):
    """A player's secret, pending until ``User.two_factor_enabled`` is true."""

    user = peewee.ForeignKeyField(User, primary_key=True, on_delete="CASCADE")
    encrypted_secret = peewee.TextField()
    # The time step (Unix seconds / 30) of the newest accepted code. This and all earlier codes are used up.
    last_used_step = peewee.BigIntegerField(null=True)

    class Meta:
        table_name = "two_factor"


class WrongCode(Table):
    """A wrong code that a player sent. Setting up a new secret does not delete these."""

    id = peewee.BigAutoField()
    user = peewee.ForeignKeyField(User, on_delete="CASCADE", index=False)
    at_ms = peewee.BigIntegerField()

    class Meta:
        table_name = "wrong_codes"
        # Counting a player's recent wrong codes, and deleting the others.
        indexes = (SQL("CREATE INDEX wrong_codes_of_player ON wrong_codes (user_id, at_ms)"),)


class RecoveryCode(Table):
    """An unused recovery code, encrypted. Deleting the row uses it up, in any process once."""

    id = peewee.BigAutoField()
    user = peewee.ForeignKeyField(User, on_delete="CASCADE", index=False)
    encrypted_code = peewee.TextField()

    class Meta:
        table_name = "recovery_codes"
        # The codes of a player, at most ten.
        indexes = (SQL("CREATE INDEX recovery_codes_of_player ON recovery_codes (user_id)"),)


class ConfirmedToken(Table):
    """A token (its claim ``jti``) whose requests need no other code until a time."""

    user = peewee.ForeignKeyField(User, on_delete="CASCADE", index=False)
    token_id = peewee.CharField(max_length=64)
    until_ms = peewee.BigIntegerField()

    class Meta:
        table_name = "confirmed_tokens"
        primary_key = peewee.CompositeKey("user", "token_id")


class LoginChallenge(Table):
    """A login that waits for a code, by the hash of its challenge's text and of its browser's secret.

    Deleting the row uses it up.
    """

    key = peewee.CharField(max_length=64, primary_key=True)
    user = peewee.ForeignKeyField(User, on_delete="CASCADE", index=False)
    expires_at_ms = peewee.BigIntegerField()

    class Meta:
        table_name = "login_challenges"
        # Deleting a player's expired challenges, and all when two-factor authentication is turned off.
        indexes = (SQL("CREATE INDEX login_challenges_of_player ON login_challenges (user_id)"),)
