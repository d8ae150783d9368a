"""/bets: one bet of any player, as the link that the player shares shows it."""

from flask import Response, jsonify

from blueprints.api.auth import public
from blueprints.api.blueprint import ApiBlueprint
from blueprints.api.caching import cached_response
from blueprints.bets.schemas import (
    OpenedCaseSchema,
    OpeningSchema,
    PublicOpeningSchema,
    PublicSpinSchema,
)
from server.current_services import get_services
from services.games import bets
from services.shared.cache_invalidation import Tag

blueprint = ApiBlueprint("bets", __name__, url_prefix="/bets", description="Bets that anybody may verify")

SPIN = PublicSpinSchema()
OPENING = OpeningSchema()
OPENED_CASE = OpenedCaseSchema()


@blueprint.get("/<row_id:bet_id>")
@public
@cached_response(Tag.PLAYERS)
@blueprint.alt_response(
    200, schema={"oneOf": [PublicSpinSchema, PublicOpeningSchema]}, success=True, description="The bet"
)
@blueprint.alt_response(304, description="The client has this bet already")
@blueprint.alt_response(404)
def get_public_bet(bet_id: int) -> Response:
    """One bet of any player, with its revealed seed. Not found before its proof is due."""
    services = get_services()
    bet, content = bets.get_public(bet_id=bet_id, proofs=services.proofs, clock=services.clock)
    if content is None:
        return jsonify(SPIN.dump(bet))
    return jsonify(OPENING.dump(bet) | OPENED_CASE.dump(content))
