"""Schemas of promo codes and their statistics."""

import marshmallow as ma

from blueprints.api.media_urls import Avatar
from blueprints.api.schemas import Coins, Unvalidated, WireSchema


class PromoCodeSchema(WireSchema):
    """A promo code: 4 to 24 ASCII letters and digits, in any case."""

    code = Unvalidated(
        metadata={
            "type": "string",
            "pattern": "^[A-Za-z0-9]{4,24}$",
            "description": "Not trimmed; no other type is a code",
        }
    )


class PromoCodeAnswerSchema(WireSchema):
    status = ma.fields.Boolean(required=True)
    message = ma.fields.String(required=True)


class ReferredPlayerSchema(WireSchema):
    """A player who used the caller's code. Amounts in coins; ``earned`` may be negative."""

    username = ma.fields.String(required=True)
    avatar = Avatar(required=True)
    deposited = Coins(required=True)
    withdraws = Coins(required=True, attribute="withdrawn")
    platform_id = ma.fields.String(required=True, data_key="platformid")
    earned = Coins(required=True)


class OverviewSchema(WireSchema):
    """The sums over all players who used the caller's code, in coins; ``commissionPercentage`` a fraction."""

    commission_percentage = ma.fields.Function(
        lambda overview: overview.commission_percent / 100, metadata={"type": "number"}
    )
    total_deposits = Coins(required=True, attribute="deposited")
    total_withdraws = Coins(required=True, attribute="withdrawn")
    total_affiliates = ma.fields.Integer(required=True, attribute="affiliates")
    total_earnings = Coins(required=True, attribute="earnings")
    available_earnings = Coins(required=True, attribute="available")
