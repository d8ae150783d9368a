"""/bets: one bet of any player, as the link that the player shares shows it, and its proof in the log."""

import orjson
from flask import Response

from blueprints.api.auth import public
from blueprints.api.blueprint import ApiBlueprint
from blueprints.api.caching import cached_response, conditional
from blueprints.bets.public_bets import dump_bet, dump_opened_case
from blueprints.bets.schemas import PublicOpeningSchema, PublicSpinSchema
from server.current_services import get_services
from services.games import bets
from services.shared.cache_invalidation import Tag

blueprint = ApiBlueprint("bets", __name__, url_prefix="/bets", description="Bets that anybody may verify")

PROOF_FILE = {"type": "string", "examples": ["c2sp.org/tlog-proof@v1\nextra eyJhdCI6…\nindex 18\n…"]}


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
    found = bets.get_public(bet_id=bet_id, proofs=services.proofs, bet_log=services.log, clock=services.clock)
    opened = {key: dump_opened_case(content) for key, content in found.contents.items()}
    return Response(orjson.dumps(dump_bet(found.bets[0], opened)), mimetype="application/json")


@blueprint.get("/<row_id:bet_id>/tlog-proof")
@public
@conditional
@blueprint.response(200, PROOF_FILE, content_type="text/plain")
@blueprint.alt_response(304, description="The client has this proof already, in the newest checkpoint")
@blueprint.alt_response(404)
def get_log_proof(bet_id: int) -> Response:
    """The proof that a bet is in the public log, in its newest checkpoint.

    It is a file as described at https://c2sp.org/tlog-proof; its `extra` is the entry of the bet. Not found
    before the bet's proof is due.
    """
    services = get_services()
    proof = bets.get_log_proof(
        bet_id=bet_id, proofs=services.proofs, bet_log=services.log, clock=services.clock
    )
    return Response(proof, mimetype="text/plain")
