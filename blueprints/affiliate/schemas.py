"""Schemas of promo codes, their statistics, and claims."""

from blueprints.api.parameters import Unvalidated
from server.schemas import Avatar, Coins, Computed, WireSchema, count, flag, text


class PromoCodeSchema(WireSchema):
    """A promo code."""

    code = Unvalidated(
        "string",
        "4 to 24 ASCII letters and digits, in any case; not trimmed",
        "LUCKY7",
        pattern="^[A-Za-z0-9]{4,24}$",
    )


class PromoCodeAnswerSchema(WireSchema):
    """What was done, as a sentence."""

    status = flag("Always true")
    message = text("What was done, as a sentence", "Your promo code has been set.")


class ClaimSchema(PromoCodeAnswerSchema):
    """What was claimed."""

    message = text("What was done, as a sentence", "You claimed 12.34 coins")
    amount = Coins("What was added to the balance", 12.34)


class ReferredPlayerSchema(WireSchema):
    """A player who used the caller's code."""

    username = text("The whole username", "alice")
    avatar = Avatar("The player's picture")
    deposited = Coins("The player's deposits since using the code", 100, attribute="deposited_cents")
    withdraws = Coins("The player's withdrawals since using the code", 40, attribute="withdrawn_cents")
    platform_id = text(
        "The player's id: 17 digits, or id- and a hash", "76561198000000001", data_key="platformid"
    )
    earned = Coins(
        "The caller's commission from this player, which may be negative", 4.8, attribute="earned_cents"
    )


class OverviewSchema(WireSchema):
    """The sums over all players who used the caller's code."""

    commission_percentage = Computed(
        lambda overview: overview.commission_percent / 100,
        "number",
        "The caller's commission, as a fraction",
        0.08,
    )
    total_deposits = Coins("These players' deposits since they used the code", 100, attribute="deposited")
    total_withdraws = Coins("These players' withdrawals since they used the code", 40, attribute="withdrawn")
    total_affiliates = count("Number of these players", 1, attribute="affiliates")
    total_earnings = Coins("All that the caller has earned", 4.8, attribute="earnings")
    available_earnings = Coins(
        "What the caller can claim: the earnings, within a part of the house edge of these players' bets",
        4.8,
        attribute="available",
    )
