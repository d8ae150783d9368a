"""Schemas of players."""

import marshmallow as ma

from blueprints.api.media_urls import Avatar
from blueprints.api.schemas import Coins, Part, WireSchema
from models.users import User
from services.shared.levels import experience_of, level_of


def experience_points(user: User) -> int:
    return experience_of(granted=user.granted_experience, wagered_cents=user.wagered_cents)


class PublicUserSchema(WireSchema):
    """The public profile of a player. ``registerDate`` in ms."""

    platform_id = ma.fields.String(required=True, data_key="platformid")
    username = ma.fields.String(required=True)
    avatar = Avatar(required=True)
    experience = ma.fields.Function(experience_points, metadata={"type": "integer"})
    level = ma.fields.Function(lambda user: level_of(experience_points(user)), metadata={"type": "integer"})
    register_date = ma.fields.Integer(required=True, attribute="registered_at_ms")


class AffiliateSchema(WireSchema):
    """The player's own code and the one they used; empty when there is none."""

    code = ma.fields.Function(lambda user: user.affiliate_code or "", metadata={"type": "string"})
    used = ma.fields.Function(lambda user: user.used_affiliate_code or "", metadata={"type": "string"})


class UserSchema(PublicUserSchema):
    """The caller's own account. ``vaultDeadline`` in ms, or null."""

    balance = Coins(required=True, attribute="balance_cents")
    vault_balance = Coins(required=True, attribute="vault_cents")
    vault_deadline = ma.fields.Integer(required=True, allow_none=True, attribute="vault_deadline_ms")
    sweepstake_balance = Coins(required=True, attribute="sweepstake_cents")
    client_seed = ma.fields.String(required=True)
    trade_url = ma.fields.String(required=True)
    two_factor_enabled = ma.fields.Boolean(required=True)
    affiliate = Part(AffiliateSchema, required=True)
    deposit_bonus = ma.fields.Boolean(required=True)
    free_cases = ma.fields.Integer(required=True)


class LogoutSchema(WireSchema):
    success = ma.fields.Boolean(required=True)
    message = ma.fields.String(required=True)


class ProvidersSchema(WireSchema):
    """URLs that start a login; null for a provider that is not configured."""

    platform = ma.fields.String(required=True, allow_none=True)
    identity = ma.fields.String(required=True, allow_none=True)
