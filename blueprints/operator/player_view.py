"""The view of a player for support: no token, no unrevealed seed, and no 2FA secret or code."""

from typing import Any

from blueprints.auth.schemas import PublicUserSchema, UserSchema
from blueprints.limits.schemas import LimitsSchema
from blueprints.stats.schemas import GameSchema, PaymentSchema
from models.users import User
from server.current_services import get_services
from server.schemas import Coins, epoch_ms, text
from services.accounts.two_factor import codes
from services.limits import limits
from services.shared.clock import Millis
from services.shared.pagination import Place
from services.statistics import games, payments
from sockets.schemas import NONCE

LAST = Place(number=1, limit=5)
"""The last bets and payments."""


class BetSchema(GameSchema):
    """A bet. ``id`` is that of GET /bets/:id."""

    id = text("The id of the bet", "18")
    nonce = NONCE
    status = text("won or lost", "won")


class ListedPlayerSchema(PublicUserSchema):
    """A player in the list of all players."""

    balance = Coins("What the player can wager", 100, attribute="balance_cents")
    suspended_at = epoch_ms("When the player was suspended", allow_none=True, attribute="suspended_at_ms")


class PlayerSchema(UserSchema, ListedPlayerSchema):
    """The user object of /auth/me, and whether the player is suspended."""


PLAYER, LIMITS = PlayerSchema(), LimitsSchema()
BETS, PAYMENTS = BetSchema(many=True), PaymentSchema(many=True)
LISTED_PLAYERS = ListedPlayerSchema(many=True)


def view_of(user: User) -> dict[str, Any]:
    """The player as ``flask users show`` prints it (docs/commands.md)."""
    now = get_services().clock()
    shown = LIMITS.dump(limits.of_player(user.id, now=now))
    bets = games.page(user_id=user.id, place=LAST, sort=games.Sort.MOST_RECENT, search="")
    paid = payments.page(
        user_id=user.id, place=LAST, kind=payments.PaymentKind.ALL, sort=payments.Sort.MOST_RECENT, search=""
    )
    return {
        **PLAYER.dump(user),
        "exclusion": shown.pop("exclusion"),
        "limits": shown,
        "session": {
            "number": user.token_number,
            "playBeganAt": user.play_began_at_ms or None,
            "lastBetAt": user.last_bet_at_ms or None,
        },
        "twoFactor": _two_factor_of(user, now=now),
        "bets": BETS.dump(bets.rows),
        "payments": PAYMENTS.dump(paid.rows),
    }


def _two_factor_of(user: User, *, now: Millis) -> dict[str, Any]:
    return {
        "enabled": user.two_factor_enabled,
        "codesBlockedUntil": codes.blocked_until(user.id, now=now),
        "recoveryCodesLeft": codes.count_recovery_codes(user.id),
    }
