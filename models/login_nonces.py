"""Nonces of the OpenID assertions that have been used to log in."""

import peewee

from models.db.connection import Table


class LoginNonce(Table):
    """A used nonce. The primary key refuses its second use, in any process."""

    nonce = peewee.CharField(max_length=255, primary_key=True)
    expires_at_ms = peewee.BigIntegerField()

    class Meta:
        table_name = "login_nonces"


# For deleting the nonces of assertions that are too old to be accepted.
LoginNonce.add_index(LoginNonce.index(LoginNonce.expires_at_ms, name="login_nonces_by_expiry"))
