"""Rewards: what the house gives a player, beside what bets pay."""

from enum import StrEnum

import peewee
from peewee import SQL, Check

from models.bets import Bet
from models.cases import Case
from models.db.connection import Table
from models.ledger import LedgerTransaction
from models.payments import PaymentRecord
from models.users import User

OPEN_BONUS = "kind = 'bonus' AND state = 'offered'"
"""With literals, so that the partial index matches."""


class RewardKind(StrEnum):
    """Why the house gives it."""

    RAKEBACK = "rakeback"
    LEVEL = "level"
    DAILY = "daily"
    BONUS = "bonus"
    GRANT = "grant"
    CODE = "code"
    """The free case, for the use of a promo code."""


class RewardState(StrEnum):
    """How far a reward is. Coins end as ``claimed``, a free opening as ``used``."""

    OFFERED = "offered"
    CLAIMED = "claimed"
    USED = "used"
    FORFEITED = "forfeited"
    EXPIRED = "expired"


class Reward(Table):
    """Coins or a free opening of a case for one player."""

    id = peewee.BigAutoField()
    user = peewee.ForeignKeyField(User, on_delete="RESTRICT", index=False)
    user_id: int
    kind = peewee.CharField(
        max_length=8, constraints=[Check(f"kind IN {tuple(kind.value for kind in RewardKind)}")]
    )
    # The level, the day of a daily free opening (counted from 1970 in UTC), or which one of its kind it is.
    number = peewee.BigIntegerField()
    coins_cents = peewee.BigIntegerField(null=True, constraints=[Check("coins_cents > 0")])
    case = peewee.ForeignKeyField(Case, null=True, on_delete="RESTRICT", index=False)
    case_id: int | None
    # What an opening of the case paid on average when it was offered, rounded up.
    value_cents = peewee.BigIntegerField(null=True, constraints=[Check("value_cents >= 0")])
    state = peewee.CharField(
        max_length=9, constraints=[Check(f"state IN {tuple(state.value for state in RewardState)}")]
    )
    # Of a rakeback: the player's theoretical loss up to which it and those before it were paid. Of a bonus:
    # the one at its offer.
    theoretical_loss_ucents = peewee.BigIntegerField(null=True)
    # Of a bonus: by how much the theoretical loss must grow before it is paid, and its deposit.
    needed_ucents = peewee.BigIntegerField(null=True)
    payment = peewee.ForeignKeyField(PaymentRecord, null=True, unique=True, on_delete="RESTRICT")
    offered_at_ms = peewee.BigIntegerField()
    # When it came into this state.
    changed_at_ms = peewee.BigIntegerField()
    expires_at_ms = peewee.BigIntegerField(null=True)
    # Of a grant: the actor, such as ``staff:maria``, and why.
    granted_by = peewee.CharField(max_length=80, null=True)
    reason = peewee.CharField(max_length=200, null=True)
    # That has paid the coins.
    ledger_transaction = peewee.ForeignKeyField(
        LedgerTransaction, null=True, unique=True, on_delete="RESTRICT"
    )
    ledger_transaction_id: int | None
    # That has opened the case.
    bet = peewee.ForeignKeyField(Bet, null=True, unique=True, on_delete="RESTRICT")
    bet_id: int | None

    class Meta:
        table_name = "rewards"
        constraints = [
            SQL("CONSTRAINT rewards_content CHECK ((coins_cents IS NULL) <> (case_id IS NULL))"),
            SQL("CONSTRAINT rewards_value CHECK ((value_cents IS NULL) = (case_id IS NULL))"),
            SQL(
                "CONSTRAINT rewards_used CHECK ((bet_id IS NOT NULL) = (state = 'used')"
                " AND (bet_id IS NULL OR case_id IS NOT NULL))"
            ),
            SQL(
                "CONSTRAINT rewards_paid CHECK ((ledger_transaction_id IS NOT NULL)"
                " = (state = 'claimed' AND coins_cents IS NOT NULL))"
            ),
            SQL(
                "CONSTRAINT rewards_counted CHECK"
                " ((theoretical_loss_ucents IS NOT NULL) = (kind IN ('rakeback', 'bonus')))"
            ),
            SQL(
                "CONSTRAINT rewards_of_deposit CHECK ((needed_ucents IS NOT NULL) = (kind = 'bonus')"
                " AND (payment_id IS NOT NULL) = (kind = 'bonus'))"
            ),
        ]
        indexes = (
            # None is given twice, by any race or process.
            (("user", "kind", "number"), True),
            # What has changed lately.
            SQL("CREATE INDEX rewards_changed ON rewards (changed_at_ms)"),
            # The open bonuses. A player has at most one.
            SQL(f"CREATE UNIQUE INDEX rewards_open_bonus ON rewards (user_id) WHERE {OPEN_BONUS}"),
        )


def postpone_bonus(user_id: int, *, by_ms: int) -> None:
    """Move the end of the player's open bonus, if there is one. To be used within ``writing()``."""
    postponed = Reward.update(expires_at_ms=Reward.expires_at_ms + by_ms)
    postponed.where(Reward.user == user_id, SQL(OPEN_BONUS)).execute()


class LevelGift(Table):
    """What a player gets for a level, once."""

    level = peewee.IntegerField(primary_key=True, constraints=[Check("level BETWEEN 1 AND 10000")])
    coins_cents = peewee.BigIntegerField(null=True, constraints=[Check("coins_cents > 0")])
    # Of a free opening in place of coins.
    case = peewee.ForeignKeyField(Case, null=True, on_delete="RESTRICT", index=False)
    case_id: int | None

    class Meta:
        table_name = "level_gifts"
        constraints = [
            SQL("CONSTRAINT level_gifts_content CHECK ((coins_cents IS NULL) <> (case_id IS NULL))")
        ]
