"""/prizes: the real-life items that the caller has won; selling them, and having them shipped."""

from typing import Any

from blueprints.api.auth import current_user, require_two_factor, require_user
from blueprints.api.blueprint import ApiBlueprint
from blueprints.api.pagination import list_answer
from blueprints.prizes.schemas import PrizesQuery, PrizesSchema, SaleSchema
from server.current_services import get_services
from server.http.rate_limit import LONG_LIST, count_as
from server.schemas import SuccessSchema
from services.wallet import prizes
from sockets.player_state import player_state

blueprint = ApiBlueprint("prizes", __name__, url_prefix="/prizes", description="Real-life items won")


@blueprint.get("")
@count_as(LONG_LIST)
@require_user
@blueprint.arguments(PrizesQuery, location="query")
@blueprint.response(200, PrizesSchema)
def list_prizes(query: dict[str, Any]) -> dict[str, Any]:
    """One page of the caller's prizes, newest first."""
    return list_answer(query["place"], prizes.page(user_id=current_user().id, **query))


@blueprint.post("/<row_id:prize_id>/sell")
@require_user
@require_two_factor
@blueprint.response(200, SaleSchema)
@blueprint.alt_response(404)
def sell_prize(prize_id: int) -> dict[str, Any]:
    """Sell one of the caller's kept prizes for its value. The event `balance` follows."""
    now = get_services().clock()
    amount, player = prizes.sell(user_id=current_user().id, prize_id=prize_id, now=now)
    player_state().send(player.id, player)
    return {"success": True, "amount": amount}


@blueprint.post("/<row_id:prize_id>/ship")
@require_user
@require_two_factor
@blueprint.response(200, SuccessSchema)
@blueprint.alt_response(404)
def ship_prize(prize_id: int) -> dict[str, Any]:
    """Have one of the caller's kept prizes shipped to the address in the caller's details."""
    services = get_services()
    services.shipping.request(user_id=current_user().id, prize_id=prize_id, now=services.clock())
    return {"success": True}
