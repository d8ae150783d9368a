"""Schemas of a player's rewards, which HTTP and the event ``rewards:changed`` share."""

import marshmallow as ma

from models.rewards import RewardKind, RewardState
from server.schemas import Coins, Computed, WireSchema, count, documented, epoch_ms, one_of, text

EMPTY = "null for a player who may not play"


def _case(description: str = "The id of the case that can be opened, null for coins") -> ma.fields.String:
    return text(description, "level-10", allow_none=True)


class DailySchema(WireSchema):
    """A free opening of the best level case that the bets of the last seven days pay for."""

    id = text("By which an opening names it", "daily", validate=one_of("daily"))
    case = _case("The id of the case of this day, null without one")
    state = text(
        "Null without one today",
        "offered",
        allow_none=True,
        validate=one_of(RewardState.OFFERED, RewardState.USED),
    )
    available_at = epoch_ms("When the next day (in UTC) begins")
    needed = Coins(
        "The wagers that are missing for one on that day, at the upgrader's house edge. Null for a player who"
        " can open no level case",
        200,
        allow_none=True,
    )


def _nothing(description: str) -> ma.fields.Constant[None]:
    return ma.fields.Constant(None, required=True, metadata=documented(description, None, type="null"))


class RakebackSchema(WireSchema):
    """A share of what the house expects to win with the player's bets since the last claim."""

    available = Coins("What can be claimed, down to the cent", 3.2)
    rate = Computed(
        lambda ppm: ppm / 1_000_000,
        "number",
        "The share of the expected win, as a fraction",
        0.1,
        attribute="rate_ppm",
    )
    claimable_at = epoch_ms("From when it can be claimed, null before the first claim", allow_none=True)


class LevelGiftSchema(WireSchema):
    """The gift of a level."""

    id = text("By which it is claimed, or an opening of its case names it", "level-10")
    level = count("The level", 10)
    coins = Coins("What it pays, null for a case", 5, allow_none=True)
    case = _case()
    state = text(
        "Null while the bets have not reached it, and while its case can't be opened",
        "offered",
        allow_none=True,
        validate=one_of(RewardState.OFFERED, RewardState.CLAIMED, RewardState.USED),
    )


class GrantedSchema(WireSchema):
    """What staff have granted, or an opening of the free case."""

    id = text("By which it is claimed, or an opening of its case names it", "17")
    kind = text(
        "`code` for the free case of a promo code",
        "grant",
        validate=one_of(RewardKind.GRANT, RewardKind.CODE),
    )
    coins = Coins("What it pays, null for a case", 5, allow_none=True)
    case = _case()
    state = text("How far it is", "offered", validate=one_of(*RewardState))
    expires_at = epoch_ms("From when it can not be claimed any more, null for never", allow_none=True)


class RewardsSchema(WireSchema):
    """What a player can claim, and has claimed."""

    rakeback = ma.fields.Nested(
        RakebackSchema,
        required=True,
        allow_none=True,
        metadata=documented(EMPTY, {"available": 3.2, "rate": 0.1, "claimableAt": 1_795_336_797_705}),
    )
    levels = ma.fields.Nested(LevelGiftSchema, many=True, required=True)
    daily = ma.fields.Nested(
        DailySchema,
        required=True,
        allow_none=True,
        metadata=documented(
            f"{EMPTY}, and without a `DAILY_SHARE`",
            {
                "id": "daily",
                "case": "level-10",
                "state": "offered",
                "availableAt": 1_795_305_600_000,
                "needed": 0,
            },
        ),
    )
    bonus = _nothing("No bonus of a deposit")
    granted = ma.fields.Nested(
        GrantedSchema,
        many=True,
        required=True,
        metadata={"description": "The newest first, at most 100 of a kind"},
    )
