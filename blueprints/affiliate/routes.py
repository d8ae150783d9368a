"""/affiliate: setting and using promo codes, statistics of the caller's code, and claiming earnings."""

from typing import Any

from flask import Response

from blueprints.affiliate.schemas import (
    ClaimSchema,
    OverviewSchema,
    PromoCodeAnswerSchema,
    PromoCodeSchema,
    ReferredPlayerSchema,
)
from blueprints.api.auth import current_user, require_two_factor, require_user
from blueprints.api.blueprint import ApiBlueprint
from blueprints.api.caching import list_representation
from server.current_services import get_services
from services.shared.money import decimal_text
from services.wallet import affiliates
from services.wallet.affiliates import Overview
from sockets.player_state import player_state

blueprint = ApiBlueprint("affiliate", __name__, url_prefix="/affiliate", description="Promo codes")

REFERRED_PLAYERS = ReferredPlayerSchema(many=True)
BONUS_RECEIVED = {
    "status": True,
    "message": f"You have received a bonus of {decimal_text(affiliates.USE_BONUS)} coins.",
}


@blueprint.get("/stats")
@require_user
@blueprint.response(200, REFERRED_PLAYERS)
@blueprint.alt_response(304, description="The client has this list already")
def list_referred_players() -> Response:
    """The players who used the caller's code, the most profitable first."""
    players = affiliates.referred_players(owner_id=current_user().id)
    # An owner may have thousands of players. The list is built in slices so that other requests do not wait.
    return list_representation(REFERRED_PLAYERS.dump, players).response()


@blueprint.get("/overview")
@require_user
@blueprint.response(200, OverviewSchema)
def get_affiliate_overview() -> Overview:
    """The caller's commission and the sums over all players who used the caller's code."""
    return affiliates.overview(owner_id=current_user().id)


@blueprint.post("/set-code")
@require_user
@blueprint.arguments(PromoCodeSchema)
@blueprint.response(200, PromoCodeAnswerSchema)
def set_promo_code(body: dict[str, Any]) -> dict[str, Any]:
    """Set the caller's own promo code. It can't be changed afterwards."""
    services = get_services()
    affiliates.set_code(
        user_id=current_user().id,
        code=body["code"],
        special=services.settings.affiliate_special_code,
        now=services.clock(),
    )
    return {"status": True, "message": "Your promo code has been set."}


@blueprint.post("/use-code")
@require_user
@blueprint.arguments(PromoCodeSchema)
@blueprint.response(200, PromoCodeAnswerSchema, example=BONUS_RECEIVED)
def use_promo_code(body: dict[str, Any]) -> dict[str, Any]:
    """Use another player's promo code for a bonus, once. The event `balance` follows."""
    services = get_services()
    player = affiliates.use_code(
        user_id=current_user().id,
        code=body["code"],
        special=services.settings.affiliate_special_code,
        now=services.clock(),
    )
    player_state().send(player.id, player)
    return BONUS_RECEIVED


@blueprint.post("/claim")
@require_user
@require_two_factor
@blueprint.response(200, ClaimSchema)
def claim_affiliate_earnings() -> dict[str, Any]:
    """Add the caller's available earnings to the balance. The event `balance` follows."""
    amount, player = affiliates.claim(user_id=current_user().id, now=get_services().clock())
    player_state().send(player.id, player)
    message = f"You claimed {decimal_text(amount)} coins"
    return {"status": True, "message": message, "amount": amount}
