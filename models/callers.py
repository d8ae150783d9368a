"""The player who makes a request, with the half of the columns that requests need."""

from typing import NamedTuple

from models.db.sql import execute_prepared
from models.logins import LoginProvider
from models.users import User


class Caller(NamedTuple):
    """The player of a token: what tells whether the player may act, and what ``/auth/me`` answers.

    The columns have the meanings of ``User``. They are never those of a locked row: what must not change
    meanwhile is read again in the transaction that depends on it.
    """

    id: int
    platform_id: str
    username: str
    avatar: str
    registered_at_ms: int
    balance_cents: int
    vault_cents: int
    vault_deadline_ms: int | None
    sweepstake_cents: int
    granted_experience: int
    wagered_cents: int
    client_seed: str
    trade_url: str
    affiliate_code: str | None
    used_affiliate_code: str | None
    free_cases: int
    notifications_read_at_ms: int
    token_number: int
    suspended_at_ms: int | None
    closed_at_ms: int | None
    # The flags come last, because SQLite has no booleans.
    is_anonymous: bool
    two_factor_enabled: bool
    deposit_bonus: bool
    has_platform_login: bool
    has_identity_login: bool

    @property
    def logins(self) -> list[LoginProvider]:
        """The providers with which the player logs in, in the order of LoginProvider."""
        own = zip(LoginProvider, (self.has_platform_login, self.has_identity_login), strict=True)
        return [provider for provider, has_login in own if has_login]


AnyPlayer = User | Caller
"""A player's whole row, or what a request has of it."""

_FLAGS = Caller._fields.index("is_anonymous")
_LOGINS = [
    f"EXISTS (SELECT 1 FROM logins WHERE user_id = users.id AND provider = '{provider}')"  # noqa: S608  # a constant
    for provider in LoginProvider
]
_COLUMNS = ", ".join([*Caller._fields[: -len(_LOGINS)], *_LOGINS])
FIND_CALLER = f"SELECT {_COLUMNS} FROM users WHERE platform_id = :platform_id"  # noqa: S608  # constants


def find_caller(platform_id: str) -> Caller | None:
    """The player with this platform id. To be used within ``reading()``."""
    row = execute_prepared("find_caller", FIND_CALLER, {"platform_id": platform_id}).fetchone()
    return None if row is None else Caller(*row[:_FLAGS], *map(bool, row[_FLAGS:]))
