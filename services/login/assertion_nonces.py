"""Assertions are good once, whatever the provider remembers."""

import peewee

from models.database import writing
from models.login_nonces import LoginNonce
from services.clock import Millis
from services.login.assertions import NONCE_LIFE_MS, Assertion
from services.login.errors import LoginFailed


def spend(assertion: Assertion, *, now: Millis) -> None:
    """Use up the nonce of an assertion that the provider has vouched for. Raises LoginFailed when it is used.

    Of two uses at once, in whatever process, the primary key lets one through. Rows are kept for twice
    as long as their nonces are taken, so that two clocks may differ by as much.
    """
    try:
        with writing():
            LoginNonce.delete().where(LoginNonce.expires_at_ms < now).execute()
            LoginNonce.insert(
                nonce=assertion.nonce, expires_at_ms=assertion.nonce_at + 2 * NONCE_LIFE_MS
            ).execute()
    except peewee.IntegrityError:
        raise LoginFailed("used before") from None
