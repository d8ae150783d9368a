"""/bets: one bet of any player, and its proof in the log. /snapshots: the content of cases, by its hash."""

import orjson
from flask import Response

from blueprints.api.auth import public
from blueprints.api.blueprint import ApiBlueprint
from blueprints.api.caching import cached_response, conditional
from blueprints.bets.schemas import (
    BattleBetSchema,
    PublicOpeningSchema,
    PublicSpinSchema,
    SnapshotSchema,
    dump_bet,
    dump_opened_case,
)
from server.current_services import get_services
from server.http.strict_requests import current_request
from services.bets import lookups, snapshots
from services.shared.signals import Tag

blueprint = ApiBlueprint("bets", __name__, url_prefix="/bets", description="Bets that anybody may verify")
snapshots_blueprint = ApiBlueprint(
    "snapshots", __name__, url_prefix="/snapshots", description="The content of cases, now and as opened"
)

YEAR_SECONDS = 365 * 86_400

PROOF_FILE = {"type": "string", "examples": ["c2sp.org/tlog-proof@v1\nextra eyJhdCI6…\nindex 18\n…"]}


@blueprint.get("/<row_id:bet_id>")
@public
@cached_response(Tag.PLAYERS)
@blueprint.alt_response(
    200,
    schema={"oneOf": [PublicSpinSchema, PublicOpeningSchema, BattleBetSchema]},
    success=True,
    description="The bet",
)
@blueprint.alt_response(304, description="The client has this bet already")
@blueprint.alt_response(404)
def get_public_bet(bet_id: int) -> Response:
    """One bet of any player, with its revealed seed. Not found before its proof is due."""
    services = get_services()
    bet = lookups.get_public(bet_id=bet_id, proofs=services.proofs, now=services.clock())
    opened = {bet.snapshot_id: dump_opened_case(bet.content)} if bet.content else {}
    return Response(orjson.dumps(dump_bet(bet, opened)), mimetype="application/json")


@blueprint.get("/<row_id:bet_id>/tlog-proof")
@public
@conditional
@blueprint.response(200, PROOF_FILE, content_type="text/plain")
@blueprint.alt_response(304, description="The client has this proof already, in the newest checkpoint")
@blueprint.alt_response(404)
def get_log_proof(bet_id: int) -> Response:
    """The proof that a bet is in the public log, in its newest checkpoint.

    It is a file as described at https://c2sp.org/tlog-proof; its `extra` is the entry of the bet, or of the
    end of its battle. Not found before the bet's proof is due.
    """
    services = get_services()
    proof = lookups.get_log_proof(bet_id=bet_id, proofs=services.proofs, now=services.clock())
    return Response(proof, mimetype="text/plain")


@snapshots_blueprint.get("/<snapshot_hash>")
@public
@snapshots_blueprint.response(200, SnapshotSchema)
@snapshots_blueprint.alt_response(304, description="The client has this snapshot already")
@snapshots_blueprint.alt_response(404)
def get_snapshot(snapshot_hash: str) -> Response:
    """The canonical JSON of a case, byte for byte: its SHA-256 is the hash. It never changes."""
    response = Response(snapshots.text_of(snapshot_hash), mimetype="application/json")
    response.set_etag(snapshot_hash)
    response.cache_control.public = True
    response.cache_control.max_age = YEAR_SECONDS
    response.cache_control.immutable = True
    response.make_conditional(current_request())
    return response
