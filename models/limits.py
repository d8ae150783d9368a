"""Whether a player may bet, the sums that limits are compared with, and requests to raise a limit.

The SQL concerns one row of ``users``, which every bet updates. So the update that takes the wager also
decides whether the bet is allowed: bets of a player in several processes, or a bet and a new limit, can't
both read an old sum. The texts have the parameters of Settlement, such as ``:wager_cents`` and ``:day``,
and ``{now}`` for the database's clock.
"""

import peewee
from peewee import Check

from models.db.connection import Table
from models.users import User

DAY_MS = 24 * 3600 * 1000
CONFIRMABLE_AFTER_MS = DAY_MS
EXPIRES_AFTER_MS = 7 * DAY_MS


class LimitRequest(Table):
    """A request to raise one of a player's limits, or to remove it.

    There is one for each limit: a new one replaces it, and a lower limit deletes it. An expired one stays
    until then. The limits themselves are columns of ``users``.
    """

    # Random hexadecimal digits. Unlike a number it is never used again, so an old page can't confirm the
    # request that has replaced the one it shows.
    id = peewee.CharField(max_length=32, primary_key=True)
    user = peewee.ForeignKeyField(User, on_delete="RESTRICT", index=False)
    kind = peewee.CharField(max_length=7, constraints=[Check("kind IN ('wager', 'loss', 'deposit')")])
    period = peewee.CharField(max_length=5, constraints=[Check("period IN ('day', 'week', 'month')")])
    # Null to remove the limit.
    value_cents = peewee.BigIntegerField(null=True, constraints=[Check("value_cents >= 0")])
    requested_at_ms = peewee.BigIntegerField()

    @property
    def confirmable_at_ms(self) -> int:
        """From when the request can be confirmed."""
        return int(self.requested_at_ms) + CONFIRMABLE_AFTER_MS

    @property
    def expires_at_ms(self) -> int:
        """From when it can't be confirmed any more."""
        return int(self.requested_at_ms) + EXPIRES_AFTER_MS

    class Meta:
        table_name = "limit_requests"
        # Two concurrent requests for one limit leave one row.
        indexes = ((("user", "kind", "period"), True),)


PERIODS = ("day", "week", "month")
BET_LIMIT_KINDS = ("wager", "loss")
"""The limits that bets are compared with."""
LIMIT_KINDS = (*BET_LIMIT_KINDS, "deposit")
"""All that a player can limit."""

PAUSE_MS = 30 * 60 * 1000
"""A play session is over when the player has not bet for this long."""

PLAYED_LATELY = f":created_at_ms - last_bet_at_ms < {PAUSE_MS}"
"""Whether the player's play session goes on."""


def _sum_so_far(period: str, column: str) -> str:
    """A sum of the period to which the bet belongs. With >=, because the clock may have been set back."""
    return f"CASE WHEN {period}_starts_at_ms >= :{period} THEN {column} ELSE 0 END"


def _over_limits() -> str:
    used = {"wager": "{0}_wagered_cents", "loss": "{0}_wagered_cents - {0}_paid_cents"}
    return "\n".join(
        f"    WHEN {_sum_so_far(period, used[kind].format(period))} + battle_seats_cents + :wager_cents"
        f" > {period}_{kind}_limit_cents THEN '{kind} {period}'"
        for kind in BET_LIMIT_KINDS
        for period in PERIODS
    )


CASE_AGE_MS = 1_000
"""How long ago the case may have been read, by the database's clock, when an opening is settled."""

# Below 0 after that clock was set back. Null for a spin.
IS_IN_TIME = f"{{now}} - :case_read_at_ms BETWEEN 0 AND {CASE_AGE_MS}"

# A last bet far in the future was made before the clock was set back. It delays no bet.
REFUSAL = f"""CASE
    WHEN token_number <> :token_number THEN 'ended'
    WHEN suspended_at_ms IS NOT NULL THEN 'suspended'
    WHEN excluded_until_ms > :created_at_ms THEN 'excluded'
    WHEN :longest_play_ms > 0 AND {PLAYED_LATELY} AND :created_at_ms - play_began_at_ms >= :longest_play_ms
        THEN 'play session'
    WHEN :created_at_ms - last_bet_at_ms BETWEEN 1 - :min_cycle_ms AND :min_cycle_ms - 1 THEN 'cycle'
    WHEN NOT ({IS_IN_TIME}) THEN 'stale'
{_over_limits()}
END"""
"""Why the player may not make this bet; null if the player may.

``ended`` (the token is revoked), ``suspended``, ``excluded``, ``play session``, ``cycle``, ``stale``
(the case was read too long ago), or a kind of limit and its period, such as ``wager day``. A limit is
compared with the whole wager, before any payout.
"""

SUMS = ",\n        ".join(
    [
        "last_bet_at_ms = :created_at_ms",
        f"play_began_at_ms = CASE WHEN {PLAYED_LATELY} THEN play_began_at_ms ELSE :created_at_ms END",
        f"play_wagered_cents = CASE WHEN {PLAYED_LATELY} THEN play_wagered_cents ELSE 0 END + :wager_cents",
        f"play_paid_cents = CASE WHEN {PLAYED_LATELY} THEN play_paid_cents ELSE 0 END + :payout_cents",
        *(
            f"{period}_starts_at_ms ="
            f" CASE WHEN {period}_starts_at_ms >= :{period} THEN {period}_starts_at_ms ELSE :{period} END,"
            f" {period}_wagered_cents = {_sum_so_far(period, f'{period}_wagered_cents')} + :wager_cents,"
            f" {period}_paid_cents = {_sum_so_far(period, f'{period}_paid_cents')} + :payout_cents"
            for period in PERIODS
        ),
    ]
)
"""The changes of the player's row by this bet."""
