"""Schemas of limits and breaks."""

from typing import Any

import marshmallow as ma

from models.limits import LIMIT_KINDS, PERIODS
from server.schemas import Coins, WireSchema, documented, epoch_ms, flag, one_of, text
from services.limits.exclusions import DURATIONS
from services.shared.money import MAX_AMOUNT_CENTS, Cents, InvalidAmount, cents_from_number
from sockets.schemas import PlayStatisticsSchema


def limit_of(period: str) -> Coins:
    return Coins(f"For a {period}, null for no limit", 50, allow_none=True)


class PeriodLimitsSchema(WireSchema):
    """The limits for a day, a week (from Monday) and a month, in UTC."""

    day = limit_of("day")
    week = limit_of("week")
    month = limit_of("month")


class LimitRequestSchema(WireSchema):
    """A request to raise or remove a limit. It must be confirmed between two times."""

    id = text("The id of the request", "8f14e45fceea167a5a36dedd4bea2543")
    kind = text("What is limited", "wager", validate=one_of(*LIMIT_KINDS))
    period = text("The period of the limit", "day", validate=one_of(*PERIODS))
    value = Coins("The new limit, null to remove it", 100, allow_none=True, attribute="value_cents")
    confirmable_at = epoch_ms(
        "When it can be confirmed, 24 hours after the request", attribute="confirmable_at_ms"
    )
    expires_at = epoch_ms(
        "From when it cannot be confirmed any more, seven days after the request", attribute="expires_at_ms"
    )


class ExclusionSchema(WireSchema):
    """A break that is not over."""

    until = epoch_ms("When it ends, null for a permanent exclusion", allow_none=True)


class LimitsSchema(WireSchema):
    """The caller's limits, the requests to raise them, and the break."""

    wager = ma.fields.Nested(PeriodLimitsSchema, required=True)
    loss = ma.fields.Nested(PeriodLimitsSchema, required=True)
    deposit = ma.fields.Nested(PeriodLimitsSchema, required=True)
    pending = ma.fields.Nested(LimitRequestSchema, many=True, required=True)
    exclusion = ma.fields.Nested(
        ExclusionSchema, required=True, allow_none=True, metadata=documented("null without a break", None)
    )


NOT_A_LIMIT = "must be null or an amount from 0 to 1000000000 with at most two decimals"


class NewLimit(ma.fields.Field[Cents | None]):
    """Coins from 0 outside, cents inside. null for no limit."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Cents:
        try:
            return cents_from_number(value)
        except InvalidAmount:
            raise ma.ValidationError(NOT_A_LIMIT) from None


class LimitChangeSchema(WireSchema):
    """A new value for one of the caller's limits."""

    kind = text(
        "wager for what is wagered, loss for wagers minus payouts, deposit for what is deposited",
        "wager",
        validate=one_of(*LIMIT_KINDS),
    )
    period = text("The period of the limit", "day", validate=one_of(*PERIODS))
    value = NewLimit(
        required=True,
        allow_none=True,
        metadata=documented(
            f"The limit, null to remove it; {Coins.UNIT}",
            50,
            # Not a list of types, from which schemathesis fails to make bad values.
            anyOf=[{"type": "number", "minimum": 0, "maximum": MAX_AMOUNT_CENTS // 100}, {"type": "null"}],
        ),
    )


class BreakSchema(WireSchema):
    """How long a break lasts from now."""

    duration = text("Hours or days, or permanent for ever", "7d", validate=one_of(*DURATIONS))


class BreakAnswerSchema(ExclusionSchema):
    """The break has begun, or was made longer."""

    success = flag("Always true")
    withdrawable = Coins(
        "What can be withdrawn now: the balance, and coins of the vault that can be unlocked",
        25,
        attribute="withdrawable_cents",
    )


class SummarySchema(WireSchema):
    """The sums of the current periods in UTC, and of all bets."""

    day = ma.fields.Nested(PlayStatisticsSchema, required=True)
    week = ma.fields.Nested(PlayStatisticsSchema, required=True)
    month = ma.fields.Nested(PlayStatisticsSchema, required=True)
    total = ma.fields.Nested(PlayStatisticsSchema, required=True)
