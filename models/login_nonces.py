"""Assertions of the game platform's OpenID that have been used to log in."""

import peewee

from models.database import Table


class LoginNonce(Table):
    """A nonce seen once. Its second use is refused by the primary key, in whatever process it comes."""

    nonce = peewee.CharField(max_length=255, primary_key=True)
    expires_at_ms = peewee.BigIntegerField()

    class Meta:
        table_name = "login_nonces"


# Throwing away those whose assertions are too old to be taken anyway.
LoginNonce.add_index(LoginNonce.index(LoginNonce.expires_at_ms, name="login_nonces_by_expiry"))
