"""/snapshots: the content of cases, by its hash."""

from collections.abc import Hashable, Mapping

from cachetools import LRUCache, cached
from flask import Response

from blueprints.api.auth import public
from blueprints.api.blueprint import ApiBlueprint
from blueprints.bets.schemas import SnapshotSchema
from server.http.strict_requests import current_request
from services.bets import present_contents, snapshots
from services.bets.snapshots import SnapshotNotFound
from services.cases import version
from services.shared.build_once import BuildCondition

blueprint = ApiBlueprint(
    "snapshots", __name__, url_prefix="/snapshots", description="The content of cases, now and as opened"
)

YEAR_SECONDS = 365 * 86_400


@cached(LRUCache(maxsize=1), condition=BuildCondition())
def _cases_by_hash(_version: Hashable) -> Mapping[str, tuple[str, str]]:
    """Computed once for each version of the cases, however many unknown hashes clients ask for."""
    return present_contents.cases_by_hash()


def _text_of(hash_: str) -> str:
    try:
        return snapshots.text_of(hash_)
    except SnapshotNotFound:
        # Read before the cases, which are at least as new as this version.
        case = _cases_by_hash(version.current()).get(hash_)
        if case is None:
            raise
        return present_contents.text_of(*case, hash_)


@blueprint.get("/<snapshot_hash>")
@public
@blueprint.response(200, SnapshotSchema)
@blueprint.alt_response(304, description="The client has this snapshot already")
@blueprint.alt_response(404)
def get_snapshot(snapshot_hash: str) -> Response:
    """The canonical JSON of a case, byte for byte: its SHA-256 is the hash. It never changes."""
    response = Response(_text_of(snapshot_hash), mimetype="application/json")
    response.set_etag(snapshot_hash)
    response.cache_control.public = True
    response.cache_control.max_age = YEAR_SECONDS
    response.cache_control.immutable = True
    response.make_conditional(current_request())
    return response
