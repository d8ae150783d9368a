"""Schemas of players and logins."""

import marshmallow as ma

from blueprints.api.parameters import Unvalidated
from models.logins import LoginProvider
from server.schemas import (
    Avatar,
    Coins,
    Computed,
    Part,
    SuccessSchema,
    WireSchema,
    count,
    documented,
    epoch_ms,
    flag,
    text,
)
from services.shared.levels import experience_of, level_began_at, level_of, next_level_at
from sockets.schemas import logins_field


class PublicUserSchema(WireSchema):
    """The public profile of a player."""

    platform_id = text(
        "The player's id: 17 digits, or id- and a hash", "76561198000000001", data_key="platformid"
    )
    username = text("3 to 32 letters, digits, dots, dashes and underscores", "alice")
    avatar = Avatar("The player's picture")
    experience = Computed(experience_of, "integer", "One for each whole coin wagered", 1200)
    level = Computed(level_of, "integer", "floor(sqrt(experience / 100))", 3)
    register_date = epoch_ms("When the account was made", attribute="registered_at_ms")


class AffiliateSchema(WireSchema):
    """The player's own code and the one they used; empty when there is none."""

    code = Computed(lambda user: user.affiliate_code or "", "string", "The player's own promo code", "LUCKY7")
    used = Computed(lambda user: user.used_affiliate_code or "", "string", "The promo code used", "")


class UserSchema(PublicUserSchema):
    """The caller's own account."""

    level_experience = Computed(level_began_at, "integer", "The experience at which this level began", 900)
    next_level_experience = Computed(
        next_level_at, "integer", "The experience at which the next level begins", 1600
    )
    balance = Coins("What the player can wager", 100, attribute="balance_cents")
    vault_balance = Coins("What is locked in the vault", 25, attribute="vault_cents")
    vault_deadline = epoch_ms(
        "When the vault can be unlocked, null while it is empty",
        allow_none=True,
        attribute="vault_deadline_ms",
    )
    sweepstake_balance = Coins("The sweepstake balance", 0, attribute="sweepstake_cents")
    client_seed = text("Used for bets that do not send one", "my-lucky-seed")
    trade_url = text("Where the player receives trade offers; empty until it is set", "")
    two_factor_enabled = flag("Whether two-factor authentication is on")
    affiliate = Part(AffiliateSchema, required=True)
    deposit_bonus = flag("Whether the player has a deposit bonus", example=False)
    free_cases = count("How often the player has opened the free case", 0)
    notifications_read_at = epoch_ms(
        "Notifications with a later date are unread; 0 at first", attribute="notifications_read_at_ms"
    )
    logins = logins_field()


class LogoutSchema(WireSchema):
    """The player is logged out."""

    success = flag("Always true")
    message = text("What was done, as a sentence", "Logged out successfully")


class ChallengeAnswerSchema(WireSchema):
    """The answer to a login challenge."""

    challenge = Unvalidated(
        "string",
        "The parameter `challenge` of the redirect to the front end",
        "5f" * 32,
        pattern="^[0-9a-f]{64}$",
    )
    code = Unvalidated("string", "A code of the authenticator app, or a recovery code", "123456")


class TokenSchema(WireSchema):
    """A completed login."""

    token = text(
        "For the header `Authorization` and for the socket",
        "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.e30.c2lnbmF0dXJl",
    )


class LinkSchema(WireSchema):
    """Which login to link."""

    provider = Unvalidated("string", "The provider", "identity", enum=list(LoginProvider))


class LinkAnswerSchema(SuccessSchema):
    """Where the player logs in with the provider, to link that login."""

    url = ma.fields.Url(
        required=True,
        metadata=documented(
            "To open in this browser within five minutes, once",
            "https://id.example.com/authorize?state=link.kT",
        ),
    )


class ProvidersSchema(WireSchema):
    """URLs that start a login; null for a provider that is not configured."""

    platform = text("The game platform's", "https://play.example.com/auth/platform", allow_none=True)
    identity = text("The identity provider's", "https://play.example.com/auth/identity", allow_none=True)
