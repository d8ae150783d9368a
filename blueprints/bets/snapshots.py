"""/snapshots: the content of cases, by its hash."""

from flask import Response

from blueprints.api.auth import public
from blueprints.api.blueprint import ApiBlueprint
from blueprints.bets.schemas import SnapshotSchema
from server.http.strict_requests import current_request
from services.bets import snapshots

blueprint = ApiBlueprint(
    "snapshots", __name__, url_prefix="/snapshots", description="The content of cases, now and as opened"
)

YEAR_SECONDS = 365 * 86_400


@blueprint.get("/<snapshot_hash>")
@public
@blueprint.response(200, SnapshotSchema)
@blueprint.alt_response(304, description="The client has this snapshot already")
@blueprint.alt_response(404)
def get_snapshot(snapshot_hash: str) -> Response:
    """The canonical JSON of a case, byte for byte: its SHA-256 is the hash. It never changes."""
    response = Response(snapshots.text_of(snapshot_hash), mimetype="application/json")
    response.set_etag(snapshot_hash)
    response.cache_control.public = True
    response.cache_control.max_age = YEAR_SECONDS
    response.cache_control.immutable = True
    response.make_conditional(current_request())
    return response
