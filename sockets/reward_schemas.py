"""Schemas of a player's rewards, which HTTP and the event ``rewards:changed`` share."""

import marshmallow as ma

from models.rewards import RewardKind, RewardState
from server.schemas import Coins, Computed, WireSchema, count, documented, epoch_ms, one_of, text
from services.rewards.bonuses import AVAILABLE

EMPTY = "null for a player who may not play"

BONUS = {
    "id": "17",
    "state": "offered",
    "percent": 50,
    "max": 100,
    "amount": 12.5,
    "wagered": 200,
    "needed": 1000,
    "endsAt": 1_796_546_397_705,
}


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


class BonusSchema(WireSchema):
    """The open bonus of a deposit, or the one that a deposit would have."""

    id = text("By which it is claimed; null before a deposit", "17", allow_none=True)
    state = text(
        "available: the next deposit can take it; offered: it is paid when needed was wagered",
        "offered",
        validate=one_of(AVAILABLE, RewardState.OFFERED),
    )
    percent = count("The bonus in percent of a deposit, at present", 50)
    max = Coins("The largest bonus, at present", 100)
    amount = Coins("What it pays, null before a deposit", 12.5, allow_none=True)
    wagered = Coins("What was wagered since, at the upgrader's house edge; null before", 200, allow_none=True)
    needed = Coins("What must be wagered so; null before", 1000, allow_none=True)
    ends_at = epoch_ms("When it is lost, null before", allow_none=True)


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
    bonus = ma.fields.Nested(
        BonusSchema,
        required=True,
        allow_none=True,
        metadata=documented("The bonus of a deposit, null if there is none", BONUS),
    )
    granted = ma.fields.Nested(
        GrantedSchema,
        many=True,
        required=True,
        metadata={"description": "The newest first, at most 100 of a kind"},
    )
