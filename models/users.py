"""Players, their balances and totals, and their announced server seeds."""

from typing import NamedTuple

import peewee
from peewee import SQL, Check

from models.db.connection import Sqlite, Table, database
from models.db.sql import execute

PERMANENTLY = 2**62
"""The end of a permanent exclusion."""


class BytewiseField(peewee.CharField):
    """A text that is compared byte by byte, so that its index also finds beginnings (models/db/search.py)."""

    def ddl(self, ctx: peewee.Context) -> peewee.NodeList:
        """The definition of the column. SQLite compares so by default."""
        column = super().ddl(ctx)
        return column if isinstance(database.obj, Sqlite) else peewee.NodeList((column, SQL('COLLATE "C"')))


class User(Table):
    """A player. Balances change only through the ledger (services/ledger/posting.py)."""

    id = peewee.BigAutoField()
    platform_id = peewee.CharField(max_length=80, unique=True)
    username = peewee.CharField(max_length=32)
    # In lowercase: names that differ in case only are equal.
    username_folded = BytewiseField(max_length=32, unique=True)
    avatar = peewee.CharField(max_length=500, default="")
    registered_at_ms = peewee.BigIntegerField()

    balance_cents = peewee.BigIntegerField(default=0, constraints=[Check("balance_cents >= 0")])
    vault_cents = peewee.BigIntegerField(default=0, constraints=[Check("vault_cents >= 0")])
    sweepstake_cents = peewee.BigIntegerField(default=0, constraints=[Check("sweepstake_cents >= 0")])
    vault_deadline_ms = peewee.BigIntegerField(null=True)

    # Experience granted by an operator (``flask users create --level``).
    granted_experience = peewee.BigIntegerField(default=0, constraints=[Check("granted_experience >= 0")])
    wagered_cents = peewee.BigIntegerField(default=0, constraints=[Check("wagered_cents >= 0")])
    earned_cents = peewee.BigIntegerField(default=0, constraints=[Check("earned_cents >= 0")])

    client_seed = peewee.CharField(max_length=64, constraints=[Check("length(client_seed) BETWEEN 4 AND 64")])
    trade_url = peewee.CharField(max_length=500, default="")
    two_factor_enabled = peewee.BooleanField(default=False)
    affiliate_code = peewee.CharField(max_length=24, null=True, unique=True)
    used_affiliate_code = peewee.CharField(max_length=24, null=True)
    deposit_bonus = peewee.BooleanField(default=False)
    free_cases = peewee.IntegerField(default=0, constraints=[Check("free_cases >= 0")])
    # Grows with every change of the three balances, so that a client can ignore older ones.
    balance_version = peewee.BigIntegerField(default=0)

    # Logging out everywhere raises it. Tokens with another number are refused.
    session_number = peewee.BigIntegerField(default=0)
    suspended_at_ms = peewee.BigIntegerField(null=True)
    # The end of a break that the player asked for, or PERMANENTLY.
    excluded_until_ms = peewee.BigIntegerField(null=True)

    # What the player bet lately. Each bet changes this row anyway, so one guarded update compares these sums
    # with the limits and adds to them (models/play_limits.py).
    last_bet_at_ms = peewee.BigIntegerField(default=0)
    # A play session begins with the first bet after half an hour without one.
    play_began_at_ms = peewee.BigIntegerField(default=0)
    play_wagered_cents = peewee.BigIntegerField(default=0)
    play_paid_cents = peewee.BigIntegerField(default=0)
    # The sums of the day, week and month that begin at these times. They are out of date once that is over.
    day_starts_at_ms = peewee.BigIntegerField(default=0)
    day_wagered_cents = peewee.BigIntegerField(default=0)
    day_paid_cents = peewee.BigIntegerField(default=0)
    week_starts_at_ms = peewee.BigIntegerField(default=0)
    week_wagered_cents = peewee.BigIntegerField(default=0)
    week_paid_cents = peewee.BigIntegerField(default=0)
    month_starts_at_ms = peewee.BigIntegerField(default=0)
    month_wagered_cents = peewee.BigIntegerField(default=0)
    month_paid_cents = peewee.BigIntegerField(default=0)

    # The player's own limits, null for none. A loss is what was wagered minus what was paid.
    day_wager_limit_cents = peewee.BigIntegerField(null=True)
    day_loss_limit_cents = peewee.BigIntegerField(null=True)
    week_wager_limit_cents = peewee.BigIntegerField(null=True)
    week_loss_limit_cents = peewee.BigIntegerField(null=True)
    month_wager_limit_cents = peewee.BigIntegerField(null=True)
    month_loss_limit_cents = peewee.BigIntegerField(null=True)
    # Compared when a deposit is created, never by a bet.
    day_deposit_limit_cents = peewee.BigIntegerField(null=True)
    week_deposit_limit_cents = peewee.BigIntegerField(null=True)
    month_deposit_limit_cents = peewee.BigIntegerField(null=True)
    # The player has read the notifications up to this time.
    notifications_read_at_ms = peewee.BigIntegerField(default=0)
    # The wagers, each times its house edge, in millionths of a cent: what they cost on average.
    theoretical_loss_ucents = peewee.BigIntegerField(default=0)

    class Meta:
        table_name = "users"


# The leaderboards of a week and a month, without suspended players. PostgreSQL adds an entry to every index
# when a bet changes these columns. A table of their own for the sums took more of its time for a bet, and
# grew faster.
for _period in ("week", "month"):
    _starts_at, _wagered = getattr(User, f"{_period}_starts_at_ms"), getattr(User, f"{_period}_wagered_cents")
    User.add_index(
        User.index(
            _starts_at,
            _wagered.desc(),
            User.id,
            name=f"users_leaderboard_of_{_period}",
            where=SQL("suspended_at_ms IS NULL"),
        )
    )


# The lists of suspended players and of those on a break. Other players are in neither.
User.add_index(User.index(User.id, name="users_suspended", where=SQL("suspended_at_ms IS NOT NULL")))
User.add_index(User.index(User.id, name="users_excluded", where=SQL("excluded_until_ms IS NOT NULL")))


_FIELDS = User._meta.sorted_fields  # noqa: SLF001  # peewee's own way
_NAMES = [field.name for field in _FIELDS]
_FLAGS = [field.name for field in _FIELDS if isinstance(field, peewee.BooleanField)]
_FIND = f"SELECT {', '.join(field.column_name for field in _FIELDS)} FROM users WHERE"  # noqa: S608  # constants


def find_user(column: str, value: object, *, lock: bool = False) -> User | None:
    """The player with this value of a unique column. To be used within ``reading()``.

    ``lock`` locks the row until the end of the transaction, with the strongest lock: one that had to become
    stronger, to change a unique column, could deadlock. SQLite has only one write transaction at a time.
    Peewee's own query takes 0.5 ms of CPU instead of 0.02.
    """
    suffix = "FOR UPDATE" if lock and database.for_update else ""
    row = execute(f"{_FIND} {column} = :value {suffix}", {"value": value}).fetchone()
    if row is None:
        return None
    values = dict(zip(_NAMES, row, strict=True))
    # SQLite has no booleans.
    return User.of_row(values | {name: bool(values[name]) for name in _FLAGS})


class Balances(NamedTuple):
    """The columns of a player's three accounts, and of the version that grows with every change of them."""

    balance_cents: int
    vault_cents: int
    sweepstake_cents: int
    balance_version: int


class AnnouncedSeed(Table):
    """The server seed of a player's next spin. Its commitment is public, the seed is encrypted.

    A spin replaces it with an update guarded by the nonce. When two spins have the same nonce, in any
    process, one of them updates no row and changes nothing.
    """

    user = peewee.ForeignKeyField(User, primary_key=True, on_delete="RESTRICT")
    nonce = peewee.BigIntegerField(constraints=[Check("nonce >= 1")])
    # Not unique, so that PostgreSQL writes no index when a bet replaces the row. ``bets`` refuses a seed that
    # was used before.
    server_seed_commitment = peewee.CharField(max_length=64)
    encrypted_server_seed = peewee.TextField()
    # If this is earlier than the epoch of the log (models/log.py), the seed must be redrawn.
    epoch = peewee.BigIntegerField()
    # Whether a signed checkpoint has the commitment, or a bet announced it. Only then a bet uses the seed.
    is_logged = peewee.BooleanField()

    class Meta:
        table_name = "announced_seeds"
