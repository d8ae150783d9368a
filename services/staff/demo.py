"""People of the demo, one for each role, and an address that signs one in. Not in production."""

import pyotp
from cryptography.fernet import InvalidToken

from models.db.connection import writing
from models.staff import StaffAccount
from services.audit_trail.actor import Actor, acting_as
from services.shared.clock import WEEK_MS, Millis
from services.shared.encryption import Encrypter
from services.shared.totp import STEP_MS
from services.staff import accounts
from services.staff.accounts import StaffAccounts
from services.staff.errors import LinkNotValid, StaffNotFound
from services.staff.permissions import Role
from services.staff.sign_in import ClientAddress, begin_session_of

PREFIX = "demo-"
ADDRESS_MS = WEEK_MS
"""How long an address is valid. It may be used again."""


class DemoStaff:
    """Begins sessions without password and code. The container has none in production."""

    def __init__(self, *, encrypter: Encrypter, staff_accounts: StaffAccounts) -> None:
        """``encrypter`` is for the texts in the addresses."""
        self._encrypter = encrypter
        self._accounts = staff_accounts

    def draw_token(self, *, now: Millis) -> str:
        """The text of an address. Adds the people that are missing."""
        with writing():
            known = {account.name for account in accounts.listed()}
            for role in Role:
                if PREFIX + role not in known:
                    self._accounts.add(name=PREFIX + role, role=role, now=now)
        return self._encrypter.encrypt(str(now + ADDRESS_MS))

    def begin_session(self, token: str, *, role: Role, client: ClientAddress, now: Millis) -> str:
        """Begin a session of the person with this role, by the text of an address. Raises LinkNotValid."""
        try:
            is_valid = int(self._encrypter.decrypt(token)) > now
        except InvalidToken:
            is_valid = False
        if not is_valid:
            raise LinkNotValid
        return _begin(role, client=client, now=now)

    def switch(self, account: StaffAccount, *, role: Role, client: ClientAddress, now: Millis) -> str:
        """Begin a session of another person of the demo. Raises LinkNotValid for other accounts."""
        if not account.name.startswith(PREFIX):
            raise LinkNotValid
        return _begin(role, client=client, now=now)

    def code_of(self, account: StaffAccount, *, now: Millis) -> str | None:
        """The next code of a person of the demo, who has no authenticator; None for other accounts."""
        if not account.name.startswith(PREFIX) or account.encrypted_secret is None:
            return None
        step = max(now // STEP_MS, (account.last_used_step or 0) + 1)
        secret = self._accounts.enrolment.encrypter.decrypt(account.encrypted_secret)
        return pyotp.TOTP(secret).generate_otp(step)


def _begin(role: Role, *, client: ClientAddress, now: Millis) -> str:
    try:
        account = accounts.get(PREFIX + role)
    except StaffNotFound:
        raise LinkNotValid from None
    with writing(), acting_as(Actor(f"staff:{account.name}", client.address or None)):
        return begin_session_of(account, client=client, now=now)
