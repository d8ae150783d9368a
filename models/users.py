"""Players and what belongs to them: balances and totals, personal details, notifications, notes of staff."""

import json
from collections.abc import Sequence
from typing import NamedTuple

import peewee
from peewee import SQL, Check

from models.db.connection import Table, database, reading
from models.db.sql import execute
from models.db.sqlite import Sqlite

PERMANENTLY = 2**62
"""The end of a permanent exclusion."""


class BytewiseField(peewee.CharField):
    """A text that is compared byte by byte, so that its index also finds beginnings (models/db/sql.py)."""

    def ddl(self, ctx: peewee.Context) -> peewee.NodeList:
        """The definition of the column. SQLite compares so by default."""
        column = super().ddl(ctx)
        return column if isinstance(database.obj, Sqlite) else peewee.NodeList((column, SQL('COLLATE "C"')))


HIDDEN_NAME = "Hidden"
"""What other players see instead of the name of an anonymous player, with the neutral picture."""

SHOWN_NAME = f"CASE WHEN is_anonymous THEN '{HIDDEN_NAME}' ELSE username END"
SHOWN_AVATAR = "CASE WHEN is_anonymous THEN '' ELSE avatar END"
"""Name and picture as other players see them: SQL for a row of ``users``."""


class User(Table):
    """A player. Balances change only through the ledger (services/ledger/posting.py)."""

    id = peewee.BigAutoField()
    platform_id = peewee.CharField(max_length=80, unique=True)
    username = peewee.CharField(max_length=32)
    # In lowercase: names that differ in case only are equal.
    username_folded = BytewiseField(max_length=32, unique=True)
    avatar = peewee.CharField(max_length=500, default="")
    registered_at_ms = peewee.BigIntegerField()
    # Hides name and picture from other players.
    is_anonymous = peewee.BooleanField(default=False)

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
    token_number = peewee.BigIntegerField(default=0)
    suspended_at_ms = peewee.BigIntegerField(null=True)
    # The end of a break that the player asked for, or PERMANENTLY.
    excluded_until_ms = peewee.BigIntegerField(null=True)

    # What the player bet lately. Each bet changes this row anyway, so one guarded update compares these sums
    # with the limits and adds to them (models/limits.py).
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
    # What the player's seats in open and locked battles cost. Limits count it as wagered already; the sums
    # above do when the battle is settled.
    battle_seats_cents = peewee.BigIntegerField(default=0, constraints=[Check("battle_seats_cents >= 0")])

    # The player has closed the account. It is suspended as well then, so what refuses suspended players
    # refuses this one, and it has no coins.
    closed_at_ms = peewee.BigIntegerField(null=True)
    # The personal details were erased. The row and its id stay, for the ledger, bets and the log.
    erased_at_ms = peewee.BigIntegerField(null=True)
    # The name in the public log. Null while it follows from ``platform_id`` (services/log/entries.py).
    pseudonym = peewee.CharField(max_length=32, null=True)
    # Of an erased player who was excluded: the keyed digest of the login that made the account, so that
    # nobody comes back with it. Rows of ``logins`` have those of the others as their ids.
    login_digest = peewee.CharField(max_length=32, null=True)

    logins: Sequence[str]
    """The providers with which the player logs in; set by who shows them."""

    @property
    def shown_name(self) -> str:
        """The name that other players see."""
        return HIDDEN_NAME if self.is_anonymous else str(self.username)

    @property
    def shown_avatar(self) -> str:
        """The picture that other players see; empty for the neutral one."""
        return "" if self.is_anonymous else str(self.avatar)

    class Meta:
        table_name = "users"
        constraints = [
            Check(
                "closed_at_ms IS NULL OR (suspended_at_ms IS NOT NULL AND balance_cents = 0"
                " AND vault_cents = 0 AND sweepstake_cents = 0 AND battle_seats_cents = 0)",
                "users_closed",
            ),
            Check(
                "erased_at_ms IS NULL OR (closed_at_ms IS NOT NULL AND pseudonym IS NOT NULL)", "users_erased"
            ),
        ]
        indexes = (
            # The leaderboards of a week and a month, without suspended players. PostgreSQL adds an entry to
            # every index when a bet changes these columns. A table of their own for the sums took more of its
            # time for a bet, and grew faster.
            SQL(
                "CREATE INDEX users_leaderboard_of_week"
                " ON users (week_starts_at_ms, week_wagered_cents DESC, id) WHERE suspended_at_ms IS NULL"
            ),
            SQL(
                "CREATE INDEX users_leaderboard_of_month"
                " ON users (month_starts_at_ms, month_wagered_cents DESC, id) WHERE suspended_at_ms IS NULL"
            ),
            # The lists of suspended players and of those on a break. Other players are in neither.
            SQL("CREATE INDEX users_suspended ON users (id) WHERE suspended_at_ms IS NOT NULL"),
            SQL("CREATE INDEX users_excluded ON users (id) WHERE excluded_until_ms IS NOT NULL"),
            # The closed accounts, and those that are due for erasure.
            SQL("CREATE INDEX users_closed ON users (closed_at_ms) WHERE closed_at_ms IS NOT NULL"),
            # No two players have one name in the log.
            SQL("CREATE UNIQUE INDEX users_pseudonym ON users (pseudonym) WHERE pseudonym IS NOT NULL"),
            # A first login with a login that was excluded.
            SQL("CREATE INDEX users_login_digest ON users (login_digest) WHERE login_digest IS NOT NULL"),
        )


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


class PersonalDetails(Table):
    """A player's details. The row is created with the first detail; the others are empty."""

    user = peewee.ForeignKeyField(User, primary_key=True, on_delete="CASCADE")
    first_name = peewee.CharField(max_length=120, default="")
    last_name = peewee.CharField(max_length=120, default="")
    phone = peewee.CharField(max_length=16, default="")
    address_line1 = peewee.CharField(max_length=120, default="")
    address_line2 = peewee.CharField(max_length=120, default="")
    city = peewee.CharField(max_length=120, default="")
    zip_code = peewee.CharField(max_length=120, default="")
    state = peewee.CharField(max_length=120, default="")
    country = peewee.CharField(max_length=120, default="")

    class Meta:
        table_name = "personal_details"


class Notification(Table):
    """One message to one player, from the system or from an operator."""

    id = peewee.BigAutoField()
    user = peewee.ForeignKeyField(User, on_delete="CASCADE", index=False)
    title = peewee.CharField(max_length=120)
    message = peewee.CharField(max_length=1000)
    created_at_ms = peewee.BigIntegerField()

    class Meta:
        table_name = "notifications"
        # A player's list, newest first, and clearing it.
        indexes = (SQL("CREATE INDEX notifications_of_player ON notifications (user_id, id)"),)


class PlayerNote(Table):
    """A note about a player. It is deleted with the player."""

    id = peewee.BigAutoField()
    user = peewee.ForeignKeyField(User, on_delete="CASCADE", index=False)
    text = peewee.CharField(max_length=2000)
    # The name of the staff account.
    written_by = peewee.CharField(max_length=64)
    written_at_ms = peewee.BigIntegerField()

    class Meta:
        table_name = "player_notes"
        # A player's notes, newest first.
        indexes = (SQL("CREATE INDEX player_notes_of_player ON player_notes (user_id, id)"),)


class PlayerTag(Table):
    """A word by which staff find players again, such as ``vip``."""

    user = peewee.ForeignKeyField(User, on_delete="CASCADE", index=False)
    tag = peewee.CharField(max_length=32)
    added_by = peewee.CharField(max_length=64)
    added_at_ms = peewee.BigIntegerField()

    class Meta:
        table_name = "player_tags"
        primary_key = peewee.CompositeKey("user", "tag")
        # The players with a tag, the newest account first.
        indexes = (SQL("CREATE INDEX player_tags_by_tag ON player_tags (tag, user_id)"),)


class SentState(NamedTuple):
    """What a socket was last sent, its player, and the number of its token."""

    sid: str
    user_id: int
    token_number: int
    version: int
    commitment: str


class ChangedState(NamedTuple):
    """The newer token number and balances in the database, by the names of the columns."""

    sid: str
    user_id: int
    token_number: int
    balance_cents: int
    vault_cents: int
    sweepstake_cents: int
    balance_version: int


DIGITS = 20
# Each state is one text, because the databases have no common way to read values of a JSON object: the ids of
# player and token number with their leading zeros, then version and commitment.
FIND_CHANGED = f"""
SELECT sent.key, users.id, users.token_number,
    users.balance_cents, users.vault_cents, users.sweepstake_cents, users.balance_version
FROM {{pairs}}(:sent) AS sent
    JOIN users ON users.id = CAST(substr(sent.value, 1, {DIGITS}) AS BIGINT)
    JOIN announced_seeds ON announced_seeds.user_id = users.id
WHERE users.token_number > CAST(substr(sent.value, {DIGITS + 1}, {DIGITS}) AS BIGINT)
    OR substr(sent.value, {2 * DIGITS + 1})
    <> users.balance_version || ' ' || announced_seeds.server_seed_commitment
"""  # noqa: S608  # constants


@reading()
def find_changed(sent: Sequence[SentState]) -> list[ChangedState]:
    """The sockets of these whose players' state or token number has changed, with the new state."""
    if not sent:
        return []
    texts = {
        each.sid: f"{each.user_id:0{DIGITS}}{each.token_number:0{DIGITS}}{each.version} {each.commitment}"
        for each in sent
    }
    return [ChangedState(*row) for row in execute(FIND_CHANGED, {"sent": json.dumps(texts)})]
