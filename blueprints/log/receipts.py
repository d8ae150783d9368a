"""/log/me and /log/receipts: what a player needs to find and to hold to his own entries."""

from flask import Response

from blueprints.api.auth import current_user, require_user
from blueprints.api.blueprint import ApiBlueprint
from blueprints.log.schemas import RECEIPT, PseudonymSchema
from server.current_services import get_services

blueprint = ApiBlueprint(
    "receipts", __name__, url_prefix="/log", description="The caller's own entries in the public log"
)


@blueprint.get("/me")
@require_user
@blueprint.response(200, PseudonymSchema)
def get_pseudonym() -> dict[str, str]:
    """The caller's name in the log."""
    return {"player": get_services().log.pseudonyms.of_user(current_user().id)}


@blueprint.get("/receipts/<int:nonce>")
@require_user
@blueprint.response(200, RECEIPT, content_type="text/plain")
@blueprint.alt_response(404)
def get_receipt(nonce: int) -> Response:
    """The receipt of one of the caller's bets: the server's signed promise that its entry is in the log.

    Not found for a bet that was lost in a restore.
    """
    text = get_services().log.receipt_of_bet(user_id=current_user().id, nonce=nonce)
    return Response(text, mimetype="text/plain")
