"""/profile/export: everything that is known of the caller, as a file."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from flask import Response, jsonify, request

from blueprints.api.auth import current_user, require_profile, require_two_factor_for
from blueprints.api.blueprint import ApiBlueprint
from blueprints.profile.export_schemas import ExportRequestSchema, ExportSchema
from models.db import waiting
from models.exports import Export
from server.current_services import get_services
from server.schemas import SuccessSchema
from services.exports import requests
from services.shared.background import in_slices

blueprint = ApiBlueprint(
    "export", __name__, url_prefix="/profile/export", description="Everything that is known of a player"
)


@blueprint.post("")
@require_profile
@require_two_factor_for("export")
@blueprint.response(200, ExportRequestSchema)
def request_export() -> dict[str, Any]:
    """Ask for a file with everything that is known of the caller, who is notified of it.

    A player has one at a time: until a day after it was made, the id of the same one is returned.
    """
    export_id = requests.request(user_id=current_user().id, now=get_services().clock())
    return {"success": True, "id": export_id}


@blueprint.get("/<export_id>")
@require_profile
@blueprint.alt_response(200, schema=ExportSchema, success=True, description="The file")
@blueprint.alt_response(202, schema=SuccessSchema, success=True, description="It is being made; ask again")
@blueprint.alt_response(404)
def get_export(export_id: str) -> Response:
    """The file with everything that is known of the caller, which is gone a day after it was made."""
    now = get_services().clock()
    export = requests.get(export_id=export_id, user_id=current_user().id, now=now)
    if export.made_at_ms is None:
        answer = jsonify({"success": True})
        answer.status_code = 202
        answer.headers["Retry-After"] = "2"
        return answer
    requests.record_download(export, now=now)
    return _file(export)


def _file(export: Export) -> Response:
    """The file, packed if the client unpacks it: it is stored so."""
    is_packed = bool(request.accept_encodings.quality("gzip"))
    pieces = requests.packed_pieces(export) if is_packed else in_slices(requests.pieces(export), 1)
    day = datetime.fromtimestamp((export.made_at_ms or 0) / 1000, UTC).strftime("%Y-%m-%d")
    answer = Response(_with_time(pieces), mimetype="application/json")
    answer.headers["Content-Disposition"] = f"attachment; filename=my-data-{day}.json"
    answer.headers["Content-Length"] = str(export.packed_bytes if is_packed else export.bytes)
    answer.vary.add("Accept-Encoding")
    if is_packed:
        answer.content_encoding = "gzip"
    return answer


def _with_time(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The pieces, each with a wait budget of its own: the client decides how long the whole takes."""
    waiting.begin_budget()
    for piece in pieces:
        yield piece
        waiting.begin_budget()
